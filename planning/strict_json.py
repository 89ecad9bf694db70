"""One line of a record as a JSON object, read strictly: what a lenient reader lets through is refused here.

Refused are bytes that are not UTF-8, a byte order mark, a blank line, a key that stands twice, NaN and
Infinity (also as 1e999), numbers of absurd length, half a surrogate pair, and nesting deeper than any record.
A line may end in CR LF: white space around the object means nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import NoReturn

from planning.refusals import MalformedError, Text

MAX_LINE_BYTES = 4_000_000  # so that an endless line is refused, not waited for
MAX_DIGITS = 600
BYTE_ORDER_MARK = "\ufeff"

_WHITE_SPACE = " \t\r\n"  # as JSON has it


def read_object(line: bytes) -> dict[str, object]:
    """Read the one JSON object of a line."""
    text = _decoded(line).strip(_WHITE_SPACE)
    try:
        value, end = _DECODER.raw_decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except json.JSONDecodeError as error:
        raise _not_json(text, error) from None
    except RecursionError:
        raise MalformedError("a JSON object of a few levels", Text("one nested too deeply")) from None
    if not isinstance(value, dict):
        raise MalformedError("one JSON object a line", value, "Begin the line with { and end it with }")
    if "\\u" in text:
        _refuse_half_characters(value)
    return value


def write_object(value: dict[str, object]) -> str:
    """Write a line of a record, without its line feed."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedError("values that JSON and UTF-8 can write", value, str(error)) from None
    return text


def is_half_an_object(line: bytes) -> bool:
    """Tell whether the line is the beginning of a JSON object that was cut off, as by a power failure.

    A file system may fill the rest with zero bytes; a character of several bytes may be cut in two.
    """
    text = line.rstrip(b"\0").decode("utf-8", errors="ignore").strip()
    if not text:
        return True
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return text[0] == "{" and _stops_at_the_end(text, error)
    except (ValueError, RecursionError):
        return False
    return False


def _decoded(line: bytes) -> str:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedError("UTF-8 text", line[error.start : error.end], "Save the file as UTF-8") from None
    if text.startswith(BYTE_ORDER_MARK):
        raise MalformedError(
            "a line that begins with {", Text("a byte order mark"), "Save as UTF-8 without one"
        )
    if text.isspace() or not text:
        raise MalformedError("a JSON object", Text("a blank line"), "Take the blank line out")
    return text


def _not_json(text: str, error: json.JSONDecodeError) -> MalformedError:
    if is_half_an_object(text.encode("utf-8", errors="replace")):
        return MalformedError(
            "a whole JSON object",
            text,
            "The line is cut off; whoever resumes this journal cuts the half line off first",
        )
    return MalformedError("a JSON object", text, f"At character {error.pos + 1}: {error.msg}")


# What may stand between the reader's complaint and the end of a line that was cut off there.
_CUT_AT = {
    "Expecting value": re.compile(r"(-|t|tr|tru|f|fa|fal|fals|n|nu|nul)?"),
    "Expecting ',' delimiter": re.compile(r"(\.|[eE][-+]?)?"),
    "Invalid \\uXXXX escape": re.compile(r"u[0-9a-fA-F]{0,4}"),
}
_CUT_HERE = re.compile("")


def _stops_at_the_end(text: str, error: json.JSONDecodeError) -> bool:
    if error.msg.startswith("Unterminated string"):
        return True
    return _CUT_AT.get(error.msg, _CUT_HERE).fullmatch(text, error.pos) is not None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise MalformedError("each key once", twice, "Take one of the two out")
    return value


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise MalformedError(f"a number of at most {MAX_DIGITS} digits", Text(text))
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise MalformedError("a finite number", Text(text))
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise MalformedError("a finite number", Text(text), "JSON knows no NaN and no Infinity")


def _refuse_half_characters(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        raise MalformedError("whole characters", value, "A \\ud… escape needs its second half") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_whole, parse_constant=_refuse_constant
)
