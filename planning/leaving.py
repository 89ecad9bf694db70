"""Whether a whole turn would succeed: the block comes out, and the tower bears it on top.

`Belief.block` says whether a block comes out and the tower stands without it; here it is laid on top in a few of the
towers, as carefully as the arm lays (docs/physics.md), and every layer must bear what then lies above it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planning.belief import Belief
from planning.contacts import YAW, Ints, X, Y, find_contacts
from planning.ensemble import Ensemble
from planning.mechanics import SAFE_MARGIN_M, Towers
from planning.support import find_interfaces, margin_without_m
from planning.tower import Slot, Tower, axis_of
from robot.compiled import compiled
from robot.frames import Array
from robot.seeding import generator

FEW = 16
ACROSS_SD_M, ALONG_SD_M = 0.0010, 0.0003  # of a laid block
_NONE = -2
_DISTURBS, _STEADY_LAYERS = 0.3, 2.5


def succeeds(belief: Belief, slot: Slot, top: Slot) -> float:
    """Probability that a block comes out, the tower stands without it, and stands with it on top.

    Args:
        belief: Of the tower.
        slot: The block's.
        top: The slot that it would be laid into.
    """
    return belief.block(slot).loose * bears(belief, slot, top)


def bears(belief: Belief, slot: Slot, top: Slot) -> float:
    """Probability that the tower stands, with a margin, once a block was moved on top.

    The towers count alike: where their blocks stand was seen, and probes tell nothing of it.
    """
    ensemble = belief.sample.ensemble
    few = ensemble.bodies[:FEW]
    block = _laid(generator(belief.grounds.seed, "laid", str(slot)), few[:, ensemble.row(slot)], top, belief)
    small = Ensemble(ensemble.slots, few, ensemble.height_m, ensemble.height_sd_m)
    moved = small.without(slot).with_block(top, block)
    towers = Towers(moved.slots, moved.bodies)
    return float((margins_m(towers.bodies, towers.starts) >= SAFE_MARGIN_M).mean())


def steadied(above: int) -> float:
    """Probability that the arm draws a loose block out without disturbing others, by how many layers lie above it.

    What lies on a block steadies its neighbours: 91 draws by the arm in simulated games (`benchmarks.draws`,
    docs/physics.md).
    """
    return 1.0 - _DISTURBS * float(np.exp(-above / _STEADY_LAYERS))


def best_top(tower: Tower, slot: Slot) -> Slot | None:
    """Where a block is laid first: in the middle of the free top slots; None where it may not be taken."""
    if not tower.has(slot) or slot.layer >= tower.n_layers:
        return None
    return min(tower.remove(slot).free_top_slots, key=lambda top: (top.position != 2, top.position))


def tower_of(slots: Sequence[Slot]) -> Tower:
    """The tower whose blocks stand in these slots."""
    layers = bytearray(max((slot.layer for slot in slots), default=0))
    for slot in slots:
        layers[slot.layer - 1] |= 1 << (slot.position - 1)
    return Tower(bytes(layers))


def _laid(rng: np.random.Generator, blocks: Array, top: Slot, belief: Belief) -> Array:
    """Blocks (few, 9) as the arm lays them."""
    grounds = belief.grounds
    middle = (top.position - 2) * (grounds.blockset.width_m.mean + grounds.blockset.gap_m)
    aside = middle + ACROSS_SD_M * rng.standard_normal(len(blocks))
    along = ALONG_SD_M * rng.standard_normal(len(blocks))
    laid = blocks.copy()
    laid[:, X], laid[:, Y] = (along, aside) if axis_of(top.layer) == "x" else (aside, along)
    laid[:, YAW] = 0.0 if axis_of(top.layer) == "x" else np.pi / 2
    return laid


@compiled
def margins_m(bodies: Array, starts: Ints) -> Array:
    """How far the weight above is from the edge of its support at the worst layer, for each tower (t,)."""
    margins = np.empty(len(bodies))
    layer_of = np.zeros(bodies.shape[1], np.int64)
    for t in range(len(bodies)):
        contacts = find_contacts(bodies[t], starts)
        faces = find_interfaces(bodies[t], starts, contacts)
        margins[t] = margin_without_m(bodies[t], layer_of, contacts, faces, _NONE)
    return margins
