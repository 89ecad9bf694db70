"""A force sensor that is not there: the bytes that an HX711 with our sketch, or a Robotiq FT300, would send.

It is pure: what the host wrote goes in by `take`, what the device sends by now comes out of `due`, and time is that of
the clock handed in. What it measures comes from `newtons`, called once for each sample, in the order of time; noise is
that function's (`with_noise` adds some). Call `due` at least as often as there are samples: in simulation from
`World.watch`, so that each sample is of its own moment.

To join it to a simulated finger for `play --wire`, in the layer that knows both:

    device = EmulatedForce(with_noise(finger_n, 0.03, seed), world, delay_s=0.060)
    line = ForceLine(device)                      # hardware.force_line: a pseudo-terminal
    world.watch(lambda _world: line.pump())       # after each step of the world
    stream = ForceStream(Port(line.path), HX711, world)
    sensor = SerialForce(stream, device.scale, delay_s=device.delay_s)
    sensor.connect()                              # waits on the world's clock, so the world moves meanwhile

`pump` returns only when the bytes can be read at the other end, so a simulated game over the wire is the same each
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum

from hardware import ft300
from hardware.force import Scale
from hardware.force_formats import HX711
from robot.ports import Clock
from robot.seeding import generator

BANNER = b"# steadyhand hx711 1\r\n"
RATE_HZ = 80.0
COUNTS_PER_N = 214_000.0  # a 1 kg cell of 1 mV/V at 5 V: 9.8 N are 5 mV, and a count is 2.4 nV at gain 128
_ZERO_COUNTS = 84_000.0
_DITHER_COUNTS = 38.0  # 90 nV rms at 80 samples a second
_HIGHEST, _LOWEST = 8_388_607, -8_388_608
_DRIFT_N_S, _SPIKE_N, _GARBLED = 0.2, 7.0, 0.3


class ForceFault(Enum):
    """What may be wrong with it."""

    STUCK = "stuck"
    DRIFT = "drift"
    SPIKES = "spikes"
    SILENT = "silent"
    GARBLED = "garbled"
    OVERLOAD = "overload"


def with_noise(newtons: Callable[[], float], noise_n: float, seed: int) -> Callable[[], float]:
    """The same force with noise of this standard deviation, a new draw each call."""
    rng = generator(seed, "emulated force noise")
    return lambda: newtons() + noise_n * float(rng.standard_normal())


class EmulatedForce:
    """A force sensor's end of the wire.

    Args:
        newtons: The force now.
        clock: Whose time it runs on.
        delay_s: From the force to its bytes.
        rate_hz: Samples a second.
        kind: `hx711` or `ft300` (then it speaks when asked to, along z).
        boot_s: How long it is silent at first.
        seed: Of its faults and its last digits.

    Attributes:
        fault: What is wrong with it now, None where nothing is.
        spikes: Share of the samples that are spikes, where that is the fault.
        scale: What a calibration of it finds.
    """

    def __init__(
        self,
        newtons: Callable[[], float],
        clock: Clock,
        *,
        delay_s: float = 0.060,
        rate_hz: float = RATE_HZ,
        kind: str = HX711.name,
        boot_s: float = 0.0,
        seed: int = 1,
    ) -> None:
        self.delay_s, self.spikes = delay_s, 0.02
        self.fault: ForceFault | None = None
        self.scale = Scale(COUNTS_PER_N, _ZERO_COUNTS) if kind == HX711.name else Scale(1.0)
        self._newtons, self._clock, self._kind = newtons, clock, kind
        self._period_s = 1.0 / rate_hz
        self._rng = generator(seed, "emulated force")
        self._boot_s, self._asked = boot_s, bytearray()
        self._running = kind == HX711.name
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._last_n = 0.0
        self.reset()

    def reset(self) -> None:
        """Begin anew, as when the port is opened: silence, then a banner, and the device's time from nought."""
        self._began_s = self._clock.now_s()
        self._next_s = self._fault_s = self._began_s + self._boot_s
        self._waiting.clear()
        if self._kind == HX711.name:
            self._waiting.append((self._next_s, BANNER))

    def take(self, data: bytes) -> None:
        """What the host wrote."""
        if self._kind == HX711.name:
            return
        self._asked = (self._asked + data)[-len(ft300.STOP) :]
        if self._asked.endswith(ft300.START):
            answer = ft300.STARTED + ft300.modbus_crc(ft300.STARTED).to_bytes(2, "little")
            self._running, self._next_s = True, self._clock.now_s()
            self._waiting.append((self._next_s, answer))
        elif bytes(self._asked) == ft300.STOP:
            self._running = False

    def due(self) -> bytes:
        """What it sends until now that was not sent yet."""
        now_s = self._clock.now_s()
        while self._running and self._next_s <= now_s + 1e-9:
            self._waiting.append((self._next_s + self.delay_s, self._packet(self._next_s)))
            self._next_s += self._period_s
        sent = bytearray()
        while self._waiting and self._waiting[0][0] <= now_s + 1e-9:
            sent += self._waiting.popleft()[1]
        return b"" if self.fault is ForceFault.SILENT else bytes(sent)

    def _packet(self, at_s: float) -> bytes:
        force_n = self._felt_n(at_s)
        if self._kind != HX711.name:
            data = ft300.packet((0.0, 0.0, force_n), (0.0, 0.0, 0.0))
        else:
            data = b"%d,%d\r\n" % (round((at_s - self._began_s) * 1e3), self._counts(force_n))
        return self._garbled(data) if self.fault is ForceFault.GARBLED else data

    def _felt_n(self, at_s: float) -> float:
        if self.fault is ForceFault.STUCK:
            return self._last_n
        self._last_n = force_n = self._newtons()
        if self.fault is not ForceFault.DRIFT:
            self._fault_s = at_s
        force_n += _DRIFT_N_S * (at_s - self._fault_s)
        if self.fault is ForceFault.SPIKES and self._rng.random() < self.spikes:
            force_n += _SPIKE_N
        return 1e6 if self.fault is ForceFault.OVERLOAD else force_n

    def _counts(self, force_n: float) -> int:
        dither = (
            0.0 if self.fault is ForceFault.STUCK else _DITHER_COUNTS * float(self._rng.standard_normal())
        )
        counts = self.scale.zero + self.scale.per_n * force_n + dither
        return max(_LOWEST, min(_HIGHEST, round(counts)))

    def _garbled(self, data: bytes) -> bytes:
        """Some bytes lost, some with other bits."""
        kept = [byte for byte in data if self._rng.random() > _GARBLED / 2]
        return bytes(
            byte ^ (1 << int(self._rng.integers(8))) if self._rng.random() < _GARBLED / 2 else byte
            for byte in kept
        )
