"""What a turn tells those who listen: the console, the truth log of an evaluation, later a web page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from planning.tower import Slot


class Phase(StrEnum):
    """Moments of a turn; the words are those of the truth log where it has them."""

    WAITING = "waiting"
    TURN_START = "turn-start"
    CHOSEN = "chosen"
    PROBE_START = "probe-start"
    PROBE_END = "probe-end"
    GIVEN_UP = "given-up"
    RESTORED = "restored"
    EXTRACTED = "extracted"
    PLACED = "placed"
    SETTLING = "settling"
    SETTLED = "settled"
    COLLAPSE = "collapse"
    PERSON_PLAYED = "person-played"


@dataclass(frozen=True)
class Note:
    """One moment.

    Attributes:
        slot: The block's slot: where it was taken up to `EXTRACTED`, the top slot after that.
        limit_n: Force limit of the motion that ends now.
        text: In words, for people.
        detail: The report that belongs to it (`ProbeReport`, `Restored`, `Choice`), if there is one.
    """

    phase: Phase
    slot: Slot | None = None
    limit_n: float | None = None
    text: str = ""
    detail: object = None


Notify = Callable[[Note], None]


def nobody(_note: Note) -> None:
    """A listener that does not listen."""
