"""The robot's hand and eyes, put together from the devices of a table, whatever is behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perception.hands import any_hand
from perception.same_scene import SameScene
from perception.views import View
from perception.watching import Watch
from planning.actors import Actors
from planning.blockset import BlockSet
from planning.notes import Notify
from planning.wary_eyes import WaryEyes
from robot.body import Body
from robot.follow import Mover
from robot.frames import Array
from robot.guarded import Pusher
from robot.hand import Hand
from robot.ports import Camera, StopSignal
from robot.steered import SteeredArm
from sim.collision import TowerCollisions
from steadyhand.devices import Devices
from steadyhand.hand_networks import can_find_hands
from steadyhand.onlookers import Onlookers
from steadyhand.settings import Settings
from steadyhand.sight import Sight
from steadyhand.wiring import offsets_of, room_of

WATCHED_M = 0.33  # a tower as it stands after a few turns: hands come beside it and above it
_LARGEST_BLOCK_SD = 2.5


@dataclass(frozen=True)
class Seen:
    """What looks at a table.

    Attributes:
        n_blocks: How many blocks there are.
        live: Whether the cameras' pictures have noise.
        notify: Told whom the arm waits for.
    """

    cameras: Sequence[Camera]
    n_blocks: int
    live: bool
    notify: Notify


def actors_of(
    settings: Settings,
    blockset: BlockSet,
    body: Body,
    seen: Seen,
    devices: Devices,
    seed: int,
    stop: StopSignal,
) -> Actors:
    """Hand and eyes of the robot at a table, whatever its devices are.

    Raises:
        BadInputError: The file of the joints cannot be used.
    """
    offsets = offsets_of(settings, body.kinematics.joint_names)
    mover = Mover(SteeredArm(devices.arm, offsets), devices.clock, stop)
    stiffness = settings.finger.stiffness_n_mm * 1e3
    pusher = Pusher(
        mover,
        body.kinematics,
        devices.force,
        stiffness,
        body.limits.dq_max_rad_s,
        devices.fastest_m_s,
        devices.lag_s,
    )
    room = room_of(settings)
    largest = [
        s.mean + _LARGEST_BLOCK_SD * s.sd for s in (blockset.length_m, blockset.width_m, blockset.height_m)
    ]
    collisions = TowerCollisions(
        room,
        settings.arm.described,
        body.T_world_base,
        settings.finger.fingers(),
        np.array(largest),
        seen.n_blocks,
    )
    learnt = offsets if settings.arm.steering else None
    hand = Hand(mover, pusher, body, collisions, seed=seed, pace=settings.arm.pace, offsets=learnt)
    sight = Sight(seen.cameras, blockset, room.T_world_tower, settings.finger.fingers())
    company = _onlookers(sight, seen.cameras, room.T_world_tower, live=seen.live)
    eyes = WaryEyes(sight, company, hand, seen.notify)
    return Actors.of(hand, eyes, settings.habits(), blockset, company)


def _onlookers(sight: Sight, cameras: Sequence[Camera], T_world_tower: Array, *, live: bool) -> Onlookers:
    """Who looks for people. `live`: whether the cameras' pictures have noise."""
    looks_for_hands = can_find_hands()
    models = {camera.model.name: camera.model for camera in cameras}

    def hand_in(views: Sequence[View]) -> bool:
        return looks_for_hands and any_hand(views, T_world_tower, WATCHED_M)

    watch = Watch(models, T_world_tower, WATCHED_M, hand_in, live=live)
    return Onlookers(sight, watch, SameScene(models, T_world_tower, WATCHED_M))
