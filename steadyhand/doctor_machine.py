"""What `doctor` finds out about the machine: Python, libraries, OpenGL, networks, a screen, room for records."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

from robot.errors import BadInputError
from steadyhand.findings import Chapter, split_advice
from steadyhand.opengl import choose_backend, need_screen

LEAST_PYTHON = (3, 11)
_LEAST_FREE_MB = 200
_SCENE = '<mujoco><worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 1"/></worldbody></mujoco>'
_OSMESA = "install OSMesa (Debian: apt-get install libosmesa6) and set MUJOCO_GL=osmesa"
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9_.-]+)==(?P<version>[^;\s]+)")


def machine_chapter(runs: Path) -> Chapter:
    """Look at what the program runs on.

    Args:
        runs: Where records are kept.
    """
    chapter = Chapter("machine", platform.node())
    _python(chapter)
    _libraries(chapter)
    _opengl(chapter)
    _networks(chapter)
    _screen(chapter)
    _room(chapter, runs)
    return chapter


def versions() -> dict[str, str | None]:
    """The version of every library that the program needs; None for one that is not installed."""
    return {name: _version(name) for name in _pinned()}


def _python(chapter: Chapter) -> None:
    chapter.measured |= {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }
    if sys.version_info < LEAST_PYTHON:
        chapter.wrong(
            f"Python {platform.python_version()}, needed is {'.'.join(map(str, LEAST_PYTHON))} or newer",
            "install a newer Python, remove .venv, then `make setup`",
        )
    else:
        chapter.well(f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores")


def _pinned() -> dict[str, str]:
    """Version by library, as the checkout asks for; where there is none, as the project was installed with."""
    file = Path(__file__).parents[1] / "requirements.in"
    asked = file.read_text(encoding="utf-8").splitlines() if file.is_file() else None
    lines = metadata.requires("steadyhand") or [] if asked is None else asked
    found = (_PIN.match(line) for line in lines)
    return {match["name"]: match["version"] for match in found if match}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _libraries(chapter: Chapter) -> None:
    pinned, here = _pinned(), versions()
    chapter.measured["libraries"] = here
    missing = [name for name, version in here.items() if version is None]
    other = [
        f"{name} {here[name]}, tested with {pinned[name]}"
        for name in pinned
        if here[name] not in (None, pinned[name])
    ]
    if missing:
        chapter.wrong(f"not installed: {', '.join(missing)}", "run `make setup`")
    if other:
        chapter.wrong(
            f"other versions than the program was tested with: {'; '.join(other)}", "run `make setup`"
        )
    if not missing and not other:
        chapter.well(f"{len(here)} libraries, every one in the version that the program was tested with")


def _opengl(chapter: Chapter) -> None:
    try:
        backend = choose_backend()
        drawn = _drawn()
    except BadInputError as error:
        chapter.wrong(*split_advice(str(error)))
        return
    except Exception as error:  # whatever a driver does: it is told, not passed on
        drawn = repr(error)
    if drawn:
        chapter.wrong(f"OpenGL by {backend} does not draw: {drawn}", _OSMESA)
    else:
        chapter.measured["opengl"] = backend
        chapter.well(f"OpenGL by {backend} draws the simulated cameras' pictures")


def _drawn() -> str:
    """Draw a small picture; what is wrong with it, or nothing. OpenGL must have been chosen before."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(_SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    renderer = mujoco.Renderer(model, 32, 32)
    try:
        renderer.update_scene(data)
        return "" if renderer.render().max() > 0 else "its picture is black"
    finally:
        renderer.close()


def _networks(chapter: Chapter) -> None:
    from perception.hand_net import installed

    chapter.measured["hand_networks"] = installed()
    if installed():
        chapter.well("the networks that find hands are there")
    else:
        chapter.wrong(
            "hands are not looked for in single pictures: the networks for that are not installed",
            "run `make setup` with a network connection, it fetches them",
        )


def _screen(chapter: Chapter) -> None:
    try:
        need_screen()
    except BadInputError:
        chapter.measured["screen"] = False
        chapter.note("no screen: `play --view` cannot be used", "run it on a desktop where you want to watch")
    else:
        chapter.measured["screen"] = True


def _room(chapter: Chapter, runs: Path) -> None:
    folder = runs if runs.is_dir() else runs.absolute().parent
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    chapter.measured["free_mb"] = free_mb
    if not os.access(folder, os.W_OK):
        chapter.wrong(
            f"records cannot be kept: {folder.absolute()} may not be written in",
            "start in a folder that may be, or name a record with --record",
        )
    elif free_mb < _LEAST_FREE_MB:
        chapter.wrong(f"{free_mb} MB are free for records in {folder.absolute()}", "make room")
