"""Which servos the arm of the settings has, and whether they are those of the model that it is said to be."""

from __future__ import annotations

from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts
from robot.arm_models import ARM_MODELS
from robot.errors import BadInputError
from steadyhand.settings import ArmSettings


def fitting_parts(arm: ArmSettings) -> ArmParts:
    """The servos of an arm that is to play.

    Raises:
        BadInputError: Its file cannot be used, or they are not those of arm.model.
    """
    parts = load_arm(arm.kind)
    wrong = misfit(arm, parts)
    if wrong is not None:
        raise BadInputError(": ".join(wrong))
    return parts


def misfit(arm: ArmSettings, parts: ArmParts) -> tuple[str, str] | None:
    """Why the program cannot play with an arm of these servos, and what to do; None where it can."""
    if parts.body == arm.model:
        return None
    if parts.body:
        return (
            f"arm.kind = {arm.kind!r} has the servos of a {parts.body}, and arm.model = {arm.model!r} is another arm",
            f'write model = "{parts.body}" in [arm], or leave kind out',
        )
    why = f", which cannot play: {parts.cannot_play}" if parts.cannot_play else ""
    return (
        f"arm.kind = {arm.kind!r}: the program does not know the joints and lengths of a {parts.name}{why}",
        f'play with one of {", ".join(ARM_MODELS)} (the file of an arm built like one says body = "NAME"), describe it '
        "by a URDF (docs/arms.md) and name its file in arm.model, or play in simulation, with kind left out",
    )
