"""Who may decide for a robot player, by name: our own player, and simple rules to hold it against."""

from __future__ import annotations

from planning.blockset import BlockSet
from planning.force_limit import Bounds
from planning.policy import Policy
from planning.senses import Senses
from planning.thresholds import RULES, threshold
from robot.errors import BadInputError

OURS = "ours"
NAMES = (OURS, *RULES)


def check_policy(name: str) -> None:
    """Refuse a name that nobody has.

    Raises:
        BadInputError: It is none of `NAMES`.
    """
    if name not in NAMES:
        raise BadInputError(f"policy {name!r} is not known: choose of {', '.join(NAMES)}")


def make_policy(
    name: str, blockset: BlockSet, senses: Senses, bounds: Bounds, seed: int, *, hardest_n: float, count: int
) -> Policy:
    """The player of that name for one game.

    Args:
        name: One of `NAMES`.
        blockset: What the blocks may be like.
        senses: Errors of seeing and feeling.
        bounds: Of our own player's force limits.
        seed: Of all that it draws.
        hardest_n: Force up to which the simple rules raise their limits.
        count: Towers in our player's belief.

    Raises:
        BadInputError: Nobody has that name.
    """
    check_policy(name)
    if name != OURS:
        return threshold(name, blockset, seed, hardest_n)
    from planning.belief import Grounds  # with what is compiled
    from planning.thinker import Thinker

    return Thinker(Grounds(blockset, senses, bounds.ceiling_n, seed, count), bounds)
