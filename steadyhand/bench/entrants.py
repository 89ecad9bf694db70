"""Who may be set to play, by name: our player and the marks that it is held against."""

from __future__ import annotations

from functools import partial

from planning.blockset import BlockSet
from planning.force_limit import Bounds
from planning.habits import ExtractHabits
from planning.policy import Policy
from planning.senses import Senses
from planning.thresholds import CEILING_N
from robot.errors import BadInputError
from steadyhand.bench.games import Entrant
from steadyhand.policies import NAMES as POLICIES
from steadyhand.policies import make_policy

HARDEST_N = 1.0  # of a probe of our player: in these matches one that stops has disturbed nothing
# Of its last resorts: the others push with up to three newtons. Blocks that need more than drawing out may use go back
LAST_N = 1.2 * ExtractHabits().limit_n
COUNT = 100  # towers in its belief, for speed; at the table there are more
# By force alone, as such rules were published: what the cameras see stops nobody.
BLIND = {
    "force-0.2": "fixed-0.2",
    "force-0.3": "fixed-0.3",
    "force-height": "height",
    "force-kimura": "kimura",
    "random": "random",
}
NAMES = (*POLICIES, *(name for name in BLIND if name not in POLICIES))


def entrant(name: str) -> Entrant:
    """Whoever has that name.

    Raises:
        BadInputError: Nobody has.
    """
    if name not in NAMES:
        raise BadInputError(f"policy {name!r} is not known: choose of {', '.join(NAMES)}")
    return Entrant(name, partial(_make, BLIND.get(name, name)), watches=name not in BLIND)


def _make(name: str, blockset: BlockSet, seed: int) -> Policy:
    """With the habits and the sensor of the default settings."""
    senses = Senses()
    bounds = Bounds(4 * senses.force_n, HARDEST_N, last_n=LAST_N)  # the noise as `Senses.feeling` has it
    return make_policy(name, blockset, senses, bounds, seed, hardest_n=CEILING_N, count=COUNT)
