"""Choosing what draws the cameras' pictures, and advice where there is nothing to draw with."""

from __future__ import annotations

import ctypes.util
import os
import sys

from robot.errors import BadInputError

_LIBRARIES = {"osmesa": "OSMesa", "egl": "EGL"}


def choose_backend() -> str:
    """Set MUJOCO_GL to an offscreen renderer that is there, unless the user has chosen one; before MuJoCo loads.

    Returns:
        The renderer's name.

    Raises:
        BadInputError: There is none.
    """
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    if chosen and chosen not in _LIBRARIES and chosen != "glfw":
        raise BadInputError(f"MUJOCO_GL={chosen!r} is not known: choose osmesa, egl or glfw, or leave it out")
    if not chosen and sys.platform != "linux":
        return "glfw"
    for name in [chosen] if chosen else list(_LIBRARIES):
        if name == "glfw" or ctypes.util.find_library(_LIBRARIES[name]):
            os.environ["MUJOCO_GL"] = name
            os.environ["PYOPENGL_PLATFORM"] = name
            return name
    missing = (
        f"MUJOCO_GL asks for {chosen}, which was not found" if chosen else "neither OSMesa nor EGL was found"
    )
    raise BadInputError(
        f"no OpenGL to draw the cameras' pictures with: {missing}. On Debian: "
        "apt-get install libosmesa6 (or libegl1); then run the command again"
    )


def need_screen() -> None:
    """Refuse a viewer where there is no screen to show it on.

    Raises:
        BadInputError: There is none.
    """
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise BadInputError(
            "the viewer needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set; run it on a desktop, or leave "
            "--view out and look at the picture strip"
        )
