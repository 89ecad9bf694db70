"""The visible surface of every block, pixel by pixel: where each pixel's point lies and how it moves with the block."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from perception.boxes import EDGE_FACES, Bools, Ints
from perception.chamfer import BEVEL_M, LABELS_PER_BOX
from perception.paint import NOTHING, LabelPicture, paint, painting_order, window_of
from perception.stack import Stack
from perception.views import View
from robot.camera_model import CameraModel
from robot.compiled import compiled
from robot.frames import Array, inverse

STRANGE = 4.5  # robust standard deviations of colour from which a pixel is not wood
CHROMA_SD_LEAST = 0.04


@dataclass(frozen=True)
class Surface:
    """P pixels of one view that show blocks.

    Attributes:
        row: Row of each (P,).
        column: Column of each (P,).
        block: Which block (P,).
        p_world_m: The point seen (P, 3).
    """

    row: Ints
    column: Ints
    block: Ints
    p_world_m: Array

    def take(self, keep: Bools | Ints) -> Surface:
        """Some of the pixels."""
        return Surface(self.row[keep], self.column[keep], self.block[keep], self.p_world_m[keep])


def surface(view: View, later: View, stack: Stack) -> Surface:
    """All pixels that show a block of the stack, a pixel or more inside its outline, in wood's colour now and later."""
    camera, boxes = view.camera, stack.boxes
    window = window_of(camera, boxes, 1)
    order = painting_order(stack.layer, boxes, camera.position_m())
    picture = paint(camera, boxes, order, BEVEL_M, window)
    row, column = np.nonzero(_inner(picture))
    label = picture.labels[row, column].astype(np.int64)
    row, column = row + window[1], column + window[0]
    keep = _wooden(view.chroma()[row, column]) & _wooden(later.chroma()[row, column])
    row, column, label = row[keep], column[keep], label[keep]
    block, face = label // LABELS_PER_BOX, _face_of(label, boxes.facing(camera.position_m()))
    p = _on_faces(camera, stack, np.stack([column, row], axis=1).astype(np.float64), block, face)
    return Surface(row, column, block, p)


def _inner(picture: LabelPicture) -> Bools:
    """Pixels of faces and chamfers whose eight neighbours show the same block; cut corners are left out."""
    labels = picture.labels
    block = np.where(labels == NOTHING, -1, labels // LABELS_PER_BOX).astype(np.int16)
    kernel = np.ones((3, 3), np.uint8)
    whole = cv2.erode(block, kernel) == cv2.dilate(block, kernel)
    return np.asarray(whole & (block >= 0) & (labels % LABELS_PER_BOX < 18))


def _wooden(chroma: Array) -> Bools:
    """Whether pixels (P,) have the colour that most of them have: a hand or an arm in front has another."""
    middle = np.median(chroma, axis=0)
    sd = np.maximum(1.48 * np.median(np.abs(chroma - middle), axis=0), CHROMA_SD_LEAST)
    return np.asarray((np.abs(chroma - middle) < STRANGE * sd).all(axis=1))


def _face_of(label: Ints, facing: Bools) -> Ints:
    """The face that a pixel's part belongs to: itself, or a face beside a chamfer that is turned to the camera."""
    block, part = label // LABELS_PER_BOX, label % LABELS_PER_BOX
    pair = EDGE_FACES[np.clip(part - 6, 0, len(EDGE_FACES) - 1)]
    beside = np.where(facing[block, pair[:, 0]], pair[:, 0], pair[:, 1])
    return np.asarray(np.where(part < 6, part, beside))


def _on_faces(camera: CameraModel, stack: Stack, px: Array, block: Ints, face: Ints) -> Array:
    """Where the rays through pixels (P, 2) meet the faces they show (P, 3), world frame."""
    ideal = cv2.undistortPoints(px[:, None], camera.K, camera.distortion)[:, 0]
    boxes, eye, R = stack.boxes, camera.position_m(), np.ascontiguousarray(camera.T_world_camera[:3, :3])
    normals = np.ascontiguousarray(boxes.normals())
    depth = boxes.size_m[:, [0, 0, 1, 1, 2, 2]] / 2
    reach = np.einsum("nfi,ni->nf", normals, boxes.centres_m - eye) + depth
    return _meet(np.asarray(ideal, dtype=float), R, eye, normals, reach, block, face)


@compiled
def _meet(ideal: Array, R: Array, eye: Array, normals: Array, reach: Array, block: Ints, face: Ints) -> Array:
    out = np.empty((len(ideal), 3))
    for i in range(len(ideal)):
        n = normals[block[i], face[i]]
        ray = R[:, 0] * ideal[i, 0] + R[:, 1] * ideal[i, 1] + R[:, 2]
        out[i] = eye + ray * (reach[block[i], face[i]] / (ray[0] * n[0] + ray[1] * n[1] + ray[2] * n[2]))
    return out


def brightness_jacobian(camera: CameraModel, grey: Array, where: Surface, centre: Array) -> Array:
    """Change of brightness (P, 6) a metre of shift and a radian of turn of its block, from the picture's gradient."""
    T = np.ascontiguousarray(inverse(camera.T_world_camera)[:3])
    return _jacobian(grey, where.row, where.column, where.p_world_m, centre, where.block, T, lens_of(camera))


@compiled
def _jacobian(
    grey: Array, row: Ints, column: Ints, p_world_m: Array, centre: Array, block: Ints, T: Array, lens: Array
) -> Array:
    out = np.empty((len(row), 6))
    for i in range(len(row)):
        r, c, p = row[i], column[i], p_world_m[i]
        gu = (grey[r, c + 1] - grey[r, c - 1]) / 2 * lens[0]
        gv = (grey[r + 1, c] - grey[r - 1, c]) / 2 * lens[3]
        x = T[0, 0] * p[0] + T[0, 1] * p[1] + T[0, 2] * p[2] + T[0, 3]
        y = T[1, 0] * p[0] + T[1, 1] * p[1] + T[1, 2] * p[2] + T[1, 3]
        z = T[2, 0] * p[0] + T[2, 1] * p[1] + T[2, 2] * p[2] + T[2, 3]
        a, b, d = gu / z, gv / z, -(gu * x + gv * y) / (z * z)
        for j in range(3):
            out[i, j] = a * T[0, j] + b * T[1, j] + d * T[2, j]
        arm = p - centre[block[i]]
        out[i, 3] = arm[1] * out[i, 2] - arm[2] * out[i, 1]
        out[i, 4] = arm[2] * out[i, 0] - arm[0] * out[i, 2]
        out[i, 5] = arm[0] * out[i, 1] - arm[1] * out[i, 0]
    return out


@compiled
def _cubic(image: Array, u: float, v: float) -> float:
    """Brightness between pixels (Keys' cubic): a straight line between two would blur most halfway, and that tugs."""
    c, r = int(u), int(v)
    x, y = u - c, v - r
    wx = (
        ((2 - x) * x - 1) * x / 2,
        (3 * x - 5) * x * x / 2 + 1,
        ((4 - 3 * x) * x + 1) * x / 2,
        (x - 1) * x * x / 2,
    )
    wy = (
        ((2 - y) * y - 1) * y / 2,
        (3 * y - 5) * y * y / 2 + 1,
        ((4 - 3 * y) * y + 1) * y / 2,
        (y - 1) * y * y / 2,
    )
    total = 0.0
    for j in range(4):
        for i in range(4):
            total += wy[j] * wx[i] * image[r - 1 + j, c - 1 + i]
    return float(total)


@compiled
def project(p: Array, lens: Array, T: Array) -> tuple[float, float]:
    """Pixel of a world point; `lens`: fx, skew, cx, fy, cy, k1, k2, p1, p2, k3; `T` (3, 4): camera from world."""
    z = T[2, 0] * p[0] + T[2, 1] * p[1] + T[2, 2] * p[2] + T[2, 3]
    x = (T[0, 0] * p[0] + T[0, 1] * p[1] + T[0, 2] * p[2] + T[0, 3]) / z
    y = (T[1, 0] * p[0] + T[1, 1] * p[1] + T[1, 2] * p[2] + T[1, 3]) / z
    r2 = x * x + y * y
    radial = 1 + r2 * (lens[5] + r2 * (lens[6] + r2 * lens[9]))
    xd = x * radial + 2 * lens[7] * x * y + lens[8] * (r2 + 2 * x * x)
    yd = y * radial + lens[7] * (r2 + 2 * y * y) + 2 * lens[8] * x * y
    return lens[0] * xd + lens[1] * yd + lens[2], lens[3] * yd + lens[4]


@compiled
def warped(
    image: Array, lens: Array, T: Array, p_world_m: Array, block: Ints, centre: Array, moved: Array
) -> Array:
    """Brightness (P,) where each point comes to lie when its block moves by `moved` (blocks, 6); NaN outside."""
    out = np.full(len(p_world_m), np.nan)
    height, width = image.shape
    p = np.empty(3)
    for i in range(len(p_world_m)):
        m = moved[block[i]]
        a = p_world_m[i] - centre[block[i]]
        p[0] = p_world_m[i, 0] + m[0] + m[4] * a[2] - m[5] * a[1]
        p[1] = p_world_m[i, 1] + m[1] + m[5] * a[0] - m[3] * a[2]
        p[2] = p_world_m[i, 2] + m[2] + m[3] * a[1] - m[4] * a[0]
        u, v = project(p, lens, T)
        if 2 <= u < width - 3 and 2 <= v < height - 3:
            out[i] = _cubic(image, u, v)
    return out


def lens_of(camera: CameraModel) -> Array:
    """The numbers that `warped` wants."""
    K = camera.K
    return np.array([K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], *camera.distortion])
