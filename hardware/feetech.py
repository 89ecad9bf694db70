"""Packets of Feetech's STS servos, as the maker's SDK and LeRobot's tables describe them. No port here.

    FF FF | ID | length (1) | instruction or error | parameters | check sum (1)

The length counts what follows it. Nothing is stuffed, so a header may stand among the parameters. The error byte of an
answer tells alarms only, never a refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardware.packets import BROADCAST, LAST_SERVO, Decoder, Instruction, Status, heard

HEADER = b"\xff\xff"
PING, READ, WRITE, REG_WRITE, ACTION, SYNC_READ, SYNC_WRITE = 1, 2, 3, 4, 5, 0x82, 0x83
OVERHEAD = 6  # bytes of an answer without parameters
STORED = 40  # registers below are stored, and keep their value while register 55, the lock, is 1
RECENTRE_AT, RECENTRE = 40, 128  # written to torque enable, this makes the present position the middle
MULTI_TURN = 0x10  # this bit of the register `phase` has the position count on over a turn; it must be 0
_LONGEST_INSTRUCTION = 250
_FRONT = 4


def checksum(data: bytes) -> int:
    """Complement of the sum of all bytes behind the header."""
    return ~sum(data) & 0xFF


def encode(servo: int, code: int, params: bytes = b"") -> bytes:
    """A packet to a servo, or, with the error byte for `code`, an answer of one."""
    body = bytes((servo, len(params) + 2, code)) + params
    return HEADER + body + bytes((checksum(body),))


def cut(stream: bytes, at: int, longest: int) -> tuple[int, int | None, bytes | None]:
    """Look at a packet in a stream, as `hardware.dynamixel.cut` does."""
    if len(stream) < at + _FRONT:
        return 0, None, None
    servo, length = stream[at + 2], stream[at + 3]
    if servo == 0xFF or servo == LAST_SERVO + 1 or not 2 <= length <= longest + 2:
        return 1, None, None
    end = at + _FRONT + length
    if len(stream) < end:
        return 0, None, None
    if checksum(stream[at + 2 : end - 1]) != stream[end - 1]:
        return 1, servo, None
    return end - at, servo, stream[at + _FRONT : end - 1]


def instructions(stream: bytes) -> tuple[list[Instruction], bytes]:
    """Whole instructions in a stream, as servos hear them, and the rest of it that may become one."""
    return heard(stream, cut, HEADER, _LONGEST_INSTRUCTION)


class FeetechCodec:
    """Implements `Codec`."""

    silent_drops = STORED

    def ping(self, servo: int) -> bytes:
        """Ask whether it is there; the answer does not tell what it is."""
        return encode(servo, PING)

    def read(self, servo: int, address: int, length: int) -> bytes:
        """Ask for registers."""
        return encode(servo, READ, bytes((address, length)))

    def write(self, servo: int, address: int, data: bytes) -> bytes:
        """Set registers."""
        return encode(servo, WRITE, bytes((address,)) + data)

    def sync_read(self, servos: Sequence[int], address: int, length: int) -> bytes:
        """Ask several, who answer one after another in this order."""
        return encode(BROADCAST, SYNC_READ, bytes((address, length, *servos)))

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> bytes:
        """Set the same registers of several."""
        length = len(next(iter(data.values())))
        parts = b"".join(bytes((servo,)) + values for servo, values in data.items())
        return encode(BROADCAST, SYNC_WRITE, bytes((address, length)) + parts)

    def reboot(self, servo: int) -> None:
        """These servos know no such order."""

    def answer_size(self, length: int) -> int:
        """Bytes of an answer."""
        return OVERHEAD + length

    def decoder(self, longest: int, sent: bytes) -> Decoder:
        """Takes answers out of a stream; an adapter's echo of a question looks like an answer, so it is left out."""
        return Decoder(cut, HEADER, longest, _answer, sent)

    def refusal(self, status: Status) -> str | None:
        """These servos never refuse; what they do not take they drop without a word."""
        del status
        return None

    def alert(self, status: Status) -> bool:
        """Any alarm."""
        return status.error != 0


def _answer(servo: int, body: bytes) -> Status:
    return Status(servo, body[0], body[1:])
