"""A serial force sensor's samples, each with the time at which it came: opened, waited for, listened to.

Time is that of the clock handed in; with a simulated one, waiting is what makes samples come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hardware.device_time import DeviceTime
from hardware.force_formats import ForceFormat
from hardware.force_lines import RawSample
from robot.errors import DeviceError
from robot.ports import Clock

POLL_S = 0.002
_TICK_S = 1e-6  # a simulated clock may stop so much short of the moment asked for
_FIRST, _FIRST_S, _GAP_S = 4, 0.2, 0.5  # a stream runs when so many samples came over so long without a gap


class BytePort(Protocol):
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

    def write(self, data: bytes) -> None:
        """Hand all bytes over, or raise a `DeviceError`."""
        ...

    def read_waiting(self) -> bytes:
        """What has come already, without waiting."""
        ...

    def flush_input(self) -> None:
        """Forget what has come."""
        ...


@dataclass(frozen=True)
class Heard:
    """A sample, in the format's unit, and when it came, or would have come had nothing held it up."""

    value: float
    t_s: float


class ForceStream:
    """One sensor's samples.

    Args:
        port: Where it is; closed.
        fmt: How it tells what it measures.
        clock: Whose time the samples get.
        boot_s: How long the sensor may take to begin: opening the port resets an Arduino.
    """

    def __init__(self, port: BytePort, fmt: ForceFormat, clock: Clock, boot_s: float = 6.0) -> None:
        self.fmt, self.clock = fmt, clock
        self._port, self._boot_s = port, boot_s
        self._decoder, self._time = fmt.make(), DeviceTime()
        self._listened_s = -float("inf")
        self._bytes = 0

    @property
    def who(self) -> str:
        """The sensor, for messages."""
        return f"force sensor at {self._port.name!r}"

    def open(self) -> list[Heard]:
        """Open the port and wait until samples come steadily; the first of them.

        Raises:
            DeviceError: The port cannot be opened, or what comes in time cannot be read.
        """
        self._port.open()
        try:
            return self._begun()
        except BaseException:
            self.close()
            raise

    def _begun(self) -> list[Heard]:
        self._forget()
        if self.fmt.start:
            self._port.write(self.fmt.start)
        deadline_s, first = self.clock.now_s() + self._boot_s, list[Heard]()
        while self.clock.now_s() < deadline_s:
            for sample in self.listen(POLL_S):
                first = [*first, sample] if first and sample.t_s - first[-1].t_s < _GAP_S else [sample]
            if len(first) >= _FIRST and first[-1].t_s - first[0].t_s >= _FIRST_S:
                return first
        raise DeviceError(f"{self.who}: {self._why_not(len(first))}")

    def close(self) -> None:
        """Have the sensor fall silent, where it can, and give the port back; may be called twice."""
        try:
            if self.fmt.stop:
                self._port.write(self.fmt.stop)
        except DeviceError:
            pass  # unplugged, or closed already
        finally:
            self._port.close()

    def hear(self) -> list[Heard]:
        """The samples that have come since the last call.

        Raises:
            DeviceError: The port has hung up.
        """
        data, now_s = self._port.read_waiting(), self.clock.now_s()
        self._listened_s, self._bytes = now_s, self._bytes + len(data)
        stamped = ((raw, self._stamp_s(raw, now_s)) for raw in self._decoder.feed(data))
        return [Heard(raw.value, t_s) for raw, t_s in stamped if t_s is not None]

    def listen(self, seconds: float) -> list[Heard]:
        """Every sample of a time from now on."""
        end_s, samples = self.clock.now_s() + seconds, list[Heard]()
        while (left_s := end_s - self.clock.now_s()) > _TICK_S:
            self.clock.sleep_until(end_s - max(left_s - POLL_S, 0.0))
            samples += self.hear()
        return samples

    def unheard_s(self) -> float:
        """How long nobody has listened."""
        return self.clock.now_s() - self._listened_s

    def catch_up(self, patience_s: float) -> list[Heard]:
        """Throw away what came while nobody listened, which is old, and wait for the next sample."""
        self._forget()
        deadline_s = self.clock.now_s() + patience_s
        while self.clock.now_s() < deadline_s:
            if samples := self.listen(POLL_S):
                return samples
        return []

    def _forget(self) -> None:
        self._port.flush_input()
        self._decoder.reset()
        self._listened_s = self.clock.now_s()

    def _stamp_s(self, raw: RawSample, now_s: float) -> float | None:
        return now_s if raw.device_s is None else self._time.heard_s(raw.device_s, now_s)

    def _why_not(self, count: int) -> str:
        within, fmt = f"within {self._boot_s:g} s", self.fmt.name
        if count:
            return (
                f"only {count} samples without a gap {within}; {_FIRST} over {_FIRST_S:g} s are needed. "
                "Check its power and cable; an HX711 that is not wired well starts and stops"
            )
        if self._bytes == 0:
            return f"nothing came {within}. Check its cable, its power and force.baud"
        return (
            f"{self._bytes} bytes came {within}, but nothing that format {fmt!r} reads; the last was "
            f"{self._decoder.puzzling!r}. Correct force.format, force.pattern or force.baud"
        )
