"""`tools/finger.py` as people run it: what is printed for the default settings is what the checkout holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from robot.frames import Array
from steadyhand.finger_solid import read_stl

ROOT = Path(__file__).parents[2]
PRINTED = ROOT / "docs" / "printing"


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "finger.py"), "-o", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def highest(data: bytes) -> float:
    surface: Array = read_stl(data)
    return float(surface[:, :, 2].max())


def test_drawing_and_solids_in_the_docs_are_those_of_the_default_settings(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("finger.svg", "finger.stl", "finger-mirrored.stl"):
        assert (tmp_path / name).read_bytes() == (PRINTED / name).read_bytes(), name
    assert (tmp_path / "finger-prints.pdf").read_bytes().startswith(b"%PDF")


def test_own_settings_make_another_finger_and_bad_ones_are_refused(tmp_path: Path) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text("[finger]\nleg_mm = 110\nslim_mm = 62\n")
    assert run(tmp_path, "--settings", str(settings)).returncode == 0
    assert highest((tmp_path / "finger.stl").read_bytes()) == 110.0
    assert "110 from the gripper's axis" in (tmp_path / "finger.svg").read_text()
    refused = run(tmp_path, "--hole-mm", "9")
    assert refused.returncode == 2
    assert "do not fit on a foot" in refused.stderr
