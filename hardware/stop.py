"""A pedal that stops the arm: a contact between two pins of a serial port, or a board that writes lines.

Whatever is not clearly a pedal at rest is a stop: a tread, a broken wire, a pulled plug, a line that cannot be read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Protocol, Self

from robot.clock import WallClock
from robot.errors import DeviceError
from robot.ports import Clock

POLL_S = 0.005
SILENT_S = 0.5  # ten lines of our sketch
_START_S = 6.0  # opening the port resets an Arduino
_UP = b"up"
_LONGEST = 64
_KEPT = 16

Line = Literal["cts", "dsr"]


class SignalPort(Protocol):
    """What is asked of a serial port (`hardware.transport.Port`)."""

    @property
    def name(self) -> str:
        """What a person knows it by."""
        ...

    def open(self) -> None:
        """Open it, or raise a `DeviceError`."""
        ...

    def close(self) -> None:
        """Give it back; may be called twice."""
        ...

    def signal(self, name: Line) -> bool:
        """Whether a control line is on, or raise a `DeviceError`."""
        ...

    def read_waiting(self) -> bytes:
        """What has come already, without waiting, or raise a `DeviceError`."""
        ...


class Pedal(Protocol):
    """A pedal on a port."""

    port: SignalPort

    def start(self) -> None:
        """Make sure that it is at rest.

        Raises:
            DeviceError: It is not, or cannot be read.
        """
        ...

    def asks(self) -> str:
        """Why the arm is to stop; empty while the pedal is at rest.

        Raises:
            DeviceError: It cannot be read.
        """
        ...


class ContactPedal:
    """Implements `Pedal`: a contact from RTS to CTS, or from DTR to DSR.

    Args:
        port: Where it is.
        line: Which pin is read; its partner is on for as long as the port is open.
        closed: Whether the contact is closed at rest. Only then does a broken wire stop the arm.
    """

    def __init__(self, port: SignalPort, line: Line, *, closed: bool = True) -> None:
        self.port, self._line, self._closed = port, line, closed

    def start(self) -> None:
        """Make sure that it is at rest."""
        if self.asks():
            partner = {"cts": "RTS", "dsr": "DTR"}[self._line]
            now, rest = ("open", "closed") if self._closed else ("closed", "open")
            raise DeviceError(
                f"stop pedal at {self.port.name!r}: its contact from {partner} to {self._line.upper()} is {now}, at "
                f"rest it must be {rest}. Take the foot off, check its wires, or correct stop.at_rest"
            )

    def asks(self) -> str:
        """Why the arm is to stop."""
        return "" if self.port.signal(self._line) == self._closed else "pedal"


class LinePedal:
    """Implements `Pedal`: a board that writes `up` again and again, and anything else when it is trodden on.

    Args:
        port: Where it is.
        clock: To notice that it has fallen silent.
    """

    def __init__(self, port: SignalPort, clock: Clock) -> None:
        self.port, self._clock = port, clock
        self._rest, self._whole = b"", False
        self._heard_s = clock.now_s()

    def start(self) -> None:
        """Wait until it says that it is at rest."""
        deadline_s = self._clock.now_s() + _START_S
        while self._clock.now_s() < deadline_s:
            lines = self._lines()
            if lines and lines[-1] == _UP:
                self._heard_s = self._clock.now_s()
                return
            if lines and self._clock.now_s() + SILENT_S > deadline_s:
                raise DeviceError(
                    f"stop pedal at {self.port.name!r}: it says {lines[-1][:_KEPT]!r}, at rest it must say 'up'. Take "
                    "the foot off, check the contact's wires, or correct stop.baud"
                )
            self._clock.sleep_until(self._clock.now_s() + POLL_S)
        raise DeviceError(
            f"stop pedal at {self.port.name!r}: no whole line came within {_START_S:g} s. Check its cable, or correct "
            "stop.port, stop.pedal or stop.baud"
        )

    def asks(self) -> str:
        """Why the arm is to stop."""
        lines, now_s = self._lines(), self._clock.now_s()
        other = next((line for line in lines if line != _UP), None)
        if other is not None:
            return "pedal" if other == b"down" else f"pedal: it says {other[:_KEPT]!r}"
        if lines:
            self._heard_s = now_s
        if now_s - self._heard_s > SILENT_S:
            return f"pedal lost: silent for {now_s - self._heard_s:.1f} s, allowed are {SILENT_S:g} s"
        return ""

    def _lines(self) -> list[bytes]:
        """The lines that have ended since; the first one after the opening may be torn and is left out."""
        *ended, self._rest = (self._rest + self.port.read_waiting()).split(b"\n")
        if len(self._rest) > _LONGEST:
            ended, self._rest = [*ended, self._rest], b""
        if ended and not self._whole:
            self._whole, ended = True, ended[1:]
        return [line.strip() for line in ended if line.strip()]


class PedalWatch:
    """Looks at a pedal all the time, in a thread of its own, so that a short tread is not missed while others think.

    Args:
        pedal: Its port is closed.
        stop: Called once with the reason.
    """

    def __init__(self, pedal: Pedal, stop: Callable[[str], None]) -> None:
        self._pedal, self._stop = pedal, stop
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stop pedal", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch.

        Raises:
            DeviceError: The pedal is not there or not at rest: without it nothing begins.
        """
        self._pedal.port.open()
        try:
            self._pedal.start()
        except BaseException:
            self._pedal.port.close()
            raise
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(timeout=1.0)
        self._pedal.port.close()

    def _watch(self) -> None:
        while not self._done.wait(POLL_S):
            if why := self._look():
                self._stop(why)
                return

    def _look(self) -> str:
        try:
            return self._pedal.asks()
        except DeviceError as error:
            return f"pedal lost: {error}"
        except Exception as error:  # whatever it is: a thread that ended without a word would leave no pedal
            return f"pedal lost: {error!r}; please report it"


def watched_pedal(port: SignalPort, kind: str, stop: Callable[[str], None], *, closed: bool) -> PedalWatch:
    """A watch on a pedal of this kind: `cts`, `dsr` or `line`."""
    if kind == "line":
        return PedalWatch(LinePedal(port, WallClock()), stop)
    return PedalWatch(ContactPedal(port, "cts" if kind == "cts" else "dsr", closed=closed), stop)
