"""Ways to fill a layer, judged by the pixels they change, held against each way judged by itself."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.boxes import Boxes
from perception.contours import Portrait, portrait
from perception.judging import KINDS
from perception.layer_choice import pushed
from perception.outlines import eye_of, outlines
from perception.repaint import all_of, changed, widened
from perception.scene import Scenes, total
from perception.stack import Stack, empty_stack
from robot.frames import Array
from support.geometry import camera, painted, tower

LAYERS, K = 6, 4
PUSHES_M = np.array([0.0, -0.02, 0.004, 0.015])
WAYS = st.lists(st.tuples(*[st.integers(-1, len(PUSHES_M) - 1)] * 3), min_size=2, max_size=6, unique=True)
GONE = (K, 3)


@lru_cache(maxsize=1)
def standing() -> Stack:
    """A tower without one block."""
    full = tower(LAYERS)
    return full.take((full.layer != GONE[0]) | (full.position != GONE[1]))


@lru_cache(maxsize=1)
def look() -> Portrait:
    model = camera(np.array([0.5, 0.62, 0.5]), np.array([0.0, 0.0, 0.14]), (400, 320), 1500.0)
    return portrait(painted(model, standing()), tower(LAYERS))


def scenes(veil: bool = False) -> Scenes:
    around, own = standing().take(standing().layer != K), tower(LAYERS).take(tower(LAYERS).layer == K)
    size = np.tile(own.boxes.size_m[:1], (len(PUSHES_M), 1))
    seats = [Boxes(pushed(T, PUSHES_M), size) for T in own.boxes.T]
    if veil:
        return Scenes([look()], K, around.take(around.layer < K), seats, around.take(around.layer > K))
    return Scenes([look()], K, around, seats, empty_stack())


def numbered(ways: list[tuple[int, ...]]) -> Array:
    """Ways to fill three seats, blocks numbered through them."""
    first = np.arange(3) * len(PUSHES_M)
    return np.where(np.array(ways) < 0, -1, np.array(ways) + first)


@settings(max_examples=40)
@given(WAYS, st.booleans())
def test_ways_judged_one_after_another_say_to_the_last_bit_what_each_says_alone(
    ways: list[tuple[int, ...]], veil: bool
) -> None:
    these, cell, scene = numbered(ways), np.arange(3 * len(PUSHES_M)), scenes(veil)
    together = scene.told(these, cell)
    assert together.shape == (len(ways), 1, KINDS)
    for way, told in zip(these, together, strict=True):
        assert np.array_equal(scene.told(way[None], cell)[0], told)


def test_what_stands_there_explains_most() -> None:
    ways = [(0, 0, 0), (0, 0, -1), (0, -1, -1), (1, 0, -1), (0, 0, 3), (2, 0, -1)]
    told = total(scenes().told(numbered(ways), np.arange(3 * len(PUSHES_M))))
    assert int(told.argmax()) == 1


def test_vertices_are_seen_where_the_camera_projects_them() -> None:
    view, boxes = look().view, tower(LAYERS).boxes
    px, facing = outlines(eye_of(view.camera), boxes.T, boxes.size_m, 0.0)
    corners = view.camera.project(boxes.corners_m())
    assert np.sort(px.min(axis=1), axis=0) == pytest.approx(np.sort(corners.min(axis=1), axis=0))
    assert np.array_equal(facing[:, :6], boxes.facing(view.camera.position_m()))


@given(st.integers(0, 10_000), st.floats(0.0, 0.2))
def test_pixels_that_change_and_their_neighbours_are_found_each_once(seed: int, share: float) -> None:
    rng, shape = np.random.default_rng(seed), (13, 37)
    before = rng.integers(-1, 5, shape).astype(np.int16)
    after = np.where(rng.random(shape) < share, 7, before).astype(np.int16)
    region = (rng.random(shape) < 0.7).astype(np.uint8)
    spots = np.empty((region.size, 2), np.int32)
    touched = np.zeros((shape[0] + 2, (shape[1] + 9) // 8 * 8), np.uint8)
    n = changed(widened(before), widened(after), region, touched, spots, 0, shape[0])
    differs = np.pad(before != after, 1)
    near = (
        differs[1:-1, 1:-1] | differs[:-2, 1:-1] | differs[2:, 1:-1] | differs[1:-1, :-2] | differs[1:-1, 2:]
    )
    inner = np.zeros(shape, dtype=np.bool_)
    inner[1:-1, 1:-1] = True
    expected = {tuple(spot) for spot in np.argwhere(near & (region > 0) & inner).tolist()}
    assert {tuple(spot) for spot in spots[:n].tolist()} == expected
    assert n == len(expected), "none twice"
    assert not touched.any(), "ready for the next one"
    assert len(all_of(region, spots)) == int((region.astype(bool) & inner).sum())
