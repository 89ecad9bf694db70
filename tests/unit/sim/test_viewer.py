from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mujoco.viewer
import pytest

from sim import viewer
from sim.world import World
from support import bench

SHOW = """
from support import bench
from sim.viewer import show
table = bench.simulation("111", seed=1, looks=True)
why = []
with show(table.world, why.append):
    table.world.sleep_until(table.world.now_s() + 0.5)
print("shown", table.world.now_s() > 0.6, why)
"""


@dataclass
class Window:
    """Stands for MuJoCo's viewer and for the wall's clock."""

    open: bool = True
    synced_s: list[float] = field(default_factory=list)
    slept_s: list[float] = field(default_factory=list)
    key: Callable[[int], None] = lambda _key: None
    world: World | None = None
    wall_s: float = 100.0
    cost_s: float = 0.0  # of each picture
    cam: mujoco.MjvCamera = field(default_factory=mujoco.MjvCamera)

    def is_running(self) -> bool:
        return self.open

    def sync(self) -> None:
        assert self.world is not None
        self.synced_s.append(self.world.now_s())
        self.wall_s += self.cost_s

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.wall_s += seconds

    def monotonic(self) -> float:
        return self.wall_s


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Window:
    it = Window()

    @contextmanager
    def launch(
        _model: Any,
        _data: Any,
        *,
        key_callback: Callable[[int], None],
        show_left_ui: bool,
        show_right_ui: bool,
    ) -> Iterator[Window]:
        assert not any((show_left_ui, show_right_ui)), "nothing stands in front of the tower"
        it.key = key_callback
        yield it

    monkeypatch.setattr(mujoco.viewer, "launch_passive", launch)
    monkeypatch.setattr(viewer, "time", it)
    return it


def shown(window: Window, seconds: float, act: Callable[[], None] = lambda: None) -> list[str]:
    world, why = bench.simulation("111", seed=1).world, []
    window.world = world
    with viewer.show(world, why.append):
        act()
        world.sleep_until(world.now_s() + seconds)
    return why


def test_world_is_shown_thirty_times_a_second_of_its_own_time(window: Window) -> None:
    assert shown(window, 2.0) == []
    assert len(window.synced_s) == pytest.approx(60, abs=5)


def test_tower_and_arm_are_in_the_middle_of_the_picture(window: Window) -> None:
    shown(window, 0.1)
    assert window.world is not None
    tower_m = window.world.room.T_world_tower[:3, 3]
    assert abs(window.cam.lookat - tower_m).max() < 0.2
    assert 0.8 < window.cam.distance < 2.0


def test_world_is_held_back_to_the_pace_of_the_wall(window: Window) -> None:
    shown(window, 2.0)
    assert sum(window.slept_s) == pytest.approx(2.0, abs=0.1)


def test_slow_moment_is_not_made_up_for_by_a_rush(window: Window) -> None:
    window.cost_s = 0.2  # far slower than real time
    shown(window, 1.0)
    assert window.slept_s == []
    window.cost_s = 0.0
    shown(window, 1.0)
    assert sum(window.slept_s) == pytest.approx(1.0, abs=0.1)


def test_space_bar_stops_and_other_keys_do_not(window: Window) -> None:
    assert shown(window, 0.1, lambda: window.key(ord("A"))) == []
    assert shown(window, 0.1, lambda: window.key(32)) == ["space bar"]


def test_closing_the_window_stops_the_match(window: Window) -> None:
    window.open = False
    assert "the viewer was closed" in shown(window, 0.1)
    assert window.synced_s == []


def test_viewer_opens_on_a_screen() -> None:
    if shutil.which("Xvfb") is None or shutil.which("xvfb-run") is None:
        pytest.skip("Xvfb is not installed: MuJoCo's viewer itself was not opened")
    environment = {**os.environ, "MUJOCO_GL": "glfw", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYOPENGL_PLATFORM", None)  # of the pictures that are drawn without a screen
    for _ in range(3):  # the virtual screen may take the window away before MuJoCo's last swap of buffers
        done = subprocess.run(
            ["xvfb-run", "-a", sys.executable, "-c", SHOW],
            capture_output=True, text=True, check=False, env=environment, timeout=120,
        )  # fmt: skip
        if "GLXBadDrawable" not in done.stderr:
            break
    assert done.stdout.strip().startswith("shown True"), done.stderr
