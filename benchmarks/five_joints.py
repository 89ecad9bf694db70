"""Before which ends of blocks can an arm of five joints, such as the SO-101, hold its finger square?

    python -m benchmarks.five_joints [--distance-mm 250]

Its first joint turns about the vertical; the next three bend in one upright plane through that axis; the last rolls the
tool about its own length, which lies in that plane. A straight finger therefore points along the plane, and a push is
square where the block's own length does; a bent one (our L) points along the plane or across it. Counted are the ends
of all blocks of a full tower of 18 layers, and the blocks of which it is so at both ends: what was pushed from one is
put back from the other. This is geometry alone, and an upper bound: lengths, limits and collisions take away more.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.reach import SIZE_M
from planning.observation import as_stacked
from planning.poses import end_point
from planning.tower import Tower
from robot.frames import Array, pose, rot_z

LAYERS = 18
ASKEW_DEG = (1.0, 5.0)  # a nose may stand so much askew; a narrow one turns the block then
TURNS_DEG = (0.0, 45.0)


def askew_rad(end_m: Array, push: Array, base_m: Array, *, across: bool) -> float:
    """How much the finger is turned at least from the direction of a push, in the plane of the table.

    Args:
        end_m: Middle (3,) of the block's end, world frame.
        push: Unit vector (3,) of the push, level.
        base_m: A point (3,) on the axis of the arm's first joint.
        across: Whether the finger may point across the arm's plane, either way, and not only along it, outwards.
    """
    out = end_m[:2] - base_m[:2]
    turned = abs(float(np.arctan2(out[0] * push[1] - out[1] * push[0], out @ push[:2])))
    return min(turned, abs(np.pi / 2 - turned)) if across else turned


def ends(turn_rad: float) -> list[tuple[Array, Array]]:
    """The middle (3,) of every end, a block's two together, and the direction (3,) of a push; the tower so turned."""
    T_world_tower, found = pose(rot_z(turn_rad)), []
    for block in as_stacked(Tower.parse(f"111*{LAYERS}"), SIZE_M).blocks.values():
        T = T_world_tower @ block.T_world_block
        found += [(end_point(T, float(SIZE_M[0]), end), -end * T[:3, 0]) for end in (1, -1)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--distance-mm", type=float, default=250.0, help="from the arm's axis to the tower's middle"
    )
    base_m = np.array([-parser.parse_args().distance_mm * 1e-3, 0.0, 0.0])
    print(f"ends of {3 * LAYERS} blocks, the arm's axis {-base_m[0] * 1e3:g} mm from the tower's middle")
    for turn_deg in TURNS_DEG:
        there = ends(np.radians(turn_deg))
        for finger, across in (("straight", False), ("L", True)):
            askew = np.degrees([askew_rad(end, push, base_m, across=across) for end, push in there])
            print(f"  tower turned by {turn_deg:g} degrees, {finger} finger:")
            for most in ASKEW_DEG:
                square = askew.reshape(-1, 2) <= most
                both = int(square.all(axis=1).sum())
                print(
                    f"    within {most:g} degrees {int(square.sum())} of {square.size} ends, {both} blocks at both"
                )


if __name__ == "__main__":
    main()
