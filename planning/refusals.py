"""Why a record cannot be read: two kinds of refusal, and no third.

A *malformed* line is not of the notation's form; an *impossible* event is well written but cannot have
happened in this position. An illegal move is neither: it is a violation, and the verdict names it.
"""

from __future__ import annotations

import json

from robot.errors import BadInputError

LONGEST_VALUE = 80


class Text(str):
    """Words that stand in a message as they are, not as a quoted value."""

    __slots__ = ()


UNSAID = Text()


class RefusalError(BadInputError):
    """A line of a record is refused: what was expected, what was found, and what to do about it."""

    def __init__(
        self, expected: str, got: object = UNSAID, advice: str = "", line: int | None = None
    ) -> None:
        self.expected = expected
        self.got = got
        self.advice = advice
        self.line = line
        super().__init__(expected, got, advice, line)

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        found = "" if self.got is UNSAID else f", got {_short(self.got)}"
        advice = f". {self.advice}" if self.advice else ""
        return f"{where}expected {self.expected}{found}{advice}"

    def at_line(self, line: int) -> RefusalError:
        """Return the same refusal, naming the line of the record that caused it."""
        return type(self)(self.expected, self.got, self.advice, line)


class MalformedError(RefusalError):
    """The line is not of the notation's form."""


class ImpossibleError(RefusalError):
    """The line is well formed, but what it tells cannot have happened here."""


def _short(value: object) -> str:
    text = str(value) if isinstance(value, Text) else _as_json(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
