"""Reading a settings file, and writing one that explains every key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from robot.errors import SettingsError
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
        settings = Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise SettingsError(
            f"settings {path}: no such file; `steadyhand settings --example > {path}` writes one"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"settings {path}: cannot be read: {error}") from None
    except ValidationError as error:
        raise SettingsError(f"settings {path}: {'; '.join(_fault(f) for f in error.errors()[:5])}") from None
    if settings.arm.joints:  # named as seen from the settings, as camera files are
        settings.arm.joints = str(path.parent / settings.arm.joints)
    return settings


def _fault(fault: Any) -> str:
    key = ".".join(str(part) for part in fault["loc"])
    if not key:  # keys that do not fit each other
        return str(fault["ctx"]["error"])
    if fault["type"] == "extra_forbidden":
        return f"{key} is not known; the keys are {', '.join(_keys_beside(fault['loc']))}"
    if fault["type"] == "model_type":
        return f"{key} = {fault['input']!r} must be a table, which begins with a line [{key}]"
    return f"{key} = {fault['input']!r}: {fault['msg'].lower()}"


def _keys_beside(location: tuple[Any, ...]) -> list[str]:
    model: Any = Settings
    for part in location[:-1]:
        model = CameraSettings if model == dict[str, CameraSettings] else model.model_fields[part].annotation
    return list(model.model_fields)


def example() -> str:
    """A settings file with every key at its default, and what each is for."""
    lines = ["# Settings of steadyhand. Every key may be left out; what stands here are the defaults.", ""]
    for name, info in Settings.model_fields.items():
        if not isinstance(info.default_factory, type):
            lines += _example_key(name, info)
    for name, info in Settings.model_fields.items():
        if info.default_factory is dict:
            lines += ["", f"# {info.description}", f"[{name}]", *example_lines()]
        elif isinstance(info.default_factory, type):
            section: Any = info.default_factory
            lines += ["", f"# {(section.__doc__ or '').splitlines()[0]}", f"[{name}]"]
            for key, inner in section.model_fields.items():
                lines += _example_key(key, inner)
    return "\n".join(lines) + "\n"


def _example_key(key: str, info: Any) -> list[str]:
    bounds = {type(m).__name__: m for m in info.metadata}
    allowed = f" ({bounds['Ge'].ge:g} to {bounds['Le'].le:g})" if {"Ge", "Le"} <= bounds.keys() else ""
    value = (
        str(info.default).lower() if isinstance(info.default, bool) else repr(info.default).replace("'", '"')
    )
    return [f"# {info.description}{allowed}", f"{key} = {value}"]


def changes(settings: Settings) -> list[str]:
    """The keys that differ from their defaults, one a line."""
    return _changes(settings.model_dump(), Settings().model_dump(), "")


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
