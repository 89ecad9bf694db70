from __future__ import annotations

import pytest

from planning.refusals import MalformedError
from planning.strict_json import is_half_an_object, read_object, write_object

REFUSED = [
    (b"\xff\xfe{}", "expected UTF-8 text"),
    (b'{"a": "\xc3"}', "expected UTF-8 text"),
    (b"\xef\xbb\xbf{}", "a byte order mark"),
    (b"", "a blank line"),
    (b" \t\r", "a blank line"),
    (b"nope", "expected a JSON object"),
    (b"[1, 2]", "expected one JSON object a line"),
    (b'"text"', "expected one JSON object a line"),
    (b'{"a": 1} {"b": 2}', "Extra data"),
    (b'{"a": 1, "a": 2}', 'expected each key once, got "a"'),
    (b'{"a": [{"b": 1, "b": 1}]}', 'expected each key once, got "b"'),
    (b'{"a": NaN}', "expected a finite number, got NaN"),
    (b'{"a": Infinity}', "expected a finite number"),
    (b'{"a": [-Infinity]}', "expected a finite number"),
    (b'{"a": 1e999}', "expected a finite number, got 1e999"),
    (b'{"a": ' + b"9" * 5000 + b"}", "a number of at most 600 digits"),
    (b'{"a": "\\ud800"}', "expected whole characters"),
    (b'{"\\udc00": 1}', "expected whole characters"),
    (b"[" * 100_000, "a few levels"),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "a few levels"),
    (b'{"a": "b\tc"}', "Invalid control character"),
    (b"{'a': 1}", "expected a JSON object"),
    (b'{"a": 01}', "expected a JSON object"),
    (b'{"a": 1,}', "expected a JSON object"),
    (b'{"a":\x00 1}', "expected a JSON object"),
    (b'{"a": tru', "The line is cut off"),
]


@pytest.mark.parametrize(("line", "reason"), REFUSED)
def test_what_a_lenient_reader_lets_through_is_refused_with_the_reason(line: bytes, reason: str) -> None:
    with pytest.raises(MalformedError) as refusal:
        read_object(line)
    assert reason in str(refusal.value)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("line", [b'{"a": 1}', b'{"a": 1}\r', b' \t{"a": 1} '])
def test_white_space_around_the_object_means_nothing(line: bytes) -> None:
    assert read_object(line) == {"a": 1}


def test_escaped_characters_beyond_the_basic_plane_are_whole() -> None:
    assert read_object(b'{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


def test_written_objects_keep_every_character_and_are_read_again() -> None:
    value: dict[str, object] = {"a": "Jürgen 😀\u2028", "b": [1, 2.5, None, True]}
    assert "Jürgen" in write_object(value)
    assert "\n" not in write_object(value)
    assert read_object(write_object(value).encode()) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, "\ud800", b"bytes"])
def test_what_no_reader_could_take_is_not_written(value: object) -> None:
    with pytest.raises(MalformedError, match="values that JSON and UTF-8 can write"):
        write_object({"a": value})


def test_every_beginning_of_an_object_is_half_of_one_and_the_whole_is_not() -> None:
    words = '{"t": -1.25e-3, "w": "é\\u00e9\\n \\\\ €😀\\ud83d\\ude00", '
    whole = (words + '"a": [1, [2, {"x": null}], true, false], "n": 12}').encode()
    assert [cut for cut in range(len(whole)) if not is_half_an_object(whole[:cut])] == []
    assert not is_half_an_object(whole)


@pytest.mark.parametrize("tail", [b"\0\0\0", b'{"t": 1, "ty\0\0\0'])
def test_zero_bytes_that_a_file_system_left_belong_to_the_half_line(tail: bytes) -> None:
    assert is_half_an_object(tail)


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"[1",
        b'{"t":1 "a":2}',
        b'{"t":1,}',
        b'{"t":1}}',
        b'{"t" 1',
        b'{"t":1.x',
        b'{"a":tx',
        b'{"a":--',
        b"{'t'",
        b'{"t":' + b"9" * 5000 + b"}",
        b'{"t":' * 100_000,
    ],
)
def test_a_malformed_line_is_not_half_a_line(line: bytes) -> None:
    assert not is_half_an_object(line)
