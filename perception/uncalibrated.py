"""A tower read from one picture of a camera of which nothing is known.

A camera is guessed that lays a tower's lines where the picture has them; with it the tower is read as any other. Size,
place and distances stay unknown: only what each side shows is to be believed.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from perception.anywhere import Place
from perception.camera_guess import FOCAL, SIZE, THICK, Guess, T_camera_tower
from perception.reading import read_placed
from perception.tower_guess import guesses
from perception.views import View, views_of
from planning.blockset import BlockSet
from planning.observation import TowerObservation
from robot.camera_model import CameraModel
from robot.errors import PerceptionError
from robot.frames import inverse, pose, rot_z
from robot.ports import Frame, Image

LONGEST_PX, LEAST_PX = (
    1000,
    160,
)  # larger pictures are shrunken to the one, smaller ones than the other refused
FOCAL_SHARE = 0.8  # of the longer side: the focal length of most telephones
# Of the lines of a whole tower; loose blocks, a shelf or a part of a tower reach 17, the faintest whole tower seen 22.
LEAST_SCORE = 19.0
LEAST_LAYER_PX = 9.0
SOFT_PX, BLURRED, EDGES = (
    3.0,
    1.5,
    99.8,
)  # a blur by so much takes that share of a sharp picture's clearest edges


def read_uncalibrated(image: Image, name: str, blockset: BlockSet) -> tuple[View, TowerObservation]:
    """The tower in a picture, and the picture with the camera that was guessed for it.

    The world frame is the tower's; lengths are those of the block set, whatever the true size.

    Args:
        image: The picture (rows, columns, 3), BGR, upright.
        name: What errors call it.
        blockset: What the blocks are like, about.

    Raises:
        PerceptionError: It shows no whole tower that can be read; `reason` says why.
    """
    view = _shrunken(image, name)
    best = guesses(view.grey, blockset, FOCAL_SHARE * max(view.grey.shape))[0]
    if best.score < LEAST_SCORE:
        raise _none(view, best)
    layer_px = float(np.exp(best.values[SIZE])) * blockset.height_m.mean
    if layer_px < LEAST_LAYER_PX:
        raise PerceptionError(
            f"picture {name}: the tower is too small: made {max(view.grey.shape)} pixels long, it shows layers "
            f"{layer_px:.0f} pixels thick, at least {LEAST_LAYER_PX:g} are needed; go nearer, or cut the picture",
            reason="too-small",
        )
    view = replace(view, camera=_camera(best, view, blockset))
    thick = float(np.exp(best.values[THICK]))
    place = Place(pose(), thick, best.score)
    try:
        return view, read_placed([view], blockset, place, best.last - best.first + 1, wary=True)
    except PerceptionError as error:
        if error.reason == "no-tower" and _sharpness(view) < BLURRED:
            raise _too_blurred(name) from None
        raise


def _shrunken(image: Image, name: str) -> View:
    """The picture at most LONGEST_PX long, its camera not known yet.

    Raises:
        PerceptionError: It is too small, too dark or shows nothing.
    """
    longer = max(image.shape[:2])
    if longer < LEAST_PX:
        raise PerceptionError(
            f"picture {name} is {image.shape[1]} x {image.shape[0]} pixels, its longer side must be at least "
            f"{LEAST_PX}; give a larger one",
            reason="too-small",
        )
    by = min(LONGEST_PX / longer, 1.0)
    small = np.asarray(cv2.resize(image, None, fx=by, fy=by, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    camera = CameraModel(name, (small.shape[1], small.shape[0]), np.eye(3), pose())
    return views_of([Frame(small, 0.0, name)], {name: camera})[0]


def _camera(guess: Guess, view: View, blockset: BlockSet) -> CameraModel:
    """The guessed camera in the frame of the tower whose layer 1 is the guess's first one."""
    size, focal = np.array(view.camera.size_px), float(np.exp(guess.values[FOCAL]))
    below = guess.first - 1
    up_m = below * blockset.height_m.mean * float(np.exp(guess.values[THICK]))
    T_base = pose(rot_z(np.pi / 2 if below % 2 else 0.0), [0.0, 0.0, up_m])
    T_camera_world = T_camera_tower(guess.values[None], size, blockset)[0] @ T_base
    centre = size / 2 - 0.5
    K = np.array([[focal, 0.0, centre[0]], [0.0, focal, centre[1]], [0.0, 0.0, 1.0]])
    return CameraModel(view.camera.name, view.camera.size_px, K, inverse(T_camera_world))


def _none(view: View, best: Guess) -> PerceptionError:
    """Why no tower was found, as far as the picture tells."""
    if _sharpness(view) < BLURRED:
        return _too_blurred(view.camera.name)
    return PerceptionError(
        f"picture {view.camera.name} shows no whole tower: the clearest lines score {best.score:.1f}, at least "
        f"{LEAST_SCORE:g} are needed; show it whole, standing straight, from the side or a little from above",
        reason="no-tower",
    )


def _too_blurred(name: str) -> PerceptionError:
    return PerceptionError(
        f"picture {name} is too blurred: its clearest edges are wider than a blur of {SOFT_PX:g} pixels; hold the "
        "camera still, and let it focus on the tower",
        reason="too-blurred",
    )


def _sharpness(view: View) -> float:
    """By how much the clearest edges fade when the picture is blurred; near 1 where it was blurred before."""
    small = view.grey.astype(np.float32)
    clear = [
        float(np.percentile(np.abs(cv2.Scharr(it, cv2.CV_32F, 1, 0)), EDGES)) for it in (small, _soft(small))
    ]
    return clear[0] / max(clear[1], 1e-6)


def _soft(grey: cv2.typing.MatLike) -> cv2.typing.MatLike:
    return cv2.GaussianBlur(grey, (0, 0), SOFT_PX)
