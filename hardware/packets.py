"""What the packets of both protocols have in common: answers, and how a stream of bytes is cut into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

BROADCAST = 0xFE
LAST_SERVO = 252
_LONGEST_STREAM = 4096  # bytes kept while a packet is not yet whole; more is garbage


class Status(NamedTuple):
    """An answer whose check sum holds.

    Attributes:
        servo: Who answers.
        error: The error byte, as it came.
        data: What follows it.
    """

    servo: int
    error: int
    data: bytes


# Of a stream, a place where a header stands, and the longest parameters that are possible: how many bytes from there on
# are done with (0 asks for more), the number in the packet or None for garbage, and what follows the front, None if
# damaged.
Look = Callable[[bytes, int, int], tuple[int, int | None, bytes | None]]


class Codec(Protocol):
    """Packets of one protocol. Nothing here touches a port.

    Attributes:
        silent_drops: Below this address a write may be ignored without a word, so it is read back.
    """

    silent_drops: int

    def ping(self, servo: int) -> bytes:
        """Ask who is there."""
        ...

    def read(self, servo: int, address: int, length: int) -> bytes:
        """Ask for registers."""
        ...

    def write(self, servo: int, address: int, data: bytes) -> bytes:
        """Set registers."""
        ...

    def sync_read(self, servos: Sequence[int], address: int, length: int) -> bytes:
        """Ask several for the same registers."""
        ...

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> bytes:
        """Set the same registers of several."""
        ...

    def reboot(self, servo: int) -> bytes | None:
        """Start a servo anew; None where the protocol has no such order."""
        ...

    def answer_size(self, length: int) -> int:
        """Bytes of an answer that carries `length` bytes."""
        ...

    def decoder(self, longest: int, sent: bytes) -> Decoder:
        """Takes answers with up to `longest` bytes of data out of a stream that may hold the echo of what was sent."""
        ...

    def refusal(self, status: Status) -> str | None:
        """Why the servo refuses, or None."""
        ...

    def alert(self, status: Status) -> bool:
        """Whether the servo reports an alarm."""
        ...


class Decoder:
    """Cuts a stream into answers, whatever the chunks, and finds the next whole one after garbage.

    Args:
        look: What stands at a place of a stream.
        header: How every packet begins.
        longest: Bytes that an answer can have behind its front.
        answer: The answer that a whole packet is; None for one that is no answer.
        echo: What was sent and may come back; no answer.

    Attributes:
        damaged: Servos of packets with a wrong check sum, as these claim.
    """

    def __init__(
        self,
        look: Look,
        header: bytes,
        longest: int,
        answer: Callable[[int, bytes], Status | None],
        echo: bytes = b"",
    ) -> None:
        self._look, self._header, self._longest, self._answer = look, header, longest, answer
        self._echo = echo
        self._stream = b""
        self.damaged: set[int] = set()

    @property
    def waiting(self) -> int:
        """Bytes kept because their packet is not yet whole."""
        return len(self._stream)

    def feed(self, data: bytes) -> list[Status]:
        """Answers that are whole now."""
        stream, answers, at = (self._stream + data)[-_LONGEST_STREAM:], [], 0
        while (start := stream.find(self._header, at)) >= 0:
            taken, servo, body = self._taken(stream, start)
            at = start + taken
            if not taken:
                break
            if body is not None and servo is not None:
                status = self._answer(servo, body)
                if status is not None:
                    answers.append(status)
            elif servo is not None:
                self.damaged.add(servo)
        else:
            at = max(at, len(stream) - _tail(stream, self._header))
        self._stream = stream[at:]
        return answers

    def finish(self) -> list[Status]:
        """Whole answers behind one that never became whole: its length may be what was damaged."""
        answers = []
        while self._stream:
            answers += self.feed(b"")
            self._stream = self._stream[1:]
        return answers

    def _taken(self, stream: bytes, at: int) -> tuple[int, int | None, bytes | None]:
        if self._echo and stream.startswith(self._echo, at):
            return len(self._echo), None, None
        return self._look(stream, at, self._longest)


def _tail(stream: bytes, header: bytes) -> int:
    """How many last bytes of the stream may be the beginning of a header."""
    return next((n for n in range(len(header) - 1, 0, -1) if stream.endswith(header[:n])), 0)


@dataclass(frozen=True)
class Instruction:
    """A packet to servos, as these read it."""

    servo: int
    code: int
    params: bytes


def heard(stream: bytes, look: Look, header: bytes, longest: int) -> tuple[list[Instruction], bytes]:
    """Whole instructions in a stream, and the rest of it that may become one."""
    found: list[Instruction] = []
    at = 0
    while (start := stream.find(header, at)) >= 0:
        taken, servo, body = look(stream, start, longest)
        at = start + taken
        if not taken:
            return found, stream[start:]
        if servo is not None and body is not None:
            found.append(Instruction(servo, body[0], body[1:]))
    return found, stream[max(at, len(stream) - _tail(stream, header)) :]
