from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.views import View
from perception.watching import SOMEBODY_M2
from perception.watching_change import COLUMNS, Change, changed
from perception.watching_patches import outlook
from robot.errors import PerceptionError
from robot.frames import Array
from robot.seeding import generator
from support.painted import SIZE, SKIN_BGR, TOWER, arm, camera, shadow, table


def view(image: Array, noise: float = 1.0, seed: int = 1) -> View:
    noisy = image + generator(seed, "painted noise").normal(0, noise, image.shape)
    picture = np.clip(noisy, 0, 255).round().astype(np.uint8)
    return View(camera(), picture, cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(float))


def substance_m2(change: Change) -> float:
    return sum(patch.substance_m2 for patch in outlook(camera(), TOWER, 0.3).patches(change))


@settings(max_examples=12)
@given(
    gain=st.floats(0.5, 1.4),
    red=st.floats(0.85, 1.15),
    blue=st.floats(0.85, 1.15),
    noise=st.floats(0.0, 2.5),
    seed=st.integers(0, 10),
)
def test_exposure_colour_of_light_and_noise_change_nothing(
    gain: float, red: float, blue: float, noise: float, seed: int
) -> None:
    before = view(table(seed), noise, seed)
    after = view(table(seed) * gain * np.array([blue, 1.0, red]), noise, seed + 1)
    change = changed(before, after)
    assert substance_m2(change) == 0
    assert change.share < 0.01
    assert change.gain[1] == pytest.approx(gain, rel=0.15)


@settings(max_examples=12)
@given(gain=st.floats(0.5, 1.15), noise=st.floats(0.0, 2.5), seed=st.integers(0, 10))
def test_an_arm_is_seen_whatever_the_noise_and_any_exposure_that_does_not_saturate_it(
    gain: float, noise: float, seed: int
) -> None:
    before, after = view(table(seed), noise, seed), view(arm(table(seed)) * gain, noise, seed + 1)
    assert substance_m2(changed(before, after)) > SOMEBODY_M2


@pytest.mark.parametrize("depth", [0.75, 0.5, 0.35])
def test_a_shadow_changes_brightness_and_no_substance(depth: float) -> None:
    before, after = view(table()), view(shadow(table(), depth), seed=2)
    for change in (changed(before, after), changed(after, before)):
        assert substance_m2(change) < 0.001
        assert change.level.mean() > 0.15


def test_an_arm_is_seen_among_moving_shadows() -> None:
    before, after = view(shadow(table())), view(arm(table()) * 0.8, seed=2)
    assert substance_m2(changed(before, after)) > SOMEBODY_M2


@pytest.mark.parametrize("colour", [(200, 200, 200), (25, 25, 28)])
def test_a_sleeve_without_colour_is_seen_where_it_hides_something(colour: tuple[int, int, int]) -> None:
    hidden = table()
    cv2.line(hidden, (320, 180), (112, 180), colour, 56)
    assert substance_m2(changed(view(table()), view(hidden, seed=2))) > 0.002


def test_a_grey_sleeve_before_a_plain_ground_changes_brightness_only() -> None:
    change = changed(view(table()), view(arm(table(), (60, 65, 58)), seed=2))
    patches = outlook(camera(), TOWER, 0.3).patches(change)
    assert max(patch.area_m2 for patch in patches if patch.at_border) > SOMEBODY_M2


def test_what_is_thin_or_small_is_no_patch() -> None:
    thin = changed(view(table()), view(arm(table(), width_px=3), seed=2))
    small = table()
    cv2.circle(small, (60, 120), 4, SKIN_BGR, -1)
    assert substance_m2(thin) < 0.001
    assert substance_m2(changed(view(table()), view(small, seed=2))) < 0.001


def test_what_happens_at_the_tower_is_left_to_others() -> None:
    other = table()
    other[100:115, 145:175] = SKIN_BGR  # the tower stands in the middle of the picture
    change = changed(view(table()), view(other, seed=2))
    assert change.substance.any()
    assert substance_m2(change) == 0


def test_pictures_of_different_sizes_are_refused() -> None:
    one = view(table())
    other = View(one.camera, one.image[:120], one.grey[:120])
    with pytest.raises(PerceptionError, match="cannot be compared") as refused:
        changed(one, other)
    assert refused.value.reason == "wrong-resolution"


def test_scale_follows_the_distance_of_the_tower() -> None:
    near = outlook(camera(), TOWER, 0.3).m_per_px
    assert near == pytest.approx(0.9 / camera().K[0, 0] * SIZE[0] / COLUMNS, rel=0.1)
    far = TOWER.copy()
    far[1, 3] = -0.8
    assert outlook(camera(), far, 0.3).m_per_px > 1.6 * near
