"""Newtons of a force sensor's values, from known masses; refused where a mass that was kept back is told wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hardware.force import Scale
from robot.resting import Rest

GRAVITY_N_G = 9.80665e-3  # newtons of a gram; a quarter of a percent more or less from pole to equator
LEAST_G = 20.0  # between the lightest and the heaviest
_CLEAR = 20.0  # times the noise of a mean that the masses must make a difference
_SHARE = 0.02  # of the load, that a sound cell may be off


@dataclass(frozen=True)
class Weighing:
    """What the sensor said, in its own unit, while a mass pulled at the tip; negative where it pulled the other way."""

    mass_g: float
    rest: Rest

    @property
    def force_n(self) -> float:
        """What it should say."""
        return self.mass_g * GRAVITY_N_G


@dataclass(frozen=True)
class Fault:
    """Why a calibration is refused: one word for scripts, and the numbers with what to do."""

    reason: str
    detail: str


@dataclass(frozen=True)
class ForceCalibration:
    """What was found, good or not.

    Attributes:
        scale: None where the masses made no difference that could be measured.
        noise_n: Standard deviation of one sample, the largest of all weighings.
        residual_n: Largest error at the masses it was fitted to; nought where there are only two.
        check_n: Error at the mass that was kept back.
        return_n: What it said, less nought, when the tip was empty again.
        faults: Why it is refused; empty where it is good.
    """

    scale: Scale | None
    noise_n: float
    residual_n: float
    check_n: float
    return_n: float
    faults: tuple[Fault, ...]


def calibrate_force(
    weighings: Sequence[Weighing], check: Weighing, again: Weighing, limit_n: float
) -> ForceCalibration:
    """Fit a line to the weighings and test it on the others.

    Args:
        weighings: The first with nothing at the tip.
        check: A mass that is not among them.
        again: The tip empty once more.
        limit_n: Error that is still good; 2 % of the load are, too.
    """
    early = [*_bad_masses(weighings, check), *_restless([*weighings, check, again])]
    scale = None if early else _fitted(weighings)
    if scale is None:
        nothing = Fault("no-difference", _no_difference(weighings))
        return ForceCalibration(None, np.nan, np.nan, np.nan, np.nan, tuple(early) or (nothing,))
    residual_n = max(abs(_error_n(scale, one)) for one in weighings)
    noise_n = max(one.rest.noise for one in [*weighings, check, again]) / abs(scale.per_n)
    errors_n = residual_n, _error_n(scale, check), _error_n(scale, again)
    faults = tuple(_wrong(weighings, check, errors_n, limit_n))
    return ForceCalibration(scale, noise_n, *errors_n, faults)


def _bad_masses(weighings: Sequence[Weighing], check: Weighing) -> list[Fault]:
    masses = [one.mass_g for one in weighings]
    told = ", ".join(f"{mass:g}" for mass in masses)
    if max(masses) - min(masses) < LEAST_G:
        return [
            Fault(
                "too-light",
                f"masses of {told} g: they must differ by {LEAST_G:g} g or more; use heavier ones",
            )
        ]
    if any(abs(check.mass_g - mass) < 0.1 * LEAST_G for mass in masses):
        return [
            Fault(
                "same-mass",
                f"the mass for the check, {check.mass_g:g} g, is one of {told} g: it would prove nothing; use another",
            )
        ]
    return []


def _restless(weighings: Sequence[Weighing]) -> list[Fault]:
    """Weighings in which the mass swung or the reading crept."""
    step = np.ptp([one.rest.mean for one in weighings]) * _SHARE
    faults = []
    for one in weighings:
        if one.rest.noise == 0.0:
            same = f"{one.rest.count} samples at {one.mass_g:g} g are alike: it is stuck, or tells too few digits"
            faults.append(Fault("stuck", f"{same}; check the wires between cell and amplifier"))
        elif abs(one.rest.drift) > one.rest.noise_drift(one.rest.noise) + step:
            moved = f"at {one.mass_g:g} g the value went from half to half by {one.rest.drift:+.4g}"
            allowed = f"allowed are {one.rest.noise_drift(one.rest.noise) + step:.4g}"
            faults.append(Fault("restless", f"{moved}, {allowed}: let the mass hang still, and weigh again"))
    return faults


def _fitted(weighings: Sequence[Weighing]) -> Scale | None:
    """The straight line through the weighings; None where they hardly differ."""
    means = np.array([one.rest.mean for one in weighings])
    forces_n = np.array([one.force_n for one in weighings])
    if np.ptp(means) <= _CLEAR * _mean_noise(weighings):
        return None
    per_n, zero = np.polyfit(forces_n, means, 1)
    return Scale(float(per_n), float(zero)) if per_n != 0.0 else None


def _mean_noise(weighings: Sequence[Weighing]) -> float:
    """Standard deviation of a weighing's mean."""
    return max(float(one.rest.noise / np.sqrt(one.rest.count)) for one in weighings)


def _no_difference(weighings: Sequence[Weighing]) -> str:
    means = [one.rest.mean for one in weighings]
    return (
        f"the masses changed the value by {np.ptp(means):.4g}, which must be more than "
        f"{_CLEAR * _mean_noise(weighings):.4g}, {_CLEAR:g} times the noise of a mean: hang them so that they "
        "bend the cell"
    )


def _error_n(scale: Scale, one: Weighing) -> float:
    return scale.force_n(one.rest.mean) - one.force_n


def _wrong(
    weighings: Sequence[Weighing], check: Weighing, errors_n: tuple[float, float, float], limit_n: float
) -> list[Fault]:
    residual_n, check_n, return_n = errors_n
    heaviest_n = max(abs(one.force_n) for one in weighings)
    allowed_n = max(limit_n, _SHARE * heaviest_n)
    faults = []
    if residual_n > allowed_n:
        told = f"the masses lie up to {residual_n:.3f} N off a straight line, allowed are {allowed_n:.3f} N"
        faults.append(Fault("not-straight", f"{told}: is each mass what you typed, and does nothing rub?"))
    allowed_check_n = max(limit_n, _SHARE * abs(check.force_n))
    if abs(check_n) > allowed_check_n:
        told = f"the mass kept back, {check.mass_g:g} g, is told {check_n:+.3f} N wrong, allowed are"
        faults.append(
            Fault("held-out", f"{told} {allowed_check_n:.3f} N: is each mass what you typed, in grams?")
        )
    if abs(return_n) > allowed_n:
        told = f"empty again it says {return_n:+.3f} N, allowed are {allowed_n:.3f} N"
        faults.append(
            Fault("no-return", f"{told}: something rubs, or the cell creeps; let it warm up and repeat")
        )
    return faults
