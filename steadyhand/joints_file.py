"""What `calibrate joints` wrote, read again for the arm that it belongs to."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from robot.errors import BadInputError
from robot.offsets import UNCALIBRATED_SD_RAD, JointOffsets

_MOST_DEG = 15.0  # as much as `calibrate joints` lets pass
_SINCE_DEG = 0.1  # standard deviation of what play and wear have changed since


def read_joints(path: Path, joint_names: Sequence[str]) -> JointOffsets:
    """The offsets in a file; a joint that its calibration left alone is as unknown as without one.

    Args:
        path: As `calibrate joints -o` wrote it.
        joint_names: The arm's joints, in order.

    Raises:
        BadInputError: The file cannot be read, or belongs to another arm.
    """
    content = _content(path)
    known = _by_joint(path, content, "offsets_deg", joint_names)
    spread = _by_joint(path, content, "sd_deg", joint_names)
    offsets_deg = np.array([known[name] for name in joint_names])
    sd_deg = np.array([spread[name] for name in joint_names])
    told = sd_deg > 0  # it writes 0 for what was not asked for
    sd_rad = np.where(told, np.radians(np.hypot(sd_deg, _SINCE_DEG)), UNCALIBRATED_SD_RAD)
    return JointOffsets(joint_names, np.radians(np.where(told, offsets_deg, 0.0)), sd_rad)


def _content(path: Path) -> dict[str, object]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInputError(
            f"joints {path}: no such file; `steadyhand calibrate joints -o {path}` writes one; or leave arm.joints "
            "empty"
        ) from None
    except (OSError, ValueError) as error:
        raise BadInputError(f"joints {path}: cannot be read: {error}; calibrate the joints again") from None
    if not isinstance(content, dict):
        raise BadInputError(
            f"joints {path}: holds a {type(content).__name__}, expected what `calibrate joints` writes"
        )
    return content


def _by_joint(
    path: Path, content: dict[str, object], key: str, joint_names: Sequence[str]
) -> dict[str, float]:
    values = content.get(key)
    if not isinstance(values, dict) or set(values) != set(joint_names):
        held = ", ".join(map(str, values)) if isinstance(values, dict) else repr(values)
        raise BadInputError(
            f"joints {path}: {key} has {held}; this arm's joints are {', '.join(joint_names)}: calibrate this arm's"
        )
    for name, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not number or abs(value) > _MOST_DEG:
            raise BadInputError(
                f"joints {path}: {key} of {name} is {value!r}, allowed -{_MOST_DEG:g} to {_MOST_DEG:g} degrees; "
                "calibrate the joints again"
            )
    return values
