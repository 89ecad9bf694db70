"""Whether the networks that find hands in single pictures are there; without a network connection set-up lacks them."""

from __future__ import annotations

import sys

MISSING = (
    "hands are not looked for in single pictures: the networks for that are not installed; run `make setup` with a "
    "network connection, it fetches them\n"
)


def can_find_hands() -> bool:
    """Whether hands can be looked for; that they cannot is said on standard error."""
    from perception.hand_net import installed

    if installed():
        return True
    sys.stderr.write(MISSING)
    return False
