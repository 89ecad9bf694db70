"""Reading a settings file, and writing one that explains every key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hardware.arm_file import is_file
from robot.arm_models import VIPERX_300S
from robot.errors import SettingsError
from steadyhand.arm_defaults import by_model
from steadyhand.camera_settings import CameraSettings, example_lines
from steadyhand.settings import Settings


def load_settings(path: Path | None) -> Settings:
    """The settings of a file, or the defaults where there is none.

    Raises:
        SettingsError: The file cannot be read, or a key of it is unknown, of the wrong kind or out of range.
    """
    if path is None:
        return Settings()
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        settings = Settings.model_validate(_with_files_from(path.parent, given))
    except FileNotFoundError:
        raise SettingsError(
            f"settings {path}: no such file; `steadyhand settings --example > {path}` writes one"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"settings {path}: cannot be read: {error}") from None
    except ValidationError as error:
        raise SettingsError(f"settings {path}: {'; '.join(_fault(f) for f in error.errors()[:5])}") from None
    return settings


def _with_files_from(folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The arm's files are named as seen from the settings, as camera files are."""
    arm = given.get("arm")
    if not isinstance(arm, dict):
        return given
    files = {
        key: str(folder / name)
        for key in ("model", "kind", "joints")
        if isinstance(name := arm.get(key), str) and name and (key == "joints" or is_file(name))
    }
    return {**given, "arm": {**arm, **files}}


def _fault(fault: Any) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if not key:  # keys that do not fit each other
        return str(fault["ctx"]["error"])
    if fault["type"] == "extra_forbidden":
        return f"{key} is not known; the keys are {', '.join(_keys_beside(fault['loc']))}"
    if fault["type"] == "model_type":
        return f"{key} = {fault['input']!r} must be a table, which begins with a line [{key}]"
    said = fault["ctx"]["error"] if fault["type"] == "value_error" else fault["msg"].lower()
    return f"{key} = {fault['input']!r}: {said}"


def _keys_beside(location: tuple[Any, ...]) -> list[str]:
    model: Any = Settings
    for part in location[:-1]:
        model = CameraSettings if model == dict[str, CameraSettings] else model.model_fields[part].annotation
    return list(model.model_fields)


def example() -> str:
    """A settings file with every key at its default, and what each is for."""
    lines = [
        "# Settings of steadyhand. Every key may be left out; what stands here are the defaults.",
        "# A key that is commented out has no default of its own: left out, it is what suits the arm of arm.model.",
        "",
    ]
    for name, info in Settings.model_fields.items():
        if not isinstance(info.default_factory, type):
            lines += _example_key("", name, info)
    for name, info in Settings.model_fields.items():
        if info.default_factory is dict:
            lines += ["", f"# {info.description}", f"[{name}]", *example_lines()]
        elif isinstance(info.default_factory, type):
            section: Any = info.default_factory
            lines += ["", f"# {(section.__doc__ or '').splitlines()[0]}", f"[{name}]"]
            for key, inner in section.model_fields.items():
                lines += _example_key(name, key, inner)
    return "\n".join(lines) + "\n"


def _example_key(section: str, key: str, info: Any) -> list[str]:
    bounds = {type(m).__name__: m for m in info.metadata}
    allowed = f" ({bounds['Ge'].ge:g} to {bounds['Le'].le:g})" if {"Ge", "Le"} <= bounds.keys() else ""
    value = (
        str(info.default).lower() if isinstance(info.default, bool) else repr(info.default).replace("'", '"')
    )
    suits = by_model(section, key)
    if not suits:
        return [f"# {info.description}{allowed}", f"{key} = {value}"]
    return [f"# {info.description}{allowed}; left out: {_told(suits)}", f"# {key} = {value}"]


def _told(suits: Mapping[str, str | float]) -> str:
    """What a key is for each model."""
    if all(name == value for name, value in suits.items()):
        return "that of arm.model"
    return ", ".join(f"{name} {value:g}" for name, value in suits.items())


def changes(settings: Settings) -> list[str]:
    """The keys that differ from their defaults, which are those of the arm's model, one a line."""
    defaults = Settings.of_arm(settings.arm.model).model_dump()
    defaults["arm"]["model"] = VIPERX_300S.name
    return _changes(settings.model_dump(), defaults, "")


def _changes(values: dict[str, Any], defaults: dict[str, Any], prefix: str) -> list[str]:
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, dict):
            lines += _changes(value, defaults.get(key, {}), f"{prefix}{key}.")
        elif key not in defaults:
            lines += [] if value is None else [f"{prefix}{key} = {value!r}"]
        elif value != defaults[key]:
            lines.append(f"{prefix}{key} = {value!r} (default {defaults[key]!r})")
    return lines
