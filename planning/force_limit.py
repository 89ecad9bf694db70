"""How hard a probe may push a block: as hard as a loose one needs, not as hard as one that carries load takes.

The limit of each block comes from what is believed of it: the force that starts it if it is loose, the force that
starts it if it carries load, what the sensor's noise hides, and a ceiling. Where noise hides the difference, the
block is not probed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planning.belief import Belief, quantiles
from planning.sway import hardest_n
from planning.tower import Slot
from robot.errors import LimitError

_FEW, _HALF, _ALMOST_ALL = 0.1, 0.5, 0.9
_CLEAR = 1.5  # times the noise, at least
_FELT = 2.0  # times the noise: the ceiling is never lower, or no block of the upper layers could be told to be loose
_SELDOM = 0.01  # below this probability a block is not worth a probe
_LIKELY = 0.5  # above this probability a block is worth a probe even where only what comes along can tell
# Of the force limit of drawing out: most blocks take 1.1 times what their probe took, those that take 1.5 go back
LAST_SHARE = 0.9
_LEANS = 1.5  # times as far as else a tower may give way to a last resort
_DOUBT = 0.1  # above this probability it matters that it may take others along


@dataclass(frozen=True)
class Bounds:
    """What a limit must heed.

    Attributes:
        noise_n: Smallest force that the sensor can tell from nought.
        ceiling_n: Highest limit of a probe, whatever the load above.
        sway_m: How far a probe may make the top of the tower give way.
        last_n: The ceiling where nothing else is left to try against others; never below `ceiling_n`.
    """

    noise_n: float
    ceiling_n: float
    sway_m: float = float("inf")
    last_n: float = 0.0

    @property
    def clear_n(self) -> float:
        """What stands out of the noise well enough to tell a loose block by; above the ceiling, none can be told."""
        return _CLEAR * self.noise_n

    def at_last(self, *, against: bool) -> Bounds:
        """Where nothing else is left to try: the tower may lean farther. `against`: others, who win by a concession."""
        ceiling_n = max(self.ceiling_n, self.last_n) if against else self.ceiling_n
        return replace(self, ceiling_n=ceiling_n, sway_m=_LEANS * self.sway_m)

    def hardest_n(self, slot: Slot) -> float:
        """The ceiling of a block's probe: what the tower bears there, as far as noise leaves anything to feel."""
        return min(self.ceiling_n, max(hardest_n(slot.layer, self.sway_m), _FELT * self.noise_n))


def need_feeling(bounds: Bounds) -> None:
    """Refuse a sensor by which no block could be told to be loose.

    Raises:
        LimitError: Its noise is too large; with the numbers.
    """
    if bounds.clear_n > bounds.ceiling_n:
        raise LimitError(
            f"force sensor: what stands out of its noise is {bounds.noise_n:.3f} N (four standard deviations of the "
            f"filtered reading); a block is told to be loose by {bounds.clear_n:.3f} N or more, and probe.limit_n is "
            f"{bounds.ceiling_n:.3f} N: nothing is probed. Find what shakes or disturbs the sensor, or raise "
            "probe.limit_n"
        )


@dataclass(frozen=True)
class ForceLimit:
    """The limit of a block's probe, None where it is not to be probed, and why in words.

    Attributes:
        hidden: The sensor's noise hides the difference between a loose block and one that carries load.
    """

    slot: Slot
    limit_n: float | None
    why: str
    hidden: bool = False


def force_limit(belief: Belief, slot: Slot, bounds: Bounds) -> ForceLimit:
    """The limit of a block's probe.

    Nine in ten of the towers in which the block comes out must need less, noise and all; nine in ten of those in which
    it would take others along, and the ceiling, must lie above. The limit is as many times the one as the other is
    times it. Where there is no room for that, half of the first must do, and what comes along must tell. Of a block
    that hardly any tower holds fast, force has nothing to tell. Where the noise is larger than the limit, nothing has.

    Args:
        belief: Of the tower.
        slot: The block's.
        bounds: Noise and ceiling.
    """
    starts_n, weights = belief.forces(slot), belief.weights(slot.layer)
    comes = weights * belief.sample.reckoned.out[:, belief.sample.ensemble.row(slot), None]
    if comes.sum() < _SELDOM:
        return ForceLimit(slot, None, f"{slot} is not loose in any tower that fits what was seen and felt")
    loose_n, bears_n = quantiles(starts_n, comes, (_HALF, _ALMOST_ALL)), np.inf
    if 1.0 - comes.sum() >= _DOUBT:
        bears_n = quantiles(starts_n, weights - comes, (_FEW,))[0]
    words = f"{slot}: {loose_n[1]:.2f} N if loose, {_words(bears_n)}, noise {bounds.noise_n:.2f} N"
    return _between(slot, loose_n, bears_n, bounds, words, likely=bool(comes.sum() >= _LIKELY))


def _between(
    slot: Slot, loose_n: list[float], bears_n: float, bounds: Bounds, words: str, *, likely: bool
) -> ForceLimit:
    ceiling_n = bounds.hardest_n(slot)
    most_n, clear_n = min(bears_n, ceiling_n), bounds.clear_n
    if most_n < clear_n and not (likely and clear_n <= ceiling_n):
        return ForceLimit(slot, None, f"{words}: the noise hides the difference", hidden=True)
    half_n, needs_n = (max(force_n + bounds.noise_n, clear_n) for force_n in loose_n)
    if half_n > ceiling_n:
        return ForceLimit(slot, None, f"{words}: even a loose block needs more than {ceiling_n:.2f} N")
    if half_n > most_n:  # force does not part them: what comes along must tell
        return ForceLimit(slot, half_n, words)
    return ForceLimit(slot, min(most_n, float(np.sqrt(needs_n * most_n))), words)


def _words(bears_n: float) -> str:
    return "surely loose" if np.isinf(bears_n) else f"{bears_n:.2f} N if it carries load"
