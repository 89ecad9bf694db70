"""Block sets as distributions: what is known of the blocks before any of them has been touched."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from robot.errors import BadInputError

BUILT_IN = Path(__file__).parent / "blocksets"
MM = 1e-3
DEG = 0.017453292519943295


@dataclass(frozen=True)
class Spread:
    """A normal distribution, cut off at three standard deviations."""

    mean: float
    sd: float


@dataclass(frozen=True)
class BlockSet:
    """Sizes [m], mass [kg], friction and how loosely a tower of these blocks is stacked.

    Attributes:
        friction_low: Lowest mean friction coefficient of a tower.
        friction_high: Highest one.
        friction: Mean friction of a tower, drawn once a tower and cut off at the two bounds.
        friction_block_sd: Spread between the blocks of one tower.
        taper_m: Standard deviation of the difference in thickness between the two ends of a block.
        gap_m: Mean gap between neighbours in a layer.
        offset_m: Standard deviation of a block's position along its length.
        yaw_rad: Standard deviation of a block's turn about the vertical.
    """

    name: str
    length_m: Spread
    width_m: Spread
    height_m: Spread
    mass_kg: Spread
    friction: Spread
    friction_low: float
    friction_high: float
    friction_block_sd: float
    taper_m: float
    gap_m: float
    offset_m: float
    yaw_rad: float


_Size = Annotated[float, Field(gt=1.0, lt=500.0)]
_Small = Annotated[float, Field(ge=0.0, lt=5.0)]


class _File(BaseModel):
    """The TOML form of a block set: millimetres, grams, degrees."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    name: str
    length_mm: _Size
    length_sd_mm: _Small
    width_mm: _Size
    width_sd_mm: _Small
    height_mm: _Size
    height_sd_mm: _Small
    mass_g: Annotated[float, Field(gt=0.5, lt=2000.0)]
    mass_sd_g: Annotated[float, Field(ge=0.0, lt=200.0)]
    friction: Annotated[float, Field(gt=0.02, lt=1.5)]
    friction_sd: Annotated[float, Field(ge=0.0, lt=0.5)]
    friction_low: Annotated[float, Field(gt=0.02, lt=1.5)]
    friction_high: Annotated[float, Field(gt=0.02, lt=1.5)]
    friction_block_sd: Annotated[float, Field(ge=0.0, lt=0.2)] = 0.01
    taper_mm: _Small = 0.03
    gap_mm: _Small = 0.15
    offset_mm: _Small = 0.3
    yaw_deg: _Small = 0.2

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not self.friction_low <= self.friction <= self.friction_high:
            raise ValueError(
                f"friction = {self.friction:g} must lie between friction_low = {self.friction_low:g} and "
                f"friction_high = {self.friction_high:g}"
            )
        return self

    def to_blockset(self) -> BlockSet:
        return BlockSet(
            name=self.name,
            length_m=Spread(self.length_mm * MM, self.length_sd_mm * MM),
            width_m=Spread(self.width_mm * MM, self.width_sd_mm * MM),
            height_m=Spread(self.height_mm * MM, self.height_sd_mm * MM),
            mass_kg=Spread(self.mass_g * 1e-3, self.mass_sd_g * 1e-3),
            friction=Spread(self.friction, self.friction_sd),
            friction_low=self.friction_low,
            friction_high=self.friction_high,
            friction_block_sd=self.friction_block_sd,
            taper_m=self.taper_mm * MM,
            gap_m=self.gap_mm * MM,
            offset_m=self.offset_mm * MM,
            yaw_rad=self.yaw_deg * DEG,
        )


def built_in_names() -> list[str]:
    """The names of the block sets that come with the program."""
    return sorted(path.stem for path in BUILT_IN.glob("*.toml"))


def load_blockset(name_or_path: str) -> BlockSet:
    """A block set by its built-in name or from a TOML file.

    Raises:
        BadInputError: No such set or file, or a key of it is unknown, missing or out of range.
    """
    path = BUILT_IN / f"{name_or_path}.toml"
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        path = Path(name_or_path)
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).to_blockset()
    except FileNotFoundError:
        known = ", ".join(built_in_names())
        raise BadInputError(
            f"block set {name_or_path!r} is not known: choose one of {known}, or name a .toml file"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInputError(f"block set {name_or_path!r} cannot be read: {error}") from None
    except ValidationError as error:
        raise BadInputError(f"block set {name_or_path!r}: {_first_fault(error)}") from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    if not key:  # keys that do not fit each other
        return str(fault["ctx"]["error"])
    return (
        f"{key}: {fault['msg']}, got {fault.get('input')!r}; known keys are {', '.join(_File.model_fields)}"
    )
