"""What the settings say where a person says nothing and it depends on the arm's model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hardware.arm_urdf import model_of
from robot.arm_models import ARM_MODELS, VIPERX_300S, ArmModel
from robot.errors import BadInputError

_MM = 1e-3


def defaults_of(model: ArmModel) -> dict[str, dict[str, str | float]]:
    """Values by section and key, as the settings file has them."""
    place = model.place
    return {
        "arm": {"kind": model.name, "x_mm": _mm(place.x_m), "z_mm": _mm(place.z_m)},
        "tower": {"plinth_mm": _mm(place.plinth_m)},
        "finger": {
            "leg_mm": _mm(place.leg_m),
            "slim_mm": _mm(place.slim_m),
            "max_opening_mm": _mm(model.opening_m),
        },
    }


def with_defaults(given: Any) -> Any:
    """What was given for all sections, completed by what suits the arm that it names.

    What is of the wrong kind, or names no arm that is known, stays as it is for others to refuse.
    """
    if not isinstance(given, Mapping):
        return given
    arm = given.get("arm", {})
    name = arm.get("model", VIPERX_300S.name) if isinstance(arm, Mapping) else None
    model = _known(name) if isinstance(name, str) else None
    return given if model is None else _completed(given, defaults_of(model))


def _known(name: str) -> ArmModel | None:
    try:
        return model_of(name)
    except BadInputError:
        return None


def _completed(given: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    whole = dict(given)
    for section, values in defaults.items():
        said = given.get(section, {})
        if isinstance(said, Mapping):
            whole[section] = {**values, **said}
    return whole


def by_model(section: str, key: str) -> dict[str, str | float]:
    """What a key is for each model, by the model's name; empty where it is the same for all."""
    values = {model.name: defaults_of(model).get(section, {}).get(key) for model in ARM_MODELS.values()}
    return {name: value for name, value in values.items() if value is not None}


def _mm(length_m: float) -> float:
    return round(length_m / _MM, 3)
