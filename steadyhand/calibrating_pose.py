"""What `steadyhand calibrate pose` does: where a camera stands, by the mat, written into its camera file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

import numpy as np

from perception.calibration_camera import Lens
from perception.calibration_checks import Refusal
from perception.calibration_pose import PoseCalibration, calibrate_pose
from perception.markers import Markers
from robot.errors import BadInputError, PerceptionError
from steadyhand import calibrating, camera_info
from steadyhand.camera_file import CameraFile, read_camera_file
from steadyhand.files import write_whole


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    image: Path
    camera: Path
    mat: str | None = None
    name: str | None = None
    most_mm: float = 1.0
    output: Path | None = None
    json: bool = False


def run(request: Request, out: TextIO) -> int:
    """Place the camera and print; 0 where its pose is good, 1 where it is refused.

    Raises:
        BadInputError: A path, a camera file or an option cannot be used.
    """
    if request.name is not None:
        calibrating.need_name(request.name)
    camera = read_camera_file(request.camera, placed=False)
    markers = _markers(request, camera)
    if request.output is not None:
        calibrating.need_yaml(request.output)
    found = _placed(request, camera, markers)
    if request.output is not None and found.refusal is None:
        write_whole(request.output, _file(request, camera, markers, found).encode())
    return calibrating.told(_json(found, request), _lines(found, request), out, as_json=request.json)


def _markers(request: Request, camera: CameraFile) -> Markers:
    if request.mat is not None:
        return calibrating.mat_markers(request.mat)
    if camera.markers is None:
        raise BadInputError(
            f"camera file {camera.path}: says no markers: name the printed mat with --mat a3 or --mat a4"
        )
    return camera.markers


def _placed(request: Request, camera: CameraFile, markers: Markers) -> PoseCalibration:
    try:
        grey = calibrating.grey_picture(request.image)
        calibrating.need_size(request.image, grey, camera)
        lens = Lens(camera.size_px, camera.K, camera.distortion)
        return calibrate_pose(grey.astype(np.float64), lens, markers, request.most_mm)
    except PerceptionError as error:
        return PoseCalibration(None, {}, Refusal(error.reason, str(error)))


def _file(request: Request, camera: CameraFile, markers: Markers, found: PoseCalibration) -> str:
    """The camera file with the pose; what it said of itself stays."""
    name, quality = camera_info.said_of(camera.path)
    lens = Lens(camera.size_px, camera.K, camera.distortion)
    mat = camera_info.markers_said(markers.dictionary, markers.corners_world_m)
    worst = round(max(found.held_out_mm.values()), 3)
    quality |= {"placed": date.today().isoformat(), "placed_held_out_mm": worst}
    return camera_info.text_of(lens, request.name or name or "camera", found.T_world_camera, mat, quality)


def _json(found: PoseCalibration, request: Request) -> dict[str, object]:
    refused = found.refusal is not None
    return {
        "refused": calibrating.refused_json(_refusals(found)),
        "T_world_camera": None if refused else calibrating.rounded(found.T_world_camera),
        "held_out_mm": {str(n): round(mm, 3) for n, mm in sorted(found.held_out_mm.items())},
        "output": None if refused or request.output is None else str(request.output),
    }


def _lines(found: PoseCalibration, request: Request) -> list[str]:
    lines = [
        f"marker {n}: {mm:.2f} mm from where the others place it"
        for n, mm in sorted(found.held_out_mm.items())
    ]
    return [*lines, *calibrating.verdict(_refusals(found), request.output, _where(found))]


def _where(found: PoseCalibration) -> str:
    if found.T_world_camera is None:
        return "the camera could not be placed"
    x, y, z = found.T_world_camera[:3, 3] * 1e3
    return f"the camera stands at x {x:.1f}, y {y:.1f}, z {z:.1f} mm"


def _refusals(found: PoseCalibration) -> list[Refusal]:
    return [found.refusal] if found.refusal is not None else []
