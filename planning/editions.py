"""The editions and the options of the game, as one table.

The table is all there is: the referee plays by it, the first line of a record is checked against it, and the
rules that a person reads before a game are written from it. Nothing changes a rule after the first line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from planning.events import Hand
from planning.record import choice, is_number, read_slot
from planning.refusals import MalformedError
from planning.tower import Slot

Edition = Literal["classic", "rulebook", "fortnite"]
EDITIONS: tuple[Edition, ...] = get_args(Edition)


@dataclass(frozen=True)
class Options:
    """The options of one game, all of them set."""

    blocks: int
    source_layers: Literal["below-highest-complete", "below-top-two"]
    settle_s: float
    settling: Literal["timed", "visible"]
    testing: Literal["free", "none"]
    retest: Literal["free", "once"]
    restore_hand: Literal["any", "same"]
    hands: Literal["one", "two", "off-hand"]
    off_hands: Mapping[str, Hand] | None
    turn_limit_s: float | None
    dropped_block: Literal["retrieve", "loses"]
    fallen_block: Literal["ends", "continue"]
    align_top: bool
    reverse_on_layer: bool
    prompts: Mapping[Slot, str]
    materials: str | None

    @cached_property
    def settle_ms(self) -> int:
        """How long a tower settles, in whole milliseconds."""
        return round(self.settle_s * 1000)

    @cached_property
    def turn_limit_ms(self) -> int | None:
        """How long a turn may last, in whole milliseconds."""
        return None if self.turn_limit_s is None else round(self.turn_limit_s * 1000)


@dataclass(frozen=True)
class Option:
    """A row of the table: the values that an option may have, and what each edition sets it to."""

    name: str
    read: Callable[[object], Any]
    values: tuple[object, ...]  # empty where they cannot be listed
    classic: object
    rulebook: object
    fortnite: object

    def default(self, edition: Edition) -> object:
        """Return what the edition sets the option to where a record says nothing."""
        return {"classic": self.classic, "rulebook": self.rulebook, "fortnite": self.fortnite}[edition]


def _one_of(
    name: str, values: tuple[object, ...], classic: object, rulebook: object, fortnite: object
) -> Option:
    return Option(name, choice(*values), values, classic, rulebook, fortnite)


def _free(
    name: str, read: Callable[[object], Any], classic: object, rulebook: object, fortnite: object
) -> Option:
    return Option(name, read, (), classic, rulebook, fortnite)


def _read_seconds(value: object) -> object:
    if not is_number(value) or not 0 <= value <= 1e9:
        raise MalformedError("seconds, 0 or more", value)
    return value


def _read_limit(value: object) -> object:
    return None if value is None else _read_seconds(value)


def _read_prompts(value: object) -> Mapping[Slot, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise MalformedError('an object {slot: text} such as {"5.2": "sing"}', value)
    return {read_slot(slot): text for slot, text in value.items()}


def _read_off_hands(value: object) -> Mapping[str, Hand]:
    read_hand: Callable[[object], Any] = choice(*get_args(Hand))
    if not isinstance(value, dict):
        raise MalformedError('an object {player: hand} such as {"Ana": "left"}', value)
    return {player: read_hand(hand) for player, hand in value.items()}


def _read_materials(value: object) -> str:
    if not isinstance(value, str):
        raise MalformedError("the materials as text such as wbm/wbm or wbm*15", value)
    return value


_SOURCES = ("below-highest-complete", "below-top-two")

OPTIONS: tuple[Option, ...] = (
    #       option              values                       classic        rulebook       fortnite
    _one_of("blocks",           (54, 45),                    54,            54,            45),
    _one_of("source_layers",    _SOURCES,                    _SOURCES[0],   _SOURCES[1],   _SOURCES[0]),
    _free(  "settle_s",         _read_seconds,               10,            10,            5),
    _one_of("settling",         ("timed", "visible"),        "timed",       "timed",       "timed"),
    _one_of("testing",          ("free", "none"),            "free",        "free",        "free"),
    _one_of("retest",           ("free", "once"),            "free",        "free",        "free"),
    _one_of("restore_hand",     ("any", "same"),             "any",         "any",         "any"),
    _one_of("hands",            ("one", "two", "off-hand"),  "one",         "one",         "one"),
    _free(  "off_hands",        _read_off_hands,             None,          None,          None),
    _free(  "turn_limit_s",     _read_limit,                 None,          None,          None),
    _one_of("dropped_block",    ("retrieve", "loses"),       "retrieve",    "retrieve",    "retrieve"),
    _one_of("fallen_block",     ("ends", "continue"),        "ends",        "continue",    "ends"),
    _one_of("align_top",        (True, False),               False,         True,          True),
    _one_of("reverse_on_layer", (True, False),               False,         False,         False),
    _free(  "prompts",          _read_prompts,               {},            {},            {}),
    _free(  "materials",        _read_materials,             None,          None,          None),
)  # fmt: skip


def options_of(edition: Edition, given: Mapping[str, object]) -> Options:
    """Return the edition's options with those given in their place."""
    names = [option.name for option in OPTIONS]
    for name in given:
        if name not in names:
            raise MalformedError(f"options out of {', '.join(names)}", name, "Take the unknown option out")
    values: dict[str, Any] = {option.name: _value(option, edition, given) for option in OPTIONS}
    return Options(**values)


def read_edition(value: object) -> Edition:
    """Read an edition's name."""
    for edition in EDITIONS:
        if value == edition:
            return edition
    raise MalformedError(" or ".join(EDITIONS), value)


def _value(option: Option, edition: Edition, given: Mapping[str, object]) -> object:
    if option.name not in given:
        return option.default(edition)
    try:
        return option.read(given[option.name])
    except MalformedError as error:
        raise MalformedError(
            f"option `{option.name}` to be {error.expected}", error.got, error.advice
        ) from None
