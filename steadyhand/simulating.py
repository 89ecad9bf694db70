"""What the `sim` commands do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planning.editions import options_of, read_edition
from robot.arm_models import VIPERX_300S
from robot.camera_model import CameraModel
from robot.errors import BadInputError
from robot.mat import DICTIONARY, Mat
from steadyhand import wiring
from steadyhand.camera_info import markers_said
from steadyhand.files import PICTURES, need_place, write_whole
from steadyhand.opengl import choose_backend
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings

if TYPE_CHECKING:
    from robot.body import Body
    from sim.look import Look
    from sim.simulation import SimulationPlan


def export_scene(
    output: Path, settings: Path | None, blockset: str | None, seed: int, tower: str | None, *, with_arm: bool
) -> None:
    """Write the settled world as one MuJoCo file.

    Raises:
        BadInputError: An argument cannot be used, or the file cannot be written.
    """
    from sim.export import scene_xml

    need_place(output)
    plan, body = plan_and_body(settings, blockset, seed, tower, looks=False)
    try:
        xml = scene_xml(plan, body.park_rad, output.parent if with_arm else None)
    except OSError as error:
        raise BadInputError(
            f"the arm's meshes beside {output}: cannot be written: {error.strerror}"
        ) from None
    write_whole(output, xml.encode())


def view_scene(settings: Path | None, blockset: str | None, seed: int, tower: str | None) -> None:
    """Open the world in MuJoCo's viewer until its window is closed.

    Raises:
        BadInputError: An argument cannot be used, or there is no screen.
    """
    from sim.simulation import Simulation
    from steadyhand.opengl import need_screen

    need_screen()
    plan, body = plan_and_body(settings, blockset, seed, tower, looks=True)
    simulation = Simulation(plan, body.limits, body.park_rad)
    import mujoco.viewer

    mujoco.viewer.launch(simulation.world.model, simulation.world.data)


def take_picture(
    output: Path,
    camera: str,
    settings: Path | None,
    blockset: str | None,
    seed: int,
    tower: str | None,
    appearance: Mapping[str, str] | None = None,
) -> str:
    """Write what a camera sees, and its camera file beside it; how to read the tower in it, in words.

    `appearance`: light, wood and clutter as the options name them, where they are not the usual ones.

    Raises:
        BadInputError: An argument cannot be used, or a file cannot be written.
    """
    need_place(output, PICTURES)
    choose_backend()
    import cv2

    from sim.simulation import Simulation  # MuJoCo looks for the backend as it loads

    plan, body = plan_and_body(settings, blockset, seed, tower, looks=True)
    plan = replace(plan, look=_look(**(appearance or {})))
    known = [place.name for place in plan.places]
    if camera not in known:
        raise BadInputError(f"camera {camera!r} is not known: choose one of {', '.join(known)}")
    simulation = Simulation(plan, body.limits, body.park_rad)
    chosen = next(c for c in simulation.cameras if c.model.name == camera)
    _, data = cv2.imencode(output.suffix.lower(), chosen.capture().image)
    write_whole(output, data.tobytes())
    described = camera_file(chosen.model, plan.room.mat)
    write_whole(wiring.picture_path(output), (json.dumps(described, indent=1) + "\n").encode())
    simulation.close()
    base_mm = plan.room.T_world_tower[2, 3] * 1e3
    return f"steadyhand see {output} --camera {wiring.picture_path(output)} --base-mm {base_mm:g} reads the tower"


def _look(light: str = "normal", wood: str = "light", clutter: str = "none") -> Look:
    from sim.look import Look

    return Look(light, wood, tuple(word.strip() for word in clutter.split(",")))


def plan_and_body(
    settings: Path | None,
    blockset: str | None,
    seed: int,
    tower: str | None,
    *,
    looks: bool,
    arm: str = VIPERX_300S.name,
) -> tuple[SimulationPlan, Body]:
    """What to simulate for the options of a command, and the arm in it: without settings, one of the model `arm`.

    Raises:
        BadInputError: An option cannot be used.
    """
    loaded = load_settings(settings) if settings else Settings.of_arm(arm)
    chosen = wiring.block_set(loaded, blockset)
    standing = wiring.checked_tower(tower, options_of(read_edition(loaded.edition), {}).blocks)
    return wiring.plan_of(loaded, chosen, standing, seed, looks=looks), wiring.body_of(loaded)


def camera_file(model: CameraModel, mat: Mat) -> dict[str, object]:
    """A camera file as `see` takes it."""
    return {
        "width": model.size_px[0],
        "height": model.size_px[1],
        "K": model.K.tolist(),
        "dist": model.distortion.tolist(),
        "T_world_camera": model.T_world_camera.tolist(),
        "markers": markers_said(DICTIONARY, mat.corners_world_m()),
    }
