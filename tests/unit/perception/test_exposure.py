from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.exposure import MOST_BRIGHTNESS, MOST_COLOUR, Drift, drift_fault, exposure_drift
from perception.motion import block_motions
from planning.observation import TowerObservation
from planning.tower import Slot
from robot.errors import BadInputError
from robot.ports import Frame, Image
from support.pictures import Scene, Shot

FACTORS = st.floats(0.7, 1.4)


def table(seed: int = 1) -> Image:
    """Patches of many colours, with a sensor's noise."""
    colours = np.random.default_rng(0).uniform(40, 150, (15, 20, 3))
    noise = np.random.default_rng(seed).normal(0, 3, (480, 640, 3))
    return np.asarray((np.kron(colours, np.ones((32, 32, 1))) + noise).clip(0, 255).round().astype(np.uint8))


def lit(image: Image, blue: float, green: float, red: float) -> Image:
    return np.asarray((image * np.array([blue, green, red])).round().clip(0, 255).astype(np.uint8))


@settings(max_examples=15)
@given(brightness=FACTORS, red=st.floats(0.8, 1.25), blue=st.floats(0.8, 1.25))
def test_drift_is_told_in_its_parts(brightness: float, red: float, blue: float) -> None:
    after = lit(table(2), brightness * blue, brightness, brightness * red)
    drift = exposure_drift(table(1), after)
    assert drift.brightness == pytest.approx(brightness, rel=0.01)
    assert drift.red == pytest.approx(red, rel=0.015)
    assert drift.blue == pytest.approx(blue, rel=0.015)
    assert drift.alike > 0.95


def test_what_moved_in_a_part_of_the_picture_is_no_drift() -> None:
    after = table(2)
    after[100:300, 100:400] = 25
    drift = exposure_drift(table(1), after)
    assert drift.brightness == pytest.approx(1.0, abs=0.01)
    assert drift.alike < 0.85
    assert drift_fault(drift, "left") is None


def test_pixels_that_may_not_be_compared_are_left_out() -> None:
    after, fixed = table(2), np.ones((480, 640), dtype=np.bool_)
    after[:, :400] //= 2
    fixed[:, :400] = False
    assert exposure_drift(table(1), after).brightness < 0.6
    assert exposure_drift(table(1), after, fixed).brightness == pytest.approx(1.0, abs=0.01)


def test_light_that_changed_on_one_side_only_is_told() -> None:
    after = table(2)
    after[:, :300] = lit(after[:, :300], 0.8, 0.8, 0.8)
    after[:, 420:] = lit(after[:, 420:], 1.2, 1.2, 1.2)
    fault = drift_fault(exposure_drift(table(1), after), "left")
    assert fault is not None
    assert (
        "camera 'left': only 18% of its picture became brighter or dimmer alike, at least 50% must" in fault
    )
    assert "a lamp was switched" in fault


@pytest.mark.parametrize("level", [0, 255])
def test_picture_that_is_dark_or_burnt_out_tells_nothing(level: int) -> None:
    flat = np.full((480, 640, 3), level, np.uint8)
    drift = exposure_drift(flat, table())
    assert drift.cells == 0
    fault = drift_fault(drift, "left")
    assert fault is not None
    assert "only 0 squares of its pictures are neither dark nor burnt out, at least 30 are needed" in fault


def test_pictures_of_two_sizes_are_refused_with_both() -> None:
    with pytest.raises(BadInputError, match=r"\(480, 640, 3\) and \(240, 640, 3\) cannot be compared"):
        exposure_drift(table(), table()[:240])


def test_fault_says_what_drifted_by_how_much_and_what_is_allowed() -> None:
    fault = drift_fault(Drift(1.4, 0.85, 1.0, 0.9, 500), "left")
    assert fault is not None
    assert "brightness changed by a factor of 1.40, allowed is 0.80 to 1.25" in fault
    assert "red against green changed by a factor of 0.85, allowed is 0.91 to 1.10" in fault
    assert "blue" not in fault
    assert "hold its exposure, gain and white balance fast" in fault


@pytest.mark.parametrize(
    ("brightness", "colour"), [(1 / MOST_BRIGHTNESS, MOST_COLOUR), (MOST_BRIGHTNESS, 1 / MOST_COLOUR)]
)
def test_motions_are_measured_as_well_at_the_largest_drift_that_is_allowed(
    scene: Scene, standing: Shot, seen: TowerObservation, brightness: float, colour: float
) -> None:
    pushed = {Slot(8, 1): 0.0005, Slot(14, 3): 0.001}
    after = scene.shot(pushed=pushed, seed=2)
    drifted = [
        replace(f, image=lit(f.image, brightness / colour, brightness, brightness * colour))
        for f in after.frames
    ]
    _assert_within(standing.frames, drifted)
    found = block_motions(standing.frames, drifted, scene.cameras, seen)
    assert len(found) > 50
    for slot, motion in found.items():
        truth = after.truth[slot][:3, 3] - standing.truth[slot][:3, 3]
        assert np.linalg.norm(motion.moved_m - truth) < (0.3e-3 if slot in pushed else 0.1e-3)


def _assert_within(before: tuple[Frame, ...], after: list[Frame]) -> None:
    """To the hundredth that rounding and burnt out pixels cost."""
    for one, two in zip(before, after, strict=True):
        drift = exposure_drift(one.image, two.image)
        assert 0.79 < drift.brightness < 1.26
        assert 0.90 < drift.red < 1.11
        assert 0.90 < drift.blue < 1.11
