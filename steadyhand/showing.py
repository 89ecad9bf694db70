"""The arm shows its finger to the cameras in many postures: what its joints say, beside where the tip is seen to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perception.calibration_joints import Posture
from planning.actors import Actors
from planning.company import wait_until_alone
from planning.notes import Notify
from planning.observation import as_stacked
from planning.tower import Tower
from robot.correction import learn
from robot.errors import MotionError, PerceptionError
from robot.frames import Array, pose, rotation_from_vector
from robot.hand import Hand

# Of the tip, from the tower's axis and above its base: clear of the tower by more than joints are ever off, and in view
_AWAY_M, _HEIGHT_M = (0.11, 0.19), (0.05, 0.32)
_TURNED_RAD = np.radians(
    35.0
)  # of the finger from pointing level at the tower, to either side about each axis
_TRIES = 4  # postures drawn for each that is wanted: not all are reached or seen
BLOCKS = 54  # of a tower that nobody has played at
_CLOSED_M = 0.0


@dataclass
class Show:
    """What came of it.

    Attributes:
        postures: Measured angles without any offset (n,), and where the tip was seen (3,), world frame.
        unseen: Postures whose pictures did not show the finger.
    """

    postures: list[Posture]
    unseen: int = 0


def show_finger(
    actors: Actors, T_world_tower: Array, count: int, rng: np.random.Generator, notify: Notify
) -> Show:
    """Go to postures round the tower, and look at the finger in each; then park.

    Args:
        actors: Hand and eyes; the hand's offsets, where it has any, follow what is seen so that it is found again.
        T_world_tower: Nominal pose (4, 4) of the tower's base.
        count: How many are wanted; fewer come back where many are out of reach or out of view.
        rng: Draws them.
        notify: Told who is waited for.

    Raises:
        DeviceError: Somebody was there all the time.
        StoppedError: A person asked for a stop.
    """
    hand, show = actors.hand, Show([])
    wait_until_alone(actors.company, hand.mover, notify)
    hand.park()
    _keep_clear(actors, T_world_tower)
    hand.grip(_CLOSED_M)
    for _ in range(_TRIES * count):
        if len(show.postures) == count:
            break
        if _go(hand, _drawn(T_world_tower, rng), rng):
            _look(actors, show)
    hand.park()
    return show


def _keep_clear(actors: Actors, T_world_tower: Array) -> None:
    """Of the tower that is seen; where none is read, of a full one, which may stand there unseen."""
    eyes, blocks = actors.watcher.eyes, actors.blockset
    try:
        actors.avoid(eyes.observe(eyes.look()).blocks)
    except PerceptionError:
        size_m = np.array([blocks.length_m.mean, blocks.width_m.mean, blocks.height_m.mean])
        full = as_stacked(Tower.of_blocks(BLOCKS), size_m).blocks.values()
        actors.hand.collisions.set_tower([(T_world_tower @ b.T_world_block, b.size_m) for b in full])


def _drawn(T_world_tower: Array, rng: np.random.Generator) -> Array:
    """A pose (4, 4) of the tool beside the tower, pointing about at its axis."""
    bearing_rad, away_m, up_m = rng.uniform(0.0, 2 * np.pi), rng.uniform(*_AWAY_M), rng.uniform(*_HEIGHT_M)
    outward = np.array([np.cos(bearing_rad), np.sin(bearing_rad), 0.0])
    level = np.stack([-outward, np.cross([0.0, 0.0, 1.0], -outward), [0.0, 0.0, 1.0]], axis=1)
    turned = rotation_from_vector(rng.uniform(-_TURNED_RAD, _TURNED_RAD, 3))
    return pose(level @ turned, T_world_tower[:3, 3] + away_m * outward + [0.0, 0.0, up_m])


def _go(hand: Hand, T_world_tool: Array, rng: np.random.Generator) -> bool:
    """To a pose in any posture that is free; False where there is none."""
    branches: list[Array] = hand.body.kinematics.branches(hand.body.T_base_world @ T_world_tool)
    for k in rng.permutation(len(branches)):
        try:
            hand.go(branches[k])
        except MotionError:
            continue
        hand.mover.level()
        return True
    return False


def _look(actors: Actors, show: Show) -> None:
    hand, eyes = actors.hand, actors.watcher.eyes
    try:
        seen = eyes.locate_tool(eyes.look(), hand.T_world_tool(), hand.mover.arm.state().opening_m)
    except PerceptionError:
        show.unseen += 1
        return
    corrected_rad = 0.0 if hand.offsets is None else hand.offsets.mean_rad
    name = f"posture {len(show.postures) + 1}"
    show.postures.append(Posture(name, hand.q() - corrected_rad, seen.T_world_tool[:3, 3]))
    learn(hand, seen.T_world_tool, seen.covariance)
