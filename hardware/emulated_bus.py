"""A bus of emulated servos: bytes in, answers out, whatever the chunks. No port and no thread here."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import NamedTuple

from hardware import dynamixel, feetech
from hardware.emulated_dynamixel import EmulatedDynamixel
from hardware.emulated_feetech import EmulatedFeetech
from hardware.emulated_servo import EmulatedServo
from hardware.motor import Motor
from hardware.packets import BROADCAST, Instruction, Status
from hardware.tables import STS3215, table_of
from robot.errors import BadInputError
from robot.ports import Clock

PING, READ, OTHER = 0, 1, 2  # levels of answering
_UNKNOWN, _SHORT = 2, 5  # error numbers
_RESET_ALL = b"\xff"
_KEPT_BY = {_RESET_ALL: (), b"\x01": ("id",), b"\x02": ("id", "baud")}  # what a factory reset leaves alone
_FAST_FRONT = 8  # bytes of a fast answer before the first servo's part
_KEPT = 1000


class Answer(NamedTuple):
    """Bytes that one servo sends.

    Attributes:
        servo: Its number.
        data: The packet.
        delay_s: How long the servo waits before it sends.
    """

    servo: int
    data: bytes
    delay_s: float = 0.0


class Span(NamedTuple):
    """What one servo is told to read or write."""

    servo: int
    address: int
    data: bytes  # of a read: as many bytes as it asks for


def emulated_servo(
    model: int, servo: int, motor: Motor | None = None, settings: Mapping[str, int] | None = None
) -> EmulatedServo:
    """A servo of this model; `settings` are counts of stored registers that differ from the factory's.

    Raises:
        DeviceError: The model is not known.
    """
    kind = EmulatedFeetech if model == STS3215 else EmulatedDynamixel
    return kind(table_of(model), servo, motor, dict(settings or {}))


class EmulatedBus:
    """Servos of one maker on one wire.

    Args:
        servos: All of one protocol.
        clock: Whose time passes for them.

    Attributes:
        servos: As given; change them to have them fail.
        told: The last instructions that came, the newest last.
    """

    def __init__(self, servos: Sequence[EmulatedServo], clock: Clock) -> None:
        if len({type(servo) for servo in servos}) != 1:
            raise BadInputError("an emulated bus carries servos of one maker, and at least one of them")
        self.servos, self._clock = list(servos), clock
        self._is_feetech = isinstance(servos[0], EmulatedFeetech)
        self._word = 1 if self._is_feetech else 2  # bytes of an address
        self.told: deque[Instruction] = deque(maxlen=_KEPT)
        self._stream = b""
        self._turn = threading.RLock()

    def answer(self, data: bytes) -> bytes:
        """What the servos answer to more bytes; empty while no instruction is whole."""
        return b"".join(answer.data for answer in self.answers(data))

    def answers(self, data: bytes) -> Iterator[Answer]:
        """The same, servo by servo, each as late as possible."""
        protocol: ModuleType = feetech if self._is_feetech else dynamixel
        told, self._stream = protocol.instructions(self._stream + data)
        for instruction in told:
            self.told.append(instruction)
            yield from self._obey(instruction)

    def tick(self, now_s: float) -> None:
        """Go on to this moment."""
        with self._turn:
            for servo in self.servos:
                servo.tick(now_s)

    def _obey(self, told: Instruction) -> Iterator[Answer]:
        self._listen(told)
        match told.code:
            case dynamixel.SYNC_READ | dynamixel.BULK_READ:
                yield from self._read_each(self._spans(told))
            case dynamixel.FAST_SYNC_READ if not self._is_feetech:
                yield from self._read_together(self._spans(told))
            case dynamixel.SYNC_WRITE | dynamixel.BULK_WRITE:
                for span in self._spans(told):
                    self._write(span)
            case _:
                yield from self._obey_each(told)

    def _listen(self, told: Instruction) -> None:
        """Go on to now; who hears it knows that the line lives."""
        with self._turn:
            self.tick(self._clock.now_s())
            for servo in self.servos:
                if servo.hears and told.servo in (servo.number, servo.shadows, BROADCAST):
                    servo.heard()

    def _spans(self, told: Instruction) -> list[Span]:
        """Who reads or writes what; a part that is cut short is left out, as is what this maker does not know."""
        params, word = told.params, self._word
        if told.code in (dynamixel.BULK_READ, dynamixel.BULK_WRITE):
            return [] if self._is_feetech else _bulk(params, writes=told.code == dynamixel.BULK_WRITE)
        if len(params) < 2 * word:
            return []
        address, length = (int.from_bytes(params[at : at + word], "little") for at in (0, word))
        rest = params[2 * word :]
        if told.code != dynamixel.SYNC_WRITE:
            return [Span(servo, address, bytes(length)) for servo in rest]
        whole = range(0, len(rest) - length, length + 1)
        return [Span(rest[at], address, rest[at + 1 : at + 1 + length]) for at in whole]

    def _read_each(self, spans: list[Span]) -> Iterator[Answer]:
        for span in spans:
            servo = self._servo(span.servo)
            if servo is not None and servo.answers(READ):
                with self._turn:
                    number, data = servo.read(span.address, len(span.data))
                yield self._packed(servo, number, data)

    def _read_together(self, spans: list[Span]) -> Iterator[Answer]:
        """A fast sync read: one packet, which breaks off where a servo does not add its part."""
        parts, delay_s, whole = [], 0.0, len(spans)
        for at, span in enumerate(spans):
            servo = self._servo(span.servo)
            if servo is None:
                whole = min(whole, at)
                parts.append(Status(span.servo, 0, span.data))
                continue
            number, data = servo.read(span.address, len(span.data))
            parts.append(Status(span.servo, servo.error_byte(number), data))
            delay_s += self._delay_s(servo)
        if whole == len(spans):
            yield Answer(BROADCAST, dynamixel.encode_fast_status(parts), delay_s)
        elif whole > 0:
            said = _FAST_FRONT + whole * (len(spans[0].data) + 4)
            yield Answer(BROADCAST, dynamixel.encode_fast_status(parts)[:said], delay_s)

    def _obey_each(self, told: Instruction) -> Iterator[Answer]:
        """What is told to one servo, or to all by broadcast, which only a ping gets answered."""
        for servo in self.servos:
            if not servo.hears or told.servo not in (servo.number, servo.shadows, BROADCAST):
                continue
            level = {dynamixel.PING: PING, dynamixel.READ: READ}.get(told.code, OTHER)
            shadow = told.servo == servo.shadows
            if (shadow and level != OTHER) or (told.servo == BROADCAST and told.params == _RESET_ALL):
                continue
            with self._turn:
                number, data = self._do(servo, told, shadow=shadow)
            broadcast = told.servo == BROADCAST and level != PING
            if not shadow and not broadcast and servo.answers(level):
                yield self._packed(servo, number, data, told.servo)

    def _do(self, servo: EmulatedServo, told: Instruction, *, shadow: bool) -> tuple[int, bytes]:
        """Error number and data of one instruction to one servo."""
        match told.code:
            case dynamixel.PING:
                return 0, b"" if self._is_feetech else servo.read(0, 2)[1] + servo.read(6, 1)[1]
            case dynamixel.READ | dynamixel.WRITE | dynamixel.REG_WRITE:
                return self._access(servo, told, shadow=shadow)
            case dynamixel.ACTION:
                return self._act(servo), b""
        return self._start_anew(servo, told), b""

    def _access(self, servo: EmulatedServo, told: Instruction, *, shadow: bool) -> tuple[int, bytes]:
        """A read or a write, now or by a later action."""
        address, rest = int.from_bytes(told.params[: self._word], "little"), told.params[self._word :]
        if shadow and address < servo.table.stored:
            return 0, b""
        if told.code == dynamixel.READ and len(rest) == self._word:
            return servo.read(address, int.from_bytes(rest, "little"))
        if told.code == dynamixel.READ or not rest:
            return _SHORT, b""
        if told.code == dynamixel.WRITE:
            return servo.write(address, rest), b""
        servo.registered = told
        return 0, b""

    def _start_anew(self, servo: EmulatedServo, told: Instruction) -> int:
        """Reboot, factory reset and clearing of turns; the error number."""
        if self._is_feetech:
            return _UNKNOWN
        if told.code == dynamixel.REBOOT:
            servo.boot()
        elif told.code == dynamixel.FACTORY_RESET and told.params in _KEPT_BY:
            servo.reset(_KEPT_BY[told.params])
        elif told.code == dynamixel.CLEAR and told.params == dynamixel.CLEAR_TURNS:
            servo.clear_turns()
        else:
            return _UNKNOWN
        return 0

    def _act(self, servo: EmulatedServo) -> int:
        kept, servo.registered = servo.registered, None
        if kept is None:
            return _UNKNOWN
        return servo.write(int.from_bytes(kept.params[: self._word], "little"), kept.params[self._word :])

    def _write(self, span: Span) -> None:
        with self._turn:
            for servo in self.servos:
                shadow = span.servo == servo.shadows and span.address >= servo.table.stored
                if servo.hears and (servo.number == span.servo or shadow):
                    servo.write(span.address, span.data)

    def _servo(self, number: int) -> EmulatedServo | None:
        return next((servo for servo in self.servos if servo.number == number and servo.hears), None)

    def _packed(self, servo: EmulatedServo, number: int, data: bytes, asked: int = BROADCAST) -> Answer:
        """An answer; who was just given another number still answers by the one it was asked by."""
        encode = feetech.encode if self._is_feetech else dynamixel.encode_status
        who = servo.number if asked == BROADCAST else asked
        packet = encode(who, servo.error_byte(number), data if number == 0 else b"")
        return Answer(who, packet, self._delay_s(servo))

    @staticmethod
    def _delay_s(servo: EmulatedServo) -> float:
        return servo.get("return_delay") * servo.table["return_delay"].unit


def _bulk(params: bytes, *, writes: bool) -> list[Span]:
    """The parts of a bulk instruction, each with its own address and length."""
    spans, at = [], 0
    while at + 5 <= len(params):
        servo, address = params[at], int.from_bytes(params[at + 1 : at + 3], "little")
        length = int.from_bytes(params[at + 3 : at + 5], "little")
        at += 5
        data = params[at : at + length] if writes else bytes(length)
        at += length if writes else 0
        if len(data) == length:
            spans.append(Span(servo, address, data))
    return spans
