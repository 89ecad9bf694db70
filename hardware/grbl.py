"""What a GRBL controller says and hears, apart from any port: lines, acknowledgements, pushes, alarms, real-time bytes.

Sources: gnea/grbl `doc/markdown/interface.md`, grblHAL `protocol.c` and `alarms.h`. An `ok` says that a line was
queued, not that it was done; reports and messages may come between a line and its `ok`. After an error grblHAL answers
every line with that error until it gets an empty one; after an alarm it answers `error:9` until `$X`.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

STATUS, HOLD, RESET = b"?", b"!", b"\x18"  # heard at once, whatever is queued
UNLOCK, EMPTY = "$X", ""
ROOM = 127  # bytes of unacknowledged lines that every GRBL takes
_LONGEST = 400
_KEPT = 60
_NUMBER = r"-?\d+(?:\.\d+)?"
_NUMBERS = rf"(?P<numbers>{_NUMBER}(?:,{_NUMBER})*)"
_JOINTS = re.compile(rf"Angle\((?P<letters>[A-Z]+)\):{_NUMBERS}(?=,[A-Z]|$)", re.ASCII)
_PLACE = re.compile(rf"(?P<letters>)MPos:{_NUMBERS}", re.ASCII)

ALARMS = {
    1: "a limit switch was hit",
    2: "a goal lies beyond the limits",
    3: "it was reset in motion and has lost its place",
    4: "the probe was not in its first state",
    5: "the probe met nothing",
    6: "homing was reset",
    7: "a door was open while homing",
    8: "homing could not leave the switch",
    9: "homing found no switch",
}
LOCKED = 9  # the error of a controller that waits for `$X`


@dataclass(frozen=True)
class Ok:
    """A line was taken."""


@dataclass(frozen=True)
class Refused:
    """A line was not: `error:N`."""

    number: int


@dataclass(frozen=True)
class Alarm:
    """It stands still and takes nothing until it is unlocked: `ALARM:N`."""

    number: int

    @property
    def words(self) -> str:
        """For a person."""
        return f"ALARM:{self.number}, {ALARMS.get(self.number, 'which this program does not know')}"


@dataclass(frozen=True)
class Status:
    """A report: what it is doing, and where it is.

    Attributes:
        state: Idle, Run, Hold, Alarm, Home and others.
        at: Numbers by axis letter where the report tells them so (degrees of a joint arm), else X, Y, Z and so on.
        stage: Of the state, 0 where none is told; `Hold:1` still slows down, and a reset would be one in motion.
    """

    state: str
    at: dict[str, float] = field(default_factory=dict)
    stage: int = 0


@dataclass(frozen=True)
class Began:
    """It has started anew: everything queued is forgotten."""

    text: str


@dataclass(frozen=True)
class Message:
    """Something for people, or a line that nobody knows."""

    text: str


Event = Ok | Refused | Alarm | Status | Began | Message


class GrblDecoder:
    """Makes events of bytes, whatever portions they come in."""

    def __init__(self) -> None:
        self._line = bytearray()

    def feed(self, data: bytes) -> list[Event]:
        """The events that these bytes complete."""
        *ends, rest = re.split(rb"[\r\n]+", bytes(self._line) + data)
        self._line = bytearray(rest if len(rest) <= _LONGEST else b"")
        return [event_of(line) for line in ends if line and len(line) <= _LONGEST]


def event_of(line: bytes) -> Event:
    """What one line says."""
    text = line.decode("latin-1").strip()
    if text == "ok":
        return Ok()
    if match := re.fullmatch(r"error: ?(\d{1,3})", text, re.ASCII):
        return Refused(int(match[1]))
    if match := re.fullmatch(r"ALARM: ?(\d{1,3})", text, re.ASCII):
        return Alarm(int(match[1]))
    if re.match(r"grbl\S* ", text, re.IGNORECASE):
        return Began(text)
    if text.startswith("<") and text.endswith(">"):
        return _status(text[1:-1]) or Message(text[:_KEPT])
    return Message(text[:_KEPT])


def _status(text: str) -> Status | None:
    """A report of GRBL (fields split by bars) or of a Mirobot (by commas); None where it tells no whole place."""
    state = re.match(r"([A-Za-z]+)(?::(\d{1,3}))?", text, re.ASCII)
    found = _JOINTS.search(text) or next(filter(None, map(_PLACE.fullmatch, text.split("|"))), None)
    if state is None or found is None:
        return None
    letters, numbers = found["letters"] or "XYZABC", [float(number) for number in found["numbers"].split(",")]
    if found.re is _JOINTS and len(numbers) != len(letters):
        return None
    return Status(state[1], dict(zip(letters, numbers, strict=False)), int(state[2] or 0))


class Flow:
    """Counts the bytes that the controller holds unacknowledged, so that none is lost, and remembers what it said last.

    Attributes:
        refused: The newest error, None where there is none since the last empty line.
        alarm: The alarm it is in.
    """

    def __init__(self) -> None:
        self._sent: deque[int] = deque()
        self.refused: int | None = None
        self.alarm: Alarm | None = None

    def fits(self, line: str) -> bool:
        """Whether it has room for another line."""
        return sum(self._sent) + len(line) + 1 <= ROOM

    def sends(self, line: str) -> bytes:
        """The bytes of a line, which counts as sent."""
        self._sent.append(len(line) + 1)
        return line.encode("ascii") + b"\n"

    @property
    def pending(self) -> int:
        """Lines that are not acknowledged."""
        return len(self._sent)

    def heard(self, event: Event) -> None:
        """Take what it said."""
        match event:
            case Ok():
                self._acknowledged()
            case Refused(number) if self._sent:  # else it speaks of its own start, as of settings it has lost
                self._acknowledged()
                self.refused = number
            case Alarm():
                self.alarm = event
            case Began():
                self._sent.clear()

    def _acknowledged(self) -> None:
        if self._sent:
            self._sent.popleft()
