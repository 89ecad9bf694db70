"""Force sensors that write lines of text: what a line looks like, as data, and the decoder of such lines.

Bytes come in any portions; banners, torn lines and garbage are passed over and counted, never guessed at.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

from robot.errors import BadInputError

_LONGEST = 200  # bytes of a line; what runs on without an end is no line
_KEPT = 60  # bytes of the newest unreadable line, to show to a person
_TICKS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}  # groups of a pattern that tell the device's own time
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)"


@dataclass(frozen=True)
class RawSample:
    """One measurement as the device sent it.

    Attributes:
        value: In the format's own unit.
        device_s: The device's own time, None where it tells none.
    """

    value: float
    device_s: float | None = None


class Decoder(Protocol):
    """Makes samples of bytes, whatever portions they come in.

    Attributes:
        unread: Bytes or lines that made no sample since the last reset.
        puzzling: The newest of them, shortened.
    """

    unread: int
    puzzling: bytes

    def feed(self, data: bytes) -> list[RawSample]:
        """The samples that these bytes complete, the oldest first."""
        ...

    def reset(self) -> None:
        """Forget what is incomplete, as after a gap."""
        ...


def line_pattern(text: str) -> re.Pattern[str]:
    """A pattern for whole lines, with a group `value` and, where the device tells its time, `s`, `ms` or `us`.

    Raises:
        BadInputError: It is no regular expression, or has no group `value`.
    """
    try:
        pattern = re.compile(text, re.ASCII)
    except (re.error, OverflowError) as error:
        raise BadInputError(
            f"pattern {text!r}: no regular expression ({error}); an example is '(?P<ms>[0-9]+),(?P<value>-?[0-9]+)'"
        ) from None
    if "value" not in pattern.groupindex:
        raise BadInputError(
            f"pattern {text!r}: names no group 'value'; write (?P<value>-?[0-9.]+) where the number stands"
        )
    return pattern


def column_pattern(column: int) -> re.Pattern[str]:
    """A pattern for the number in a column, split by commas, semicolons or white space; 1 is the first."""
    before = rf"\s*(?:[^,;\s]+[,;\s]+){{{column - 1}}}"
    return re.compile(rf"{before}(?P<value>{NUMBER})(?:[,;\s].*)?", re.ASCII)


class LineDecoder:
    """Implements `Decoder` for lines that a pattern fits from end to end."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.unread, self.puzzling = 0, b""
        self.reset()

    def reset(self) -> None:
        """Forget the line begun. What comes up to its end is torn, and a torn number looks like a number."""
        self._line, self._torn = bytearray(), True

    def feed(self, data: bytes) -> list[RawSample]:
        """The samples of the lines that these bytes end."""
        *ends, rest = re.split(rb"[\r\n]", data)
        samples = [sample for end in ends if (sample := self._ended(end)) is not None]
        self._line += rest
        if len(self._line) > _LONGEST:
            self._pass_over(bytes(self._line))
            self.reset()
        return samples

    def _ended(self, end: bytes) -> RawSample | None:
        line, torn = bytes(self._line + end), self._torn
        self._line, self._torn = bytearray(), False
        if torn or not line:
            return None
        sample = self._read(line) if len(line) <= _LONGEST else None
        if sample is None:
            self._pass_over(line)
        return sample

    def _read(self, line: bytes) -> RawSample | None:
        match = self._pattern.fullmatch(line.decode("latin-1"))
        if match is None:
            return None
        try:
            value, device_s = float(match["value"] or ""), _time_s(match)
        except ValueError:
            return None
        whole = math.isfinite(value) and (device_s is None or math.isfinite(device_s))
        return RawSample(value, device_s) if whole else None

    def _pass_over(self, line: bytes) -> None:
        self.unread += 1
        self.puzzling = line[:_KEPT]


def _time_s(match: re.Match[str]) -> float | None:
    for name, tick_s in _TICKS.items():
        if name in match.re.groupindex and match[name] is not None:
            return float(match[name]) * tick_s
    return None
