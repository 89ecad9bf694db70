"""A block that slid between the fingers is found where it is, not where edges of other things look like it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from planning.eyes import Doubt
from planning.in_hand import find_in_hand
from planning.observation import BlockSeen
from robot.errors import PerceptionError
from robot.frames import Array, pose, rot_z

SIZE_M = np.array([0.075, 0.025, 0.015])
DOUBT = Doubt((0.003,) * 3, (0.04,) * 3)
EXPECTED = pose(rot_z(0.7), [0.1, -0.05, 0.4])
REACH_M = 0.006


class Eyes:
    """They find a block within their reach; further off they take something else for it, or see nothing."""

    def __init__(self, slid_m: list[float] | None, mistaken_m: float | None) -> None:
        self.truth = None if slid_m is None else EXPECTED @ pose(None, slid_m)
        self.mistaken_m, self.looks = mistaken_m, 0

    def locate(self, view: Any, guess: Array, size_m: Array, around: Any, doubt: Doubt) -> BlockSeen:
        self.looks += 1
        if self.truth is not None and np.abs((self.truth - guess)[:3, 3]).max() <= REACH_M:
            return BlockSeen(self.truth, size_m, 0.0, 1e-4)
        if self.mistaken_m is None:
            raise PerceptionError("no block there")
        return BlockSeen(guess @ pose(None, [-0.004, 0.003, self.mistaken_m]), size_m, 0.0, 3e-4)


def found(eyes: Eyes) -> BlockSeen:
    return find_in_hand(eyes, None, EXPECTED, SIZE_M, None, DOUBT)  # type: ignore[arg-type]


def test_block_that_hardly_slid_takes_one_look() -> None:
    eyes = Eyes([0.002, -0.003, 0.0], -0.0026)
    assert found(eyes).T_world_block == pytest.approx(eyes.truth)
    assert eyes.looks == 1


@pytest.mark.parametrize("mistaken_m", [-0.0026, 0.0014, None])
@pytest.mark.parametrize("slid_m", [[0.005, -0.0165, 0.0], [0.001, 0.012, 0.0], [0.011, 0.001, 0.0]])
def test_block_that_slid_far_is_found_though_something_else_looks_like_it(
    slid_m: list[float], mistaken_m: float | None
) -> None:
    eyes = Eyes(slid_m, mistaken_m)
    assert found(eyes).T_world_block == pytest.approx(eyes.truth)


def test_where_everything_found_is_too_high_the_least_high_is_taken() -> None:
    """The arm may sag more than it is thought to."""
    eyes = Eyes([0.0, 0.0, 0.0012], 0.004)
    assert found(eyes).T_world_block == pytest.approx(eyes.truth)


def test_block_that_is_nowhere_is_told_to_be_gone() -> None:
    with pytest.raises(PerceptionError, match="not seen between the fingers"):
        found(Eyes(None, None))
