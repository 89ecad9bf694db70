"""One block looked for near a guess, in rendered pictures."""

from __future__ import annotations

import numpy as np
import pytest

from perception import locate
from perception.boxes import Boxes
from perception.locate import locate_block, slot_of
from planning.eyes import Doubt
from planning.observation import TowerObservation
from planning.tower import Slot
from planning.watch import PUSHED
from robot.errors import PerceptionError
from robot.frames import Array, pose, rot_z
from support.pictures import Scene

ANYHOW = Doubt((0.002, 0.002, 0.002), (0.04, 0.04, 0.04))
OFF_M = 0.8e-3  # restoring asks for 1 mm


def off_m(T_found: Array, T_true: Array) -> float:
    return float(np.linalg.norm(T_found[:3, 3] - T_true[:3, 3]))


@pytest.mark.parametrize(
    ("slot", "out_m"), [(Slot(5, 1), 0.006), (Slot(9, 2), 0.006), (Slot(12, 3), -0.006)], ids=str
)
def test_pushed_block_is_found_from_what_the_push_says(
    scene: Scene, seen: TowerObservation, slot: Slot, out_m: float
) -> None:
    """The guess is off by half a millimetre, as an arm's backlash makes it."""
    shot = scene.shot(pushed={slot: out_m})
    guess = seen.blocks[slot].T_world_block @ pose(None, [out_m + 0.0005, 0.0003, 0.0])
    size = seen.blocks[slot].size_m
    found = locate_block(shot.frames, scene.cameras, size, guess, seen, PUSHED)
    assert off_m(found.T_world_block, shot.truth[slot]) < OFF_M


@pytest.mark.parametrize("slot", [Slot(5, 1), Slot(9, 2)], ids=str)
def test_block_is_found_from_a_guess_that_is_three_millimetres_off(
    scene: Scene, seen: TowerObservation, slot: Slot
) -> None:
    shot = scene.shot(pushed={slot: 0.01})
    guess = seen.blocks[slot].T_world_block @ pose(rot_z(np.radians(2.0)), [0.0125, -0.0015, 0.0])
    found = locate_block(shot.frames, scene.cameras, seen.blocks[slot].size_m, guess, seen)
    assert off_m(found.T_world_block, shot.truth[slot]) < OFF_M


def test_block_in_the_air_is_found(scene: Scene, seen: TowerObservation) -> None:
    """As it hangs between the fingers: above the tower, a little aslant."""
    slot = Slot(9, 2)
    over = pose(rot_z(np.radians(3.0)), [0.0, 0.0, 0.18])
    shot = scene.shot(moved={slot: over})
    guess = scene.home[slot] @ pose(None, [0.002, 0.001, 0.18])
    found = locate_block(shot.frames, scene.cameras, scene.sizes_m[slot], guess, seen, ANYHOW)
    assert off_m(found.T_world_block, shot.truth[slot]) < OFF_M
    R = shot.truth[slot][:3, :3].T @ found.T_world_block[:3, :3]
    assert np.degrees(np.arctan2(R[1, 0], R[0, 0])) == pytest.approx(0.0, abs=0.7)


@pytest.mark.parametrize("out_m", [0.079, -0.079])
@pytest.mark.parametrize("slot", [Slot(1, 1), Slot(4, 2), Slot(9, 3)], ids=str)
def test_block_just_out_of_the_tower_is_found_though_the_tower_hides_it_from_a_camera(
    scene: Scene, seen: TowerObservation, slot: Slot, out_m: float
) -> None:
    shot = scene.shot(pushed={slot: out_m})
    guess = shot.truth[slot] @ pose(rot_z(np.radians(2.0)), [0.006, -0.005, 0.0])
    found = locate_block(shot.frames, scene.cameras, seen.blocks[slot].size_m, guess, seen, ANYHOW)
    assert off_m(found.T_world_block, shot.truth[slot]) < OFF_M


def test_tower_that_hides_a_block_just_out_of_it_is_known_of(seen: TowerObservation) -> None:
    out = Slot(4, 2)
    guess = seen.blocks[out].T_world_block @ pose(None, [0.079, 0.0, 0.0])
    others = locate._others(seen, Boxes(guess[None], seen.blocks[out].size_m[None]))
    assert {Slot(3, 2), Slot(4, 1), Slot(4, 3), Slot(5, 2)} <= set(others.slots())


def test_guess_itself_is_tried_where_steps_lead_elsewhere(
    scene: Scene, seen: TowerObservation, monkeypatch: pytest.MonkeyPatch
) -> None:
    astray = pose(rot_z(np.radians(5.0)), [0.006, 0.006, 0.006])
    monkeypatch.setattr(locate, "best_places", lambda _views, guess: [guess.T[0] @ astray])
    shot = scene.shot(pushed={Slot(5, 1): 0.079})
    guess, size = shot.truth[Slot(5, 1)], seen.blocks[Slot(5, 1)].size_m
    found = locate_block(shot.frames, scene.cameras, size, guess, seen, ANYHOW)
    assert off_m(found.T_world_block, guess) < OFF_M


def test_place_without_a_block_is_refused(scene: Scene, seen: TowerObservation) -> None:
    """High above the tower there are no edges at all."""
    shot = scene.shot()
    guess = scene.home[Slot(18, 2)] @ pose(None, [0.0, 0.0, 0.09])
    with pytest.raises(
        PerceptionError, match=r"no block is seen within 6 mm of .* at least 8 are needed; look"
    ) as e:
        locate_block(shot.frames, scene.cameras, scene.sizes_m[Slot(18, 2)], guess, seen)
    assert e.value.reason == "no-tower"


def test_slot_of_a_pose_is_the_nearest_blocks(scene: Scene, seen: TowerObservation) -> None:
    for slot in (Slot(1, 1), Slot(9, 2), Slot(18, 3)):
        assert slot_of(seen, scene.home[slot] @ pose(None, [0.005, 0.003, 0.002])) == slot
