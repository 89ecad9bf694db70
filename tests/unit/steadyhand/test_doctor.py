"""`steadyhand doctor` on emulated devices: what it finds, what it never does, and what it packs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from hardware import dynamixel
from hardware.transport import Port
from hardware.wire_faults import FOR_EVER, Order, WireFault
from robot.arm_models import VIPERX_300S
from steadyhand import doctor, doctor_arm, doctor_force, doctor_stop
from steadyhand.arm_motions import Request as Motion
from steadyhand.arm_motions import run as move
from steadyhand.bundle import MOST_BYTES, write_bundle
from steadyhand.doctor_cameras import camera_chapters
from steadyhand.findings import Chapter, Level, exit_code
from steadyhand.last_push import LastPush
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from support.arm_ports import ArmPort, arm_port
from support.live import SMALL_PX, noisy, record
from support.wired import wired

QUESTIONS = {dynamixel.PING, dynamixel.READ, dynamixel.SYNC_READ}


@pytest.fixture
def arm() -> Iterator[ArmPort]:
    with arm_port(VIPERX_300S.park_rad) as it:
        yield it


def run(file: Path | None, *, json: bool = True, **more: object) -> tuple[int, str]:
    out = io.StringIO()
    return doctor.run(doctor.Request(file, json, **more), out), out.getvalue()  # type: ignore[arg-type]


def of_level(chapter: Chapter, level: Level) -> list[str]:
    return [finding.what for finding in chapter.findings if finding.level is level]


def arm_chapter(arm: ArmPort, folder: Path) -> Chapter:
    return doctor_arm.arm_chapter(load_settings(arm.settings(folder)))


def test_healthy_arm_is_well_and_the_report_has_what_was_measured(arm: ArmPort, tmp_path: Path) -> None:
    code, text = run(arm.settings(tmp_path))
    report = json.loads(text)
    [part] = [part for part in report["parts"] if part["part"] == "arm"]
    assert part["where"] == arm.path
    assert [row["servo"] for row in part["measured"]["servos"]] == list(range(1, 10))
    assert part["measured"]["servos"][0]["model"] == "XM540-W270"
    assert "7 x XM540-W270, firmware 46, 2 x XM430-W350, firmware 46" in [
        f["what"] for f in report["findings"]
    ]
    assert part["measured"]["latency_timer_ms"] is None  # a pseudo-terminal has none
    assert not [
        finding for finding in report["findings"] if finding["part"] == "arm" and finding["level"] == "fault"
    ]
    assert code in (0, 1)  # a busy machine's round trips may be slow, which it says


def test_it_asks_questions_only_and_changes_nothing(arm: ArmPort, tmp_path: Path) -> None:
    before = arm.memory()
    run(arm.settings(tmp_path))
    assert {told.code for told in arm.told()} == QUESTIONS - {dynamixel.READ}
    assert arm.memory() == before


def test_it_asks_questions_only_where_the_arm_is_ill(arm: ArmPort, tmp_path: Path) -> None:
    arm.servo(4).fail(0x20)
    arm.bus.servos.remove(arm.servo(9))
    before = arm.memory()
    assert run(arm.settings(tmp_path))[0] == 3
    assert {told.code for told in arm.told()} <= QUESTIONS
    assert arm.memory() == before


def test_what_does_move_is_seen_on_that_wire(arm: ArmPort, tmp_path: Path) -> None:
    """The check above would notice."""
    move(Motion("relax", arm.settings(tmp_path), yes=2), io.StringIO(), lambda _line: None)
    assert dynamixel.SYNC_WRITE in {told.code for told in arm.told()}


def _missing(arm: ArmPort) -> None:
    arm.bus.servos.remove(arm.servo(7))


def _hot(arm: ArmPort) -> None:
    arm.servo(2).temperature_c = 71.0


def _overload(arm: ArmPort) -> None:
    arm.servo(6).fail(0x20)


@pytest.mark.parametrize(
    ("spoil", "what", "remedy"),
    [
        (_missing, "servo 7 (wrist_angle) does not answer", "check its cable and the power"),
        (_hot, "servo 2 (shoulder): 71 degrees C, allowed 60", "let the arm rest"),
        (_overload, "servo 6 (forearm_roll): overload", "support the arm"),
    ],
)
def test_ill_servo_is_named_with_its_fault_and_a_remedy(
    arm: ArmPort, tmp_path: Path, spoil: Callable[[ArmPort], None], what: str, remedy: str
) -> None:
    spoil(arm)
    chapter = arm_chapter(arm, tmp_path)
    [found] = [finding for finding in chapter.findings if finding.level is Level.FAULT]
    assert found.what.startswith(what)
    assert found.remedy.startswith(remedy)
    assert exit_code([chapter]) == 3


def test_port_that_is_not_there_is_a_fault_that_says_what_is(tmp_path: Path) -> None:
    settings = Settings.model_validate({"arm": {"port": str(tmp_path / "gone")}})
    chapter = doctor_arm.arm_chapter(settings)
    [found] = chapter.findings
    assert found.level is Level.FAULT
    assert "cannot be opened" in found.what
    assert "Plug it in" in found.remedy


def test_slow_return_delay_is_wrong_and_keeps_nothing_from_moving(arm: ArmPort, tmp_path: Path) -> None:
    arm.servo(6).put("return_delay", 250)
    chapter = arm_chapter(arm, tmp_path)
    assert any("servo 6 (forearm_roll): waits 0.50 ms" in what for what in of_level(chapter, Level.WRONG))
    assert not of_level(chapter, Level.FAULT)


def test_adapter_that_keeps_bytes_back_is_wrong_with_the_rule_that_mends_it(
    arm: ArmPort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Port, "latency_ms", lambda _self: 16
    )  # what the system says of an adapter as it comes
    chapter = arm_chapter(arm, tmp_path)
    [found] = [finding for finding in chapter.findings if "latency timer is 16 ms" in finding.what]
    assert found.level is Level.WRONG
    assert 'ATTR{latency_timer}="1"' in found.remedy


def test_slow_round_trip_is_wrong(arm: ArmPort, tmp_path: Path) -> None:
    arm.faults.order(Order(WireFault.DELAYED, times=FOR_EVER, servo=9, delay_s=0.012))
    chapter = arm_chapter(arm, tmp_path)
    assert any(what.startswith("a round trip to all servos takes") for what in of_level(chapter, Level.WRONG))
    assert float(str(chapter.measured["round_trip_ms"])) >= 12.0


def test_arm_that_the_program_cannot_move_is_read_all_the_same() -> None:
    settings = Settings.model_validate({"arm": {"port": "/dev/none", "kind": "so-101"}})
    chapter = doctor_arm.arm_chapter(settings)
    assert any("SO-101" in what and "cannot play" in what for what in of_level(chapter, Level.WRONG))
    assert of_level(chapter, Level.FAULT)  # its port is not there


def test_servos_of_another_arm_than_the_settings_name_are_wrong() -> None:
    settings = Settings.model_validate({"arm": {"port": "/dev/none", "kind": "widowx-250s"}})
    [wrong] = [f for f in doctor_arm.arm_chapter(settings).findings if f.level is Level.WRONG]
    assert "has the servos of a widowx-250s, and arm.model = 'viperx-300s' is another arm" in wrong.what
    assert 'write model = "widowx-250s" in [arm]' in wrong.remedy


def force_file(folder: Path) -> str:
    """A calibration as `calibrate force` writes it, of the emulated sensor."""
    text = (Path(__file__).parents[2] / "data" / "emulated-force.json").read_text()
    (folder / "force.json").write_text(text)
    return "force.json"


def force_settings(port: str, folder: Path) -> Settings:
    return Settings.model_validate({"force": {"port": port, "calibration": force_file(folder)}})


def test_calm_force_sensor_is_well_with_its_noise_and_rate(tmp_path: Path) -> None:
    with wired(noise_n=0.03) as it:
        chapter = doctor_force.force_chapter(force_settings(it.line.path, tmp_path), tmp_path, it.clock)
    assert chapter.measured["noise_n"] == pytest.approx(0.03, rel=0.15)
    assert chapter.measured["rate_hz"] == pytest.approx(80, rel=0.02)
    assert exit_code([chapter]) == 0
    assert any("below probe.limit_n" in what for what in of_level(chapter, Level.WELL))


def test_noise_that_hides_a_probes_limit_is_wrong_with_the_numbers(tmp_path: Path) -> None:
    with wired(noise_n=0.33, seed=3) as it:
        chapter = doctor_force.force_chapter(force_settings(it.line.path, tmp_path), tmp_path, it.clock)
    [what] = of_level(chapter, Level.WRONG)
    assert "probe.limit_n = 0.8 N: probing is refused" in what
    assert float(str(chapter.measured["least_force_n"])) > 0.8


def test_sensor_that_was_never_calibrated_is_listened_to_all_the_same(tmp_path: Path) -> None:
    with wired() as it:
        settings = Settings.model_validate({"force": {"port": it.line.path}})
        chapter = doctor_force.force_chapter(settings, tmp_path, it.clock)
    [found] = [finding for finding in chapter.findings if finding.level is Level.WRONG]
    assert "steadyhand calibrate force" in found.remedy
    assert chapter.measured["rate_hz"] == pytest.approx(80, rel=0.05)


def test_silent_sensor_is_a_fault(tmp_path: Path) -> None:
    with wired() as it:
        it.clock.tick = lambda: None  # nobody sends
        chapter = doctor_force.force_chapter(force_settings(it.line.path, tmp_path), tmp_path, it.clock)
    [found] = chapter.findings
    assert found.level is Level.FAULT
    assert "nothing came within" in found.what


@pytest.mark.parametrize(("delay_ms", "code"), [(60.0, 0), (500.0, 1)])
def test_stop_that_comes_late_bounds_the_speed_of_a_probe(delay_ms: float, code: int) -> None:
    settings = Settings.model_validate({"force": {"delay_ms": delay_ms}})
    chapter = doctor_stop.stopping_chapter(
        settings,
        Chapter("arm", measured={"round_trip_95_ms": 2.0, "lag_ms": 20.0}),
        Chapter("force sensor", measured={"rate_hz": 80.0}),
        None,
    )
    assert chapter is not None
    assert chapter.measured["latency_ms"] == pytest.approx(delay_ms + 25 + 8 + 2 + 20)
    assert chapter.measured["overshoot_most_n"] == pytest.approx((delay_ms + 55) * 1e-3 * 2.0 * 0.5, abs=1e-3)
    assert exit_code([chapter]) == code


def test_stop_is_not_told_where_nothing_was_measured() -> None:
    assert doctor_stop.stopping_chapter(Settings(), Chapter("arm"), Chapter("force sensor"), None) is None


@pytest.mark.parametrize(("over_n", "code"), [(0.02, 0), (0.25, 1), (None, 0)])
def test_what_the_last_push_measured_is_told_and_bounds_the_speed(over_n: float | None, code: int) -> None:
    last = LastPush(
        at=datetime(2026, 11, 30, tzinfo=UTC),
        limit_n=0.3,
        ended="travel" if over_n is None else "force",
        peak_n=0.3 + (over_n or 0.0),
        over_n=over_n,
        stop_ms=40.0,
        contact_mm=1.0,
    )
    chapter = doctor_stop.stopping_chapter(Settings(), Chapter("arm"), Chapter("force sensor"), last)
    assert chapter is not None
    assert exit_code([chapter]) == code
    if over_n == 0.25:
        assert chapter.findings[0].remedy.startswith("lower probe.speed_mm_s to 0.8")


def camera_settings(folder: Path, **more: object) -> Settings:
    values = {
        "width": SMALL_PX[0],
        "height": SMALL_PX[1],
        "K": [[60, 0, 32], [0, 60, 24], [0, 0, 1]],
        "dist": [0] * 5,
        "T_world_camera": np.eye(4).tolist(),
    }
    (folder / "left.json").write_text(json.dumps(values))
    section = {"device": str(folder / "left.avi"), "calibration": "left.json", "delay_ms": 5.0, **more}
    return Settings.model_validate({"cameras": {"left": section}})


def test_camera_tells_its_rate_and_the_age_of_its_calibration(tmp_path: Path) -> None:
    record(tmp_path / "left.avi", noisy(300))
    [chapter] = camera_chapters(camera_settings(tmp_path), tmp_path)
    assert float(str(chapter.measured["rate_hz"])) > 1
    assert chapter.measured["calibration_age_days"] == 0
    assert not of_level(chapter, Level.FAULT)


def test_camera_that_is_not_there_is_a_fault_and_one_without_calibration_is_wrong(tmp_path: Path) -> None:
    [chapter] = camera_chapters(camera_settings(tmp_path), tmp_path)
    assert of_level(chapter, Level.FAULT)
    (tmp_path / "left.json").unlink()
    settings = Settings.model_validate({"cameras": {"left": {"device": "x", "calibration": "left.json"}}})
    [chapter] = camera_chapters(settings, tmp_path)
    assert of_level(chapter, Level.WRONG)


def packed(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as bundle:
        return set(bundle.namelist())


def game(folder: Path, name: str) -> Path:
    it = folder / "runs" / name
    it.mkdir(parents=True)
    (it / "game.jsonl").write_text("{}\n")
    (it / "strip.png").write_bytes(b"picture")
    return it


def bundle_of(folder: Path, *, pictures: bool) -> set[str]:
    settings = folder / "steadyhand.toml"
    settings.write_text('[force]\ncalibration = "force.json"\n')
    force_file(folder)
    write_bundle(
        folder / "b.zip", settings, {"well": True}, "all is well\n", folder / "runs", pictures=pictures
    )
    return packed(folder / "b.zip")


def test_bundle_has_settings_calibrations_versions_findings_and_the_newest_games(tmp_path: Path) -> None:
    for number in range(5):
        game(tmp_path, f"2026010{number}")
    names = bundle_of(tmp_path, pictures=False)
    assert {
        "settings.toml",
        "calibrations/force.json",
        "versions.json",
        "findings.json",
        "findings.txt",
    } <= names
    assert sum(name.startswith("runs/") for name in names) == 3


def test_bundle_has_pictures_only_when_asked(tmp_path: Path) -> None:
    game(tmp_path, "20260101")
    assert not [name for name in bundle_of(tmp_path, pictures=False) if name.endswith(".png")]
    assert "runs/20260101/strip.png" in bundle_of(tmp_path, pictures=True)


def test_bundle_leaves_out_what_is_too_large_and_says_so(tmp_path: Path) -> None:
    (game(tmp_path, "20260101") / "long.jsonl").write_bytes(b"x" * (MOST_BYTES + 1))
    names = bundle_of(tmp_path, pictures=False)
    assert "runs/20260101/long.jsonl" not in names
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert "runs/20260101/long.jsonl" in bundle.read("README.txt").decode()


def test_for_people_every_remedy_stands_below_what_is_wrong(arm: ArmPort, tmp_path: Path) -> None:
    _missing(arm)
    code, text = run(arm.settings(tmp_path), json=False)
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if "servo 7 (wrist_angle) does not answer" in line)
    assert lines[at].startswith("  ✗ ")
    assert lines[at + 1].strip().startswith("→ check its cable")
    assert (code, lines[-1]) == (3, "a device is at fault: see ✗")
