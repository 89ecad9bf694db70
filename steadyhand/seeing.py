"""What `steadyhand see` does: a tower read from pictures of cameras that are known, or from one picture alone."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import numpy as np
from rich.console import Console

from perception.hands import any_hand, hand_in, squares_over
from perception.markers import Markers, camera_pose
from perception.views import View, views_of
from planning.blockset import BlockSet, Spread, load_blockset
from planning.observation import TowerObservation
from robot.camera_model import CameraModel
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array
from robot.ports import Frame, Image
from steadyhand import seeing_words as words
from steadyhand.camera_file import CameraFile, read_camera_file
from steadyhand.files import PICTURES, need_place, write_whole
from steadyhand.hand_networks import can_find_hands
from steadyhand.photos import decoded, file_bytes


@dataclass(frozen=True)
class Request:
    """The options of the command; the k-th camera file belongs to the k-th picture."""

    images: tuple[Path, ...]
    cameras: tuple[Path, ...] = ()
    blockset: str | None = None
    base_z_m: float = 0.0
    draw: Path | None = None
    json: bool = False


def run(request: Request, out: TextIO) -> int:
    """Read the tower and print it; 0 where it was read, 1 where the pictures were refused.

    Raises:
        BadInputError: A path, a camera file or an option cannot be used.
    """
    begun_s = time.perf_counter()
    if request.draw is not None:
        need_place(request.draw, PICTURES)
    code, answer, text = _answered(request)
    answer["wall_ms"] = round((time.perf_counter() - begun_s) * 1e3, 1)
    out.write(json.dumps(answer, allow_nan=False) + "\n" if request.json else text)
    return code


def _answered(request: Request) -> tuple[int, dict[str, object], str]:
    """Exit code, and what to print as JSON and as text; the drawing is written."""
    cameras, blockset = _cameras(request), _blockset(request)
    files = [file_bytes(path) for path in request.images]
    try:
        with Console(stderr=True).status("looking"):
            names, views, seen = _seen(request, files, cameras, blockset)
    except PerceptionError as error:
        hand = _hand_anywhere(request.images, files)
        return 1, words.refused_json(error, hand=hand), words.refused_text(error, hand=hand)
    if request.draw is not None:
        _draw(request.draw, views, seen, blockset)
    height_m = seen.layer_top_m[-1] - float(seen.T_world_tower[2, 3])
    hand = can_find_hands() and any_hand(views, seen.T_world_tower, height_m)
    answer = words.as_json(seen, names, [view.camera for view in views], blockset, hand=hand)
    if not cameras:
        answer = words.without_place(answer)
        return 0, answer, words.sides_text(answer, hand=hand)
    return 0, answer, words.as_text(seen, hand=hand)


def _seen(
    request: Request, files: Sequence[bytes], cameras: Sequence[CameraFile], blockset: BlockSet
) -> tuple[list[str], list[View], TowerObservation]:
    """The pictures' names, the views, and the tower; without a camera file of the first picture alone."""
    if not cameras:
        path = request.images[0]
        view, seen = _read_alone(decoded(path, files[0], upright=True), str(path), blockset)
        return [str(path)], [view], seen
    placed = _placed(request.images, files, cameras)
    views = [view for _, view in placed]
    return [str(path) for path, _ in placed], views, _read(views, blockset, request.base_z_m)


def _hand_anywhere(images: Sequence[Path], files: Sequence[bytes]) -> bool:
    """Whether any picture that can be read shows a hand, wherever a tower may stand."""
    if not can_find_hands():
        return False
    for path, data in zip(images, files, strict=True):
        try:
            image = decoded(path, data, upright=True)
        except PerceptionError:
            continue
        if hand_in(image, squares_over(image)):
            return True
    return False


def _blockset(request: Request) -> BlockSet:
    """The set that was named; else blocks as they are sold, 75 x 25 x 15 mm, a little narrow and laid with play."""
    if request.blockset is not None:
        return load_blockset(request.blockset)
    length, width, height = Spread(0.0750, 0.3e-3), Spread(0.0247, 0.2e-3), Spread(0.0150, 0.2e-3)
    return replace(load_blockset("standard"), length_m=length, width_m=width, height_m=height, gap_m=0.5e-3)


def _cameras(request: Request) -> list[CameraFile]:
    pictures, cameras = len(request.images), len(request.cameras)
    if cameras < pictures and (cameras, pictures) != (0, 1):
        raise BadInputError(
            f"{pictures} pictures, but {cameras} camera files: {request.images[cameras]} has none, and only a single "
            "picture is read without one; give one --camera FILE.json a picture, in the pictures' order, or each "
            "picture by itself without any"
        )
    if cameras > pictures:
        raise BadInputError(
            f"{cameras} camera files, but {pictures} pictures: {request.cameras[pictures]} belongs to none; give as "
            "many of the one as of the other"
        )
    return [read_camera_file(path) for path in request.cameras]


def _placed(
    images: Sequence[Path], files: Sequence[bytes], cameras: Sequence[CameraFile]
) -> list[tuple[Path, View]]:
    """The pictures with their cameras; one of several whose camera cannot be placed is left out, and that is said.

    Raises:
        PerceptionError: A picture cannot be read, or no camera can be placed.
    """
    placed, lost = list[tuple[Path, View]](), list[PerceptionError]()
    for path, data, camera in zip(images, files, cameras, strict=True):
        try:
            placed.append((path, _view(path, data, camera)))
        except PerceptionError as error:
            if error.reason != "camera-moved":
                raise
            lost.append(error)
    if not placed:
        raise lost[0]
    for why in lost:
        sys.stderr.write(f"left out: {why}\n")
    return placed


def _view(path: Path, data: bytes, camera: CameraFile) -> View:
    """A picture with its camera, which is placed by the markers where its file does not say where it stands.

    Raises:
        PerceptionError: The picture cannot be read, or does not show where the camera stands.
    """
    given = camera.T_world_camera
    model = CameraModel(
        str(path), camera.size_px, camera.K, np.eye(4) if given is None else given, camera.distortion
    )
    view = views_of([Frame(decoded(path, data), 0.0, model.name)], {model.name: model})[0]
    if given is not None or camera.markers is None:
        return view
    return replace(view, camera=replace(model, T_world_camera=_by_markers(view, camera, camera.markers)))


def _by_markers(view: View, camera: CameraFile, markers: Markers) -> Array:
    try:
        return camera_pose(view.grey, camera.K, camera.distortion, markers).T_world_camera
    except PerceptionError as error:
        raise PerceptionError(f"picture {view.camera.name}: {error}", reason=error.reason) from None
    except BadInputError as error:
        raise BadInputError(f"camera file {camera.path}: {error}") from None


def _read(views: Sequence[View], blockset: BlockSet, base_z_m: float) -> TowerObservation:
    from perception.reading import read_tower  # loads slowly; a mistyped path is to be told at once

    return read_tower(views, blockset, base_z_m)


def _read_alone(image: Image, name: str, blockset: BlockSet) -> tuple[View, TowerObservation]:
    from perception.uncalibrated import read_uncalibrated  # loads slowly

    return read_uncalibrated(image, name, blockset)


def _draw(path: Path, views: Sequence[View], seen: TowerObservation, blockset: BlockSet) -> None:
    from steadyhand.seeing_picture import encoded

    write_whole(path, encoded(views, seen, blockset, path.suffix))
