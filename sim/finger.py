"""The compliant fingertip's force reading: a beam cell with noise, a sample rate and a delay."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import mujoco
import numpy as np

from robot.errors import DeviceError
from robot.ports import ForceReading
from robot.seeding import generator
from sim.arm_model import FINGERS, PREFIX, FingerMechanics
from sim.world import World


@dataclass(frozen=True)
class BeamCell:
    """What a real cell and its amplifier do to a force.

    Attributes:
        noise_n: Standard deviation of one sample.
        delay_s: From the force to the host.
        rate_hz: Samples a second.
    """

    noise_n: float = 0.03
    delay_s: float = 0.060
    rate_hz: float = 80.0


class SimForceSensor:
    """Samples the noses' springs on its own clock and hands each sample out after the delay."""

    def __init__(self, world: World, mechanics: FingerMechanics, cell: BeamCell, seed: int) -> None:
        self.noise_n, self.delay_s, self.rate_hz = cell.noise_n, cell.delay_s, cell.rate_hz
        self._half_stiffness = mechanics.stiffness_n_m / 2
        self._adr = np.array([world.model.joint(f"{PREFIX}{s}_nose").qposadr[0] for s in FINGERS])
        self._rng = generator(seed, "beam cell")
        self._waiting: deque[ForceReading] = deque()
        self._newest: ForceReading | None = None
        self._samples = 0
        self._world = world
        self._sample(world)
        world.watch(self._sample)

    def _sample(self, world: World) -> None:
        now_s = world.now_s()
        if now_s * self.rate_hz < self._samples:
            return
        self._samples += 1
        noisy_n = self.true_n() + self.noise_n * float(self._rng.standard_normal())
        self._waiting.append(ForceReading(noisy_n, now_s))

    def true_n(self) -> float:
        """What bends the beam now: for those who simulate a sensor themselves."""
        return -self._half_stiffness * float(self._world.data.qpos[self._adr].sum())

    def read(self) -> ForceReading:
        """The newest sample that has arrived.

        Raises:
            DeviceError: None has arrived yet.
        """
        now_s = self._world.now_s()
        while self._waiting and self._waiting[0].t_s + self.delay_s <= now_s + 1e-9:
            self._newest = self._waiting.popleft()
        if self._newest is None:
            raise DeviceError(
                f"force sensor: no reading within {now_s:.3f} s of the start; wait {self.delay_s:.3f} s and read again"
            )
        return self._newest


class ContactGauge:
    """The true force between the noses and each block along the block's length: for the evaluation's eyes only."""

    def __init__(self, world: World) -> None:
        model = world.model
        self._noses = np.array([model.geom(f"{PREFIX}{s}_nose").id for s in FINGERS])
        self._block_of = {int(model.geom(f"{b.name}_hull").id): b.name for b in world.blocks}
        self.peak_n: dict[str, float] = {}
        world.watch(self._look)

    def reset(self) -> None:
        """Start a new motion."""
        self.peak_n = {}

    def _look(self, world: World) -> None:
        data = world.data
        if data.ncon == 0:
            return
        pairs = data.contact.geom
        touching = np.flatnonzero(np.isin(pairs, self._noses).any(axis=1))
        if len(touching) == 0:
            return
        sums: dict[str, float] = {}
        wrench = np.zeros(6)
        for k in touching:
            first, second = (int(g) for g in pairs[k])
            block = self._block_of.get(second if first in self._noses else first)
            if block is None:
                continue
            mujoco.mj_contactForce(world.model, data, int(k), wrench)
            force = data.contact.frame[k].reshape(3, 3).T @ wrench[:3]
            along = data.body(block).xmat.reshape(3, 3)[:, 0]
            sums[block] = sums.get(block, 0.0) + (1 if first in self._noses else -1) * float(force @ along)
        for block, force_n in sums.items():
            self.peak_n[block] = max(self.peak_n.get(block, 0.0), abs(force_n))
