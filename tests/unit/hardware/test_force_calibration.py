from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.force_calibration import GRAVITY_N_G, ForceCalibration, Weighing, calibrate_force
from robot.resting import rest_of

PER_N, ZERO, NOISE_N = 214_000.0, 84_000.0, 0.03


def weighed(
    mass_g: float, *, per_n: float = PER_N, off_n: float = 0.0, noise_n: float = NOISE_N, creep_n: float = 0.0
) -> Weighing:
    """A weighing of three seconds; `off_n` is what the cell says too much, `creep_n` by how much it rises meanwhile."""
    rng = np.random.default_rng(abs(int(mass_g * 7 + 3)))
    times_s = np.arange(240) / 80
    forces_n = mass_g * GRAVITY_N_G + off_n + noise_n * rng.standard_normal(240) + creep_n * times_s / 3
    return Weighing(mass_g, rest_of((ZERO + per_n * forces_n).tolist(), times_s.tolist()))


def found(
    *masses: Weighing, check: Weighing | None = None, again: Weighing | None = None, limit_n: float = 0.03
) -> ForceCalibration:
    return calibrate_force(
        [weighed(0.0), *(masses or (weighed(200.0),))],
        check or weighed(100.0),
        again or weighed(0.0),
        limit_n,
    )


def reasons(calibration: ForceCalibration) -> list[str]:
    return [fault.reason for fault in calibration.faults]


@given(
    st.floats(1.0, 1e6) | st.floats(-1e6, -1.0),
    st.lists(st.floats(40.0, 500.0), min_size=1, max_size=3),
    st.floats(0.0, 0.1),
)
def test_scale_is_found_with_either_sign(per_n: float, masses: list[float], noise_n: float) -> None:
    weighings = [weighed(0.0, per_n=per_n, noise_n=noise_n + 1e-6)]
    weighings += [weighed(mass, per_n=per_n, noise_n=noise_n + 1e-6) for mass in masses]
    check = weighed(20.0, per_n=per_n, noise_n=noise_n + 1e-6)
    it = calibrate_force(weighings, check, weighings[0], 0.1)
    assert it.scale is not None
    assert it.scale.per_n == pytest.approx(per_n, rel=0.15)
    assert it.scale.force_n(ZERO + per_n) == pytest.approx(1.0, abs=0.15)


def test_good_calibration_tells_its_errors_and_noise() -> None:
    it = found(weighed(50.0), weighed(200.0))
    assert it.faults == ()
    assert it.noise_n == pytest.approx(NOISE_N, rel=0.2)
    assert max(abs(it.residual_n), abs(it.check_n), abs(it.return_n)) < 0.02


def test_mass_that_is_not_what_was_typed_is_found_by_the_check() -> None:
    wrong = Weighing(100.0, weighed(200.0).rest)
    it = found(wrong, check=weighed(50.0))
    assert reasons(it) == ["held-out"]
    assert "50 g, is told -0.2" in it.faults[0].detail


def test_pounds_taken_for_grams_is_no_calibration() -> None:
    """A wrong unit of all masses shows nowhere but at a check in the right one."""
    it = found(Weighing(200.0 / 453.6 + 30, weighed(200.0).rest), check=weighed(100.0))
    assert "held-out" in reasons(it)


def test_bent_line_is_refused() -> None:
    it = found(weighed(100.0, off_n=0.2), weighed(200.0), check=weighed(50.0, off_n=0.06))
    assert "not-straight" in reasons(it)
    assert "off a straight line, allowed are 0.039 N" in it.faults[0].detail


def test_cell_that_does_not_come_back_is_refused() -> None:
    assert reasons(found(again=weighed(0.0, off_n=0.1))) == ["no-return"]


def test_mass_that_swings_or_creeps_is_refused_before_anything_is_fitted() -> None:
    it = found(weighed(200.0, creep_n=0.5))
    assert reasons(it) == ["restless"]
    assert it.scale is None


def test_stuck_sensor_is_refused() -> None:
    assert "stuck" in reasons(found(weighed(200.0, noise_n=0.0)))


def test_masses_that_change_nothing_are_refused() -> None:
    it = found(Weighing(200.0, weighed(0.0).rest))
    assert reasons(it) == ["no-difference"]
    assert it.scale is None


@pytest.mark.parametrize(
    ("mass_g", "check_g", "reason"), [(200.0, 200.0, "same-mass"), (15.0, 100.0, "too-light")]
)
def test_masses_that_prove_nothing_are_refused(mass_g: float, check_g: float, reason: str) -> None:
    assert reasons(found(weighed(mass_g), check=weighed(check_g))) == [reason]


def test_mass_that_pulls_the_other_way_counts_negative() -> None:
    it = found(weighed(-200.0), check=weighed(100.0))
    assert it.faults == ()
    assert it.scale is not None
    assert it.scale.per_n == pytest.approx(PER_N, rel=0.02)
