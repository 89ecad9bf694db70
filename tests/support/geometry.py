"""Cameras and stacks for perception's tests that need no picture, and pictures painted without OpenGL."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import strategies as st

from perception.boxes import Boxes
from perception.chamfer import BEVEL_M, LABELS_PER_BOX
from perception.paint import NOTHING, paint, painting_order
from perception.stack import Stack, nominal_stack
from perception.views import View
from planning.blockset import load_blockset
from robot.camera_model import CameraModel
from robot.frames import Array, pose, rot_z, rotation_from_vector
from robot.ports import Image

BLOCKSET = load_blockset("standard")
SIZE_PX = (320, 240)
T_WORLD_TOWER = pose(rot_z(np.pi / 4), [0.0, 0.0, 0.1])
_FINE = 4  # samples a pixel of a painted picture


def camera(
    position_m: Array, target_m: Array, size_px: tuple[int, int] = SIZE_PX, f_px: float = 900.0
) -> CameraModel:
    """A camera without distortion that looks at a point, up in the world being up in its picture."""
    z = (target_m - position_m) / np.linalg.norm(target_m - position_m)
    x = np.cross(z, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    K = np.array([[f_px, 0.0, (size_px[0] - 1) / 2], [0.0, f_px, (size_px[1] - 1) / 2], [0.0, 0.0, 1.0]])
    return CameraModel("eye", size_px, K, pose(np.stack([x, np.cross(z, x), z], axis=1), position_m))


def cameras_around(n_layers: int, f_px: float = 1400.0) -> list[CameraModel]:
    """Three that look at the middle of a tower's lowest layers, as those of the simulated table do."""
    middle = np.array([0.0, 0.0, 0.1 + 0.0075 * n_layers])
    places = ([0.0, 0.8, 0.5], [0.0, -0.8, 0.5], [0.8, 0.0, 0.5])
    return [camera(np.array(p), middle, f_px=f_px) for p in places]


def tower(n_layers: int = 4, T_world_tower: Array = T_WORLD_TOWER) -> Stack:
    """Full layers, stacked without a flaw."""
    return nominal_stack(T_world_tower, range(1, n_layers + 1), BLOCKSET)


def painted(model: CameraModel, stack: Stack, blur_px: float = 0.6) -> View:
    """A picture of blocks in which every part has a brightness of its own, softened as a lens does."""
    order = painting_order(stack.layer, stack.boxes, model.position_m())
    width, height = model.size_px
    # A label picture's sample (0, 0) lies at pixel (0, 0); sampling starts earlier, so that a pixel is its middle.
    early = (_FINE - 1) / (2 * _FINE)
    shifted = CameraModel(
        model.name,
        model.size_px,
        model.K + np.array([[0, 0, early], [0, 0, early], [0, 0, 0.0]]),
        model.T_world_camera,
    )
    labels = paint(shifted, stack.boxes, order, BEVEL_M, (0, 0, width, height), _FINE).labels
    shades = np.random.default_rng(3).uniform(90.0, 210.0, (len(stack), LABELS_PER_BOX))
    fine = np.where(labels == NOTHING, 50.0, shades.ravel()[np.maximum(labels, 0)])
    grey = cv2.GaussianBlur(fine.reshape(height, _FINE, width, _FINE).mean(axis=(1, 3)), (0, 0), blur_px)
    image: Image = np.repeat(grey.round().astype(np.uint8)[..., None], 3, axis=2)
    return View(model, image, image[..., 0].astype(np.float64))


def boxes(*T: Array, size_m: tuple[float, float, float] = (0.075, 0.025, 0.015)) -> Boxes:
    """Boxes of one size."""
    return Boxes(np.array(T), np.tile(np.array(size_m), (len(T), 1)))


@st.composite
def poses(draw: st.DrawFn, reach_m: float = 0.3) -> Array:
    """Any rigid pose (4, 4) near the origin."""
    vector = draw(st.tuples(*[st.floats(-3.0, 3.0)] * 3))
    at = draw(st.tuples(*[st.floats(-reach_m, reach_m)] * 3))
    return pose(rotation_from_vector(np.array(vector)), at)
