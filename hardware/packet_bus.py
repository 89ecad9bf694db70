"""The servo bus that both protocols share: ask, wait, ask again, and say what went wrong with whom."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from hardware.bus import READ_RETRIES, Found, NoAnswerError, Reply, ServoError
from hardware.packets import BROADCAST, LAST_SERVO, Codec, Status
from hardware.wire import Wire
from robot.errors import BadInputError

PATIENCE_S = 0.02  # beyond the wire's own time; a USB adapter may keep an answer for 16 ms
_DELAY_S = 508e-6  # the longest that a servo may be set to wait before it answers
_QUIET_S = 0.002  # silence before a question whose answer another could be taken for
_LATE_S = 0.1  # an answer that did not come may come so much later
_READ = "read"
_NOISE_SIZE = 4096
_MOST_NOISE = 20  # silences waited for; a line that is never quiet is asked all the same, and told as damaged
_SPACING_S = 0.003  # between answers to a broadcast ping, which come by number; the maker's SDK waits as long
_REMEDY = "check its cable and power, and that its number and baud rate are as set"


class _Question(NamedTuple):
    packet: bytes
    servos: frozenset[int]
    length: int  # of the data in each answer
    about: Hashable  # the same where an answer to the one does for the other: the same registers, read again

    def may_be_mixed_up_with(self, other: _Question) -> bool:
        """Whether an answer to it, come late or twice, passes for an answer to the other, and is wrong there."""
        if self.about == other.about or self.length != other.length:
            return False
        return not self.servos.isdisjoint(other.servos)


class PacketBus(ABC):
    """Implements `ServoBus` with the packets of a codec. Threads take turns, exchange by exchange.

    Args:
        wire: An open port.
        codec: The protocol's packets.
        names: What people call the servos, for messages.
        patience_s: How long an answer may take beyond the time that its bytes need.

    Attributes:
        name: The port's name.
    """

    def __init__(
        self,
        wire: Wire,
        codec: Codec,
        names: Mapping[int, str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.name = wire.name
        self._wire, self._codec, self._patience_s = wire, codec, patience_s
        self._names = dict(names or {})
        self._turn = threading.RLock()
        self._last = _Question(b"", frozenset(), 0, None)
        self._unanswered: list[tuple[float, _Question]] = []  # until when an answer may still come
        self._damaged: set[int] = set()  # whose last answer came damaged
        self._doubtful = True  # whether an answer to an earlier question may still come

    @abstractmethod
    def ping(self, servo: int) -> Found:
        """What a servo is; see `ServoBus`."""

    @abstractmethod
    def scan(self) -> dict[int, Found]:
        """All servos that answer; see `ServoBus`."""

    def read(self, servo: int, address: int, length: int) -> bytes:
        """Bytes from an address on; see `ServoBus`."""
        packet = self._codec.read(_checked(servo), address, length)
        return self._answer(servo, packet, length, f"a read of register {address}", (_READ, address)).data

    def write(self, servo: int, address: int, data: bytes) -> None:
        """Write once and see that it was taken; see `ServoBus`."""
        packet = self._codec.write(_checked(servo), address, data)
        with self._turn:
            status = self._exchange(packet, [servo], 0).get(servo)
            if status is not None:
                self._check(servo, status, f"a write of {data.hex(' ')} to register {address}")
            if status is None or address < self._codec.silent_drops:
                self._check_written(servo, address, data, answered=status is not None)

    def sync_read(self, servos: Sequence[int], address: int, length: int) -> dict[int, Reply]:
        """The same registers of several servos; see `ServoBus`."""
        if len(set(servos)) != len(servos):
            raise BadInputError(f"sync read on {self.name!r}: a servo is named twice in {list(servos)}")
        wanted = [_checked(servo) for servo in servos]
        statuses: dict[int, Status] = {}
        with self._turn:
            missing = wanted
            for attempt in range(1 + READ_RETRIES):
                if not missing:
                    break
                statuses |= self._sync_exchange(missing, address, length, first=attempt == 0)
                missing = [servo for servo in wanted if servo not in statuses]
            return {servo: self._reply(servo, statuses.get(servo), address) for servo in wanted}

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> None:
        """Write the same registers of several servos by one packet; see `ServoBus`."""
        lengths = {len(values) for values in data.values()}
        if len(lengths) != 1:
            raise BadInputError(
                f"sync write to register {address}: values of {sorted(lengths)} bytes, not one size"
            )
        packet = self._codec.sync_write(address, {_checked(servo): values for servo, values in data.items()})
        with self._turn:
            self._wire.write(packet)

    def reboot(self, servo: int) -> None:
        """Start a servo anew; see `ServoBus`."""
        packet = self._codec.reboot(_checked(servo))
        if packet is None:
            raise ServoError(
                f"{self._who(servo)} cannot be started anew over the wire: switch its power off and on", servo
            )
        with self._turn:
            status = self._exchange(packet, [servo], 0).get(servo)
        if status is None:
            raise self._no_answer(servo, "an order to start anew; whether it does is not known", tries=1)
        self._check(servo, status, "an order to start anew")

    def _sync_exchange(
        self, servos: list[int], address: int, length: int, *, first: bool
    ) -> dict[int, Status]:
        """Ask several once; `first` is False when they are asked again."""
        del first
        packet = self._codec.sync_read(servos, address, length)
        return self._exchange(packet, servos, length, (_READ, address))

    def _answer(
        self, servo: int, packet: bytes, length: int, what: str = "a ping", about: Hashable = None
    ) -> Status:
        """Ask one servo until it answers, at most `READ_RETRIES` times again."""
        with self._turn:
            for _ in range(1 + READ_RETRIES):
                status = self._exchange(packet, [servo], length, about).get(servo)
                if status is not None:
                    self._check(servo, status, what)
                    return status
        raise self._no_answer(servo, what, tries=1 + READ_RETRIES)

    def _exchange(
        self, packet: bytes, servos: Sequence[int], length: int, about: Hashable = None
    ) -> dict[int, Status]:
        """Ask once; the whole answers that came in time, refusals among them."""
        question = _Question(packet, frozenset(servos), length, about or packet)
        self._settle(question)
        sent_s = self._wire.now_s()
        self._wire.write(packet)
        n_bytes = len(packet) + len(servos) * self._codec.answer_size(length)
        until_s = sent_s + n_bytes * self._wire.byte_s + len(servos) * _DELAY_S + self._patience_s
        answers = self._collect(question, until_s)
        self._doubtful = len(answers) < len(servos)
        if self._doubtful:
            self._unanswered.append((self._wire.now_s() + _LATE_S, question))
        return answers

    def _collect(self, question: _Question, until_s: float) -> dict[int, Status]:
        """Take answers until all are there or time is up; the last one alone, so that all others are done by then."""
        size, answers = self._codec.answer_size(question.length), dict[int, Status]()
        decoder = self._codec.decoder(question.length, question.packet)
        missing, late = len(question.servos), False
        while missing and not late:
            needed = max(size * max(missing - 1, 1) - decoder.waiting, 1)
            came = decoder.feed(self._wire.read(needed, until_s))
            late = self._wire.now_s() >= until_s
            for status in came + (decoder.finish() if late else []):
                if status.servo in question.servos and self._fits(status, question.length):
                    answers.setdefault(status.servo, status)
            missing = len(question.servos) - len(answers)
        if self._damaged or decoder.damaged:
            self._damaged = (self._damaged - question.servos) | decoder.damaged
        return answers

    def _fits(self, status: Status, length: int) -> bool:
        return len(status.data) == length or self._codec.refusal(status) is not None

    def _settle(self, question: _Question) -> None:
        """Have nothing on the line that could be taken for an answer to the question that comes now.

        An answer tells who gives it, but not to which question.
        """
        late_s = self._late_s(question)
        if self._doubtful or late_s > 0 or self._last.may_be_mixed_up_with(question):
            for _ in range(_MOST_NOISE):
                until_s = max(self._wire.now_s() + _QUIET_S, late_s)
                if not self._wire.read(_NOISE_SIZE, until_s) and self._wire.now_s() >= late_s:
                    break
        self._last = question
        self._wire.flush_input()

    def _late_s(self, question: _Question) -> float:
        """Until when an answer may come that would be wrong here; 0 where none may."""
        if not self._unanswered:
            return 0.0
        now_s = self._wire.now_s()
        self._unanswered = [(until_s, other) for until_s, other in self._unanswered if until_s > now_s]
        wrong = [until_s for until_s, other in self._unanswered if other.may_be_mixed_up_with(question)]
        return max(wrong, default=0.0)

    def _check_written(self, servo: int, address: int, data: bytes, *, answered: bool) -> None:
        """See by reading whether a write was taken that nobody confirmed."""
        try:
            now = self.read(servo, address, len(data))
        except NoAnswerError as error:
            what = f"a write of {data.hex(' ')} to register {address}; whether it was taken is not known"
            raise self._no_answer(servo, what, tries=1) from error
        if now != data:
            heard = "said nothing against" if answered else "did not answer"
            what = f"a write of {data.hex(' ')} to register {address}, and holds {now.hex(' ')}"
            advice = (
                "it is not written again; check its lock for stored values and its alarm, then begin anew"
            )
            raise ServoError(f"{self._who(servo)} {heard} {what}: {advice}", servo)

    def _reply(self, servo: int, status: Status | None, address: int) -> Reply:
        if status is None:
            what = f"a sync read of register {address}"
            return Reply(None, problem=str(self._no_answer(servo, what, tries=1 + READ_RETRIES)))
        if status.error == 0:
            return Reply(status.data)
        alert, refusal = self._codec.alert(status), self._codec.refusal(status)
        if refusal is not None:
            return Reply(
                None, alert, f"{self._who(servo)} refuses to be read at register {address}: {refusal}"
            )
        return Reply(status.data, alert)

    def _check(self, servo: int, status: Status, what: str) -> None:
        refusal = self._codec.refusal(status)
        if refusal is not None:
            raise ServoError(f"{self._who(servo)} refuses {what}: {refusal}", servo)

    def _no_answer(self, servo: int, what: str, tries: int) -> NoAnswerError:
        how = "answers only damaged bytes to" if servo in self._damaged else "does not answer"
        asked = "" if tries == 1 else f", asked {tries} times"
        return NoAnswerError(f"{self._who(servo)} {how} {what}{asked}: {_REMEDY}", servo)

    def _who(self, servo: int) -> str:
        name = f" ({self._names[servo]})" if servo in self._names else ""
        return f"servo {servo}{name} on {self.name!r}"

    def _all_answers(self, length: int) -> dict[int, Status]:
        """Whoever answers a broadcast ping with `length` bytes."""
        packet = self._codec.ping(BROADCAST)
        question = _Question(packet, frozenset(range(LAST_SERVO + 1)), length, packet)
        with self._turn:
            self._settle(question)
            self._wire.write(packet)
            self._doubtful = True
            each_s = self._codec.answer_size(length) * self._wire.byte_s + _SPACING_S
            return self._collect(
                question, self._wire.now_s() + len(question.servos) * each_s + self._patience_s
            )


def _checked(servo: int) -> int:
    if not 0 <= servo <= LAST_SERVO:
        raise BadInputError(f"servo {servo}: allowed are 0 to {LAST_SERVO}")
    return servo
