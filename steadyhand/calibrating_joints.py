"""What `steadyhand calibrate joints` does: from a recording, or by an arm that shows its finger to the cameras."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TextIO

import numpy as np

from perception.calibration_checks import Refusal
from perception.calibration_joints import JointOffsets, Posture, joint_offsets
from planning.notes import Note
from robot.body import Body
from robot.errors import BadInputError, PerceptionError
from robot.frames import Array
from robot.ports import Kinematics
from robot.seeding import generator
from steadyhand import calibrating, wiring
from steadyhand.calibrating_arm import Request, finished, opened
from steadyhand.files import need_place
from steadyhand.opengl import choose_backend
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.showing import BLOCKS, Show, show_finger
from steadyhand.stopping import HumanStop, listening


def joints(request: Request, names: tuple[str, ...] | None, out: TextIO, *, loose_base: bool) -> int:
    """Find how far each joint's zero is off by a recording, and print it; 0 where that is good, 1 where it is refused.

    Raises:
        BadInputError: A path, a posture or an option cannot be used.
    """
    entries, looker = opened(request)
    try:
        postures = [
            Posture(name, looker.q_rad(name, entry), seen)
            for name, entry in entries
            if (seen := looker.seen(name, entry)) is not None
        ]
        found = _found(looker.body, postures, names, request.most_mm, loose_base=loose_base)
    except PerceptionError as error:
        found = _refused(error)
    answer, kinematics = _joints_json(found, looker.body.kinematics), looker.body.kinematics
    return finished(request, answer, looker.unseen, _joints_words(found, kinematics), out)


def show(
    request: Request, names: tuple[str, ...] | None, count: int, seed: int, tower: str | None, out: TextIO
) -> int:
    """Let the arm show its finger to the cameras, find how far each joint's zero is off, and print it.

    Raises:
        BadInputError: A path or an option cannot be used.
        MotionError: The arm did not get where it was sent, or a joint is off too far to be seen.
        DeviceError: Somebody was there all the time.
    """
    if request.camera is not None or count < 1:
        raise BadInputError(
            "--camera belongs to a recording, and the arm shows 1 posture or more: name a recording, or leave it out"
        )
    if request.output is not None:
        need_place(request.output)
    settings = load_settings(request.settings)
    if settings.arm.port:
        raise BadInputError(
            f"arm.port = {settings.arm.port!r} names a real arm, and only the simulated one shows its finger by itself "
            "so far: record postures that touch known points (docs/calibrating.md), or leave arm.port empty"
        )
    shown, body = _shown(settings, count, seed, tower)
    found = _found(body, shown.postures, names, request.most_mm)
    answer = _joints_json(found, body.kinematics) | {"seed": seed, "finger_unseen": shown.unseen}
    lines = [
        f"seed {seed}: {len(shown.postures)} postures, {shown.unseen} more in which the finger was not seen"
    ]
    return finished(request, answer, [], [*lines, *_joints_words(found, body.kinematics)], out)


def _shown(settings: Settings, count: int, seed: int, tower: str | None) -> tuple[Show, Body]:
    blockset, stop = wiring.block_set(settings, None), HumanStop()
    standing = wiring.checked_tower(tower, BLOCKS)
    choose_backend()
    with ExitStack() as stack:
        stack.enter_context(listening(stop))
        rig, _ = wiring.simulated(settings, blockset, standing, seed, stop)
        stack.callback(rig.close)
        rng = generator(seed, "show the finger")
        T_world_tower = settings.tower.T_world_tower()
        return show_finger(rig.actors, T_world_tower, count, rng, _say), rig.actors.hand.body


def _say(note: Note) -> None:
    if note.text:
        sys.stderr.write(note.text + "\n")


def _found(
    body: Body,
    postures: Sequence[Posture],
    names: tuple[str, ...] | None,
    most_mm: float,
    *,
    loose_base: bool = False,
) -> JointOffsets:
    try:
        return joint_offsets(
            body.kinematics, postures, body.T_world_base, names, loose_base=loose_base, most_mm=most_mm
        )
    except PerceptionError as error:
        return _refused(error)


def _refused(error: PerceptionError) -> JointOffsets:
    return JointOffsets(Refusal(error.reason, str(error)))


def _joints_json(found: JointOffsets, kinematics: Kinematics) -> dict[str, object]:
    def by_joint(values_rad: Array | None) -> dict[str, float] | None:
        if values_rad is None:
            return None
        degrees = (round(float(v), 4) for v in np.degrees(values_rad))
        return dict(zip(kinematics.joint_names, degrees, strict=True))

    return {
        "refused": calibrating.refused_json([found.refusal] if found.refusal is not None else []),
        "offsets_deg": by_joint(found.offsets_rad),
        "sd_deg": by_joint(found.sd_rad),
        "held_out_mm": None if found.held_out_mm is None else round(found.held_out_mm, 3),
        "without_mm": None if found.without_mm is None else round(found.without_mm, 3),
    }


def _joints_words(found: JointOffsets, kinematics: Kinematics) -> list[str]:
    lines = list[str]()
    if found.offsets_rad is not None and found.sd_rad is not None:
        for name, offset, sd in zip(
            kinematics.joint_names, np.degrees(found.offsets_rad), np.degrees(found.sd_rad), strict=True
        ):
            lines.append(f"{name}: {offset:+.2f} degrees (to {sd:.2f})" if sd else f"{name}: not asked for")
        lines.append(
            f"at postures left out the hand is {found.held_out_mm:.2f} mm off, {found.without_mm:.2f} without offsets"
        )
    if found.refusal is not None:
        lines += [f"refused ({found.refusal.reason}): {found.refusal.detail}", "nothing was written"]
    return lines
