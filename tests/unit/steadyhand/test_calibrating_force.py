from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.emulated_force import COUNTS_PER_N, EmulatedForce, ForceFault, with_noise
from hardware.force_calibration import GRAVITY_N_G
from hardware.force_formats import HX711
from hardware.force_line import ForceLine
from robot.clock import WallClock
from robot.errors import BadInputError, DeviceError
from steadyhand.calibrating_force import Request, run
from steadyhand.force_file import read_force_file
from steadyhand.settings import ForceSettings
from steadyhand.table_force import sensor_of, stream_of
from support.wired import Wired, wired

HANGS = {"": 0.0, "200": 200.0, "100": 100.0, "50": 50.0}


class Person(io.StringIO):
    """Types answers, each after having hung (or taken off) what belongs to it; `hung` tells what really hangs there."""

    def __init__(
        self, answers: list[str], hang: Callable[[float], None], hung: dict[str, float] | None = None
    ) -> None:
        super().__init__("".join(f"{answer}\n" for answer in answers))
        self._hang, self._hung = hang, HANGS | (hung or {})

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        line = super().readline()
        self._hang(self._hung.get(line.strip(), 0.0) * GRAVITY_N_G)
        return line


def guided(
    it: Wired, answers: list[str], tmp_path: Path, hung: dict[str, float] | None = None, **options: bool
) -> tuple[int, str, list[str]]:
    """Exit code, what was printed, and what the person was told."""
    told: list[str] = []
    out = io.StringIO()

    def hang(force_n: float) -> None:
        it.force_n[0] = force_n
        it.wait(1.0)  # it is let swing out

    request = Request(output=tmp_path / "force.json", **options)  # type: ignore[arg-type]
    code = run(request, it.stream, Person(answers, hang, hung), told.append, out)
    return code, out.getvalue(), told


def test_guided_calibration_writes_a_file_that_the_driver_reads(tmp_path: Path) -> None:
    with wired(noise_n=0.02) as it:
        code, text, told = guided(it, ["", "200", "50", "", "100", ""], tmp_path)
    assert code == 0, text
    file = read_force_file(tmp_path / "force.json", "hx711")
    assert file.scale().per_n == pytest.approx(COUNTS_PER_N, rel=0.01)
    assert [one.mass_g for one in file.weighings] == [0.0, 200.0, 50.0]
    assert "good: the mass that was kept back is told within 0.0" in text
    assert sum("press Enter" in line for line in told) == 2


def test_wrong_mass_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with wired(noise_n=0.02) as it:
        code, text, _ = guided(it, ["", "200", "", "100", ""], tmp_path, {"100": 130.0}, json=True)
    assert code == 1
    answer = json.loads(text)
    assert answer["refused"]["reason"] == "held-out"
    assert answer["output"] is None
    assert not (tmp_path / "force.json").exists()


def test_line_that_is_no_mass_is_asked_again(tmp_path: Path) -> None:
    with wired(noise_n=0.02) as it:
        code, _, told = guided(it, ["", "heavy", "0", "200", "", "100", ""], tmp_path)
    assert code == 0
    assert [line for line in told if "is no mass" in line] == [
        "'heavy' is no mass: type grams, from 1 to 5000.",
        "'0' is no mass: type grams, from 1 to 5000.",
    ]


def test_input_that_ends_and_sensor_that_dies_write_nothing(tmp_path: Path) -> None:
    with wired() as it, pytest.raises(BadInputError, match="the input ended"):
        guided(it, ["", "200"], tmp_path)
    with wired() as it:
        tick = it.clock.tick

        def dying() -> None:
            it.device.fault = ForceFault.SILENT if it.clock.now_s() > 3.0 else None
            tick()

        it.clock.tick = dying
        with pytest.raises(DeviceError, match=r"samples in 3 s, 16 are needed; nothing was written"):
            guided(it, ["", "200"], tmp_path)
    assert not (tmp_path / "force.json").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, r"no such file; `steadyhand calibrate force"),
        ("{", r"calibrate anew"),
        ('{"per_n": "x"}', r"format: field required; calibrate anew"),
    ],
)
def test_unusable_calibration_is_refused_with_what_to_do(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "force.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadInputError, match=rf"force\.calibration .*force\.json: .*{told}"):
        read_force_file(path, "hx711")


def test_settings_without_port_or_calibration_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"force\.port: no port is named"):
        stream_of(ForceSettings(), WallClock())
    with pytest.raises(
        BadInputError, match=r"format 'hx711' tells no newtons: find them by `steadyhand calibrate"
    ):
        sensor_of(ForceSettings(port="/dev/ttyACM0"), WallClock())
    assert sensor_of(ForceSettings(port="/dev/ttyACM0", format="ft300"), WallClock()).rate_hz > 0


def test_calibration_of_another_format_is_refused(tmp_path: Path) -> None:
    with wired(noise_n=0.02) as it:
        guided(it, ["", "200", "", "100", ""], tmp_path)
    force = ForceSettings(port="/dev/x", format="ms-number", calibration=str(tmp_path / "force.json"))
    with pytest.raises(BadInputError, match=r"made with format 'hx711', but force\.format is 'ms-number'"):
        sensor_of(force, WallClock())
    beside = ForceSettings(port="/dev/x", calibration="force.json")
    assert sensor_of(beside, WallClock(), tmp_path).delay_s == 0.06


def test_command_calibrates_a_sensor_on_a_port_in_real_time(tmp_path: Path) -> None:
    force_n, done = [0.0], threading.Event()
    device = EmulatedForce(with_noise(lambda: force_n[0], 0.005, 1), WallClock(), delay_s=0.01)
    line = ForceLine(device)
    server = threading.Thread(target=line.serve, args=(done,))
    server.start()
    command = [sys.executable, "-m", "steadyhand", "calibrate", "force", "--port", line.path]
    with subprocess.Popen(
        [*command, "--seconds", "0.5", "-o", str(tmp_path / "force.json"), "--json"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        asked = iter(process.stderr.readline, "")
        for answer, mass_g in (("", 0), ("200", 200), ("", 200), ("100", 100), ("", 0)):
            next(line for line in asked if not line.startswith(" "))
            force_n[0] = mass_g * GRAVITY_N_G
            time.sleep(0.05)
            process.stdin.write(f"{answer}\n")
        text = process.stdout.read() if process.stdout is not None else ""
    done.set()
    server.join()
    line.close()
    assert process.returncode == 0, text
    assert json.loads(text)["per_n"] == pytest.approx(COUNTS_PER_N, rel=0.02)
    assert read_force_file(tmp_path / "force.json", HX711.name).check_mass_g == 100.0
