"""Probing the simulated tower as the real cell of the published traces did.

Its finger is a soft spring that advances 2 mm at a time; after each step the force is read once, an average at rest.
What is known of it comes from the traces: a block that is stuck adds 0.15 N a step, so the spring has 75 N/m; the first
step ends 2.4 +- 1.2 mm after the contact; readings of one sliding block scatter by 0.009 N; and blocks that seem to
slide with less than the friction of their own weight (0.04 N) say that the zero is off by 0.024 N at the first step and
by 0.042 N at the last one: it drifts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from benchmarks.towers import settled
from benchmarks.traces import Probe
from planning.blockset import load_blockset
from planning.mechanics import assess, comes_out
from planning.observation import as_stacked
from planning.stability import support_margin_m
from planning.tower import Slot, Tower
from robot.frames import Array, pose, rot_z
from robot.seeding import generator
from sim.blocks import Block, draw_tower
from sim.world import World
from steadyhand.mechanics import towers_of

SPRING_N_M, _DAMPING_N_S_M = 75.0, 2.0
STEPS, _STEP_M, _FIRST_M, _FIRST_SD_M = 10, 0.002, 0.0024, 0.0012
NOISE_N, OFFSET_N, DRIFT_N = 0.009, 0.024, 0.004  # of a reading, of a probe, of a probe and step
_ADVANCE_S = 0.4  # of a step: so slowly that a block does not run on and unload the spring
_REST_S, _READ_S = 0.15, 0.1
MOVED_M = 0.0006  # of all moved averages, the limit that agrees best with the expert's own labels
LOWEST_LEVEL, LEVELS = 3, 18
SPARSE_SHARE = 5 / 11  # of the real towers were sparse from the start
SPARSE_MOVES = 10  # then about half of the chosen blocks have to be left alone, as they were
_STANDS_M = 0.002
_NOMINAL_M = np.array([0.075, 0.025, 0.015])
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def limit_n(level: int) -> float:
    """The force at which the cell gave a block up: 0.7 N at the ground, 0.1 N in level 17."""
    return 0.7 - 0.6 * level / 17


def gives_up(reading_n: float, moved_m: float, level: int) -> bool:
    """The rule for the label."""
    return reading_n > limit_n(level) or moved_m > MOVED_M


@dataclass(frozen=True)
class _Finger:
    """What differs from probe to probe."""

    way: int
    ahead_m: float
    offset_n: float
    drift_n: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> _Finger:
        ahead_m = max(0.0, _FIRST_M + _FIRST_SD_M * rng.standard_normal())
        offset_n, drift_n = OFFSET_N * rng.standard_normal(), DRIFT_N * rng.standard_normal()
        return cls(int(rng.choice([-1, 1])), ahead_m, offset_n, drift_n)

    def error_n(self, step: int, rng: np.random.Generator) -> float:
        """How much a reading is off."""
        return float(self.offset_n + self.drift_n * step + NOISE_N * rng.standard_normal())


class Session:
    """One tower from which blocks are chosen at random, pushed and, if they come, laid on top.

    A block that would bring an ideal tower down is left alone, as the expert left it. One that is given up is put back:
    the real one stayed a few millimetres out.

    Args:
        seed: Of tower and choices.
        blockset: Its name.
        heights_m: Heights to hand out to the blocks at random in place of the set's.

    Attributes:
        probes: The blocks that were pushed.
        left_alone: How many were not.
    """

    def __init__(self, seed: int, blockset: str, heights_m: list[float] | None) -> None:
        self._seed, self._rng, self._tower = seed, generator(seed, "wood"), Tower.of_blocks(3 * LEVELS)
        slots = [(slot.layer, slot.position) for slot in self._tower.blocks()]
        self._blocks = draw_tower(load_blockset(blockset), slots, seed)
        if heights_m:
            handed = self._rng.permutation(np.resize(heights_m, len(slots)))
            self._blocks = with_heights(self._blocks, handed)
        self.probes: list[Probe] = []
        self.left_alone = 0

    def thin(self, moves: int) -> None:
        """Move loose blocks to the top beforehand: half of the real towers were sparse from the start."""
        for _ in range(moves):
            out = comes_out(assess(towers_of([self._blocks])))[0]
            loose = [Slot(*b.slot) for b, comes in zip(self._blocks, out, strict=True) if b.slot and comes]
            loose = [slot for slot in loose if slot.layer in self._layers() and self._stands_without(slot)]
            if loose:
                self._move(loose[self._rng.integers(len(loose))])

    def run(self, n_chosen: int) -> None:
        """Choose so many blocks, those left alone included."""
        world, tried = settled(self._blocks, self._seed), set[Slot]()
        for _ in range(n_chosen):
            slot = choose(self._tower, self._layers(), tried, self._rng)
            tried.add(slot)
            if not self._stands_without(slot):
                self.left_alone += 1
                continue
            found = probe(world, self._block(slot).name, slot.layer - 1, self._rng)
            self.probes.append(found)
            if found.extracted:
                self._move(slot)
                world = settled(self._blocks, self._seed)

    def _layers(self) -> range:
        return range(LOWEST_LEVEL + 1, self._tower.highest_complete_layer)

    def _stands_without(self, slot: Slot) -> bool:
        return support_margin_m(as_stacked(self._tower, _NOMINAL_M), {slot}) > _STANDS_M

    def _block(self, slot: Slot) -> Block:
        return next(block for block in self._blocks if block.slot == (slot.layer, slot.position))

    def _move(self, slot: Slot) -> None:
        block, lifted = self._block(slot), self._tower.remove(slot)
        top = lifted.free_top_slots[self._rng.integers(len(lifted.free_top_slots))]
        others = [other for other in self._blocks if other is not block]
        self._tower = lifted.place(top)
        self._blocks = sorted([*others, on_top(others, block, top)], key=lambda other: other.slot or (0, 0))


def session(seed: int, blockset: str, n_chosen: int, heights_m: list[float] | None) -> Session:
    """A tower, sparse from the start as often as the real ones were, after so many blocks have been chosen."""
    one = Session(seed, blockset, heights_m)
    if generator(seed, "sparse").random() < SPARSE_SHARE:
        one.thin(SPARSE_MOVES)
    one.run(n_chosen)
    return one


def choose(tower: Tower, layers: range, tried: set[Slot], rng: np.random.Generator) -> Slot:
    """A layer, then a block of it that has not been tried, as the cell chose."""
    free = [slot for slot in tower.blocks() if slot.layer in layers and slot not in tried]
    layer = rng.choice(sorted({slot.layer for slot in free}))
    row = [slot for slot in free if slot.layer == layer]
    return row[rng.integers(len(row))]


def with_heights(blocks: list[Block], heights_m: Array) -> list[Block]:
    """The same blocks with other heights, stacked anew."""
    out: list[Block] = []
    for block, height_m in zip(blocks, heights_m, strict=True):
        other = replace(block, size_m=(*block.size_m[:2], float(height_m)))
        assert block.slot is not None
        out.append(_raised(other, _top_m(out, block.slot[0])))
    return out


def on_top(blocks: list[Block], block: Block, slot: Slot) -> Block:
    """A block laid straight into a slot of the top layer."""
    across = (slot.position - 2) * (_NOMINAL_M[1] + 0.0002)
    along_x = slot.layer % 2 == 1
    T = pose(None if along_x else rot_z(np.pi / 2), [0.0, across, 0.0] if along_x else [across, 0.0, 0.0])
    laid = replace(block, slot=(slot.layer, slot.position), T_tower_block=T)
    return _raised(laid, _top_m(blocks, slot.layer))


def probe(world: World, name: str, level: int, rng: np.random.Generator) -> Probe:
    """Push a block until the rule gives it up or the last step is done; then everything is put back."""
    model, data = world.model, world.data
    kept = np.zeros(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, kept, _STATE)
    found = _pushed(world, name, level, rng)
    data.xfrc_applied[:] = 0.0
    mujoco.mj_setState(model, data, kept, _STATE)
    mujoco.mj_forward(model, data)
    return found


def _pushed(world: World, name: str, level: int, rng: np.random.Generator) -> Probe:
    finger, peak_n, most_m = _Finger.draw(rng), 0.0, 0.0
    others = [world.model.body(block.name).id for block in world.blocks if block.name != name]
    before = world.data.xpos[others].copy()
    advance = _advancing(world, name, finger.way)
    for step in range(STEPS):
        end_m = finger.ahead_m + step * _STEP_M
        reading_n = advance(end_m) + finger.error_n(step, rng)
        moved_m = float(np.linalg.norm((world.data.xpos[others] - before)[:, :2].mean(axis=0)))
        peak_n, most_m = max(peak_n, reading_n), max(most_m, moved_m)
        if gives_up(reading_n, moved_m, level):
            return Probe(level, peak_n, most_m, extracted=False)
    return Probe(level, peak_n, most_m, extracted=True)


def _advancing(world: World, name: str, way: int) -> Callable[[float], float]:
    """A function that brings the finger so far and returns the mean force at rest."""
    data, body, joint = world.data, world.model.body(name).id, world.model.joint(name).dofadr[0]
    start, along = data.xpos[body].copy(), way * world.T_world_block(name)[:3, 0]
    at_m = 0.0

    def push(finger_m: float, speed_m_s: float) -> float:
        lag_m = finger_m - float((data.xpos[body] - start) @ along)
        slower_m_s = speed_m_s - float(data.qvel[joint : joint + 3] @ along)
        force_n = max(0.0, SPRING_N_M * lag_m + _DAMPING_N_S_M * slower_m_s)  # a finger does not pull
        data.xfrc_applied[body, :3] = force_n * along
        mujoco.mj_step(world.model, data)
        return force_n

    def advance(to_m: float) -> float:
        nonlocal at_m
        moving, resting = round(_ADVANCE_S / world.step_s), round(_REST_S / world.step_s)
        for tick in range(1, moving + 1):
            push(at_m + (to_m - at_m) * tick / moving, (to_m - at_m) / _ADVANCE_S)
        at_m = to_m
        forces_n = [push(to_m, 0.0) for _ in range(resting)]
        return float(np.mean(forces_n[-round(_READ_S / world.step_s) :]))

    return advance


def _thickest_m(block: Block) -> float:
    return block.size_m[2] + abs(block.taper_m) / 2


def _top_m(blocks: list[Block], layer: int) -> float:
    """Height of the highest point below a layer."""
    tops = [b.T_tower_block[2, 3] + _thickest_m(b) / 2 for b in blocks if b.slot and b.slot[0] < layer]
    return float(max(tops, default=0.0))


def _raised(block: Block, bottom_m: float) -> Block:
    T = block.T_tower_block.copy()
    T[2, 3] = bottom_m + _thickest_m(block) / 2
    return replace(block, T_tower_block=T)
