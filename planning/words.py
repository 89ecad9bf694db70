"""What a person says of a turn, in a line: the move in the record's notation, or a word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planning.refusals import RefusalError
from planning.tower import Slot
from robot.errors import BadInputError

_MOST_MM = 30.0  # a block pushed farther is half out
_BETWEEN = re.compile(r"\s*(?:->|[,;])\s*|\s+to\s+|(?<=\d)-(?=\d)|\s+")


@dataclass(frozen=True)
class Moves:
    """The block is taken, and laid in a slot; `hard` where it is pulled though it holds."""

    block: Slot
    top: Slot
    hard: bool = False


@dataclass(frozen=True)
class Lays:
    """The block that is out is laid in a slot."""

    top: Slot


@dataclass(frozen=True)
class Drops:
    """The block was taken and fell out of the hand."""

    block: Slot


@dataclass(frozen=True)
class Touches:
    """The block was touched, nothing moved."""

    block: Slot


@dataclass(frozen=True)
class Pushes:
    """The block is displaced along its length, in mm towards the layer's +x or +y."""

    block: Slot
    mm: float


@dataclass(frozen=True)
class Restores:
    """The block is put back where it was."""

    block: Slot


@dataclass(frozen=True)
class Concedes:
    """The player gives up."""


Word = Moves | Lays | Drops | Touches | Pushes | Restores | Concedes

_VERBS: dict[str, type[Drops | Touches | Restores]] = {"drop": Drops, "touch": Touches, "restore": Restores}


def forms(block: str = "5.2", top: str = "19.1") -> str:
    """What may be typed, in words, about a block and a slot for example."""
    return (
        f"`{block} {top}` (takes {block}, lays it in {top}), `{top}` (lays the block that is out), `push {block} 3` "
        f"(by 3 mm), `restore {block}`, `touch {block}` (nothing moved), `drop {block}`, `concede`"
    )


def read_word(line: str) -> Word:
    """Read a line.

    Raises:
        BadInputError: It is none of `forms`.
    """
    parts = [part for part in _BETWEEN.split(line.strip().lower()) if part]
    try:
        word = _word(parts)
    except RefusalError as error:
        raise BadInputError(f"{line.strip()!r}: {error}") from None
    if word is None:
        raise BadInputError(f"{line.strip()!r} is not understood: type {forms()}")
    return word


def _word(parts: list[str]) -> Word | None:
    match parts:
        case ["concede"]:
            return Concedes()
        case ["push", block, mm]:
            return Pushes(Slot.parse(block), _mm(mm))
        case [verb, block] if verb in _VERBS:
            return _VERBS[verb](Slot.parse(block))
        case [block, top, *hard] if block[0].isdigit() and hard in ([], ["hard"]):
            return Moves(Slot.parse(block), Slot.parse(top), bool(hard))
        case [top] if top[0].isdigit():
            return Lays(Slot.parse(top))
    return None


def _mm(text: str) -> float:
    try:
        mm = float(text)
    except ValueError:
        mm = 0.0
    if not 1.0 <= abs(mm) <= _MOST_MM:
        raise BadInputError(
            f"push by {text!r} mm: allowed 1 to {_MOST_MM:g} either way, such as `push 5.2 -3`"
        )
    return mm
