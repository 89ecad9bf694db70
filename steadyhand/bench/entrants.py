"""Who may be set to play, by name: our player and the marks that it is held against."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planning.blockset import BlockSet
from planning.policy import Policy
from planning.thresholds import RULES, threshold
from robot.errors import BadInputError
from steadyhand.bench.games import Entrant

OURS = "ours"
NAMES = (OURS, *RULES)
_BLIND = "random"  # takes what it touches, whatever comes along


def entrant(name: str) -> Entrant:
    """Whoever has that name.

    Raises:
        BadInputError: Nobody has.
    """
    if name == OURS:
        return Entrant(name, _thinker)
    if name not in RULES:
        raise BadInputError(f"policy {name!r} is not known: choose of {', '.join(NAMES)}")
    make: Callable[[BlockSet, int], Policy] = partial(threshold, name)
    return Entrant(name, make, watches=name != _BLIND)


def _thinker(blockset: BlockSet, seed: int) -> Policy:
    """As at the simulated table: with the habits and the sensor of the default settings."""
    from planning.belief import Grounds
    from planning.force_limit import Bounds
    from planning.habits import ProbeHabits
    from planning.senses import Senses
    from planning.thinker import Thinker

    probe, senses = ProbeHabits(), Senses()
    noise_n = 4 * senses.force_n  # as `Senses.feeling` has it
    bounds = Bounds(noise_n, probe.limit_n, probe.light_share)
    return Thinker(Grounds(blockset, senses, probe.limit_n, seed), bounds)
