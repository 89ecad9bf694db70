"""Painted pictures of a table, so that what changes in them is known exactly."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from robot.camera_model import CameraModel
from robot.frames import Array
from robot.seeding import generator
from sim.viewpoints import default_places

SKIN_BGR = (120, 150, 205)
SIZE = (320, 240)
TOWER = np.eye(4)


def camera(name: str = "left") -> CameraModel:
    """A simulated camera with pictures a quarter as large."""
    full = next(place.model() for place in default_places() if place.name == name)
    K = full.K / 4
    K[2, 2] = 1.0
    return CameraModel(name, SIZE, K, full.T_world_camera)


def table(seed: int = 1) -> Array:
    """A grained table with a sheet and a dark box on it (240, 320, 3)."""
    rng = generator(seed, "painted table")
    grain = cv2.GaussianBlur(rng.normal(0, 1, (240, 320)), (0, 0), 1.5)
    image = np.array([100.0, 108, 96]) * (1 + 0.5 * grain[..., None] / grain.std() * 0.1)
    image[150:210, 110:210] = 225
    for k in range(6):
        for row in (157, 175, 193):
            image[row : row + 10, 115 + 15 * k : 123 + 15 * k] = 25
    image[75:150, 140:180] = [60, 62, 70]
    return image


def arm(image: Array, colour: Sequence[float] = SKIN_BGR, width_px: int = 30) -> Array:
    """Somebody reaches in from the left."""
    out = image.copy()
    cv2.line(out, (-25, 90), (115, 110), colour, width_px)
    return out


def shadow(image: Array, depth: float = 0.5) -> Array:
    """A shadow with a sharp edge falls over a third of the picture."""
    out = image.copy()
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.array([[0, 125], [150, 100], [165, 240], [0, 240]]), 1)
    out[mask == 1] *= depth
    return out
