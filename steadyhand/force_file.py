"""The file that `calibrate force` writes: newtons of one sensor's values, and how good they are."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hardware.force import Scale
from robot.errors import BadInputError


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)


class WeighedMass(_Part):
    """One weighing: the mass in grams, the mean of the values and their standard deviation, in the sensor's unit."""

    mass_g: float
    value: float
    noise: float


class ForceFile(_Part):
    """What is in the file: the scale, and what it rests on."""

    format: str
    made: date = Field(strict=False)
    per_n: float
    zero: float
    noise_n: float
    rate_hz: float
    residual_n: float
    check_mass_g: float
    check_n: float
    return_n: float
    weighings: list[WeighedMass]

    def scale(self) -> Scale:
        """Newtons of the values."""
        return Scale(self.per_n, self.zero)

    def text(self) -> str:
        """As JSON."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


def read_force_file(path: Path, fmt: str) -> ForceFile:
    """A calibration of a sensor with this format.

    Raises:
        BadInputError: The file cannot be read or is of another format.
    """
    try:
        file = ForceFile.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInputError(
            f"force.calibration {path}: no such file; `steadyhand calibrate force -o {path}` writes one"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"force.calibration {path}: cannot be read: {error}") from None
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the file"
        raise BadInputError(
            f"force.calibration {path}: {where}: {fault['msg'].lower()}; calibrate anew (steadyhand calibrate force)"
        ) from None
    if file.per_n == 0.0:
        raise BadInputError(
            f"force.calibration {path}: per_n is 0; calibrate anew (steadyhand calibrate force)"
        )
    if file.format != fmt:
        raise BadInputError(
            f"force.calibration {path}: made with format {file.format!r}, but force.format is {fmt!r}: correct it, or "
            "calibrate anew (steadyhand calibrate force)"
        )
    return file
