"""An emulated force sensor with the real driver at the other end of a pseudo-terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hardware.emulated_force import EmulatedForce, with_noise
from hardware.force import STALE_S, Scale, SerialForce
from hardware.force_formats import HX711, ForceFormat, force_format
from hardware.force_line import ForceLine
from hardware.force_stream import ForceStream
from hardware.transport import Port
from robot.clock import ManualClock

STEP_S = 0.002


class PumpedClock(ManualClock):
    """Time that passes only by waiting, in steps of two milliseconds, each of which calls `tick`."""

    def __init__(self) -> None:
        super().__init__()
        self.tick: Callable[[], None] = lambda: None

    def sleep_until(self, t_s: float) -> None:
        while self.now_s() < t_s:
            super().sleep_until(min(t_s, self.now_s() + STEP_S))
            self.tick()


@dataclass
class Wired:
    """Both ends and their time; `force_n[0]` is the true force."""

    clock: PumpedClock
    force_n: list[float]
    device: EmulatedForce
    line: ForceLine
    stream: ForceStream
    sensor: SerialForce

    def wait(self, seconds: float) -> None:
        self.clock.sleep_until(self.clock.now_s() + seconds)


@contextmanager
def wired(
    *,
    noise_n: float = 0.03,
    delay_s: float = 0.060,
    rate_hz: float = 80.0,
    kind: str = "hx711",
    fmt: ForceFormat | None = None,
    scale: Scale | None = None,
    boot_s: float = 0.0,
    stale_s: float = STALE_S,
    seed: int = 1,
) -> Iterator[Wired]:
    """A sensor that is not connected yet."""
    clock, force_n = PumpedClock(), [0.0]
    source = with_noise(lambda: force_n[0], noise_n, seed)
    device = EmulatedForce(
        source, clock, delay_s=delay_s, rate_hz=rate_hz, kind=kind, boot_s=boot_s, seed=seed
    )
    line = ForceLine(device)
    clock.tick = line.pump
    chosen = fmt or (HX711 if kind == "hx711" else force_format(kind))
    stream = ForceStream(Port(line.path, chosen.baud), chosen, clock)
    sensor = SerialForce(stream, scale or device.scale, delay_s, stale_s)
    try:
        yield Wired(clock, force_n, device, line, stream, sensor)
    finally:
        sensor.close()
        line.close()
