from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perception.boxes import Boxes
from perception.chamfer import BEVEL_M, LABELS_PER_BOX
from perception.paint import NOTHING, fill, paint, painting_order, window_of
from robot.camera_model import CameraModel
from robot.frames import Array, apply, inverse
from support.geometry import T_WORLD_TOWER, boxes, camera, cameras_around, poses, tower

ONE = np.ones(1, dtype=np.bool_)
POINTS = st.tuples(st.floats(-20.0, 60.0), st.floats(-20.0, 50.0))


def filled(quad: Array, there: bool = True) -> Array:
    labels = np.full((30, 40), NOTHING, np.int16)
    fill(labels, quad[None], np.array([5]), np.array([there]))
    return labels == 5


@given(POINTS, st.floats(0.0, 6.28), st.lists(st.floats(2.0, 25.0), min_size=4, max_size=4))
def test_quadrilateral_covers_the_samples_inside_it(
    middle: tuple[float, float], turn: float, reach: list[float]
) -> None:
    """Held against OpenCV's test of points in an outline."""
    angle = turn + np.array([0.0, np.pi / 2, np.pi, 3 * np.pi / 2])
    quad = np.array(middle) + np.array(reach)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if not cv2.isContourConvex(quad.astype(np.float32)[:, None]):
        return
    got = filled(quad)
    for row in range(30):
        for column in range(40):
            depth = cv2.pointPolygonTest(quad.astype(np.float32), (float(column), float(row)), True)
            if abs(depth) > 1e-3:
                assert got[row, column] == (depth > 0), (row, column)


def test_box_that_is_not_there_is_not_painted() -> None:
    quad = np.array([[4.5, 4.5], [20.5, 4.5], [20.5, 20.5], [4.5, 20.5]])
    assert filled(quad).sum() == 16 * 16
    assert not filled(quad, there=False).any()


def nearest_box(model: CameraModel, these: Boxes, px: Array) -> Array:
    """Which box each pixel's ray (P, 2) meets first; -1 where none (slab method)."""
    ideal = np.concatenate([(px - model.K[:2, 2]) / model.K[0, 0], np.ones((len(px), 1))], axis=1)
    rays, best = ideal @ model.T_world_camera[:3, :3].T, np.full(len(px), np.inf)
    which = np.full(len(px), -1)
    for i, T in enumerate(these.T):
        eye, ray = apply(inverse(T), model.position_m()), rays @ T[:3, :3]
        near, far = ((s * these.size_m[i] / 2 - eye) / ray for s in (-np.sign(ray), np.sign(ray)))
        first, last = near.max(axis=1), far.min(axis=1)
        hit = (first < last) & (first < best)
        which[hit], best[hit] = i, first[hit]
    return which


@pytest.mark.parametrize("eye_z_m", [0.5, 0.13, 0.02], ids=["above", "level", "below"])
@settings(max_examples=15)
@given(
    st.floats(0.0, 6.28), st.sets(st.integers(0, 14), max_size=6), st.integers(0, 14), st.floats(-0.03, 0.03)
)
def test_nearer_block_hides_the_farther(
    eye_z_m: float, turn: float, taken: set[int], pushed: int, out_m: float
) -> None:
    """Painting from far to near is held against rays: with gaps and a pushed block, from any side and height."""
    stack = tower(5)
    stack.boxes.T[pushed, :3, 3] += out_m * stack.boxes.T[pushed, :3, 0]
    stack = stack.take(np.array([i not in taken for i in range(15)]))
    model = camera(
        np.array([0.8 * np.cos(turn), 0.8 * np.sin(turn), eye_z_m]),
        np.array([0.0, 0.0, 0.14]),
        (160, 120),
        500.0,
    )
    order = painting_order(stack.layer, stack.boxes, model.position_m())
    labels = paint(model, stack.boxes, order, 0.0, (0, 0, 160, 120)).labels
    painted = np.where(labels == NOTHING, -1, labels // LABELS_PER_BOX)
    rows, columns = np.mgrid[0:120, 0:160]
    truth = nearest_box(model, stack.boxes, np.stack([columns.ravel(), rows.ravel()], axis=1).astype(float))
    wrong = painted.ravel() != truth
    assert wrong.mean() < 2e-3, "but for samples on the very border of two blocks"


def test_finer_picture_shows_the_same() -> None:
    stack, model = tower(3), cameras_around(3)[0]
    order = painting_order(stack.layer, stack.boxes, model.position_m())
    window = (40, 30, 280, 210)
    coarse, fine = (paint(model, stack.boxes, order, BEVEL_M, window, n) for n in (1, 4))
    assert np.array_equal(fine.labels[::4, ::4], coarse.labels)
    assert (fine.left, fine.top) == (40.0, 30.0)


@given(poses(0.15), st.integers(0, 50))
def test_window_holds_the_boxes_and_lies_in_the_picture(T: Array, margin_px: int) -> None:
    model = camera(np.array([0.8, 0.1, 0.3]), T_WORLD_TOWER[:3, 3])
    left, top, right, bottom = window_of(model, boxes(T), margin_px)
    assert 0 <= left < right <= 320
    assert 0 <= top < bottom <= 240
    px = model.project(boxes(T).corners_m())[0]
    inside = ((px >= 0) & (px <= [319, 239])).all(axis=1)
    assert (px[inside] >= [left, top]).all()
    assert (px[inside] <= [right, bottom]).all()
