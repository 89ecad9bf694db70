"""The force sensor on a serial port: newtons with their time, or an error; never a number that is old or made up."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from hardware.force_stream import ForceStream, Heard
from robot.errors import DeviceError
from robot.ports import ForceReading
from robot.resting import Rest, rest_of

STALE_S = 0.050
_REST_S = 3.0
_LEAST = 20  # samples of a measurement at rest
_MOST_SPIKES = 0.05
_MOST_DRIFT_N = 0.05  # in a second and a half, on top of what noise makes
_FAR_N = 2.0  # from the calibrated zero: more is no drift of a sound cell
_MEDIAN_OF = 3


@dataclass(frozen=True)
class Scale:
    """Newtons of a sensor's values: (value - zero) / per_n.

    Attributes:
        per_n: Units of the format in a newton; negative where it counts down under a push.
        zero: What it says when nothing touches the tip.
    """

    per_n: float
    zero: float = 0.0

    def force_n(self, value: float) -> float:
        """Force of a value."""
        return (value - self.zero) / self.per_n


class SerialForce:
    """Implements `ForceSensor`.

    Readings are single samples, as `ForceSensor` wants them: whoever acts on them takes the median of three.

    Args:
        stream: Of the sensor; closed.
        scale: Newtons of its values.
        delay_s: From the force to the arrival of its sample.
        stale_s: How long after its arrival a sample is good.

    Attributes:
        noise_n: Standard deviation of one sample at rest, as measured last; infinite before that.
        rate_hz: Samples a second, as measured last.
    """

    def __init__(self, stream: ForceStream, scale: Scale, delay_s: float, stale_s: float = STALE_S) -> None:
        self.noise_n, self.rate_hz, self.delay_s = float("inf"), 1.0 / stale_s, delay_s
        self._stream, self._scale, self._stale_s = stream, scale, stale_s
        self._zero = scale.zero
        self._recent: deque[Heard] = deque(maxlen=_MEDIAN_OF)
        self._changed_s = 0.0

    def connect(self) -> Rest:
        """Open the port, wait for the sensor to begin, and measure noise, rate and zero; nothing may touch the tip.

        Raises:
            DeviceError: It does not answer, cannot be read, or is not at rest.
        """
        self._take(self._stream.open())
        try:
            return self.measure()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the port back; may be called twice."""
        self._stream.close()

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self) -> ForceReading:
        """The newest sample; after a pause in which nobody read, the next one to come.

        Raises:
            DeviceError: It is too old, stuck, overloaded, or the port has hung up.
        """
        if self._stream.unheard_s() > self._stale_s:
            self._take(self._stream.catch_up(self._stale_s + 2.0 / self.rate_hz))
        else:
            self._take(self._stream.hear())
        newest = self._checked()
        return ForceReading(self._force_n(newest.value), newest.t_s - self.delay_s)

    def measure(self, seconds: float = _REST_S) -> Rest:
        """Noise, rate and zero, in newtons, of a time in which nothing touches the tip; kept as what holds from now on.

        Raises:
            DeviceError: Too few samples, too many spikes, drift, a value that never changes, or a zero that is far
                from where it was calibrated.
        """
        self._stream.catch_up(self._stale_s + 2.0 / self.rate_hz)
        heard = self._stream.listen(seconds)
        if len(heard) < max(_LEAST, 2 * seconds / self._stale_s):
            raise self._error(
                f"{len(heard)} samples in {seconds:g} s, at least {max(_LEAST, 2 * seconds / self._stale_s):.0f} are "
                f"needed, for a sample is stale after {self._stale_s * 1e3:.0f} ms. An HX711 board gives 10 a second "
                "unless its RATE pin is connected to its supply: then it gives 80"
            )
        self._take(heard)
        self._checked()
        zero, per_n = self._scale.zero, self._scale.per_n
        rest = rest_of([(h.value - zero) / per_n for h in heard], [h.t_s for h in heard])
        self._check_rest(rest)
        self.noise_n, self.rate_hz, self._zero = rest.noise, rest.rate_hz, zero + rest.mean * per_n
        return rest

    def _force_n(self, value: float) -> float:
        return (value - self._zero) / self._scale.per_n

    def _take(self, heard: list[Heard]) -> None:
        for sample in heard:
            if not self._recent or sample.value != self._recent[-1].value:
                self._changed_s = sample.t_s
            self._recent.append(sample)

    def _checked(self) -> Heard:
        if not self._recent:
            raise self._error("no sample has come; connect it first")
        newest, fmt = self._recent[-1], self._stream.fmt
        age_s = self._stream.clock.now_s() - newest.t_s
        if age_s > self._stale_s:
            raise self._error(
                f"the newest sample is {age_s * 1e3:.0f} ms late, allowed are {self._stale_s * 1e3:.0f} ms. "
                "Check its cable and power, and what else is on its USB hub"
            )
        if newest.t_s - self._changed_s > fmt.stuck_s:
            raise self._error(
                f"stuck: it has said {newest.value:g} for {newest.t_s - self._changed_s:.1f} s, allowed are "
                f"{fmt.stuck_s:g} s. Switch it off and on, and check the wires between cell and amplifier"
            )
        middle = float(np.median([sample.value for sample in self._recent]))
        if fmt.ends is not None and not fmt.ends[0] < middle < fmt.ends[1]:
            raise self._error(
                f"overloaded: {middle:g}, its end of the scale. Take the load off; if it stays so, a wire of the "
                "cell is off"
            )
        return newest

    def _check_rest(self, rest: Rest) -> None:
        allowed_n = _MOST_DRIFT_N + rest.noise_drift(rest.noise)
        if rest.noise == 0.0:
            raise self._error(
                f"{rest.count} samples are alike to the last digit: it is stuck, or tells too few digits to measure "
                "noise by. Use a finer format"
            )
        if rest.spikes > _MOST_SPIKES * rest.count:
            raise self._error(
                f"{rest.spikes} of {rest.count} samples are spikes, allowed are {_MOST_SPIKES:.0%}. Shorten the wires "
                "between cell and amplifier, keep them away from the motors' and check the plugs"
            )
        if abs(rest.drift) > allowed_n:
            raise self._error(
                f"it drifts: {rest.drift:+.3f} N between two halves of {rest.count} samples, allowed are "
                f"{allowed_n:.3f} N. Take hands off, let it warm up for some minutes, and try again"
            )
        if abs(rest.mean) > _FAR_N:
            raise self._error(
                f"it says {rest.mean:+.2f} N with nothing at the tip, allowed are {_FAR_N:g} N from its calibrated "
                "zero. Free the tip, or calibrate anew (steadyhand calibrate force)"
            )

    def _error(self, what: str) -> DeviceError:
        return DeviceError(f"{self._stream.who}: {what}")
