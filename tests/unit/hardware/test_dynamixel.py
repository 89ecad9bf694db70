"""Packets of Dynamixel Protocol 2.0; the golden vectors are the examples of the e-manual's page on it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import dynamixel as dxl
from hardware.packets import Status

CODEC = dxl.DynamixelCodec()
# what it is, the packet, and how this program makes it
INSTRUCTIONS = {
    "ping 1": ("FF FF FD 00 01 03 00 01 19 4E", CODEC.ping(1)),
    "ping all": ("FF FF FD 00 FE 03 00 01 31 42", CODEC.ping(0xFE)),
    "read": ("FF FF FD 00 01 07 00 02 84 00 04 00 1D 15", CODEC.read(1, 132, 4)),
    "write": ("FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89", CODEC.write(1, 116, bytes([0, 2, 0, 0]))),
    "reg write": (
        "FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E",
        dxl.encode(1, dxl.REG_WRITE, bytes([104, 0, 200, 0, 0, 0])),
    ),
    "action": ("FF FF FD 00 01 03 00 05 02 CE", dxl.encode(1, dxl.ACTION)),
    "factory reset": ("FF FF FD 00 01 04 00 06 01 A1 E6", dxl.encode(1, dxl.FACTORY_RESET, b"\x01")),
    "reboot": ("FF FF FD 00 01 03 00 08 2F 4E", CODEC.reboot(1)),
    "clear": (
        "FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC",
        dxl.encode(1, dxl.CLEAR, bytes([1, 0x44, 0x58, 0x4C, 0x22])),
    ),
    "sync read": ("FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA", CODEC.sync_read([1, 2], 132, 4)),
    "sync write": (
        "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
        CODEC.sync_write(116, {1: bytes([150, 0, 0, 0]), 2: bytes([170, 0, 0, 0])}),
    ),
    "bulk read": (
        "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
        dxl.encode(0xFE, dxl.BULK_READ, bytes([1, 144, 0, 2, 0, 2, 146, 0, 1, 0])),
    ),
    "bulk write": (
        "FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68",
        dxl.encode(0xFE, dxl.BULK_WRITE, bytes([1, 32, 0, 2, 0, 160, 0, 2, 31, 0, 1, 0, 80])),
    ),
}
ANSWERS = {
    "ping of 1": ("FF FF FD 00 01 07 00 55 00 06 04 26 65 5D", Status(1, 0, bytes([6, 4, 0x26]))),
    "ping of 2": ("FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D", Status(2, 0, bytes([6, 4, 0x26]))),
    "read": ("FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0", Status(1, 0, bytes([166, 0, 0, 0]))),
    "write": ("FF FF FD 00 01 04 00 55 00 A1 0C", Status(1, 0, b"")),
    "sync read of 2": ("FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE", Status(2, 0, bytes([0x1F, 8, 0, 0]))),
    "bulk read of 1": ("FF FF FD 00 01 06 00 55 00 77 00 C3 69", Status(1, 0, bytes([119, 0]))),
    "bulk read of 2": ("FF FF FD 00 02 05 00 55 00 24 8B A9", Status(2, 0, bytes([36]))),
}
HEARD_DAMAGED = 3  # an answer that says that the question came damaged counts for none
errors = st.integers(0, 255).filter(lambda error: error & 0x7F != HEARD_DAMAGED)
statuses = st.builds(Status, st.integers(0, 252), errors, st.binary(max_size=24))


def as_sent(status: Status) -> bytes:
    return dxl.encode_status(status.servo, status.error, status.data)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_are_those_of_the_manual(name: str) -> None:
    text, made = INSTRUCTIONS[name]
    assert made.hex(" ").upper() == text
    (heard,), rest = dxl.instructions(bytes.fromhex(text))
    assert not rest
    assert dxl.encode(heard.servo, heard.code, heard.params) == made


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_those_of_the_manual(name: str) -> None:
    text, status = ANSWERS[name]
    assert CODEC.decoder(16, b"").feed(bytes.fromhex(text)) == [status]
    assert as_sent(status).hex(" ").upper() == text
    assert CODEC.answer_size(len(status.data)) == len(bytes.fromhex(text))


@given(statuses)
def test_whatever_is_encoded_is_decoded_again(status: Status) -> None:
    assert CODEC.decoder(24, b"").feed(as_sent(status)) == [status]


@given(st.integers(0, 252), st.integers(1, 20), st.binary(max_size=5))
def test_headers_among_the_data_are_stuffed(servo: int, times: int, tail: bytes) -> None:
    data = b"\xff\xff\xfd" * times + tail
    packet = dxl.encode_status(servo, 0, data)
    assert b"\xff\xff\xfd" not in packet[4:].replace(b"\xff\xff\xfd\xfd", b"")
    assert int.from_bytes(packet[5:7], "little") == len(packet) - 7
    assert CODEC.decoder(len(data), b"").feed(packet) == [Status(servo, 0, data)]


@given(st.lists(statuses, max_size=5), st.randoms(use_true_random=False))
def test_chunks_do_not_matter(sent: list[Status], rng: random.Random) -> None:
    stream = b"".join(map(as_sent, sent))
    decoder, came = CODEC.decoder(24, b""), []
    while stream:
        n = rng.randint(1, 7)
        came += decoder.feed(stream[:n])
        stream = stream[n:]
    assert came == sent


@given(st.binary(max_size=40), statuses)
def test_an_answer_behind_garbage_is_found(garbage: bytes, status: Status) -> None:
    decoder = CODEC.decoder(24, b"")
    came = decoder.feed(garbage + as_sent(status)) + decoder.finish()
    assert came[-1] == status


@given(st.lists(statuses, min_size=2, max_size=4), st.data())
def test_one_wrong_byte_spoils_one_answer_and_invents_none(sent: list[Status], data: st.DataObject) -> None:
    packets = [as_sent(status) for status in sent]
    which = data.draw(st.integers(0, len(sent) - 1))
    at = data.draw(st.integers(0, len(packets[which]) - 1))
    wrong = bytearray(packets[which])
    wrong[at] ^= data.draw(st.integers(1, 255))
    packets[which] = bytes(wrong)
    decoder = CODEC.decoder(24, b"")
    came = decoder.feed(b"".join(packets)) + decoder.finish()
    assert came == sent[:which] + sent[which + 1 :]


def test_a_wrong_crc_names_who_it_claims_to_be_from() -> None:
    decoder = CODEC.decoder(4, b"")
    packet = bytearray(dxl.encode_status(3, 0, bytes(4)))
    packet[10] ^= 1
    assert decoder.feed(bytes(packet)) == []
    assert decoder.damaged == {3}


def test_an_answer_that_says_that_the_question_came_damaged_counts_for_none() -> None:
    assert CODEC.decoder(0, b"").feed(dxl.encode_status(1, HEARD_DAMAGED)) == []


def test_the_echo_of_what_was_sent_is_no_answer() -> None:
    sent = CODEC.read(1, 132, 4)
    assert CODEC.decoder(4, sent).feed(sent + dxl.encode_status(1, 0, bytes(4))) == [Status(1, 0, bytes(4))]


def test_a_fast_answer_is_split_into_its_servos() -> None:
    parts = [Status(1, 0, b"abcd"), Status(2, 0x80, b"efgh")]
    (whole,) = CODEC.decoder(2 * 8, b"").feed(dxl.encode_fast_status(parts))
    assert dxl.split_fast_status(whole, 4) == parts
    assert dxl.split_fast_status(whole, 5) == []


def test_an_alert_is_no_refusal() -> None:
    alarmed, refused = Status(1, 0x80, b""), Status(1, 0x87, b"")
    assert CODEC.alert(alarmed)
    assert CODEC.refusal(alarmed) is None
    assert "cannot be accessed" in str(CODEC.refusal(refused))
    assert "error 99" in str(CODEC.refusal(Status(1, 99, b"")))
