"""One event of a game record: a line of text read strictly into an `Event`, and written again.

Whether the event could have happened, and whether it was legal, is the referee's matter; here only its form
counts. Keys that the notation does not know are kept in `further` and written back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TypeGuard, get_args

from planning.events import EVENT_TYPES, Event, Face, Hand, Material, PegDown
from planning.refusals import MalformedError, Text
from planning.strict_json import read_object, write_object
from planning.tower import Axis, Slot

Reader = Callable[[object], object]
Form = tuple[tuple[str, str, Reader], ...]  # key in the record, attribute of the event, how to read it

LATEST_T_S = 1e12  # far beyond any game, and still a whole number of milliseconds
SLOT_ADVICE = "Write two whole numbers from 1 joined by a point, such as 7.2"


def read_event(line: bytes | str) -> Event:
    """Read an event from its line; a string is taken as the text of the line."""
    return event_of(read_object(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line))


def write_event(event: Event) -> str:
    """Write an event as its line, without the line feed."""
    return write_object(object_of(event))


def event_of(written: Mapping[str, object]) -> Event:
    """Make the event of a JSON object that was read."""
    event_type = _type_of(written)
    attributes: dict[str, object] = {}
    for key, attribute, read in _form_for(event_type, written):
        try:
            attributes[attribute] = read(written[key])
        except KeyError:
            raise _missing(event_type, key) from None
        except MalformedError as error:
            raise _in_key(key, error) from None
    known = _KEYS[event_type]
    further = len(written) > len(attributes) + 1
    attributes["further"] = (
        {key: value for key, value in written.items() if key not in known} if further else {}
    )
    return _made(event_type, attributes)


def object_of(event: Event) -> dict[str, object]:
    """Make the JSON object that stands for an event, its keys in the order of the notation's table."""
    written: dict[str, object] = {"t": event.t_s, "type": event.kind}
    for key, attribute, _ in _FORMS[type(event)][1:]:
        written[key] = _plain(getattr(event, attribute))
    return {**written, **event.further}


def read_name(value: object) -> str:
    """Read a player's name."""
    if type(value) is not str or not value:
        raise MalformedError("a player's name", value)
    return value


def read_slot(value: object) -> Slot:
    """Read a slot from its text; the same text gives the same object, so that long records are cheap."""
    slot = _KNOWN_SLOTS.get(value) if type(value) is str else None
    return slot or _new_slot(value)


def choice(*allowed: object) -> Reader:
    """Make a reader that takes exactly these values; true is not 1."""
    words = " or ".join(value if isinstance(value, str) else json.dumps(value) for value in allowed)
    types = {type(value) for value in allowed}

    def read(value: object) -> object:
        if type(value) in types and value in allowed:
            return value
        raise MalformedError(words, value)

    return read


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a finite number; true and false are none."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _made(event_type: type[Event], attributes: dict[str, object]) -> Event:
    """Make an event of attributes that were all read; its frozen constructor takes four times as long."""
    event = object.__new__(event_type)
    event.__dict__.update(attributes)
    return event


def _new_slot(value: object) -> Slot:
    if type(value) is not str:
        raise MalformedError("a slot LAYER.POSITION", value, SLOT_ADVICE)
    slot = Slot.parse(value)
    if len(_KNOWN_SLOTS) < 4096:
        _KNOWN_SLOTS[value] = slot
    return slot


def _read_slots(value: object) -> tuple[Slot, ...]:
    if type(value) is not list or not value:
        raise MalformedError("a list of slots, at least one", value)
    slots = tuple(read_slot(item) for item in value)
    if len(set(slots)) < len(slots):
        raise MalformedError("each slot once", value)
    return slots


def _read_time(value: object) -> object:
    if not is_number(value) or not 0 <= value <= LATEST_T_S:
        raise MalformedError("seconds from the start of the record, 0 or more", value)
    return value


def _read_mm(value: object) -> object:
    if not is_number(value) or value == 0:
        raise MalformedError("millimetres, signed and not 0", value, "What nobody can see is a touch")
    return value


def _read_count(value: object) -> object:
    if type(value) is not int or value < 0:
        raise MalformedError("a whole number of hands, 0 or more", value)
    return value


def _read_text(value: object) -> object:
    if type(value) is not str:
        raise MalformedError("text", value)
    return value


_KNOWN_SLOTS: dict[object, Slot] = {}
_KEY_OF = {"t_s": "t", "support": "with"}
_READERS: dict[str, Reader] = {
    "t_s": _read_time,
    "player": read_name,
    "peg_of": read_name,
    "hand": choice(*get_args(Hand)),
    "block": read_slot,
    "blocks": _read_slots,
    "slot": read_slot,
    "axis": choice(*get_args(Axis)),
    "mm": _read_mm,
    "count": _read_count,
    "support": _read_text,
    "by": _read_text,
    "stack": choice(0, 1, 2),
    "material": choice(*get_args(Material)),
    "climb": choice(1, 2, 3),
    "face": choice(*get_args(Face)),
    "what": choice("stack"),
}


def _form(event_type: type[Event]) -> Form:
    names = [field.name for field in fields(event_type) if field.name != "further"]
    return tuple((_KEY_OF.get(name, name), name, _READERS[name]) for name in names)


def _form_for(event_type: type[Event], written: Mapping[str, object]) -> Form:
    """Return the form that a line of this type must have: a peg that is taken off goes to no face."""
    if event_type is PegDown and written.get("slot", "") is None:
        return _PEG_OFF if "face" in written else _PEG_OFF[:-1]
    return _FORMS[event_type]


_TYPES = {event_type.kind: event_type for event_type in EVENT_TYPES}
_FORMS = {event_type: _form(event_type) for event_type in EVENT_TYPES}
_PEG_OFF = (
    *_FORMS[PegDown][:-2],
    ("slot", "slot", choice(None)),
    ("face", "face", choice(None, *get_args(Face))),
)
_KEYS = {event_type: {"type", *(key for key, _, _ in form)} for event_type, form in _FORMS.items()}


def _type_of(written: Mapping[str, object]) -> type[Event]:
    kind = written.get("type")
    event_type = _TYPES.get(kind) if type(kind) is str else None
    if event_type is None:
        raise MalformedError(f"`type` to be one of {', '.join(_TYPES)}", kind)
    return event_type


def _missing(event_type: type[Event], key: str) -> MalformedError:
    return MalformedError(
        f"`{key}` in an event of type `{event_type.kind}`",
        Text("no such key"),
        "Nothing is guessed: write it",
    )


def _in_key(key: str, error: MalformedError) -> MalformedError:
    return MalformedError(f"`{key}` to be {error.expected}", error.got, error.advice)


def _plain(value: object) -> object:
    if isinstance(value, Slot):
        return str(value)
    return [str(slot) for slot in value] if isinstance(value, tuple) else value
