"""How far a player gets who knows every load and always takes the block that starts easiest."""

from __future__ import annotations

import numpy as np

from planning.tower import Slot
from robot.seeding import generator
from steadyhand.bench.games import Rules
from steadyhand.bench.world import EDGE_M, World

LIMITS_N = (0.2, 0.5, 1.0)


def bounds(rules: Rules, seed: int) -> dict[float, int]:
    """Blocks added to the tower of a seed by one who takes none that starts above each limit.

    Nothing comes along, and blocks are laid as everyone lays them. The lower limits end earlier on the same way, as
    the order is the same for all.
    """
    world, rng = World.drawn(rules.blockset, rules.n_blocks, seed), generator(seed, "match", "bound")
    most_n, added, found = 0.0, 0, dict.fromkeys(LIMITS_N, 0)
    while added < rules.most_turns:
        slot = _easiest(world, LIMITS_N[-1])
        if slot is None:
            break
        most_n = max(most_n, _push_n(world, slot))
        world, added = _moved(world, slot, rng), added + 1
        if not world.stands:
            break
        found |= {limit_n: added for limit_n in LIMITS_N if most_n <= limit_n}
    return found


def _easiest(world: World, limit_n: float) -> Slot | None:
    """The legal block that starts easiest and without which the tower stands."""
    for slot in sorted(world.legal, key=lambda slot: _push_n(world, slot)):
        if _push_n(world, slot) > limit_n:
            return None
        if world.known.margin_m[0, world.row(slot)] >= EDGE_M and world.without(slot).stands:
            return slot
    return None


def _push_n(world: World, slot: Slot) -> float:
    row = world.row(slot)
    return float(min(world.known.push_n[0, row], world.known.push_minus_n[0, row]))


def _moved(world: World, slot: Slot, rng: np.random.Generator) -> World:
    """The block lies on top, in the middle first."""
    row, left = world.row(slot), world.without(slot)
    top = min(left.tower.free_top_slots, key=lambda t: (t.position != 2, t.position))
    return left.with_block(top, left.laid(world.towers.bodies[0, row], top, rng), world.names[row])
