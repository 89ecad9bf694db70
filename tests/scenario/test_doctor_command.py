"""`steadyhand doctor` as people run it, in a process of its own: only there OpenGL is chosen before MuJoCo loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = "import sys, steadyhand.doctor; print(*(m for m in ('mujoco', 'cv2', 'serial') if m in sys.modules))"


def steadyhand(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "steadyhand", *options]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={**env(), "PYTHONPATH": str(ROOT)},
    )


def env() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}


def test_doctor_loads_no_physics_before_it_has_chosen_what_draws() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == ""


def test_without_settings_it_tells_the_simulations_own_health_and_packs_it(tmp_path: Path) -> None:
    done = steadyhand(tmp_path, "doctor", "--json", "--bundle", "b.zip")
    report = json.loads(done.stdout)
    assert [part["part"] for part in report["parts"]] == ["machine"]
    assert report["parts"][0]["measured"]["opengl"] in ("osmesa", "egl"), done.stdout
    assert done.returncode == (0 if report["well"] else 1)
    assert done.stderr == ""
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert json.loads(bundle.read("findings.json")) == report


def test_settings_that_cannot_be_read_are_bad_input(tmp_path: Path) -> None:
    done = steadyhand(tmp_path, "doctor", "--settings", "none.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "settings none.toml: no such file" in done.stderr


def test_arm_without_a_port_is_bad_input(tmp_path: Path) -> None:
    done = steadyhand(tmp_path, "arm", "relax", "--yes", "--yes")
    assert done.returncode == 2
    assert "ls /dev/serial/by-id" in done.stderr
