"""Edges found in pictures painted without OpenGL, in which every part has a brightness of its own."""

from __future__ import annotations

import numpy as np
import pytest

from perception.boxes import Boxes
from perception.chamfer import BEVEL_M
from perception.edges import Pieces, edge_pieces
from perception.equations import UNKNOWNS, moved
from perception.paint import paint, painting_order, window_of
from perception.profiles import measure
from perception.refine import FLOOR_PX, base_height, edge_jacobian, refined
from perception.stack import Stack
from robot.camera_model import CameraModel
from robot.frames import Array, pose
from robot.seeding import generator
from support.geometry import BLOCKSET, cameras_around, painted, tower

CAMERAS = cameras_around(4)


@pytest.mark.parametrize("shift_px", [(0.0, 0.0), (0.6, 0.0), (-0.9, 0.5), (0.3, -1.2)])
def test_edges_lie_as_far_off_as_the_picture_is_shifted(shift_px: tuple[float, float]) -> None:
    """To a third of a pixel, a quarter of a millimetre on the table, and no worse than they say."""
    stack, model = tower(4), CAMERAS[0]
    order = painting_order(stack.layer, stack.boxes, model.position_m())
    expected = paint(model, stack.boxes, order, BEVEL_M, window_of(model, stack.boxes, 12), 4)
    K = model.K + np.array([[0, 0, shift_px[0]], [0, 0, shift_px[1]], [0, 0, 0.0]])
    picture = painted(CameraModel(model.name, model.size_px, K, model.T_world_camera), stack)
    pieces = edge_pieces(model, stack.boxes, BEVEL_M)
    found = measure(picture.grey, expected, pieces, 2.5)
    good = (found.share >= 0.5) & (found.sd_px < 0.4)
    assert good.sum() > 60
    off = found.offset_px[good] - pieces.normal_px[good] @ np.array(shift_px)
    assert abs(np.median(off)) < 0.07
    assert np.median(np.abs(off)) < 0.15
    assert np.quantile(np.abs(off) / np.hypot(found.sd_px[good], FLOOR_PX), 0.9) < 2.0


def test_hidden_edges_are_not_measured() -> None:
    """Of two blocks in line, the farther one's hidden end counts for nothing."""
    stack, model = tower(4), CAMERAS[0]
    order = painting_order(stack.layer, stack.boxes, model.position_m())
    expected = paint(model, stack.boxes, order, BEVEL_M, window_of(model, stack.boxes, 12), 4)
    pieces = edge_pieces(model, stack.boxes, BEVEL_M)
    found = measure(painted(model, stack).grey, expected, pieces, 2.5)
    between = stack.layer[pieces.box] < 4
    upper = pieces.inside % 32 == 4  # the top of a block: hidden by the layer that lies on it
    assert (upper & between).sum() > 20
    assert found.share[upper & between].mean() < 0.1
    assert found.share[upper & ~between].mean() > 0.8


def test_edges_move_with_their_block_as_the_derivative_says() -> None:
    stack, model = tower(2), CAMERAS[1]
    pieces = edge_pieces(model, stack.boxes, BEVEL_M)
    J = edge_jacobian(model, stack.boxes, pieces)
    h = 1e-5
    for j in range(UNKNOWNS):
        step = np.zeros((len(stack), UNKNOWNS))
        step[:, j] = h
        ahead, behind = (_places(moved(stack.boxes, sign * step), pieces, model) for sign in (1, -1))
        along = np.einsum("pi,pi->p", (ahead - behind) / (2 * h), pieces.normal_px)
        assert J[:, j] == pytest.approx(along, rel=1e-3, abs=0.5), f"unknown {j}"


def _places(boxes: Boxes, pieces: Pieces, model: CameraModel) -> Array:
    p = pieces.signs * boxes.size_m[pieces.box] / 2
    return model.project(np.einsum("pij,pj->pi", boxes.T[pieces.box, :3, :3], p) + boxes.T[pieces.box, :3, 3])


def test_displaced_blocks_are_fitted_to_where_they_are_painted() -> None:
    """Start and truth differ by up to half a millimetre each way; what remains is a fraction of that."""
    truth = tower(4)
    rng = generator(5, "refine")
    start = _scattered(truth, rng.uniform(-0.5e-3, 0.5e-3, (len(truth), 2)))
    views = [painted(model, truth) for model in CAMERAS]
    fitted = refined(views, start, BLOCKSET, (2.5, 1.6, 1.2))
    off = np.linalg.norm((fitted.stack.boxes.centres_m - truth.boxes.centres_m)[:, :2], axis=1)
    assert np.quantile(off, 0.9) < 0.35e-3, "half of what it was"
    assert np.median(off) < 0.2e-3
    told = np.sqrt(np.trace(fitted.covariance[:, :2, :2], axis1=1, axis2=2))
    assert (told > 1e-5).all(), "and nothing is known for sure"
    assert (told < 1e-3).all()


def test_tower_that_leans_is_fitted_as_it_leans() -> None:
    truth = tower(4)
    truth.boxes.T[:, :2, 3] += np.outer(truth.layer, [0.2e-3, -0.1e-3])
    views = [painted(model, truth) for model in CAMERAS]
    fitted = refined(views, tower(4), BLOCKSET, (2.5, 1.6, 1.2))
    off = np.linalg.norm((fitted.stack.boxes.centres_m - truth.boxes.centres_m)[:, :2], axis=1)
    assert np.quantile(off, 0.9) < 0.35e-3, "the top layer is 0.9 mm away"


def _scattered(stack: Stack, xy_m: Array) -> Stack:
    moves = np.zeros((len(stack), UNKNOWNS))
    moves[:, :2] = xy_m
    return Stack(stack.layer, stack.position, moved(stack.boxes, moves))


def test_base_is_what_the_lowest_layer_stands_on() -> None:
    assert base_height(tower(3)) == pytest.approx(0.1)
    assert base_height(tower(3, pose(None, [0.0, 0.0, 0.25]))) == pytest.approx(0.25)
