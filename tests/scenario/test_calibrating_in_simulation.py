"""A camera placed by the mat in the simulated room, by two commands, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from steadyhand.camera_file import read_camera_file

ROOT = Path(__file__).parents[2]


def steadyhand(folder: Path, *arguments: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in {"MUJOCO_GL", "PYOPENGL_PLATFORM"}}
    done = subprocess.run(
        [sys.executable, "-m", "steadyhand", *arguments],
        capture_output=True, text=True, cwd=folder, check=False, timeout=200,
        env={**environment, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_camera_of_the_simulation_is_placed_by_a_picture_of_the_mat(tmp_path: Path) -> None:
    steadyhand(tmp_path, "sim", "picture", "--camera", "left", "--tower", "111", "-o", "left.png")
    truth = read_camera_file(tmp_path / "left.camera.json").T_world_camera
    said = steadyhand(
        tmp_path, "calibrate", "pose", "left.png", "--camera", "left.camera.json", "-o", "left.yaml", "--json"
    )
    assert max(json.loads(said)["held_out_mm"].values()) < 1.0
    found = read_camera_file(tmp_path / "left.yaml").T_world_camera
    assert truth is not None
    assert found is not None
    assert np.linalg.norm((found - truth)[:3, 3]) < 3e-3
    assert np.abs((found - truth)[:3, :3]).max() < 3e-3
