"""Simulated tables for tests: put together as the wiring does, with truth in place of pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from planning.actors import Actors
from planning.blockset import BlockSet, load_blockset
from planning.eyes import Eyes
from planning.habits import Habits
from planning.tower import Tower
from robot.body import Body
from robot.fakes import Button
from robot.follow import Mover
from robot.guarded import Pusher
from robot.hand import Hand
from robot.ports import StopSignal
from robot.steered import SteeredArm
from robot.vernier import Vernier
from sim.collision import TowerCollisions
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.devices import Devices
from steadyhand.rig import Rig
from steadyhand.settings import Settings
from support.truth_eyes import TruthEyes

FULL = "111*18"


# The same for a command line: what is tested there is not how the finger is steered, which takes time
EXACT_TOML = "[arm]\nsteering = false\n[sim]\narm_errors = false\n"


def exact_settings() -> Settings:
    """Of an arm that is where its joints say, and so need not look for its finger."""
    settings = Settings()
    settings.sim.arm_errors = settings.arm.steering = False
    return settings


@lru_cache(maxsize=1)
def body() -> Body:
    """The arm of the default settings; loading its description takes a second, so there is one for all tests."""
    return wiring.body_of(Settings())


def simulation(
    tower: str = FULL,
    *,
    seed: int = 1,
    settings: Settings | None = None,
    looks: bool = False,
    blocks: str = "standard",
) -> Simulation:
    """A simulated table, by default without anything to be drawn and with an exact arm."""
    chosen = settings or exact_settings()
    plan = wiring.plan_of(chosen, load_blockset(blocks), Tower.parse(tower), seed, looks=looks)
    return Simulation(plan, body().limits, body().park_rad)


def collisions(settings: Settings | None = None) -> TowerCollisions:
    """A collision checker for standard blocks."""
    chosen = settings or Settings()
    size = np.array([0.0757, 0.0255, 0.0152])
    room, fingers = wiring.room_of(chosen), chosen.finger.fingers()
    return TowerCollisions(room, chosen.arm.described, body().T_world_base, fingers, size)


@dataclass
class Table:
    """Everything that a turn needs."""

    simulation: Simulation
    actors: Actors
    stop: StopSignal
    eyes: Eyes
    blockset: BlockSet = field(default_factory=lambda: load_blockset("standard"))
    devices: Devices | None = None

    @property
    def hand(self) -> Hand:
        return self.actors.hand

    def rig(self, cameras: Iterable[object] | None = None) -> Rig:
        seen = self.simulation.cameras if cameras is None else list(cameras)
        clock = self.devices.clock if self.devices else self.simulation.world
        return Rig(self.actors, clock, seen, self.simulation.close)  # type: ignore[arg-type]


def table(
    tower: str = FULL,
    *,
    seed: int = 1,
    settings: Settings | None = None,
    habits: Habits | None = None,
    stop: StopSignal | None = None,
    eyes: type[TruthEyes] = TruthEyes,
    looks: bool = False,
    wire: bool = False,
) -> Table:
    """A table with truth eyes on it, by default with an exact arm; over the wire, close its devices."""
    chosen = settings or exact_settings()
    sim = simulation(tower, seed=seed, settings=chosen, looks=looks)
    return table_of(sim, _devices(sim, wire=wire), settings=chosen, habits=habits, stop=stop, eyes=eyes)


def table_of(
    sim: Simulation,
    devices: Devices,
    *,
    settings: Settings | None = None,
    habits: Habits | None = None,
    stop: StopSignal | None = None,
    eyes: type[TruthEyes] = TruthEyes,
) -> Table:
    """Hand and truth eyes on devices of a simulated table."""
    chosen, seed = settings or exact_settings(), sim.plan.seed
    signal = stop or Button()
    offsets = wiring.offsets_of(chosen, body().kinematics.joint_names)
    mover = Mover(SteeredArm(devices.arm, offsets), devices.clock, signal)
    stiffness = chosen.finger.stiffness_n_mm * 1e3
    rates = body().limits.dq_max_rad_s
    pusher = Pusher(
        mover, body().kinematics, devices.force, stiffness, rates, devices.fastest_m_s, devices.lag_s
    )
    learnt = offsets if chosen.arm.steering else None
    hand = Hand(mover, pusher, body(), collisions(chosen), seed=seed, offsets=learnt)
    seeing = eyes(sim.world, seed)
    blockset = load_blockset("standard")
    actors = Actors.of(hand, seeing, habits or chosen.habits(), blockset)
    return Table(sim, actors, signal, seeing, blockset, devices)


def _devices(sim: Simulation, *, wire: bool) -> Devices:
    if not wire:
        return Devices(sim.arm, sim.world, sim.force)
    from steadyhand.wired import over_the_wire

    vernier = Vernier(body().kinematics)
    return over_the_wire(sim, body().limits, Settings().finger.pinch_n, vernier=vernier)
