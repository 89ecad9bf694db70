"""Packets of Feetech's STS servos."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import feetech
from hardware.packets import Status

CODEC = feetech.FeetechCodec()
statuses = st.builds(Status, st.integers(0, 252), st.integers(0, 254), st.binary(max_size=24))


def as_sent(status: Status) -> bytes:
    return feetech.encode(status.servo, status.error, status.data)


# Worked by hand from the maker's description: the check sum is the complement of the sum from the number on.
@pytest.mark.parametrize(
    ("made", "text"),
    [
        (CODEC.ping(1), "FF FF 01 02 01 FB"),
        (CODEC.read(1, 56, 2), "FF FF 01 04 02 38 02 BE"),
        (CODEC.write(1, 42, bytes([0, 8])), "FF FF 01 05 03 2A 00 08 C4"),
        (CODEC.sync_read([1, 2], 56, 2), "FF FF FE 06 82 38 02 01 02 3C"),
        (CODEC.sync_write(42, {1: b"\x00\x08", 2: b"\x01\x00"}), "FF FF FE 0A 83 2A 02 01 00 08 02 01 00 3C"),
    ],
)
def test_instructions_are_those_of_the_maker(made: bytes, text: str) -> None:
    assert made.hex(" ").upper() == text
    (heard,), rest = feetech.instructions(made)
    assert not rest
    assert feetech.encode(heard.servo, heard.code, heard.params) == made


@given(statuses)
def test_whatever_is_encoded_is_decoded_again(status: Status) -> None:
    assert CODEC.decoder(24, b"").feed(as_sent(status)) == [status]
    assert len(as_sent(status)) == CODEC.answer_size(len(status.data))


@given(st.lists(statuses, max_size=5), st.integers(1, 7))
def test_chunks_do_not_matter(sent: list[Status], n: int) -> None:
    stream = b"".join(map(as_sent, sent))
    decoder, came = CODEC.decoder(24, b""), []
    for at in range(0, len(stream), n):
        came += decoder.feed(stream[at : at + n])
    assert came == sent


@given(st.binary(max_size=6).filter(lambda data: 0xFF not in data), statuses)
def test_an_answer_behind_garbage_is_found(garbage: bytes, status: Status) -> None:
    assert CODEC.decoder(24, b"").feed(garbage + as_sent(status)) == [status]


def test_a_damaged_answer_names_its_servo_and_the_next_is_found() -> None:
    wrong = bytearray(as_sent(Status(3, 0, b"\x10\x20")))
    wrong[5] ^= 4
    decoder = CODEC.decoder(2, b"")
    assert decoder.feed(bytes(wrong) + as_sent(Status(4, 0, b"\x01\x02"))) == [Status(4, 0, b"\x01\x02")]
    assert decoder.damaged == {3}


def test_the_echo_of_a_question_is_not_taken_for_its_answer() -> None:
    question = CODEC.read(3, 56, 2)
    assert CODEC.decoder(2, b"").feed(question) == [Status(3, 2, bytes([56, 2]))]  # so it looks
    assert CODEC.decoder(2, question).feed(question) == []
    answer = as_sent(Status(3, 0, b"\x00\x08"))
    assert CODEC.decoder(2, question).feed(question + answer) == [Status(3, 0, b"\x00\x08")]


def test_alarms_do_not_spoil_an_answer() -> None:
    status = Status(1, 0x20, b"\x00\x08")
    assert CODEC.alert(status)
    assert CODEC.refusal(status) is None
