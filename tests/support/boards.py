"""Pictures of a calibration board through a known lens: every pixel's ray is followed to the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from perception.calibration_board import Board, Grey, black_squares
from perception.calibration_camera import Lens, Picture
from robot.frames import Array, pose, rot_x, rot_y, rot_z

SIZE_PX = (640, 480)
LENS = Lens(
    SIZE_PX,
    np.array([[560.0, 0.0, 331.0], [0.0, 556.0, 233.5], [0.0, 0.0, 1.0]]),
    np.array([-0.22, 0.09, 0.001, -0.0015, -0.02]),
)
_DOT_M, _RIM_M = 0.00025, 0.02  # of the printer, and of white around the squares
_INK, _PAPER, _TABLE = 40.0, 210.0, 100.0  # grey levels


@lru_cache(maxsize=4)
def _printed(board: Board) -> Array:
    """The sheet's grey levels, one a dot."""
    width, height = (round((n * board.square_m + 2 * _RIM_M) / _DOT_M) for n in board.squares)
    dots = np.full((height, width), _PAPER)
    for left, top, w, h in black_squares(board):
        x0, x1, y0, y1 = (round((v + _RIM_M) / _DOT_M) for v in (left, left + w, top, top + h))
        dots[y0:y1, x0:x1] = _INK
    return np.asarray(cv2.GaussianBlur(dots, (0, 0), 1.5))


@dataclass(frozen=True)
class Eye:
    """A lens, ready to look along every pixel's ray."""

    lens: Lens
    rays: Array

    @classmethod
    def of(cls, lens: Lens) -> Eye:
        width, height = lens.size_px
        px = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 1, 2)
        ideal = cv2.undistortPoints(px.astype(np.float64), lens.K, lens.distortion).reshape(-1, 2)
        return cls(lens, np.column_stack([ideal, np.ones(len(ideal))]))

    def picture(
        self, board: Board, T_camera_board: Array, seed: int = 1, blur_px: float = 0.6, noise: float = 2.0
    ) -> Grey:
        """What the lens sees of a board that lies on a grey table as large as the world."""
        width, height = self.lens.size_px
        R, t = T_camera_board[:3, :3], T_camera_board[:3, 3]
        facing = self.rays @ R[:, 2]
        far = (t @ R[:, 2]) / np.where(np.abs(facing) > 1e-6, facing, 1e-6)
        p_board = (far[:, None] * self.rays - t) @ R
        dots = ((p_board[:, :2] + _RIM_M) / _DOT_M - 0.5).astype(np.float32).reshape(height, width, 2)
        levels = cv2.remap(_printed(board), dots[..., 0], dots[..., 1], cv2.INTER_LINEAR, borderValue=_TABLE)
        if blur_px:
            levels = cv2.GaussianBlur(levels, (0, 0), blur_px)
        levels = levels + np.random.default_rng(seed).normal(0.0, noise, levels.shape)
        return levels.round().clip(0, 255).astype(np.uint8)


@lru_cache(maxsize=2)
def eye() -> Eye:
    """The lens of these tests."""
    return Eye.of(LENS)


def facing(board: Board, at_m: Sequence[float], tilt_deg: Sequence[float]) -> Array:
    """`T_camera_board` of a board whose middle is at a place before the camera, turned about x, y and z."""
    x, y, z = np.radians(tilt_deg)
    R = rot_z(z) @ rot_y(y) @ rot_x(x)
    middle = np.array([*(n * board.square_m / 2 for n in board.squares), 0.0])
    return pose(R, np.array(at_m) - R @ middle)


def good_poses(board: Board) -> list[Array]:
    """Sixteen, tilted every way, that together fill the picture."""
    tilts = [(30, 0), (-30, 0), (0, 30), (0, -30), (22, 22), (-22, 22), (22, -22), (-22, -22)]
    places = [
        (0, 0, 0.42), (-0.09, -0.06, 0.40), (0.09, -0.06, 0.40), (-0.09, 0.06, 0.40), (0.09, 0.06, 0.40),
        (-0.12, 0, 0.45), (0.12, 0, 0.45), (0, 0.08, 0.42),
    ]  # fmt: skip
    return [facing(board, places[(k + k // 8) % 8], (*tilts[k % 8], 15.0 * (k % 3 - 1))) for k in range(16)]


def pictures(board: Board, poses: Sequence[Array], **look: float) -> list[Picture]:
    """A picture of each."""
    return [
        Picture(f"{k:02}.png", eye().picture(board, T, seed=k, **look))
        for k, T in enumerate(poses)  # type: ignore[arg-type]
    ]
