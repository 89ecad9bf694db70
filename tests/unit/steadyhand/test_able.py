from __future__ import annotations

from pathlib import Path

import pytest

from planning.tower import Tower
from robot.errors import BadInputError
from steadyhand import wiring
from steadyhand.able import need_able
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from support.own_arm import SIX, own_arm

TOWER = Tower.of_blocks(54)


def settings_with(folder: Path, arm: Path, more: str = "") -> Settings:
    file = folder / "s.toml"
    file.write_text(f'[arm]\nmodel = "{arm.name}"\n{more}')
    return load_settings(file)


def asked(settings: Settings) -> None:
    need_able(settings, wiring.body_of(settings), TOWER)


def test_own_arm_of_six_joints_that_reaches_may_play(tmp_path: Path) -> None:
    asked(settings_with(tmp_path, own_arm(tmp_path)))


def test_arms_that_come_with_the_program_are_not_asked() -> None:
    asked(Settings())


def test_arm_of_five_joints_cannot_play_but_is_known(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, own_arm(tmp_path, SIX[:5]))
    with pytest.raises(
        BadInputError, match=r"a Heron cannot play: it has 5 joints, needed are 6.*arm park\|open"
    ):
        asked(settings)


def test_arm_out_of_reach_cannot_play_and_is_told_where_it_stands(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, own_arm(tmp_path), "x_mm = -900\n")
    with pytest.raises(
        BadInputError, match=r"reaches none square at both ends; .* x 900, y 0, z 100 mm of its base"
    ):
        asked(settings)


def test_arm_whose_first_joint_lies_cannot_play(tmp_path: Path) -> None:
    lying = [SIX[0]._replace(origin='xyz="0 0 0.07" rpy="1.5708 0 0"'), *SIX[1:]]
    with pytest.raises(
        BadInputError, match=r"its first joint 'turn' turns about \(-?0\.00, 1\.00, .*needed is the"
    ):
        asked(settings_with(tmp_path, own_arm(tmp_path, lying)))


def test_reason_that_the_file_gives_is_told(tmp_path: Path) -> None:
    arm = own_arm(tmp_path, more='cannot_play = "its wrist is loose"')
    with pytest.raises(BadInputError, match="a Heron cannot play: its wrist is loose"):
        asked(settings_with(tmp_path, arm))


def test_play_asks_before_anything_is_built(tmp_path: Path) -> None:
    from planning.blockset import load_blockset
    from steadyhand.stopping import HumanStop

    settings = settings_with(tmp_path, own_arm(tmp_path, SIX[:5]))
    with pytest.raises(BadInputError, match="cannot play"):
        wiring.simulated(settings, load_blockset("standard"), TOWER, 1, HumanStop())


def test_urdf_that_is_cut_off_is_told_by_the_settings(tmp_path: Path) -> None:
    arm = own_arm(tmp_path)
    (tmp_path / "heron.urdf").write_text((tmp_path / "heron.urdf").read_text()[:700])
    with pytest.raises(
        BadInputError, match=r"arm\.model = .*heron\.toml'?: URDF .*heron\.urdf: is no whole XML"
    ):
        settings_with(tmp_path, arm)


def test_what_is_left_out_follows_from_the_arms_file(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, own_arm(tmp_path))
    assert settings.arm.kind == settings.arm.model == str(tmp_path / "heron.toml")
    assert settings.finger.max_opening_mm == 60
