from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from robot.errors import BadInputError
from steadyhand.joints_file import read_joints

NAMES = ("waist", "shoulder", "wrist")
GOOD = {
    "offsets_deg": {"waist": 4.0, "shoulder": -0.5, "wrist": 0.0},
    "sd_deg": {"waist": 0.01, "shoulder": 0.2, "wrist": 0.0},
}


def written(folder: Path, content: object) -> Path:
    path = folder / "joints.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_offsets_come_in_the_order_of_the_arm_s_joints(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    assert np.degrees(read_joints(path, NAMES).mean_rad) == pytest.approx([4.0, -0.5, 0.0])
    assert np.degrees(read_joints(path, NAMES[::-1]).mean_rad) == pytest.approx([0.0, -0.5, 4.0])


def test_calibrated_joints_are_trusted_more_than_those_that_were_left_alone(tmp_path: Path) -> None:
    offsets = read_joints(written(tmp_path, GOOD), NAMES)
    doubts = [offsets.doubt_m(np.outer(np.eye(6)[0], np.eye(3)[k])) for k in range(3)]
    assert doubts[0] < doubts[1] < doubts[2]


def test_joint_that_is_off_far_but_calibrated_may_still_be_corrected_a_little(tmp_path: Path) -> None:
    offsets = read_joints(written(tmp_path, GOOD), NAMES)
    look = np.array([0.0, 0.0, 0.0, np.radians(0.05), 0.0, 0.0])
    turning = np.outer(np.eye(6)[3], np.eye(3)[0])
    offsets.learn(turning, look, 1e-8 * np.eye(6))
    assert 4.0 < np.degrees(offsets.mean_rad[0]) < 4.1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "cannot be read"),
        ("[]", "holds a list"),
        (
            {"offsets_deg": GOOD["offsets_deg"]},
            "sd_deg has None; this arm's joints are waist, shoulder, wrist",
        ),
        (GOOD | {"offsets_deg": {"hip": 1.0}}, "offsets_deg has hip; this arm's joints are"),
        (
            GOOD | {"offsets_deg": GOOD["offsets_deg"] | {"waist": 15.1}},
            "offsets_deg of waist is 15.1, allowed -15",
        ),
        (GOOD | {"sd_deg": GOOD["sd_deg"] | {"waist": True}}, "sd_deg of waist is True"),
        (json.dumps(GOOD).replace("4.0", "NaN"), "offsets_deg of waist is nan"),
    ],
)
def test_file_of_another_arm_or_without_numbers_is_refused(tmp_path: Path, content: object, why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        read_joints(written(tmp_path, content), NAMES)


def test_missing_file_is_refused_with_the_command_that_writes_it(tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match=r"no such file; `steadyhand calibrate joints -o .*joints\.json` writes"
    ):
        read_joints(tmp_path / "joints.json", NAMES)
