"""What `steadyhand calibrate hand-eye` does, from a recording of postures, offline; and what `joints` does alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import cv2
import numpy as np

from perception.calibration_board import CHARUCO, Board, find_board
from perception.calibration_checks import Refusal
from perception.calibration_hand_eye import BESIDE, IN_HAND, HandEye, Sighting, calibrate_hand_eye
from robot.body import Body
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array, pose
from steadyhand import calibrating, wiring
from steadyhand.calibrating import BoardOptions
from steadyhand.calibrating_place import arm_place
from steadyhand.camera_file import CameraFile, read_camera_file
from steadyhand.files import need_place, write_whole
from steadyhand.recordings import Entry, as_pose, read_recording
from steadyhand.settings_file import load_settings


@dataclass(frozen=True)
class Request:
    """The options that both commands have."""

    recording: Path
    board: BoardOptions
    camera: Path | None = None
    settings: Path | None = None
    most_mm: float = 3.0
    output: Path | None = None
    json: bool = False


def hand_eye(request: Request, eye: str, most_deg: float, out: TextIO) -> int:
    """Find where the camera is and print it; 0 where that is good, 1 where it is refused.

    Raises:
        BadInputError: A path, a posture or an option cannot be used.
    """
    if eye not in (IN_HAND, BESIDE):
        raise BadInputError(
            f"--eye {eye!r} is not known: {IN_HAND} (the camera is on the hand) or {BESIDE} (it stands)"
        )
    entries, looker = opened(request)
    try:
        sightings = [
            Sighting(name, looker.T_base_tool(name, entry), T)
            for name, entry in entries
            if (T := looker.T_camera_board(name, entry)) is not None
        ]
        found = calibrate_hand_eye(sightings, eye, request.most_mm, most_deg)
    except PerceptionError as error:
        found = HandEye(None, Refusal(error.reason, str(error)))
    place = arm_place(found, eye, looker.camera) if found.refusal is None else None
    answer = _hand_eye_json(found, eye) | {"arm": None if place is None else place.as_json()}
    words = _hand_eye_words(found) + ([] if place is None else place.in_words())
    return finished(request, answer, looker.unseen, words, out)


def opened(request: Request) -> tuple[list[tuple[str, Entry]], Looker]:
    """The recording that a request names, and who turns its entries into poses.

    Raises:
        BadInputError: A file cannot be used.
    """
    if request.output is not None:
        need_place(request.output)
    entries = read_recording(request.recording)
    camera = None if request.camera is None else read_camera_file(request.camera, placed=False)
    body = wiring.body_of(load_settings(request.settings))
    return entries, Looker(request.recording, request.board.board(), camera, body, [])


@dataclass(frozen=True)
class Looker:
    """Turns entries of a recording into poses; `unseen` collects pictures without a board."""

    recording: Path
    board: Board
    camera: CameraFile | None
    body: Body
    unseen: list[str]

    def q_rad(self, name: str, entry: Entry) -> Array:
        """Joint angles (n,)."""
        names = self.body.kinematics.joint_names
        if entry.q_deg is None or len(entry.q_deg) != len(names):
            given = "no" if entry.q_deg is None else str(len(entry.q_deg))
            raise BadInputError(
                f"recording {self.recording}, {name}: {given} joint angles, needed are q_deg of the {len(names)} "
                f"joints {', '.join(names)}; add them"
            )
        return np.radians(entry.q_deg)

    def T_base_tool(self, name: str, entry: Entry) -> Array:
        """The hand's pose (4, 4)."""
        if entry.T_base_tool is not None:
            return as_pose(entry.T_base_tool)
        return self.body.kinematics.forward(self.q_rad(name, entry))

    def seen(self, name: str, entry: Entry) -> Array | None:
        """The point that was touched (3,), or the board's pose (4, 4)."""
        if entry.p_world_mm is not None:
            return np.array(entry.p_world_mm) / 1e3
        return self.T_camera_board(name, entry)

    def T_camera_board(self, name: str, entry: Entry) -> Array | None:
        """The board's pose (4, 4), or None where a picture does not show it."""
        if entry.T_camera_board is not None:
            return as_pose(entry.T_camera_board)
        if entry.image is None:
            raise BadInputError(
                f"recording {self.recording}, {name}: says what was touched; needed is a board's picture, "
                "or T_camera_board"
            )
        return self._by_picture(name, self.recording.parent / entry.image)

    def _by_picture(self, name: str, path: Path) -> Array | None:
        if self.camera is None:
            raise BadInputError(
                f"recording {self.recording} has pictures: give their camera with --camera camera.yaml"
            )
        if self.board.kind != CHARUCO:
            raise BadInputError(
                "a chessboard looks the same upside down; use a charuco board for pictures of a moving hand"
            )
        grey = calibrating.grey_picture(path)
        calibrating.need_size(path, grey, self.camera)
        seen = find_board(grey, self.board)
        if seen is None:
            self.unseen.append(name)
            return None
        p = self.board.p_board_m[seen.numbers]
        _, turn, shift = cv2.solvePnP(
            p, seen.px, self.camera.K, self.camera.distortion, flags=cv2.SOLVEPNP_IPPE
        )
        turn, shift = cv2.solvePnPRefineLM(p, seen.px, self.camera.K, self.camera.distortion, turn, shift)
        return pose(cv2.Rodrigues(turn)[0], np.ravel(shift))


def finished(
    request: Request, answer: dict[str, object], unseen: list[str], lines: list[str], out: TextIO
) -> int:
    """Write what is good, and print it; 0 where it is good, 1 where it is refused."""
    good = answer["refused"] is None
    if good and request.output is not None:
        write_whole(request.output, (json.dumps(answer, indent=1, allow_nan=False) + "\n").encode())
    answer["board_unseen"] = unseen
    answer["output"] = str(request.output) if good and request.output is not None else None
    missing = [f"no board seen: {', '.join(unseen)}"] if unseen else []
    end = (
        []
        if not good
        else [f"written to {request.output}" if request.output else "not written: name a file with -o"]
    )
    return calibrating.told(answer, [*missing, *lines, *end], out, as_json=request.json)


def _hand_eye_json(found: HandEye, eye: str) -> dict[str, object]:
    hand, base = ("T_tool_camera", "T_base_board") if eye == IN_HAND else ("T_tool_board", "T_base_camera")
    held_out: Mapping[str, object] = {
        name: {"mm": round(e.mm, 4), "deg": round(e.deg, 4)} for name, e in (found.held_out or {}).items()
    }
    return {
        "refused": calibrating.refused_json([found.refusal] if found.refusal is not None else []),
        "eye": eye,
        hand: calibrating.rounded(found.T_hand),
        base: calibrating.rounded(found.T_base),
        "method": found.method,
        "held_out": held_out,
        "spread_deg": None if found.spread_deg is None else [round(v, 2) for v in found.spread_deg],
        "outliers_mm": {name: round(mm, 2) for name, mm in (found.outliers or {}).items()},
    }


def _hand_eye_words(found: HandEye) -> list[str]:
    outliers = [f"left out {name}: {mm:.1f} mm off" for name, mm in (found.outliers or {}).items()]
    methods = [
        f"{name}: {e.mm:.2f} mm, {e.deg:.2f} degrees off at postures left out"
        for name, e in (found.held_out or {}).items()
    ]
    if found.refusal is not None:
        return [
            *outliers,
            *methods,
            f"refused ({found.refusal.reason}): {found.refusal.detail}",
            "nothing was written",
        ]
    return [*outliers, *methods, f"taken: {found.method}"]
