"""Pictures of the printed mat on a table, from the very sheet that is printed."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from robot.camera_model import CameraModel
from robot.frames import Array
from robot.mat import PAPERS_M
from steadyhand.sheets import encoded, mat_sheet

_MM_PX = 300 / 25.4
_TABLE, _NOISE = 90.0, 2.0


@lru_cache(maxsize=2)
def _printed(paper: str) -> Array:
    image = cv2.imdecode(np.frombuffer(encoded(mat_sheet(paper), ".png"), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert image is not None
    return cv2.GaussianBlur(40.0 + image * (170.0 / 255), (0, 0), 4.0)


def mat_picture(model: CameraModel, paper: str, seed: int = 1) -> Array:
    """What a camera sees of the mat: every pixel's ray is followed down to the table."""
    width, height = model.size_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2)
    ideal = cv2.undistortPoints(pixels.astype(np.float64), model.K, model.distortion).reshape(-1, 2)
    rays = np.column_stack([ideal, np.ones(len(ideal))]) @ model.T_world_camera[:3, :3].T
    far = np.where(rays[:, 2] < -1e-3, -model.position_m()[2] / np.minimum(rays[:, 2], -1e-3), 1e3)
    x, y, _ = (model.position_m() + far[:, None] * rays).T
    page_width, page_height = PAPERS_M[paper]
    right, down = page_width / 2 - y, page_height / 2 - x
    px = (np.stack([right, down], axis=-1) * 1e3 * _MM_PX - 0.5).astype(np.float32).reshape(height, width, 2)
    drawn = cv2.remap(_printed(paper), px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderValue=_TABLE)
    noise = np.random.default_rng(seed).normal(0.0, _NOISE, drawn.shape)
    return np.asarray((drawn + noise).round().clip(0.0, 255.0))
