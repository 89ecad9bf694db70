from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planning.habits import Habits
from robot.arm_models import WIDOWX_250S
from robot.errors import SettingsError
from steadyhand.settings import Settings
from steadyhand.settings_file import changes, example, load_settings


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "steadyhand.toml"
    path.write_text(text, encoding="utf-8")
    return path


def every_key() -> list[tuple[str, str, Any]]:
    """Section, name and field of every key that has bounds."""
    keys = []
    for section, info in Settings.model_fields.items():
        model: Any = info.default_factory
        for name, field in getattr(model, "model_fields", {}).items():
            bounds = {type(m).__name__: m for m in field.metadata}
            if {"Ge", "Le"} <= bounds.keys():
                keys.append((section, name, (bounds["Ge"].ge, bounds["Le"].le, field.default)))
    return keys


KEYS = every_key()


def test_without_a_file_the_defaults_hold() -> None:
    assert load_settings(None) == Settings()


def test_defaults_are_the_habits_own() -> None:
    mine, theirs = Settings().habits(), Habits()
    for section in ("probe", "extract", "place"):
        assert vars(getattr(mine, section)) == pytest.approx(vars(getattr(theirs, section)))
    assert mine.approach_m_s == pytest.approx(theirs.approach_m_s)


def test_example_is_read_back_as_the_defaults(tmp_path: Path) -> None:
    text = example()
    assert load_settings(written(tmp_path, text)) == Settings()
    assert set(tomllib.loads(text)) == set(Settings.model_fields)


def test_example_explains_every_key_with_its_range() -> None:
    lines = example().splitlines()
    for section, name, (low, high, _default) in KEYS:
        begins = lines.index(f"[{section}]")
        keys = (text.removeprefix("# ") for text in lines[begins:])
        line = begins + next(k for k, text in enumerate(keys) if text.startswith(f"{name} = "))
        assert lines[line - 1].startswith("# ")
        assert f"({low:g} to {high:g})" in lines[line - 1]
        assert len(lines[line - 1]) > 25


@pytest.mark.parametrize(("section", "name", "field"), KEYS, ids=[f"{s}.{n}" for s, n, _ in KEYS])
def test_key_outside_its_range_is_refused_with_both(
    tmp_path: Path, section: str, name: str, field: tuple[float, float, float]
) -> None:
    low, high, default = field
    assert low <= default <= high
    step = 1 if isinstance(default, int) else 1e-3
    for beyond in (low - max(abs(low), 1) * step, high + max(abs(high), 1) * step):
        with pytest.raises(
            SettingsError, match=rf"{section}\.{name} = .*input should be (less|greater) than or equal"
        ):
            load_settings(written(tmp_path, f"[{section}]\n{name} = {beyond!r}\n"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("blokset = 'tight'", r"blokset is not known; the keys are blockset, edition, arm, tower"),
        ("[arm]\nspeed = 3", r"arm\.speed is not known; the keys are .*x_mm, y_mm, .*joint_jerk_deg_s3"),
        ("[robot]\nx = 1", r"robot is not known; the keys are"),
        ("arm = 5", r"arm = 5 must be a table, which begins with a line \[arm\]"),
        ("[arm]\npace = '0.5'", r"arm\.pace = '0\.5': input should be a valid number"),
        ("[arm]\npace = true", r"arm\.pace = True: input should be a valid number"),
        ("[arm]\npace = nan", r"arm\.pace = nan: input should be a finite number"),
        ("[arm]\npace = -inf", r"arm\.pace = -inf"),
        ("[probe]\ntries = 2.5", r"probe\.tries = 2\.5: input should be a valid integer"),
        ("[probe]\ntries = 11", r"probe\.tries = 11: input should be less than or equal to 10"),
        ("[sim]\narm_errors = 1", r"sim\.arm_errors = 1: input should be a valid boolean"),
        ("blockset = 3", r"blockset = 3: input should be a valid string"),
        ("[arm\npace = 1", r"cannot be read: Expected ']'"),
        ("pace = ", r"cannot be read: Invalid value"),
        ("[arm]\npace = 1\npace = 1", r"cannot be read: Cannot overwrite a value"),
    ],
)
def test_wrong_file_is_refused_with_what_is_allowed(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=rf"settings .*steadyhand\.toml: {why}"):
        load_settings(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[extract]\ngrip_mm = 20", r"extract\.push_out_mm = 21 must be at least extract\.grip_mm \+ 3 = 23"),
        (
            "[place]\noverhang_mm = 17.5",
            r"place\.overhang_mm = 17\.5 must be at least extract\.grip_mm \+ 3 = 18",
        ),
        ("[probe]\nfirst_look_mm = 6", r"probe\.first_look_mm = 6 must be below probe\.full_mm"),
        ("[finger]\nleg_mm = 65", r"finger\.slim_mm = 60 must be at most finger\.leg_mm - 10 = 55"),
        ("[finger]\nmax_opening_mm = 25", r"extract\.opening_mm = 26 must be at most finger\.max_opening_mm"),
        (
            "[probe]\nlimit_n = 0.05",
            r"probe\.limit_n = 0\.05 must lie between 0\.08, which stands out of force\.noise_n",
        ),
        ("[force]\nnoise_n = 0.4", r"probe\.limit_n = 0\.8 must lie between 1\.07"),
        (
            "[force]\nceiling_n = 1.3",
            r"probe\.restore_limit_n = 1\.5 must lie between .* and force\.ceiling_n = 1\.3",
        ),
        ("[force]\nceiling_n = 1.0", r"extract\.limit_n = 1\.2 must lie"),
        ("[force]\nceiling_n = 1.0", r"place\.flush_limit_n = 1\.2 must lie"),
    ],
)
def test_keys_that_do_not_fit_each_other_are_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        load_settings(written(tmp_path, text))


def test_several_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"arm\.pace = 3.*; .*force\.rate_hz = 1: "):
        load_settings(written(tmp_path, "[arm]\npace = 3\n[force]\nrate_hz = 1\n"))


def test_missing_file_comes_with_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"no such file; `steadyhand settings --example > .*none\.toml` writes one"
    ):
        load_settings(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "make", [lambda p: p.mkdir(), lambda p: p.write_bytes(b"\xff\xfe")], ids=["folder", "bytes"]
)
def test_file_that_is_no_text_is_refused(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "steadyhand.toml"
    make(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(path)


def test_whole_numbers_will_do_for_lengths(tmp_path: Path) -> None:
    assert load_settings(written(tmp_path, "[arm]\npace = 1\nx_mm = -400\n")).arm.x_mm == -400


def test_what_depends_on_the_arm_is_commented_out_in_the_example_and_told_for_each_model(
    tmp_path: Path,
) -> None:
    """So that a file made from it, with another arm named in it, has that arm's place."""
    lines = example().splitlines()
    line = next(k for k, text in enumerate(lines) if text.startswith("# max_opening_mm = "))
    assert lines[line - 1].endswith("left out: viperx-300s 60, widowx-250s 42")
    text = example().replace('model = "viperx-300s"', 'model = "widowx-250s"')
    assert load_settings(written(tmp_path, text)) == Settings.of_arm("widowx-250s")


def test_what_is_not_said_is_as_suits_the_arm_that_is_named(tmp_path: Path) -> None:
    text = "[arm]\nmodel = 'widowx-250s'\nx_mm = -333\n[tower]\nx_mm = 3\n"
    chosen, suits = load_settings(written(tmp_path, text)), WIDOWX_250S.place
    assert (chosen.arm.x_mm, chosen.arm.z_mm) == pytest.approx((-333, suits.z_m * 1e3))
    assert (chosen.tower.x_mm, chosen.tower.plinth_mm) == pytest.approx((3, suits.plinth_m * 1e3))
    assert chosen.finger.max_opening_mm == pytest.approx(WIDOWX_250S.opening_m * 1e3)
    assert chosen.arm.kind == "widowx-250s"
    assert changes(chosen) == [
        "arm.model = 'widowx-250s' (default 'viperx-300s')",
        f"arm.x_mm = -333.0 (default {suits.x_m * 1e3!r})",
        "tower.x_mm = 3.0 (default 0.0)",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model = 'r2d2'", r"arm\.model = 'r2d2': .*choose one of viperx-300s, widowx-250s"),
        ("model = 'so-101'", r"arm\.model = 'so-101': .*; a SO-101 cannot play: it has five joints"),
        ("model = 3", r"arm\.model = 3: input should be a valid string"),
        (
            "model = 'widowx-250s'\n[finger]\nmax_opening_mm = 60",
            r"finger\.max_opening_mm = 60 must be at most 44, as far as the gripper of a WidowX-250s opens",
        ),
    ],
)
def test_arm_that_is_not_known_or_does_not_fit_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        load_settings(written(tmp_path, f"[arm]\n{text}\n"))


def test_file_of_the_servos_is_looked_for_beside_the_settings(tmp_path: Path) -> None:
    chosen = load_settings(written(tmp_path, "[arm]\nkind = 'mine.toml'\n"))
    assert chosen.arm.kind == str(tmp_path / "mine.toml")


def test_changes_are_listed_against_the_defaults(tmp_path: Path) -> None:
    assert changes(Settings()) == []
    changed = load_settings(written(tmp_path, "blockset = 'tight'\n[probe]\ntries = 2\n[sim]\nsag = 0.1\n"))
    assert changes(changed) == ["blockset = 'tight' (default 'standard')", "probe.tries = 2 (default 5)"]


def test_millimetres_degrees_and_milliseconds_become_si_units() -> None:
    chosen = Settings.model_validate(
        {
            "arm": {"x_mm": -350, "y_mm": 20, "z_mm": 50, "yaw_deg": 90, "approach_mm_s": 80},
            "tower": {"x_mm": 10, "y_mm": -5, "yaw_deg": 30, "plinth_mm": 90},
            "finger": {
                "leg_mm": 110,
                "slim_mm": 70,
                "nose_width_mm": 9,
                "nose_thickness_mm": 3,
                "max_opening_mm": 50,
            },
        }
    )
    T_world_base, T_world_tower = chosen.arm.T_world_base(), chosen.tower.T_world_tower()
    assert T_world_base[:3, 3] == pytest.approx([-0.35, 0.02, 0.05])
    assert T_world_base[:3, 0] == pytest.approx([0, 1, 0])
    assert T_world_tower[:3, 3] == pytest.approx([0.01, -0.005, 0.09])
    assert np.degrees(np.arctan2(T_world_tower[1, 0], T_world_tower[0, 0])) == pytest.approx(30)
    fingers = chosen.finger.fingers()
    assert (fingers.leg_m, fingers.slim_m, fingers.nose_width_m) == pytest.approx((0.11, 0.07, 0.009))
    assert (fingers.nose_thickness_m, fingers.max_opening_m) == pytest.approx((0.003, 0.05))
    assert chosen.habits().approach_m_s == pytest.approx(0.08)


def test_every_habit_in_the_file_reaches_the_robot() -> None:
    """Each key of probe, extract and place changes exactly one habit."""
    for section in ("probe", "extract", "place"):
        model: Any = Settings.model_fields[section].default_factory
        default = vars(model().habits())
        for name, field in model.model_fields.items():
            other = model.model_validate({name: type(field.default)(field.default * 0.95)})
            changed = {key for key, value in vars(other.habits()).items() if value != default[key]}
            assert len(changed) == 1, f"{section}.{name} changes {changed or 'nothing'}"


def test_stopped_arm_holds_unless_it_is_set_to_sink() -> None:
    assert Settings().arm.sinks_rad_s == 0.0
    sinking = Settings.model_validate({"arm": {"stopped": "sink", "sink_deg_s": 6}})
    assert sinking.arm.sinks_rad_s == pytest.approx(np.radians(6))
    with pytest.raises(ValueError, match="'hold' or 'sink'"):
        Settings.model_validate({"arm": {"stopped": "drop"}})
