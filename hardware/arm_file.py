"""Which servos an arm is made of, from a TOML file: one of the project's, or anybody's own."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from hardware.arm_parts import ArmParts, JointParts, ServoPart
from hardware.tables import STS3215, TABLES, TICKS
from hardware.urdf_section import MM, UrdfSection
from robot.arm_models import ARM_MODELS
from robot.errors import BadInputError
from robot.linkage import Gripping, Jaw, Linkage

BUILT_IN = Path(__file__).parent / "arms"
_LEAST_WATCHDOG_MS = 200  # the program looks at an arm that waits every 100 ms


_Number = Annotated[int, Field(ge=0, le=252)]
_Ceiling = Annotated[float | None, Field(gt=0, le=20)]
_Share = Annotated[float | None, Field(gt=0, le=1)]
_Length = Annotated[float | None, Field(gt=1, lt=300)]
_Zero = Annotated[int, Field(ge=0, lt=TICKS)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    sign: Literal[1, -1] = 1
    zero_ticks: _Zero = TICKS // 2
    ceiling_a: _Ceiling = None
    ceiling_share: _Share = None

    def _one_ceiling(self) -> None:
        if (self.ceiling_a is None) == (self.ceiling_share is None):
            raise ValueError("give one of ceiling_a (servos that know current) and ceiling_share")

    def check_model(self, name: str, model: int, protocol: str) -> None:
        """Refuse a servo that is not known, or whose ceiling is of another kind than its model has."""
        known = {n: t for n, t in TABLES.items() if (n == STS3215) == (protocol == "feetech")}
        if model not in known:
            told = ", ".join(f"{number} ({table.name})" for number, table in known.items())
            raise ValueError(
                f"{name}: model {model} is not known; of protocol {protocol!r} these are: {told}"
            )
        wanted = "ceiling_a" if "goal_current" in known[model] else "ceiling_share"
        if getattr(self, wanted) is None:
            raise ValueError(f"{name}: a {known[model].name} needs {wanted}")

    def _part(self, servo: int, model: int, *, reverse: bool) -> ServoPart:
        return ServoPart(servo, model, reverse, self.ceiling_a, self.ceiling_share)


class _Joint(_Section):
    name: str
    servos: list[_Number] = Field(min_length=1, max_length=2)
    models: list[int]
    reverse: list[bool]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self._one_ceiling()
        if not len(self.servos) == len(self.models) == len(self.reverse):
            raise ValueError(f"joint {self.name}: servos, models and reverse must be equally many")
        return self

    def parts(self) -> JointParts:
        rows = zip(self.servos, self.models, self.reverse, strict=True)
        servos = tuple(self._part(servo, model, reverse=reverse) for servo, model, reverse in rows)
        return JointParts(self.name, servos, self.sign, self.zero_ticks)


class _Gripper(_Section):
    servo: _Number
    model: int
    reverse: bool
    horn_mm: _Length = None
    rod_mm: _Length = None
    closed_mm: _Length = None
    jaw_mm: _Length = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self._one_ceiling()
        linkage = [self.horn_mm, self.rod_mm, self.closed_mm]
        if (self.jaw_mm is None) == (None in linkage):
            raise ValueError("gripper: give either horn_mm, rod_mm and closed_mm, or jaw_mm")
        return self

    def parts(self) -> JointParts:
        lead = self._part(self.servo, self.model, reverse=self.reverse)
        return JointParts("gripper", (lead,), self.sign, self.zero_ticks)

    def gripping(self) -> Gripping:
        if self.horn_mm is None or self.rod_mm is None or self.closed_mm is None:
            return Jaw(float(self.jaw_mm or 0.0) * MM)
        return Linkage(self.horn_mm * MM, self.rod_mm * MM, self.closed_mm * MM)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    name: str
    body: str = ""
    cannot_play: str = ""
    protocol: Literal["dynamixel", "feetech"]
    baud: Annotated[int, Field(ge=9600, le=4_500_000)]
    profile_ms: Annotated[int, Field(ge=0, le=200)]
    gentle_profile_ms: Annotated[int, Field(ge=0, le=200)]
    watchdog_ms: Annotated[int, Field(ge=0, le=2540)]
    least_volts: Annotated[float, Field(gt=3, lt=60)]
    most_volts: Annotated[float, Field(gt=3, lt=60)]
    most_celsius: Annotated[float, Field(ge=30, le=80)]
    joint: list[_Joint] = Field(min_length=1)
    gripper: _Gripper
    urdf: UrdfSection | None = None

    @field_validator("body")
    @classmethod
    def _known(cls, body: str) -> str:
        if body and body not in ARM_MODELS:
            raise ValueError(
                f"{body!r} is not known: say one of {', '.join(ARM_MODELS)}, or leave it out for an arm that is driven "
                "and does not play"
            )
        return body

    @model_validator(mode="after")
    def _fits(self) -> Self:
        numbers = [n for joint in self.joint for n in joint.servos] + [self.gripper.servo]
        twice = sorted({n for n in numbers if numbers.count(n) > 1})
        if twice:
            raise ValueError(f"servo {twice[0]} is named twice; every servo has its own number")
        if self.body and self.urdf:
            raise ValueError(
                "give one of body, whose joints and lengths are known, and [urdf], which describes them"
            )
        if self.least_volts >= self.most_volts:
            raise ValueError(f"least_volts = {self.least_volts:g} must be below most_volts")
        self._check_watchdog()
        for joint in self.joint:
            for model in joint.models:
                joint.check_model(f"joint {joint.name}", model, self.protocol)
        self.gripper.check_model("gripper", self.gripper.model, self.protocol)
        return self

    def _check_watchdog(self) -> None:
        if self.protocol == "feetech" and self.watchdog_ms:
            raise ValueError(f"watchdog_ms = {self.watchdog_ms}: these servos have none; write 0")
        if 0 < self.watchdog_ms < _LEAST_WATCHDOG_MS:
            raise ValueError(
                f"watchdog_ms = {self.watchdog_ms}: allowed are {_LEAST_WATCHDOG_MS} to 2540, or 0 for none: the "
                "program looks at an arm that waits every 100 ms, and a sooner bite would keep it from moving"
            )

    def parts(self, path: str) -> ArmParts:
        return ArmParts(
            name=self.name,
            body=path if self.urdf else self.body,
            cannot_play=self.cannot_play,
            protocol=self.protocol,
            baud=self.baud,
            joints=tuple(joint.parts() for joint in self.joint),
            gripper=self.gripper.parts(),
            gripping=self.gripper.gripping(),
            profile_s=self.profile_ms * 1e-3,
            gentle_profile_s=self.gentle_profile_ms * 1e-3,
            watchdog_s=self.watchdog_ms * 1e-3,
            least_volts=self.least_volts,
            most_volts=self.most_volts,
            most_celsius=self.most_celsius,
            urdf=self.urdf,
        )


def arm_names() -> list[str]:
    """The arms that come with the program."""
    return sorted(path.stem for path in BUILT_IN.glob("*.toml"))


def is_file(name_or_path: str) -> bool:
    """Whether an arm is named by its file, rather than as one that comes with the program."""
    return "/" in name_or_path or name_or_path.endswith(".toml")


def load_arm(name_or_path: str) -> ArmParts:
    """An arm by its name or from a TOML file.

    Raises:
        BadInputError: No such arm or file, or a key of it is unknown, missing or out of range.
    """
    path = Path(name_or_path) if is_file(name_or_path) else BUILT_IN / f"{name_or_path}.toml"
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).parts(name_or_path)
    except FileNotFoundError:
        known = ", ".join(arm_names())
        raise BadInputError(
            f"arm {name_or_path!r} is not known: choose one of {known}, or name a .toml file"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInputError(f"arm {name_or_path!r} cannot be read: {error}") from None
    except ValidationError as error:
        raise BadInputError(f"arm {name_or_path!r}: {_first_fault(error)}") from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "value_error":  # keys that do not fit each other
        return f"{key}: {fault['ctx']['error']}" if key else str(fault["ctx"]["error"])
    return f"{key}: {fault['msg']}, got {fault.get('input')!r}; the arms in {BUILT_IN.name}/ show every key"
