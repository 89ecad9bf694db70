"""Faults of a wire on demand: what happens to the next answers on their way from the servos."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from hardware.emulated_bus import Answer

FOR_EVER = 1_000_000_000
_SPLIT_S = 0.0005  # between the pieces


class WireFault(Enum):
    """What happens to an answer."""

    LOST = "lost"  # a byte in its middle is missing
    CORRUPTED = "corrupted"  # a bit in its middle is wrong
    DELAYED = "delayed"  # it comes late
    SPLIT = "split"  # it comes byte by byte
    DOUBLED = "doubled"  # a byte in its middle comes twice
    REPEATED = "repeated"  # it comes twice
    SILENT = "silent"  # it does not come


@dataclass
class Order:
    """A fault to come.

    Attributes:
        kind: What happens.
        times: To how many answers.
        servo: Whose answers; of anybody where it is None.
        delay_s: How late a delayed answer is.
    """

    kind: WireFault
    times: int = 1
    servo: int | None = None
    delay_s: float = 0.05


class WireFaults:
    """Spoils answers as ordered; without orders it leaves them alone. Orders may come from another thread."""

    def __init__(self) -> None:
        self._orders: list[Order] = []
        self._turn = threading.Lock()

    def order(self, order: Order) -> None:
        """Spoil answers to come."""
        with self._turn:
            self._orders.append(order)

    def mend(self) -> None:
        """Forget all orders."""
        with self._turn:
            self._orders.clear()

    def spoil(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        """What arrives of the answers."""
        for answer in answers:
            order = self._due(answer.servo)
            yield from [answer] if order is None else _spoilt(answer, order)

    def _due(self, servo: int) -> Order | None:
        with self._turn:
            for order in self._orders:
                if order.servo in (None, servo):
                    order.times -= 1
                    if order.times <= 0:
                        self._orders.remove(order)
                    return order
        return None


def _spoilt(answer: Answer, order: Order) -> list[Answer]:
    servo, data, delay_s = answer
    half = len(data) // 2
    wrong = bytes((data[half] ^ 0x10,))
    spoilt = {
        WireFault.SILENT: [],
        WireFault.LOST: [Answer(servo, data[:half] + data[half + 1 :], delay_s)],
        WireFault.CORRUPTED: [Answer(servo, data[:half] + wrong + data[half + 1 :], delay_s)],
        WireFault.DOUBLED: [Answer(servo, data[: half + 1] + data[half:], delay_s)],
        WireFault.DELAYED: [Answer(servo, data, delay_s + order.delay_s)],
        WireFault.REPEATED: [answer, Answer(servo, data)],
        WireFault.SPLIT: [Answer(servo, data[at : at + 1], _SPLIT_S) for at in range(len(data))],
    }
    return spoilt[order.kind]
