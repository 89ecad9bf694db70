"""`steadyhand emulate` as people run it: a process of its own, whose ports another program opens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from hardware.arm_file import load_arm
from hardware.dynamixel_bus import DynamixelBus
from hardware.servo_arm import ServoArm
from hardware.transport import Port
from robot.arm_models import VIPERX_300S
from robot.clock import WallClock
from robot.errors import BadInputError, DeviceError, StoppedError
from robot.fakes import FakeForce
from robot.limits import ArmLimits
from steadyhand.emulating import Request, run
from steadyhand.settings import ForceSettings, Settings
from steadyhand.table_arm import table_devices
from steadyhand.table_cameras import table_cameras
from steadyhand.table_force import sensor_of
from steadyhand.table_time import table_time
from support import bench

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120
BUSY_S = 1.0  # a machine that runs other tests lets the emulation wait


@dataclass
class Emulation:
    """A running emulation and the names of its ports."""

    process: subprocess.Popen[str]
    link: Path
    force: Path
    cameras: Path
    truth: Path

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


def start(folder: Path, *options: str) -> Emulation:
    link, force = folder / "arm", folder / "force"
    command = [
        sys.executable,
        "-m",
        "steadyhand",
        "emulate",
        "viperx-300s",
        "--link",
        str(link),
        "--tower",
        "111*2",
    ]
    process = subprocess.Popen(
        [*command, "--force-link", str(force), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return Emulation(process, link, force, folder / "cams", folder / "truth.jsonl")


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulation]:
    folder = tmp_path_factory.mktemp("emulate")
    it = start(folder, "--camera-link", str(folder / "cams"), "--truth", str(folder / "truth.jsonl"))
    try:
        assert it.process.stdout is not None
        assert it.process.stdout.readline() == f"ready {it.link}\n", it.process.communicate()
        yield it
    finally:
        it.process.kill()
        it.process.communicate()


@pytest.fixture
def arm(emulation: Emulation) -> Iterator[ServoArm]:
    parts = load_arm("viperx-300s")
    with Port(str(emulation.link), parts.baud) as port:
        limits: ArmLimits = bench.body().limits
        yield ServoArm(DynamixelBus(port, patience_s=BUSY_S), parts, limits, WallClock())


class Resting(FakeForce):
    """A sensor that nothing touches, connected by entering it."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0, WallClock())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def settings_of(emulation: Emulation) -> Settings:
    return Settings.model_validate({"arm": {"port": str(emulation.link)}})


def torque(emulation: Emulation) -> list[int]:
    """Whether each servo has torque, as a third party reads it."""
    with Port(str(emulation.link)) as port:
        bus = DynamixelBus(port, patience_s=BUSY_S)
        return [bus.read(servo, 64, 1)[0] for servo in range(1, 10)]


def test_arm_of_the_settings_stays_limp_where_nobody_says_yes(emulation: Emulation) -> None:
    before, asked = torque(emulation), list[str]()
    with pytest.raises(StoppedError, match="was not switched on, since nobody said yes; nothing was written"):
        table_devices(settings_of(emulation), bench.body(), Resting(), print, lambda q: bool(asked.append(q)))
    assert asked == [f"ViperX-300s on {emulation.link} stands ready. Hands off; type yes to switch it on"]
    assert torque(emulation) == before


def test_arm_of_the_settings_moves_when_somebody_says_yes(emulation: Emulation) -> None:
    with closing(
        table_devices(settings_of(emulation), bench.body(), Resting(), print, lambda _: True)
    ) as devices:
        q = devices.arm.state().q_rad
        devices.clock.sleep_until(devices.clock.now_s() + 1.0)  # longer than the watchdog: it is attended
        devices.arm.command(q + np.array([0, 0, 0, 0, 0, 0.1]), np.zeros(6))
        assert devices.fastest_m_s == 0.002
    assert torque(emulation) == [1] * 9, "it holds"


def test_arm_whose_servos_are_not_those_of_its_model_does_not_play(emulation: Emulation) -> None:
    settings = Settings.model_validate({"arm": {"port": str(emulation.link), "kind": "widowx-250s"}})
    with pytest.raises(BadInputError, match=r"arm.model = 'viperx-300s' is another arm"):
        table_devices(settings, bench.body(), Resting(), print, lambda _: True)


def test_driver_finds_the_arm_switches_it_on_and_moves_it(arm: ServoArm) -> None:
    clock = WallClock()
    arm.connect()
    arm.energise()
    here = arm.state().q_rad
    assert here == pytest.approx(VIPERX_300S.park_rad, abs=0.15), "it sags, and another test turned it by 0.1"
    goal = here + np.array([0.1, 0, 0, 0, 0, 0])
    arm.command(goal, np.zeros(6))
    deadline_s = clock.now_s() + PATIENCE_S
    while arm.state().q_rad[0] < here[0] + 0.09 and clock.now_s() < deadline_s:
        clock.sleep_until(clock.now_s() + 0.05)
    assert arm.state().q_rad == pytest.approx(goal, abs=0.02)


def test_second_program_is_told_that_the_port_is_taken(arm: ServoArm, emulation: Emulation) -> None:
    del arm  # it has the port open
    with pytest.raises(DeviceError, match="another program has it"):
        Port(str(emulation.link)).open()


def test_force_sensor_has_its_calibration_beside_it(emulation: Emulation) -> None:
    settings = ForceSettings(port=str(emulation.force), calibration=f"{emulation.force}.json")
    assert sensor_of(settings, WallClock()).delay_s == pytest.approx(0.060)


def test_force_sensor_sends_its_samples(emulation: Emulation) -> None:
    with Port(str(emulation.force), 115_200) as port:
        clock = WallClock()
        text = port.read(400, clock.now_s() + PATIENCE_S).decode()
    whole = [line.split(",") for line in text.splitlines()[2:-1]]
    assert len(whole) > 10
    assert all(len(row) == 2 and row[0].isdigit() and int(row[1]) for row in whole)


def test_its_cameras_are_those_of_settings_that_name_their_folder(emulation: Emulation) -> None:
    """Through `play`'s own reader, in the time of the emulated world."""
    device = str(emulation.cameras)
    files = {name: str(emulation.cameras / f"{name}.camera.json") for name in ("left", "right", "front")}
    cameras = {name: {"device": device, "calibration": file} for name, file in files.items()}
    settings = Settings.model_validate({"cameras": cameras})
    with table_time(settings) as time:
        began_s = time.clock.now_s()
        seen = table_cameras(settings, time.clock)
        for camera in seen:
            with camera:
                assert camera.capture().image.std() > 20
        ended_s = time.clock.now_s()
        WallClock().sleep_until(WallClock().now_s() + 0.3)
        assert time.clock.now_s() == ended_s, "the world waits"
    assert [camera.model.name for camera in seen] == list(files)
    assert 0 < began_s < ended_s


def test_truth_log_begins_with_the_tower_as_it_was_built(emulation: Emulation) -> None:
    row = json.loads(emulation.truth.read_text().splitlines()[0])
    assert (row["t"], row["phase"]) == (0.0, "start")
    assert len(row["poses"]) == len(row["slots"]) == 6


def test_it_ends_when_told_to_and_its_names_are_gone(tmp_path: Path) -> None:
    it = start(tmp_path, "--camera-link", str(tmp_path / "cams"))
    assert it.process.stdout is not None
    assert it.process.stdout.readline().startswith("ready ")
    assert it.end() == 0
    assert not it.link.is_symlink()
    assert not it.force.is_symlink()
    assert not it.force.with_name("force.json").exists()
    left = sorted(path.name for path in it.cameras.iterdir())
    assert left[:2] == ["front.camera.json", "front.png"], "the last pictures stay, the time does not"
    assert len(left) == 6
    it.process.communicate()


def test_servo_fails_at_the_second_that_was_said(tmp_path: Path) -> None:
    it = start(tmp_path, "--fault", "overload@0")
    try:
        assert it.process.stdout is not None
        assert it.process.stdout.readline().startswith("ready ")
        with Port(str(it.link)) as port:
            bus, clock = DynamixelBus(port, patience_s=BUSY_S), WallClock()
            deadline_s = clock.now_s() + PATIENCE_S
            while not bus.ping(4).alert and clock.now_s() < deadline_s:
                clock.sleep_until(clock.now_s() + 0.05)
            assert bus.ping(4).alert
            assert not bus.ping(5).alert
    finally:
        it.process.kill()
        it.process.communicate()


def test_sensor_that_is_not_there_cannot_fail(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="--fault stuck: there is no force sensor to fail"):
        run(Request("viperx-300s", tmp_path / "arm", None, None, None, "111", None, 1, ("stuck@1",)))


def test_servos_of_another_arm_than_the_settings_name_are_refused(tmp_path: Path) -> None:
    settings = tmp_path / "wx.toml"
    settings.write_text('[arm]\nmodel = "widowx-250s"\n')
    with pytest.raises(BadInputError, match=r"servos of a viperx-300s, .*write model = \"viperx-300s\" in"):
        run(Request("viperx-300s", tmp_path / "arm", None, settings, None, "111", None, 1))


@pytest.mark.parametrize(
    ("arm", "link", "told"),
    [
        ("viperx-300s", "nowhere/arm", "there is no folder nowhere"),
        ("viperx-300s", "taken", "taken: something else has that name, and is kept"),
        ("so-101", "arm", "the simulation has no body of it; choose one of viperx-300s, widowx-250s"),
        ("r2d2", "arm", "arm 'r2d2' is not known"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arm: str, link: str, told: str
) -> None:
    (tmp_path / "taken").write_text("mine")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError, match=told):
        run(Request(arm, Path(link), None, None, None, "111", None, 1))
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"truth": "gone/truth.jsonl"}, "there is no folder gone; make it, or name another"),
        ({"camera_link": "taken"}, "--camera-link taken: is no folder; name another"),
    ],
)
def test_place_that_cannot_be_used_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, str], told: str
) -> None:
    (tmp_path / "taken").write_text("mine")
    monkeypatch.chdir(tmp_path)
    places = {name: Path(path) for name, path in options.items()}
    with pytest.raises(BadInputError, match=told):
        run(Request("viperx-300s", Path("arm"), None, None, None, "111", None, 1, (), **places))
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
