"""Motions between two moments, from rendered pictures, held against what the simulation moved."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest

from perception.motion import _sure, block_motions
from planning.observation import BlockMotion, TowerObservation
from planning.tower import Slot
from robot.errors import PerceptionError
from robot.frames import pose, rot_z
from support.pictures import Scene, Shot

# The probe asks whether a neighbour came along by 0.5 mm, restoring whether a block is within 1 mm of its place.
MOST_OFF_M, FALSE_MOTION_M = 0.3e-3, 0.1e-3


def motions(scene: Scene, before: Shot, after: Shot, seen: TowerObservation) -> dict[Slot, BlockMotion]:
    return block_motions(before.frames, after.frames, scene.cameras, seen)


def assert_still(found: dict[Slot, BlockMotion], but: Collection[Slot] = ()) -> None:
    for slot, motion in found.items():
        assert slot in but or np.linalg.norm(motion.moved_m) < FALSE_MOTION_M, str(slot)


def off_m(motion: BlockMotion, before: Shot, after: Shot, slot: Slot) -> float:
    truth = after.truth[slot][:3, 3] - before.truth[slot][:3, 3]
    return float(np.linalg.norm(motion.moved_m - truth))


def test_nothing_moves_between_two_pictures_of_the_same(
    scene: Scene, standing: Shot, seen: TowerObservation
) -> None:
    found = motions(scene, standing, scene.shot(seed=2), seen)
    assert set(found) == set(standing.truth), "every block is seen well enough to be compared"
    assert_still(found)


def test_pushed_blocks_moved_as_far_as_they_were_pushed(
    scene: Scene, standing: Shot, seen: TowerObservation
) -> None:
    pushed = {
        Slot(5, 1): 0.005,
        Slot(8, 1): 0.0005,
        Slot(12, 3): -0.005,
        Slot(14, 3): 0.001,
        Slot(17, 2): 0.0005,
    }
    after = scene.shot(pushed=pushed, seed=2)
    found = motions(scene, standing, after, seen)
    assert {slot for slot, far_m in pushed.items() if abs(far_m) < 0.002} <= set(found), (
        "those are never left out"
    )
    assert len(pushed.keys() & found.keys()) >= len(pushed) - 1
    for slot in pushed.keys() & found.keys():
        assert off_m(found[slot], standing, after, slot) < MOST_OFF_M, str(slot)
    assert_still(found, but=pushed)


def test_blocks_that_moved_far_are_seen_right_or_left_out(
    scene: Scene, standing: Shot, seen: TowerObservation
) -> None:
    """End grain says little, side grain runs along the block: what cannot be told is left to `locate`."""
    pushed = {
        Slot(3, 1): 0.008,
        Slot(6, 2): 0.005,
        Slot(9, 2): 0.005,
        Slot(12, 1): 0.004,
        Slot(15, 2): -0.005,
    }
    after = scene.shot(pushed=pushed, seed=2)
    found = motions(scene, standing, after, seen)
    for slot in set(pushed) & set(found):
        assert off_m(found[slot], standing, after, slot) < MOST_OFF_M, str(slot)
    assert_still(found, but=pushed)


def outward(scene: Scene, slot: Slot) -> float:
    """Which way [1 or -1] across its length a side block leaves the tower."""
    T = scene.home[slot]
    return float(np.sign(T[:3, 1] @ (T[:3, 3] - scene.T_world_tower[:3, 3])))


@pytest.mark.parametrize("by_mm", [4.0, 8.5, 11.5])
def test_blocks_dragged_across_their_own_length_are_found_as_far_as_pushed_ones(
    by_mm: float, scene: Scene, standing: Shot, seen: TowerObservation
) -> None:
    """So a block moves that its neighbour above or below takes along: outward, over a third of its width."""
    dragged = (Slot(4, 1), Slot(9, 3), Slot(14, 1), Slot(17, 3))
    moved = {slot: pose(None, [0.0, outward(scene, slot) * by_mm * 1e-3, 0.0]) for slot in dragged}
    after = scene.shot(moved=moved, seed=2)
    found = motions(scene, standing, after, seen)
    # Side grain tells less of how far a block went along its length, which is not asked here.
    for slot in dragged:
        across_m = float(found[slot].moved_m @ scene.home[slot][:3, 1])
        assert across_m == pytest.approx(outward(scene, slot) * by_mm * 1e-3, abs=MOST_OFF_M), str(slot)
    others = [float(np.linalg.norm(motion.moved_m)) for slot, motion in found.items() if slot not in dragged]
    assert max(others) < MOST_OFF_M, "shadows of what stands out move nothing"


def test_turned_block_moved_as_its_middle_did(scene: Scene, standing: Shot, seen: TowerObservation) -> None:
    slot = Slot(18, 1)
    after = scene.shot(moved={slot: pose(rot_z(np.radians(1.0)), [0.002, 0.001, 0.0])}, seed=2)
    found = motions(scene, standing, after, seen)
    assert off_m(found[slot], standing, after, slot) < MOST_OFF_M


def test_leaning_tower_moved_as_a_whole(scene: Scene, standing: Shot, seen: TowerObservation) -> None:
    shift = np.array([0.0008, -0.0004, 0.0])
    upper = {s: pose(None, T[:3, :3].T @ shift) for s, T in scene.home.items() if s.layer >= 10}
    after = scene.shot(moved=upper, seed=2)
    found = motions(scene, standing, after, seen)
    off = [off_m(motion, standing, after, slot) for slot, motion in found.items()]
    assert np.quantile(off, 0.95) < FALSE_MOTION_M
    assert len(found) >= 52, "all but a few are told"


def test_block_that_is_gone_is_left_out(scene: Scene, standing: Shot, seen: TowerObservation) -> None:
    found = motions(scene, standing, scene.shot(without=[Slot(9, 1)], seed=2), seen)
    assert Slot(9, 1) not in found
    assert_still(found)


def test_lamp_that_is_dimmed_moves_nothing(scene: Scene, standing: Shot, seen: TowerObservation) -> None:
    dimmed = [replace(f, image=(f.image * 0.8).astype(np.uint8)) for f in scene.shot(seed=2).frames]
    found = block_motions(standing.frames, dimmed, scene.cameras, seen)
    assert len(found) >= 52
    assert_still(found)


def test_pictures_of_other_cameras_are_refused(scene: Scene, standing: Shot, seen: TowerObservation) -> None:
    with pytest.raises(PerceptionError, match=r"after from \['left', 'right'\]: the same cameras") as caught:
        block_motions(standing.frames, standing.frames[:2], scene.cameras, seen)
    assert caught.value.reason == "camera-moved"


@pytest.mark.parametrize(
    ("moved_mm", "sd_mm", "share", "believed"),
    [
        ((2.3, 2.6, 0.0), 0.06, 0.64, True),
        ((2.3, 2.6, 2.1), 0.06, 0.64, False),
        ((0.6, 0.2, 0.0), 0.15, 0.9, False),
        ((0.6, 0.2, 0.0), 0.06, 0.5, False),
        ((0.1, 0.0, 0.3), 0.06, 0.8, True),
    ],
)
def test_block_slides_level_and_clearly_or_is_left_out(
    moved_mm: tuple[float, float, float], sd_mm: float, share: float, believed: bool
) -> None:
    assert _sure(np.array(moved_mm) * 1e-3, sd_mm * 1e-3, share) == believed
