"""Packets of Dynamixel Protocol 2.0, as the e-manual's page "DYNAMIXEL Protocol 2.0" describes them. No port here.

    FF FF FD 00 | ID | length (2) | instruction | parameters | CRC (2)

The length counts what follows it. An answer has the instruction 0x55 and an error byte before its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from hardware.packets import BROADCAST, LAST_SERVO, Decoder, Instruction, Status, heard

HEADER = b"\xff\xff\xfd"
PING, READ, WRITE, REG_WRITE, ACTION, FACTORY_RESET, REBOOT, CLEAR = 1, 2, 3, 4, 5, 6, 8, 0x10
STATUS, SYNC_READ, SYNC_WRITE, FAST_SYNC_READ, BULK_READ, BULK_WRITE = 0x55, 0x82, 0x83, 0x8A, 0x92, 0x93
CLEAR_TURNS = b"\x01DXL\x22"  # parameters of a clear that forgets whole turns
ALERT = 0x80
PING_LENGTH = 3
OVERHEAD = 11  # bytes of an answer without parameters
_RESERVED = b"\x00"
_LONGEST_INSTRUCTION = 1024
_FRONT = 7  # header, reserved byte, number and length
_STUFFED = HEADER + b"\xfd"
_HEARD_DAMAGED = 3  # the question came damaged: as good as no answer
_REFUSALS = {
    1: "it could not do it",
    2: "it does not know the instruction",
    4: "the value is out of range, or its bus watchdog has tripped (write 0 to it)",
    5: "the length does not fit the register",
    6: "the value is beyond a limit that is stored in it",
    7: "the register cannot be accessed: read only, not there, or stored memory while torque is on",
}


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x8005 if crc & 0x8000 else crc << 1
        table.append(crc & 0xFFFF)
    return tuple(table)


_CRC = _crc_table()


def crc16(data: bytes, crc: int = 0) -> int:
    """CRC-16 with the polynomial 0x8005, most significant bit first, going on from that of the bytes before."""
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ _CRC[crc >> 8 ^ byte]
    return crc


@lru_cache(maxsize=512)
def _front_crc(front: bytes) -> int:
    """Up to the instruction the answers of a servo are alike again and again."""
    return crc16(front)


@lru_cache(maxsize=512)  # the same question is asked again and again
def encode(servo: int, code: int, params: bytes = b"") -> bytes:
    """A packet; a header among its parameters is stuffed, then length and CRC are taken."""
    body = (bytes((code,)) + params).replace(HEADER, _STUFFED)
    packet = HEADER + _RESERVED + bytes((servo,)) + (len(body) + 2).to_bytes(2, "little") + body
    return packet + crc16(packet).to_bytes(2, "little")


def encode_status(servo: int, error: int, data: bytes = b"") -> bytes:
    """An answer, as a servo sends it."""
    return encode(servo, STATUS, bytes((error,)) + data)


def encode_fast_status(parts: Sequence[Status]) -> bytes:
    """One answer of many servos: each adds its error, number and data, and the CRC of all before."""
    length = 1 + sum(4 + len(part.data) for part in parts)
    packet = HEADER + _RESERVED + bytes((BROADCAST,)) + length.to_bytes(2, "little") + bytes((STATUS,))
    for part in parts:
        packet += bytes((part.error, part.servo)) + part.data
        packet += crc16(packet).to_bytes(2, "little")
    return packet


def fast_length(servos: int, length: int) -> int:
    """Bytes behind the error byte of a fast answer: all but the first error byte and the packet's own CRC."""
    return servos * (length + 4) - 3


def split_fast_status(status: Status, length: int) -> list[Status]:
    """The answers that a fast sync read's one packet carries; none where it is not made of such.

    Args:
        status: The packet; its first error byte is in `error`.
        length: Bytes of data of each servo.
    """
    parts, rest = [], bytes((status.error,)) + status.data
    stride = length + 4
    if (len(rest) + 2) % stride:
        return []
    for at in range(0, len(rest), stride):
        parts.append(Status(rest[at + 1], rest[at], rest[at + 2 : at + 2 + length]))
    return parts


def cut(stream: bytes, at: int, longest: int) -> tuple[int, int | None, bytes | None]:
    """Look at a packet in a stream.

    Args:
        stream: All bytes.
        at: Where a header stands.
        longest: Bytes of parameters, an error byte included, that are possible; a longer one is garbage.

    Returns:
        Bytes done with (0: not yet whole), the servo's number or None for garbage, and instruction with parameters,
        unstuffed, or None where the CRC is wrong.
    """
    if len(stream) < at + _FRONT:
        return 0, None, None
    servo, length = stream[at + 4], stream[at + 5] | stream[at + 6] << 8
    most = 3 + longest + (longest + 1) // 3  # every third byte of a stuffed packet may be stuffing
    if stream[at + 3] != 0 or servo > BROADCAST or servo == LAST_SERVO + 1 or not 3 <= length <= most:
        return 1, None, None
    end = at + _FRONT + length
    if len(stream) < end:
        return 0, None, None
    body = at + _FRONT + 1
    if crc16(stream[body : end - 2], _front_crc(stream[at:body])) != stream[end - 2] | stream[end - 1] << 8:
        return 1, servo, None
    return end - at, servo, stream[at + _FRONT : end - 2].replace(_STUFFED, HEADER)


def instructions(stream: bytes) -> tuple[list[Instruction], bytes]:
    """Whole instructions in a stream, as servos hear them, and the rest of it that may become one."""
    return heard(stream, cut, HEADER, _LONGEST_INSTRUCTION)


class DynamixelCodec:
    """Implements `Codec`."""

    silent_drops = 0

    def ping(self, servo: int) -> bytes:
        """Ask for model and firmware."""
        return encode(servo, PING)

    def read(self, servo: int, address: int, length: int) -> bytes:
        """Ask for registers."""
        return encode(servo, READ, _words(address, length))

    def write(self, servo: int, address: int, data: bytes) -> bytes:
        """Set registers."""
        return encode(servo, WRITE, _words(address) + data)

    def sync_read(self, servos: Sequence[int], address: int, length: int) -> bytes:
        """Ask several, who answer one after another in this order."""
        return encode(BROADCAST, SYNC_READ, _words(address, length) + bytes(servos))

    def fast_sync_read(self, servos: Sequence[int], address: int, length: int) -> bytes:
        """Ask several, who answer with one packet together."""
        return encode(BROADCAST, FAST_SYNC_READ, _words(address, length) + bytes(servos))

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> bytes:
        """Set the same registers of several."""
        length = len(next(iter(data.values())))
        parts = b"".join(bytes((servo,)) + values for servo, values in data.items())
        return encode(BROADCAST, SYNC_WRITE, _words(address, length) + parts)

    def reboot(self, servo: int) -> bytes:
        """Start a servo anew."""
        return encode(servo, REBOOT)

    def answer_size(self, length: int) -> int:
        """Bytes of an answer, without stuffing."""
        return OVERHEAD + length

    def decoder(self, longest: int, sent: bytes) -> Decoder:
        """Takes answers out of a stream; an echo is told by its instruction."""
        del sent
        return Decoder(cut, HEADER, longest + 1, _answer)

    def refusal(self, status: Status) -> str | None:
        """The text of the error number."""
        number = status.error & ~ALERT
        return _REFUSALS.get(number, f"error {number}, which is in no manual") if number else None

    def alert(self, status: Status) -> bool:
        """The error byte's highest bit."""
        return bool(status.error & ALERT)


def _answer(servo: int, body: bytes) -> Status | None:
    if body[0] != STATUS or len(body) < 2 or body[1] & ~ALERT == _HEARD_DAMAGED:
        return None
    return Status(servo, body[1], body[2:])


def _words(*values: int) -> bytes:
    return b"".join(value.to_bytes(2, "little") for value in values)
