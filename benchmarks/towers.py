"""Random mid-game towers, and what the simulator says of them: what every block bears, and whether they stand."""

from __future__ import annotations

import time
from dataclasses import replace

import mujoco
import numpy as np

from planning.blockset import load_blockset
from planning.observation import as_stacked
from planning.stability import support_margin_m
from planning.tower import Slot, Tower
from robot.seeding import generator
from sim.blocks import Block, draw_tower
from sim.scene import Room
from sim.world import World

_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_NOMINAL_M = np.array([0.075, 0.025, 0.015])
_PLAYED_M = 0.002  # margin that the moves before leave
_SUNK_M, _STILL_M = 0.006, 1e-4
_LOOK_S, _LONGEST_S = 0.5, 6.0


def legal(tower: Tower) -> list[Slot]:
    """Blocks that may be taken: those under the highest complete layer."""
    return list(tower.blocks(up_to_layer=tower.highest_complete_layer - 1))


def midgame(seed: int, n_layers: int = 18) -> Tower:
    """A tower after 4 to 24 moves, each of which leaves it standing."""
    rng = generator(seed, "midgame")
    tower = Tower.of_blocks(3 * n_layers)
    for _ in range(rng.integers(4, 25)):
        choices = legal(tower)
        taken = choices[rng.integers(len(choices))]
        free = tower.remove(taken).free_top_slots
        after = tower.remove(taken).place(free[rng.integers(len(free))])
        if support_margin_m(as_stacked(after, _NOMINAL_M)) > _PLAYED_M:
            tower = after
    return tower


def least_nominal_margin(tower: Tower, choices: list[Slot]) -> Slot:
    """The block without which ideal blocks would be nearest to the edge, on either side of it."""
    seen = as_stacked(tower, _NOMINAL_M)
    return min(choices, key=lambda slot: abs(support_margin_m(seen, {slot})))


def drawn(tower: Tower, seed: int, blockset: str = "standard", *, pushed: int = 0) -> list[Block]:
    """A tower's blocks, some of them pushed out along their length by up to 15 mm."""
    slots = [(slot.layer, slot.position) for slot in tower.blocks()]
    blocks, rng = draw_tower(load_blockset(blockset), slots, seed), generator(seed, "pushed")
    for k in rng.choice(len(blocks), pushed, replace=False):
        out_m = rng.uniform(-0.015, 0.015)
        blocks[k] = shifted(blocks[k], out_m * blocks[k].T_tower_block[:3, 0])
    return blocks


def slid(blocks: list[Block], seed: int) -> list[Block]:
    """All above one of the layers moved sideways by up to 14 mm."""
    rng = generator(seed, "slid")
    layer, by_m, way = (
        rng.integers(1, blocks[-1].slot[0] - 1),
        rng.uniform(0.0, 0.014),
        rng.uniform(0, 2 * np.pi),
    )
    shift_m = by_m * np.array([np.cos(way), np.sin(way), 0.0])
    return [shifted(block, shift_m) if block.slot[0] > layer else block for block in blocks]


def shifted(block: Block, by_m: np.ndarray) -> Block:
    T = block.T_tower_block.copy()
    T[:3, 3] += by_m
    return replace(block, T_tower_block=T)


def settled(blocks: list[Block], seed: int) -> World:
    """The simulated tower at rest, kept awake."""
    world = World(Room(), blocks, seed, looks=False)
    world.model.opt.enableflags &= ~_SLEEP
    return world


def settling_s(blocks: list[Block], seed: int) -> float:
    """Processor time of the simulator from a compiled model to the tower at rest."""
    world = settled(blocks, seed)
    mujoco.mj_resetData(world.model, world.data)
    began = time.process_time()
    world._settle()
    return time.process_time() - began


def simulated_loads(world: World) -> tuple[np.ndarray, np.ndarray]:
    """What lies on each block and what it presses down with [N] (n,), summed over the simulator's contacts."""
    model, data, force = world.model, world.data, np.zeros(6)
    world.sleep_until(world.now_s() + 0.1)
    rows = {model.body(block.name).id: k for k, block in enumerate(world.blocks)}
    top_n, bottom_n = np.zeros(len(rows)), np.zeros(len(rows))
    for c in range(data.ncon):
        contact = data.contact[c]
        mujoco.mj_contactForce(model, data, c, force)
        up_n = float((contact.frame.reshape(3, 3).T @ force[:3])[2])
        one, two = (rows.get(int(model.geom_bodyid[geom])) for geom in (contact.geom1, contact.geom2))
        below, above = (one, two) if _layer(world, one) < _layer(world, two) else (two, one)
        if _layer(world, below) == _layer(world, above):
            continue
        bottom_n[above] += abs(up_n)
        if below is not None:
            top_n[below] += abs(up_n)
    return top_n, bottom_n


def _layer(world: World, row: int | None) -> int:
    return 0 if row is None else world.blocks[row].slot[0]


def stands(blocks: list[Block], seed: int) -> bool:
    """Whether the simulated tower is at rest with no block far below its place."""
    start = np.array([block.T_tower_block[2, 3] for block in blocks])
    world = settled(blocks, seed)
    base = float(world.room.T_world_tower[2, 3])
    before = heights(world) - base
    while (start - before).max() < _SUNK_M:
        world.sleep_until(world.now_s() + _LOOK_S)
        now = heights(world) - base
        if np.abs(now - before).max() < _STILL_M or world.now_s() > _LONGEST_S:
            return bool((start - now).max() < _SUNK_M)
        before = now
    return False


def heights(world: World) -> np.ndarray:
    """Of every block's centre (n,)."""
    return np.array([pose[2] for pose in world.poses().values()])
