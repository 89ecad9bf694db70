"""Where a block is that may have slid between the fingers on its way.

It slides along and across them, never through them: what is found higher or lower than it was pinched is most likely
something else, and the block is looked for further aside.
"""

from __future__ import annotations

from planning.eyes import Doubt, Eyes, View
from planning.observation import BlockSeen, TowerObservation
from robot.errors import PerceptionError
from robot.frames import Array, inverse, pose

# Moved by so much in its own frame a block is looked for, one place after another: each look reaches 6 mm.
_ASIDE_M = (0.0, -0.009, 0.009, -0.016, 0.016)
_ALONG_M = (0.0, 0.008, -0.008)
_LIFTED_M = 0.0008  # found higher or lower than that it is hardly the block: what is found elsewhere may be


def find_in_hand(
    eyes: Eyes, view: View, expected: Array, size_m: Array, around: TowerObservation, doubt: Doubt
) -> BlockSeen:
    """The block between the fingers, near where it was pinched or further aside.

    Args:
        eyes: Who finds it.
        view: Pictures of one moment.
        expected: `T_world_block` (4, 4) if it did not slide.
        size_m: Length, width, thickness (3,).
        around: The tower as last seen.
        doubt: How well its place is known at each place it is looked for.

    Raises:
        PerceptionError: It is nowhere between the fingers.
    """
    found: list[tuple[float, BlockSeen]] = []
    for along_m in _ALONG_M:
        for aside_m in _ASIDE_M:
            guess = expected @ pose(None, [along_m, aside_m, 0.0])
            try:
                seen = eyes.locate(view, guess, size_m, around, doubt)
            except PerceptionError:
                continue
            lifted_m = abs(float((inverse(expected) @ seen.T_world_block)[2, 3]))
            if lifted_m <= _LIFTED_M:
                return seen
            found.append((lifted_m, seen))
    if not found:
        raise PerceptionError(
            "the block is not seen between the fingers, nor within 22 mm of where it was pinched: take it up, lay it "
            "on top and resume",
            reason="no-tower",
        )
    return min(found, key=lambda each: each[0])[1]
