"""What a probe would teach: how much less is left unknown of a layer once its outcome is in."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from planning.belief import Belief
from planning.evidence import Felt, probe_odds
from planning.tower import Slot
from robot.frames import Array


def lesson(belief: Belief, slot: Slot, limit_n: float) -> float:
    """Expected fall in what is unknown of a block and those beside it, in nats.

    Args:
        belief: Of the tower.
        slot: Of the block that would be probed.
        limit_n: Of the probe.
    """
    weights, chances = belief.weights(slot.layer), _chances(belief, slot.layer)
    stays = _stays(belief, slot, limit_n)
    left = 0.0
    for share in (stays, 1.0 - stays):
        likely = float((weights * share).sum())
        if likely > 0.0:
            left += likely * _unknown(chances, weights * share / likely)
    return max(_unknown(chances, weights) - left, 0.0)


def _chances(belief: Belief, layer: int) -> Array:
    """Whether each block of a layer is loose, in each tower at each friction (count, f, blocks)."""
    ensemble, known = belief.sample.ensemble, belief.sample.reckoned
    loose = [
        (belief.forces(ensemble.slots[row]) <= belief.grounds.light_n) * known.out[:, row, None]
        for row in ensemble.rows(layer)
    ]
    return np.stack(loose, axis=-1)


def _stays(belief: Belief, slot: Slot, limit_n: float) -> Array:
    """Probability that the block does not move before the limit (count, f)."""
    felt = Felt(slot, moved=False, peak_n=limit_n, limit_n=limit_n)
    alone = belief.sample.reckoned.alone[:, belief.sample.ensemble.row(slot)]
    return np.exp(probe_odds(felt, belief.forces(slot), alone, belief.grounds.senses))


def _unknown(chances: Array, weights: Array) -> float:
    loose = np.clip(np.tensordot(weights, chances, axes=2), 0.0, 1.0)
    return float((entr(loose) + entr(1.0 - loose)).sum())
