"""A line that carries bytes, as the buses see it; `hardware.transport` has the serial port."""

from __future__ import annotations

from typing import Protocol


class Wire(Protocol):
    """Bytes out and in, with deadlines on a clock of its own. Methods raise `hardware.bus.BusError`.

    Attributes:
        name: What a person knows it by.
        byte_s: How long one byte takes.
    """

    name: str
    byte_s: float

    def now_s(self) -> float:
        """Seconds since some fixed moment; never runs backwards."""
        ...

    def write(self, data: bytes) -> None:
        """Hand all bytes over, or raise."""
        ...

    def read(self, size: int, until_s: float) -> bytes:
        """Wait for `size` bytes, at most until `until_s`; as many as came, perhaps none, never more."""
        ...

    def flush_input(self) -> None:
        """Forget what has come."""
        ...
