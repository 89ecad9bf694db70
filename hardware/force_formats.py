"""The formats in which force sensors tell what they measure, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hardware import ft300
from hardware.force_lines import NUMBER, Decoder, LineDecoder, column_pattern, line_pattern
from robot.errors import BadInputError

_COUNTS = (
    -8_388_608.0,
    8_388_607.0,
)  # 24 bits of an HX711, which stays at an end when overloaded or a wire is off
_STUCK_S, _COARSE_STUCK_S = 0.5, 5.0  # the last digit of counts never rests; that of grams may
_N_PER_G, _N_PER_LB = 9.80665e-3, 4.4482216


@dataclass(frozen=True)
class ForceFormat:
    """One way in which a sensor tells what it measures.

    Attributes:
        name: As the settings say it.
        baud: Bits a second where the settings say none.
        make: A decoder of its bytes.
        n_per_unit: Newtons of one unit, None where only a calibration tells.
        ends: Values that mean overload or a broken wire, None where there are none.
        stuck_s: How long the same value may repeat.
        start: Bytes that begin the stream.
        stop: Bytes that end it.
    """

    name: str
    baud: int
    make: Callable[[], Decoder]
    n_per_unit: float | None = None
    ends: tuple[float, float] | None = None
    stuck_s: float = _COARSE_STUCK_S
    start: bytes = b""
    stop: bytes = b""


def _lines(name: str, pattern: str, baud: int, n_per_unit: float | None = None) -> ForceFormat:
    compiled = line_pattern(pattern)
    return ForceFormat(name, baud, lambda: LineDecoder(compiled), n_per_unit)


# What sketches that people use write, beside our own.
HX711 = ForceFormat(
    "hx711",
    115_200,
    lambda: LineDecoder(line_pattern(r"(?P<ms>\d{1,10}),(?P<value>-?\d{1,8})")),
    ends=_COUNTS,
    stuck_s=_STUCK_S,
)
_NAMED = {
    one.name: one
    for one in (
        HX711,
        _lines("number", rf"\s*(?P<value>{NUMBER})\s*", 9600),
        _lines("grams", rf"\s*(?P<value>{NUMBER})\s*g?\s*", 9600, _N_PER_G),
        _lines("newtons", rf"\s*(?P<value>{NUMBER})\s*N?\s*", 9600, 1.0),
        _lines("ms-number", rf"\s*(?P<ms>\d+)[,;\s]\s*(?P<value>{NUMBER})\s*", 115_200),
        _lines("pounds", rf".*?(?P<value>{NUMBER})\s*lbs\b.*", 9600, _N_PER_LB),
    )
}
_PATTERN, _COLUMN, _FT300 = "pattern", "column", "ft300"
NAMES = (*_NAMED, _COLUMN, _PATTERN, _FT300)


def force_format(name: str, *, pattern: str = "", column: int = 1, axis: str = "fz") -> ForceFormat:
    """The format of this name.

    Args:
        name: One of `NAMES`.
        pattern: For `pattern`: a regular expression with a group `value`; see `line_pattern`.
        column: For `column`: which one, from 1 on.
        axis: For `ft300`: the force along the tool, fx, fy or fz.

    Raises:
        BadInputError: The name, the pattern or the axis cannot be used.
    """
    if name == _PATTERN:
        return _lines(name, pattern, 115_200)
    if name == _COLUMN:
        compiled = column_pattern(column)
        return ForceFormat(name, 115_200, lambda: LineDecoder(compiled))
    if name == _FT300:
        return _ft300(axis)
    if name not in _NAMED:
        raise BadInputError(f"force sensor format {name!r} is not known: choose one of {', '.join(NAMES)}")
    return _NAMED[name]


def _ft300(axis: str) -> ForceFormat:
    ft300.Ft300Decoder(axis)  # refuses an unknown axis now, not when the port is open
    return ForceFormat(
        _FT300,
        ft300.BAUD,
        lambda: ft300.Ft300Decoder(axis),
        n_per_unit=1.0,
        ends=(-300.0, 300.0),  # newtons, its range by the manual
        stuck_s=1.0,
        start=ft300.START,
        stop=ft300.STOP,
    )
