"""What every servo bus offers: registers read and written by servo, each with its own answer or its own error.

Registers are addresses and bytes here; `hardware.tables` knows what they mean. A failed read has no data, never a zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from robot.errors import DeviceError

READ_RETRIES = 2  # after the first try; a write is never sent twice


class BusError(DeviceError):
    """The port that carries the bus is at fault."""


class ServoError(DeviceError):
    """One servo refused, or did not do as told.

    Attributes:
        servo: Its number on the bus.
    """

    def __init__(self, message: str, servo: int) -> None:
        super().__init__(message)
        self.servo = servo


class NoAnswerError(ServoError):
    """One servo did not answer, or only with damaged bytes."""


@dataclass(frozen=True)
class Found:
    """A servo that answered.

    Attributes:
        model: Its model number, the key of `hardware.tables`.
        firmware: Its version, (46,) or (3, 10), as the maker counts.
        alert: Whether it reports a hardware alarm; the alarm's register says which.
    """

    model: int
    firmware: tuple[int, ...]
    alert: bool = False


class Reply(NamedTuple):
    """What one servo of several answered.

    Attributes:
        data: The bytes read, or None where there are none. An alert does not spoil them.
        alert: Whether it reports a hardware alarm; the alarm's register says which.
        problem: Why there is no data, in words that name the servo and the remedy; None where there is.
    """

    data: bytes | None
    alert: bool = False
    problem: str | None = None


class ServoBus(Protocol):
    """Servos on one wire, by number. Every call ends in time, with an answer or with an error that names the servo.

    All methods raise BusError where the port itself fails: unplugged, taken by another program, hung up.

    Attributes:
        name: The port's name, for messages.
    """

    name: str

    def ping(self, servo: int) -> Found:
        """What a servo is.

        Raises:
            NoAnswerError: It does not answer, also not when asked again.
        """
        ...

    def scan(self) -> dict[int, Found]:
        """All servos that answer, by number. A shadow obeys without ever answering and is not found."""
        ...

    def read(self, servo: int, address: int, length: int) -> bytes:
        """`length` bytes from `address` on; asks again up to `READ_RETRIES` times.

        Raises:
            NoAnswerError: No whole answer came.
            ServoError: The servo refuses.
        """
        ...

    def write(self, servo: int, address: int, data: bytes) -> None:
        """Write once, and see by the servo's answer that it was taken; where the answer is lost, by reading it back.

        Raises:
            NoAnswerError: No answer came, and it cannot be read back whether it was taken.
            ServoError: The servo refuses, or what is read back differs.
        """
        ...

    def sync_read(self, servos: Sequence[int], address: int, length: int) -> dict[int, Reply]:
        """The same registers of several servos in one exchange; who does not answer is asked again, and then told.

        Returns:
            One reply for each of `servos`.
        """
        ...

    def sync_write(self, address: int, data: Mapping[int, bytes]) -> None:
        """Write the same registers of several servos by one packet. Nobody answers: read back what must be sure."""
        ...

    def reboot(self, servo: int) -> None:
        """Start a servo anew: it goes limp and loses all that is not stored. Support the arm first.

        Raises:
            ServoError: It refuses, does not answer, or cannot be told to.
        """
        ...
