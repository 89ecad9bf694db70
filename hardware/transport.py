"""Bytes over a serial port, with deadlines. The only user of pyserial."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
import select
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import serial

from hardware.bus import BusError
from hardware.port_names import STABLE, port_named, ports_there

_SLICE_S = 0.002  # pyserial's own timeout is set once: each change of it sets the whole port up anew
_WRITE_S = 0.2  # a line takes a packet in a fraction of a millisecond
_BITS_A_BYTE = 10  # a start bit, eight of data, a stop bit
_FAULTS = (OSError, termios.error)  # SerialException is an OSError, termios.error is not


class Port:
    """Implements `Wire` on a serial port, or on whatever else pyserial opens by an address.

    Args:
        name: A stable name, a device file or an address; see `port_names`.
        baud: Bits a second.
        stable_names: Where the system lists stable names.
        write_s: How long a packet may take to be handed over.

    Attributes:
        name: As given, for messages.
        byte_s: How long one byte takes on the wire.
    """

    def __init__(
        self, name: str, baud: int = 1_000_000, stable_names: Path = STABLE, write_s: float = _WRITE_S
    ) -> None:
        self.name, self.baud = name, baud
        self.byte_s = _BITS_A_BYTE / baud
        self._stable_names, self._write_s = stable_names, write_s
        self._serial: serial.Serial | None = None
        self._told_writing = _Told(self, "did not take a packet")
        self._told_reading = _Told(self, "cannot be read")
        self._file: int | None = None  # of a device; other addresses are read through pyserial
        self._poll = select.poll()

    def open(self) -> None:
        """Open it for this program alone, and ask the adapter to hand bytes on at once.

        Raises:
            BusError: It is not there, not allowed, or another program has it.
        """
        if self._serial is not None:
            return
        address = port_named(self.name, self._stable_names)
        try:
            self._serial = serial.serial_for_url(
                address, self.baud, timeout=_SLICE_S, write_timeout=self._write_s, exclusive=True
            )
        except (*_FAULTS, ValueError) as error:
            raise self.error(f"cannot be opened: {self._why_not(error)}") from error
        self._find_file(self._serial)
        self._keep_others_out(True)
        self._ask_for_low_latency()

    def close(self) -> None:
        """Give it back; may be called twice, and after a hang-up."""
        port = self._serial
        if port is None:
            return
        self._keep_others_out(False)
        self._serial = None
        with contextlib.suppress(*_FAULTS):
            port.close()

    def latency_ms(self) -> int | None:
        """How long a USB adapter keeps bytes back before it hands them on; None where the system does not tell."""
        device = Path(port_named(self.name, self._stable_names)).resolve().name
        path = Path("/sys/class/tty") / device / "device" / "latency_timer"
        with contextlib.suppress(OSError, ValueError):
            return int(path.read_text(encoding="ascii"))
        return None

    def now_s(self) -> float:
        """Monotonic time of the machine."""
        return time.monotonic()

    def write(self, data: bytes) -> None:
        """Hand all bytes over.

        Raises:
            BusError: It is closed, has hung up, or does not take them in time.
        """
        port = self._opened()
        with self._told_writing:
            rest = data[self._taken_at_once(data) :]
            if rest and port.write(rest) != len(rest):  # waits until there is room
                raise serial.SerialException(f"{len(rest)} of {len(data)} bytes not taken")

    def read(self, size: int, until_s: float) -> bytes:
        """Wait for `size` bytes, at most until `until_s` and a millisecond; as many as came.

        Raises:
            BusError: It is closed or has hung up.
        """
        port = self._opened()
        with self._told_reading:
            return self._from_file(size, until_s) if self._file is not None else _from(port, size, until_s)

    def read_waiting(self) -> bytes:
        """What has come already.

        Raises:
            BusError: It is closed or has hung up.
        """
        port, came = self._opened(), bytearray()
        with self._told_reading:
            while waiting := port.in_waiting:
                came += port.read(waiting)
        return bytes(came)

    def flush_input(self) -> None:
        """Forget what has come.

        Raises:
            BusError: It is closed or has hung up.
        """
        port = self._opened()
        with self._told_reading:
            port.reset_input_buffer()

    def signal(self, name: Literal["cts", "dsr"]) -> bool:
        """Whether a control line of the port is on.

        Raises:
            BusError: It is closed, has hung up, or has no such line.
        """
        port = self._opened()
        with _Told(self, f"tells no {name.upper()}"):
            return bool(port.cts if name == "cts" else port.dsr)

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _taken_at_once(self, data: bytes) -> int:
        """How many bytes a device file takes without waiting: all, unless nobody takes them away."""
        if self._file is None:
            return 0
        try:
            return os.write(self._file, data)
        except BlockingIOError:
            return 0

    def _from_file(self, size: int, until_s: float) -> bytes:
        """Read a device file, waiting just as long as told."""
        assert self._file is not None
        came, late = b"", False
        while len(came) < size and not late:
            left_s = until_s - time.monotonic()
            late = left_s <= 0
            if self._poll.poll(max(left_s, 0.0) * 1000):
                came += _some(self._file, size - len(came))
        return came

    def _opened(self) -> serial.Serial:
        if self._serial is None:
            raise self.error("is not open: open it again; what the servos do meanwhile is not known")
        return self._serial

    def _why_not(self, error: Exception) -> str:
        number = getattr(error, "errno", None)
        if number in (errno.EAGAIN, errno.EBUSY):
            return "another program has it: end that program (`fuser -v` with the port's name shows which)"
        if number == errno.EACCES:
            return "not allowed: add yourself to the group of the device (`ls -l` shows it, mostly dialout)"
        there = ", ".join(ports_there(self._stable_names)) or f"none under {self._stable_names}"
        return f"{error}; ports that are there: {there}. Plug it in, or correct its name or its baud rate"

    def _find_file(self, port: serial.Serial) -> None:
        """What to wait for and read; an address of another kind has no file."""
        self._file, self._poll = None, select.poll()
        with contextlib.suppress(AttributeError, io.UnsupportedOperation):
            self._file = port.fileno()
            self._poll.register(self._file, select.POLLIN)

    def _keep_others_out(self, out: bool) -> None:
        """Have the system refuse others, also those that ask for no lock; the lock alone stops only who asks.

        Not at a pseudo-terminal: its other end would keep that state if this program were killed.
        """
        with contextlib.suppress(*_FAULTS, AttributeError, ValueError):
            if self._serial is not None and not os.ttyname(self._serial.fileno()).startswith("/dev/pts/"):
                fcntl.ioctl(self._serial.fileno(), termios.TIOCEXCL if out else termios.TIOCNXCL)

    def _ask_for_low_latency(self) -> None:
        """USB adapters keep bytes for 16 ms by default; what cannot be asked (a pseudo-terminal) has no such wait."""
        with contextlib.suppress(*_FAULTS, AttributeError, ValueError, NotImplementedError):
            if self._serial is not None:
                self._serial.set_low_latency_mode(True)

    def error(self, what: str) -> BusError:
        """An error that names the port."""
        return BusError(f"port {self.name!r} {what}")


def _from(port: serial.Serial, size: int, until_s: float) -> bytes:
    """Read what is no file, in pyserial's own slices of time."""
    came, late = b"", False
    while len(came) < size and not late:
        late = time.monotonic() >= until_s
        came += port.read(min(size - len(came), port.in_waiting) if late else size - len(came))
    return came


def _some(file: int, size: int) -> bytes:
    """What a file has; a file that has nothing after it said so has ended."""
    try:
        some = os.read(file, size)
    except BlockingIOError:
        return b""
    if not some:
        raise serial.SerialException("end of file")
    return some


class _Told:
    """Turns what the system says of a port into an error that tells a person; one object, since it is used a lot."""

    def __init__(self, port: Port, what: str) -> None:
        self._port, self._what = port, what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, _FAULTS):
            advice = "check its cable and the power of the arm, then connect anew"
            raise self._port.error(
                f"{self._what} ({error}): it is unplugged or has hung up; {advice}"
            ) from error
