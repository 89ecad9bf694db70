"""What drawing a block right out does to the simulated tower: do others come along, does it fall?

    python -m benchmarks.outcomes [--seeds 1-25] [--each 2] [--blockset standard] [--rows FILE] [--fit FILE]

Every second tower is from the middle of a game. Of every tower, `--each` legal blocks are drawn of those held less than
once, once to three times, and more, all of which start between 0.03 and 2 N and without which the tower stands by
mechanics. A spring draws the block's middle along its own x at the arm's speed; once it stands out as far as the arm
pushes it, soft springs hold its height and turn as the fingers do. `--rows` keeps a line of JSON a block as it is
measured; `--fit` reads such a file in place of measuring. The curves fitted are those of `steadyhand.bench.outcome`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import mujoco
import numpy as np
from scipy.optimize import minimize
from scipy.special import entr

from benchmarks.machine import describe
from benchmarks.towers import drawn, legal, midgame, settled
from planning.equilibrium import GRAVITY_M_S2
from planning.habits import ExtractHabits
from planning.mechanics import Mechanics, assess
from planning.tower import Tower
from robot.seeding import generator
from sim.world import World
from steadyhand.bench.outcome import DRAGGED_M, FAR_M, LEAST_HOLD, MOST_HOLD, PROBE_DRAG_M, Curve
from steadyhand.mechanics import towers_of

HABIT = ExtractHabits()
FORCES_N = (0.03, 2.0)
BANDS = ((0.0, 1.0), (1.0, 3.0), (3.0, np.inf))  # of hold
PROBE_M, AHEAD_M, OUT_M = 0.006, HABIT.push_out_m, 0.078
LENGTH_M = 0.075
FAST_M_S = 0.015  # once most of the block is out
SPRING_N_M, DAMPING_N_S_M, TURN_1_S = 300.0, 2.0, 100.0
WAIT_S, SUNK_M = 2.0, 0.006
EDGES = ((0.0, 0.5), (0.5, 1.0), (1.0, 1.5), (1.5, 2.0), (2.0, 3.0), (3.0, 5.0), (5.0, 10.0), (10.0, np.inf))
STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True)
class Row:
    """A block drawn out: what mechanics said of it, and how far the other that moved most went by when."""

    seed: int
    slot: str
    layers: int
    hold: float
    slide_n: float
    push_n: float
    tip_n: float
    margin_m: float
    force_n: float
    probe_m: float
    ahead_m: float
    others_m: float
    fell: bool


class Drawn:
    """The course of one block."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.body, self.dof = world.model.body(name).id, int(world.model.joint(name).dofadr[0])
        self.others = [world.model.body(b.name).id for b in world.blocks if b.name != name]
        self.start = world.data.xpos.copy()
        self.along = world.T_world_block(name)[:3, 0].copy()
        self.R = world.T_world_block(name)[:3, :3].copy()
        self.kept_m: float | None = None  # height at which the fingers took it

    def gone_m(self) -> float:
        """How far the block has gone along its length."""
        return float((self.world.data.xpos[self.body] - self.start[self.body]) @ self.along)

    def others_m(self) -> float:
        """How far the other block has moved that moved most, seen from above."""
        moved = (self.world.data.xpos - self.start)[self.others, :2]
        return float(np.linalg.norm(moved, axis=1).max())

    def sunk(self) -> bool:
        """Whether another block lies so much lower that the tower has fallen."""
        return bool((self.start - self.world.data.xpos)[self.others, 2].max() > SUNK_M)

    def pull(self, goal_m: float, speed_m_s: float) -> float:
        """One step towards a place on the way; the force along."""
        data = self.world.data
        velocity = data.qvel[self.dof : self.dof + 3]
        force_n = SPRING_N_M * (goal_m - self.gone_m()) + DAMPING_N_S_M * (speed_m_s - velocity @ self.along)
        data.xfrc_applied[self.body] = 0.0
        data.xfrc_applied[self.body, :3] = force_n * self.along
        if self.gone_m() > AHEAD_M:
            self._hold()
        mujoco.mj_step(self.world.model, data)
        return float(force_n)

    def _hold(self) -> None:
        """As the fingers do: height and turn stay, softly, and what stands out of the tower is borne."""
        model, data = self.world.model, self.world.data
        if self.kept_m is None:
            self.kept_m = float(data.xpos[self.body, 2])
        R, axes = data.xmat[self.body].reshape(3, 3), data.ximat[self.body].reshape(3, 3)
        turned = 0.5 * sum(np.cross(R[:, k], self.R[:, k]) for k in range(3))
        spin = R @ data.qvel[self.dof + 3 : self.dof + 6]
        turns = axes.T @ (TURN_1_S**2 * turned - TURN_1_S * spin)
        rise_n = (
            SPRING_N_M * (self.kept_m - data.xpos[self.body, 2]) - DAMPING_N_S_M * data.qvel[self.dof + 2]
        )
        borne_n = GRAVITY_M_S2 * model.body_mass[self.body] * min(self.gone_m() / LENGTH_M, 1.0)
        data.xfrc_applied[self.body, 2] += rise_n + borne_n
        data.xfrc_applied[self.body, 3:] = axes @ (model.body_inertia[self.body] * turns)


def draw_out(world: World, name: str) -> tuple[float, float, float, float, bool]:
    """Draw a block out and put the tower back: peak force, others at the probe's end, half out and in all, a fall."""
    model, data = world.model, world.data
    kept = np.zeros(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, kept, STATE)
    block, peak_n, at_probe, at_ahead, goal_m = Drawn(world, name), 0.0, np.nan, np.nan, 0.0
    while block.gone_m() < OUT_M and goal_m < OUT_M + 0.03 and not block.sunk():
        speed = HABIT.pull_speed_m_s if block.gone_m() < AHEAD_M + 0.005 else FAST_M_S
        goal_m += speed * world.step_s
        force_n = block.pull(goal_m, speed)
        peak_n = max(peak_n, force_n) if block.gone_m() < AHEAD_M else peak_n
        at_probe = block.others_m() if np.isnan(at_probe) and block.gone_m() > PROBE_M else at_probe
        at_ahead = block.others_m() if np.isnan(at_ahead) and block.gone_m() > AHEAD_M else at_ahead
    fell = block.sunk() or _falls(world, block)
    others_m = block.others_m()
    data.xfrc_applied[:] = 0.0
    mujoco.mj_setState(model, data, kept, STATE)
    mujoco.mj_forward(model, data)
    return peak_n, float(at_probe), float(at_ahead), others_m, fell


def _falls(world: World, block: Drawn) -> bool:
    """Whether the rest falls once the block is far away."""
    data, joint = world.data, world.model.joint(block.name)
    data.xfrc_applied[:] = 0.0
    at = int(joint.qposadr[0])
    data.qpos[at : at + 3] = [1.5, 1.5, 0.3]
    data.qvel[block.dof : block.dof + 6] = 0.0
    for _ in range(round(WAIT_S / world.step_s)):
        mujoco.mj_step(world.model, data)
        if block.sunk():
            return True
    return False


def chosen(known: Mechanics, rows: list[int], seed: int, each: int) -> list[int]:
    """Rows of the blocks to draw, some of each band of hold."""
    rng, out = generator(seed, "outcomes"), []
    for low, high in BANDS:
        fits = [
            k
            for k in rows
            if FORCES_N[0] <= known.slide_n[0, k] <= FORCES_N[1]
            and low <= known.hold[0, k] < high + (high == np.inf)
            and known.stands_without[0, k]
        ]
        out += list(rng.permutation(fits)[:each])
    return [int(k) for k in out]


def measure(seed: int, each: int, blockset: str) -> Iterator[Row]:
    """The blocks of one tower."""
    tower = midgame(seed) if seed % 2 == 0 else Tower.of_blocks(54)
    blocks = drawn(tower, seed, blockset)
    world, known = settled(blocks, seed), assess(towers_of([blocks]))
    slots = list(tower.blocks())
    rows = [slots.index(slot) for slot in legal(tower)]
    for k in chosen(known, rows, seed, each):
        tip_n = float(max(known.tip_plus_n[0, k], known.tip_minus_n[0, k]))
        said = (known.hold, known.slide_n, known.push_n)
        numbers = [float(of[0, k]) for of in said]
        margin_m, layers = float(known.margin_m[0, k]), tower.n_layers
        yield Row(seed, str(slots[k]), layers, *numbers, tip_n, margin_m, *draw_out(world, blocks[k].name))


def fit(rows: list[Row]) -> None:
    """The curves of greatest likelihood, and how many of the blocks in each band did what."""
    hold = np.clip([row.hold for row in rows], LEAST_HOLD, MOST_HOLD)
    fell = np.array([row.fell for row in rows])
    moved = [(row.probe_m, row.others_m) for row in rows]
    at_probe, in_all = np.array(moved).T
    seen = {
        "probe": (at_probe > PROBE_DRAG_M) | np.isnan(at_probe),  # it fell before the probe's end
        "drags": (in_all > DRAGGED_M) | fell,
        "far": (in_all > FAR_M) | fell,
        "falls": fell,
    }
    print(f"{len(rows)} blocks")
    for low, high in EDGES:
        band = (hold >= low) & (hold < high)
        counts = ", ".join(f"{name} {int(did[band].sum())}" for name, did in seen.items())
        print(f"  hold {low:g} to {high:g}: {int(band.sum())} blocks: {counts}")
    above = np.array([row.layers - int(row.slot.split(".")[0]) for row in rows])
    for name, did in seen.items():
        found, loss = curve(np.log(hold), above, did)
        alone, worse = curve(np.log(hold), np.zeros(len(rows)), did)
        print(f"  {name}: {found}, log loss {loss:.3f}; of the share alone {plain(did):.3f}")
        print(f"    by hold alone: half at {alone.middle:.2f}, log loss {worse:.3f}")


def curve(log_hold: np.ndarray, above: np.ndarray, did: np.ndarray) -> tuple[Curve, float]:
    """The curve and its log loss; the weakest of priors keeps its numbers finite."""
    sign = np.where(did, -1.0, 1.0)

    def each(b: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, sign * (b[0] - b[1] * log_hold - b[2] * above))

    best = minimize(lambda b: each(b).sum() + 0.02 * (b[1:] ** 2).sum(), np.array([1.0, 2.0, 0.0])).x
    numbers = (float(np.exp(best[0] / best[1])), float(best[1]), float(best[2]))
    return Curve(*(round(number, 3) for number in numbers)), float(each(best).mean())


def plain(did: np.ndarray) -> float:
    share = did.mean()
    return float(entr(share) + entr(1.0 - share))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="1-25")
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--blockset", default="standard")
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--fit", type=Path)
    args = parser.parse_args()
    if args.fit:
        fit([Row(**json.loads(line)) for line in args.fit.read_text().splitlines()])
        return
    first, _, last = args.seeds.partition("-")
    print(f"outcomes: {describe()}; {args.blockset}, seeds {args.seeds}, {args.each} of each band")
    rows = []
    with (args.rows or Path(os.devnull)).open("a") as out:
        for seed in range(int(first), int(last or first) + 1):
            for row in measure(seed, args.each, args.blockset):
                rows.append(row)
                out.write(json.dumps(asdict(row)) + "\n")
                out.flush()
    fit(rows)


if __name__ == "__main__":
    main()
