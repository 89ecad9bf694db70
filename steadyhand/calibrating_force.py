"""What `steadyhand calibrate force` does: guides a person through known masses, and tests what it found on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

from hardware.force_calibration import ForceCalibration, Weighing, calibrate_force
from hardware.force_stream import ForceStream
from perception.calibration_checks import Refusal
from robot.errors import BadInputError, DeviceError
from robot.resting import rest_of
from steadyhand import calibrating
from steadyhand.files import need_place, write_whole
from steadyhand.force_file import ForceFile, WeighedMass

_LEAST = 16  # samples of a weighing
_PATIENCE_S = 1.0
_TRIES = 5
_MOST_G = 5000.0


@dataclass(frozen=True)
class Request:
    """The options of the command.

    Attributes:
        seconds: How long each weighing takes.
        limit_n: Error that is still good.
    """

    seconds: float = 3.0
    limit_n: float = 0.03
    output: Path | None = None
    json: bool = False


class _Guide:
    """Asks a person, and weighs."""

    def __init__(
        self, stream: ForceStream, seconds: float, answers: TextIO, say: Callable[[str], None]
    ) -> None:
        self._stream, self._seconds, self._answers, self._say = stream, seconds, answers, say

    def empty(self, what: str) -> Weighing:
        """Wait for Enter, and weigh nothing."""
        self._say(f"{what}, do not touch it, and press Enter.")
        self._line()
        return self._weigh(0.0)

    def masses(self) -> Iterator[Weighing]:
        """Masses until an empty line; at least one."""
        how = "Hang a known mass on the tip, so that it pulls as a block pushes back. Type its grams, such as 100"
        self._say(f"{how} (-100 if it pulls the other way).")
        yield self._weigh(self._mass(required=True) or 0.0)
        while True:
            self._say("Another mass to calibrate by: type its grams; or Enter if there is none.")
            if (mass_g := self._mass(required=False)) is None:
                return
            yield self._weigh(mass_g)

    def check(self) -> Weighing:
        """The mass that is kept back."""
        self._say("Now a mass that was not used yet, for the check: hang it and type its grams.")
        return self._weigh(self._mass(required=True) or 0.0)

    def _mass(self, *, required: bool) -> float | None:
        for _ in range(_TRIES):
            line = self._line()
            if not line and not required:
                return None
            try:
                mass_g = float(line.replace(",", "."))
            except ValueError:
                mass_g = float("nan")
            if 0 < abs(mass_g) <= _MOST_G:
                return mass_g
            self._say(f"{line!r} is no mass: type grams, from 1 to {_MOST_G:g}.")
        raise BadInputError(f"{_TRIES} lines in a row were no mass in grams; nothing was written")

    def _line(self) -> str:
        line = self._answers.readline()
        if not line:
            raise BadInputError("the input ended before the calibration; nothing was written")
        return line.strip()

    def _weigh(self, mass_g: float) -> Weighing:
        self._stream.catch_up(_PATIENCE_S)
        heard = self._stream.listen(self._seconds)
        if len(heard) < _LEAST:
            raise DeviceError(
                f"{self._stream.who}: {len(heard)} samples in {self._seconds:g} s, {_LEAST} are needed; nothing was "
                "written. Check its cable and power, or weigh longer with --seconds"
            )
        rest = rest_of([one.value for one in heard], [one.t_s for one in heard])
        self._say(f"  {rest.mean:.6g} +- {rest.noise:.3g}, {rest.count} samples")
        return Weighing(mass_g, rest)


def run(
    request: Request, stream: ForceStream, answers: TextIO, say: Callable[[str], None], out: TextIO
) -> int:
    """Guide, fit, test, print; 0 where the calibration is good, 1 where it is refused.

    Args:
        request: The options.
        stream: Of the sensor; closed.
        answers: What the person types.
        say: Shows a line to the person.
        out: Where the result goes.

    Raises:
        BadInputError: An answer or a path cannot be used.
        DeviceError: The sensor cannot be read.
    """
    if request.output is not None:
        need_place(request.output)
    with _opened(stream):
        guide = _Guide(stream, request.seconds, answers, say)
        weighings = [guide.empty("Take everything off the finger's tip"), *guide.masses()]
        check, again = guide.check(), guide.empty("Take the mass off")
    found = calibrate_force(weighings, check, again, request.limit_n)
    if request.output is not None and not found.faults:
        write_whole(request.output, _file(found, weighings, check, stream).text().encode())
    refusals = [Refusal(fault.reason, fault.detail) for fault in found.faults]
    lines = [*_lines(found), *calibrating.verdict(refusals, request.output, _good(found))]
    return calibrating.told(_json(found, refusals, request), lines, out, as_json=request.json)


@contextmanager
def _opened(stream: ForceStream) -> Iterator[None]:
    stream.open()
    try:
        yield
    finally:
        stream.close()


def _file(
    found: ForceCalibration, weighings: list[Weighing], check: Weighing, stream: ForceStream
) -> ForceFile:
    assert found.scale is not None
    return ForceFile(
        format=stream.fmt.name,
        made=date.today(),
        per_n=found.scale.per_n,
        zero=found.scale.zero,
        noise_n=found.noise_n,
        rate_hz=weighings[0].rest.rate_hz,
        residual_n=found.residual_n,
        check_mass_g=check.mass_g,
        check_n=found.check_n,
        return_n=found.return_n,
        weighings=[
            WeighedMass(mass_g=one.mass_g, value=one.rest.mean, noise=one.rest.noise) for one in weighings
        ],
    )


def _json(found: ForceCalibration, refusals: list[Refusal], request: Request) -> dict[str, object]:
    good, scale = not refusals, found.scale
    return {
        "refused": calibrating.refused_json(refusals),
        "per_n": None if scale is None else scale.per_n,
        "zero": None if scale is None else scale.zero,
        "noise_n": None if scale is None else round(found.noise_n, 5),
        "residual_n": None if scale is None else round(found.residual_n, 5),
        "check_n": None if scale is None else round(found.check_n, 5),
        "return_n": None if scale is None else round(found.return_n, 5),
        "output": str(request.output) if good and request.output is not None else None,
    }


def _lines(found: ForceCalibration) -> list[str]:
    if found.scale is None:
        return []
    return [
        f"{found.scale.per_n:.6g} a newton, {found.scale.zero:.6g} with nothing at the tip",
        f"noise of one sample {found.noise_n:.4f} N (standard deviation)",
        f"fit within {found.residual_n:.3f} N; kept back {found.check_n:+.3f} N; empty again {found.return_n:+.3f} N",
    ]


def _good(found: ForceCalibration) -> str:
    return f"good: the mass that was kept back is told within {abs(found.check_n):.3f} N"
