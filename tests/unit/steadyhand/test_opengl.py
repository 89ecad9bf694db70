from __future__ import annotations

import ctypes.util
import os
from collections.abc import Callable

import pytest

from robot.errors import BadInputError
from steadyhand.opengl import choose_backend, need_screen

Machine = Callable[..., None]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A Linux machine with these libraries and this environment."""

    def make(*libraries: str, **environment: str) -> None:
        monkeypatch.setattr("sys.platform", "linux")
        monkeypatch.setattr(
            ctypes.util, "find_library", lambda name: f"lib{name}.so" if name in libraries else None
        )
        for name in ("MUJOCO_GL", "PYOPENGL_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
            monkeypatch.setenv(name, environment.get(name, ""))
            if name not in environment:
                monkeypatch.delenv(name)

    return make


@pytest.mark.parametrize(
    ("libraries", "chosen"), [(("OSMesa",), "osmesa"), (("EGL",), "egl"), (("OSMesa", "EGL"), "osmesa")]
)
def test_what_is_there_is_chosen(machine: Machine, libraries: tuple[str, ...], chosen: str) -> None:
    machine(*libraries)
    assert choose_backend() == chosen
    assert os.environ["MUJOCO_GL"] == os.environ["PYOPENGL_PLATFORM"] == chosen


def test_what_the_user_chose_is_kept(machine: Machine) -> None:
    machine("OSMesa", "EGL", MUJOCO_GL="EGL")
    assert choose_backend() == "egl"
    machine(MUJOCO_GL="glfw")
    assert choose_backend() == "glfw"


def test_nothing_to_draw_with_comes_with_advice(machine: Machine) -> None:
    machine()
    with pytest.raises(
        BadInputError, match=r"neither OSMesa nor EGL was found\. On Debian: apt-get install libosmesa6"
    ):
        choose_backend()


def test_chosen_renderer_that_is_missing_is_named(machine: Machine) -> None:
    machine("OSMesa", MUJOCO_GL="egl")
    with pytest.raises(BadInputError, match="MUJOCO_GL asks for egl, which was not found"):
        choose_backend()


def test_unknown_renderer_is_refused(machine: Machine) -> None:
    machine("OSMesa", MUJOCO_GL="vulkan")
    with pytest.raises(BadInputError, match="MUJOCO_GL='vulkan' is not known: choose osmesa, egl or glfw"):
        choose_backend()


def test_viewer_needs_a_screen(machine: Machine) -> None:
    machine()
    with pytest.raises(
        BadInputError, match="the viewer needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY"
    ):
        need_screen()
    machine(DISPLAY=":0")
    need_screen()
    machine(WAYLAND_DISPLAY="wayland-0")
    need_screen()
