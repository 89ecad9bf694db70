"""The settings file: one TOML file, every key with unit, default, range and what it is for.

Keys carry millimetres, degrees, newtons and milliseconds; they are converted once, here, to the SI units of the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from hardware.arm_file import arm_names, load_arm
from hardware.arm_urdf import model_of
from planning.habits import Habits
from robot.arm_models import VIPERX_300S, ArmModel
from robot.errors import BadInputError
from robot.frames import Array, pose, rot_z
from robot.lfinger import LFinger
from robot.limits import least_force_n
from steadyhand.arm_defaults import with_defaults
from steadyhand.camera_settings import CameraSettings
from steadyhand.habit_settings import ExtractSettings, PlaceSettings, ProbeSettings
from steadyhand.settings_section import MM, Section, key
from steadyhand.wire_settings import ArmWireSettings, ForceWireSettings, StopSettings


class ArmSettings(ArmWireSettings):
    """Which arm it is, where it stands and how briskly it moves."""

    model: str = Field(
        default=VIPERX_300S.name,
        description="which arm it is: viperx-300s, widowx-250s, or the .toml file of one with a URDF of its own "
        "(docs/arms.md); what depends on it, and is left out, follows",
    )
    x_mm: float = key(
        -380.0, -1500, 1500, "base of the arm in the world, x; the world's origin is the mat's centre"
    )
    y_mm: float = key(0.0, -1500, 1500, "base of the arm in the world, y")
    z_mm: float = key(0.0, -500, 1000, "height of the arm's base above the table")
    yaw_deg: float = key(0.0, -180, 180, "turn of the arm's base about the vertical")
    pace: float = key(
        1.0, 0.05, 1.0, "share of the speed limits used in free space; lower it for a calmer show"
    )
    approach_mm_s: float = key(120.0, 5, 250, "speed along straight lines near the tower, without contact")
    steering: bool = Field(
        default=True,
        description="whether the arm looks for its finger before it touches, and steers by that",
    )
    joints: str = Field(
        default="", description="file of `calibrate joints` with what each joint is off by; empty: none"
    )
    joint_speed_deg_s: float = key(115.0, 5, 180, "largest speed of every joint")
    tool_speed_mm_s: float = key(
        1000.0, 50, 3000, "largest speed of the finger's tip, through free space too"
    )
    joint_accel_deg_s2: float = key(340.0, 10, 1500, "largest acceleration of every joint")
    joint_jerk_deg_s3: float = key(3400.0, 100, 30000, "largest jerk of every joint")

    @field_validator("model")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            return model_of(name).name
        except BadInputError as error:
            driven = load_arm(name) if name in arm_names() else None
            why = f"; a {driven.name} cannot play: {driven.cannot_play}" if driven else ""
            raise ValueError(f"{error}{why}") from None

    @property
    def described(self) -> ArmModel:
        """Joints, lengths and gripper of the arm."""
        return model_of(self.model)

    def T_world_base(self) -> Array:
        """Pose (4, 4) of the arm's base."""
        return pose(rot_z(np.radians(self.yaw_deg)), np.array([self.x_mm, self.y_mm, self.z_mm]) * MM)


class TowerSettings(Section):
    """Where the tower stands."""

    x_mm: float = key(0.0, -300, 300, "nominal centre of the tower in the world, x")
    y_mm: float = key(0.0, -300, 300, "nominal centre of the tower in the world, y")
    yaw_deg: float = key(45.0, -90, 90, "turn of the tower; at 45 the arm reaches every face")
    plinth_mm: float = key(
        100.0, 0, 300, "height of the plinth; below 100 the arm cannot reach the lowest blocks"
    )
    plinth_width_mm: float = key(84.0, 76, 85, "width of the plinth; wider ones are in the fingers' way")

    def T_world_tower(self) -> Array:
        """Nominal pose (4, 4) of the tower's base on the plinth."""
        return pose(rot_z(np.radians(self.yaw_deg)), np.array([self.x_mm, self.y_mm, self.plinth_mm]) * MM)


class FingerSettings(Section):
    """The L-shaped fingers."""

    leg_mm: float = key(100.0, 60, 140, "from the gripper's axis to the tip")
    slim_mm: float = key(60.0, 40, 100, "length of the slim part that enters a slot")
    nose_width_mm: float = key(10.0, 6, 14, "width of the nose; narrow noses turn the block")
    nose_thickness_mm: float = key(4.0, 2, 5, "thickness of one nose")
    max_opening_mm: float = key(60.0, 25, 72, "between the noses, fully open")
    stiffness_n_mm: float = key(0.5, 0.05, 20, "of the compliant tip, along the leg")
    pinch_n: float = key(4.0, 0.5, 20, "force with which a block is pinched")

    def fingers(self) -> LFinger:
        """Dimensions in metres."""
        return LFinger(
            leg_m=self.leg_mm * MM,
            slim_m=self.slim_mm * MM,
            nose_width_m=self.nose_width_mm * MM,
            nose_thickness_m=self.nose_thickness_mm * MM,
            max_opening_m=self.max_opening_mm * MM,
        )


class ForceSettings(ForceWireSettings):
    """The force sensor in the fingertip; a real one's noise and rate are measured, not set."""

    noise_n: float = key(0.03, 0, 2, "standard deviation of one sample at rest")
    delay_ms: float = key(60.0, 0, 500, "from the force to the reading")
    rate_hz: float = key(80.0, 5, 1000, "samples a second")
    ceiling_n: float = key(3.0, 0.2, 3.0, "force at which the arm stops whatever it is doing")


class SimSettings(Section):
    """The simulated world."""

    camera_noise: float = key(2.0, 0, 30, "sensor noise of the cameras, standard deviation in grey levels")
    arm_errors: bool = Field(
        default=True,
        description="whether the arm has the errors below; arm.steering corrects them",
    )
    joint_offset_deg: float = key(0.3, 0, 3, "standard deviation of each joint's constant offset")
    backlash_deg: float = key(0.1, 0, 2, "play of each joint")
    sag: float = key(0.1, 0, 1, "share of the arm's weight that its servos let sink")


class Settings(Section):
    """All settings, each section with its defaults."""

    blockset: str = Field(default="standard", description="name of a block set, or a .toml file of one")
    edition: str = Field(default="classic", description="edition of the rules")
    arm: ArmSettings = Field(default_factory=ArmSettings)
    tower: TowerSettings = Field(default_factory=TowerSettings)
    finger: FingerSettings = Field(default_factory=FingerSettings)
    force: ForceSettings = Field(default_factory=ForceSettings)
    probe: ProbeSettings = Field(default_factory=ProbeSettings)
    extract: ExtractSettings = Field(default_factory=ExtractSettings)
    place: PlaceSettings = Field(default_factory=PlaceSettings)
    sim: SimSettings = Field(default_factory=SimSettings)
    stop: StopSettings = Field(default_factory=StopSettings)
    cameras: dict[str, CameraSettings] = Field(
        default_factory=dict, description="The cameras on the table, a section each"
    )

    @classmethod
    def of_arm(cls, model: str) -> Self:
        """All defaults for an arm of a model, by its name."""
        return cls.model_validate({"arm": {"model": model}})

    @model_validator(mode="before")
    @classmethod
    def _as_the_arm_has_it(cls, given: Any) -> Any:
        return with_defaults(given)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        faults = [*self._lengths_that_do_not_fit(), *self._forces_that_do_not_fit()]
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _lengths_that_do_not_fit(self) -> Iterator[str]:
        extract, finger = self.extract, self.finger
        reach = extract.grip_mm + 3.0  # room between the tips and the tower, to pinch and to let go
        if extract.push_out_mm < reach:
            yield f"extract.push_out_mm = {extract.push_out_mm:g} must be at least extract.grip_mm + 3 = {reach:g}"
        if self.place.overhang_mm < reach:
            yield f"place.overhang_mm = {self.place.overhang_mm:g} must be at least extract.grip_mm + 3 = {reach:g}"
        if self.probe.first_look_mm >= self.probe.full_mm:
            yield f"probe.first_look_mm = {self.probe.first_look_mm:g} must be below probe.full_mm"
        if finger.slim_mm > finger.leg_mm - 10:
            yield f"finger.slim_mm = {finger.slim_mm:g} must be at most finger.leg_mm - 10 = {finger.leg_mm - 10:g}"
        if extract.opening_mm > finger.max_opening_mm:
            yield f"extract.opening_mm = {extract.opening_mm:g} must be at most finger.max_opening_mm"
        arm = self.arm.described
        if finger.max_opening_mm > arm.opening_max_m / MM:
            yield (
                f"finger.max_opening_mm = {finger.max_opening_mm:g} must be at most {arm.opening_max_m / MM:g}, as far "
                f"as the gripper of a {arm.title} opens"
            )

    def _forces_that_do_not_fit(self) -> Iterator[str]:
        least, most = least_force_n(self.force.noise_n), self.force.ceiling_n
        for name, limit_n in (
            ("probe.limit_n", self.probe.limit_n),
            ("probe.restore_limit_n", self.probe.restore_limit_n),
            ("extract.limit_n", self.extract.limit_n),
            ("place.flush_limit_n", self.place.flush_limit_n),
        ):
            if not least <= limit_n <= most:
                yield (
                    f"{name} = {limit_n:g} must lie between {least:.2f}, which stands out of force.noise_n = "
                    f"{self.force.noise_n:g}, and force.ceiling_n = {most:g}"
                )

    def habits(self) -> Habits:
        """How the robot plays, in SI units."""
        return Habits(
            probe=self.probe.habits(),
            extract=self.extract.habits(),
            place=self.place.habits(),
            approach_m_s=self.arm.approach_mm_s * MM,
        )
