"""Every way to stop an arm in motion, as people have it: by the bytes on the wire, and it stands still."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from hardware import dynamixel
from robot.arm_models import VIPERX_300S
from support.arm_ports import ArmPort, arm_port

ROOT = Path(__file__).parents[2]
FAR = VIPERX_300S.park_rad + np.array([2.5, 0, 0, 0, 0, 0])
GOAL, PRESENT = 116, 132
PATIENCE_S = 120.0
TICK_RAD = 2 * np.pi / 4096


@dataclass
class Pedal:
    """A board that says `up`, until somebody treads."""

    trodden: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)
    path: str = ""

    def speak(self, end: int) -> None:
        while not self.gone.wait(0.05):
            os.write(end, b"down\n" if self.trodden.is_set() else b"up\n")


@contextmanager
def pedal() -> Iterator[Pedal]:
    it, (near, far) = Pedal(), os.openpty()
    it.path = os.ttyname(far)
    attributes = termios.tcgetattr(far)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(far, termios.TCSANOW, attributes)
    thread = threading.Thread(target=it.speak, args=(near,))
    thread.start()
    try:
        yield it
    finally:
        it.gone.set()
        thread.join()
        os.close(near)
        os.close(far)


@dataclass
class Parking:
    """`steadyhand arm park` on a terminal of its own, in the midst of its motion."""

    process: subprocess.Popen[bytes]
    keys: int
    said: list[bytes]

    def type(self, text: bytes) -> None:
        os.write(self.keys, text)


@contextmanager
def parking(settings: Path) -> Iterator[Parking]:
    keys, screen = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "steadyhand", "arm", "park", "--settings", str(settings), "--yes", "--yes"],
        stdin=screen, stdout=screen, stderr=screen, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - its terminal, as for a person
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    os.close(screen)
    it = Parking(process, keys, [])
    reader = threading.Thread(target=_listen, args=(it,))
    reader.start()
    try:
        yield it
    finally:
        process.kill()
        process.wait()
        reader.join()
        os.close(keys)


def _listen(it: Parking) -> None:
    while True:
        try:
            it.said.append(os.read(it.keys, 1000))
        except OSError:  # the program has ended
            return


def wait_until(done: Callable[[], bool], it: Parking) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not done():
        assert it.process.poll() is None, b"".join(it.said).decode()
        assert time.monotonic() < until_s, b"".join(it.said).decode()
        time.sleep(0.02)


def space_bar(it: Parking, _foot: Pedal) -> None:
    it.type(b" ")


def ctrl_c(it: Parking, _foot: Pedal) -> None:
    it.type(b"\x03")


def signal_from_outside(it: Parking, _foot: Pedal) -> None:
    it.process.send_signal(signal.SIGTERM)


def tread(_it: Parking, foot: Pedal) -> None:
    foot.trodden.set()


def pulled_plug(_it: Parking, foot: Pedal) -> None:
    foot.gone.set()  # its board falls silent


@pytest.mark.parametrize("stop", [space_bar, ctrl_c, signal_from_outside, tread, pulled_plug])
def test_stop_tells_every_servo_to_stay_where_it_is_and_the_arm_stands_still(
    tmp_path: Path, stop: Callable[[Parking, Pedal], None]
) -> None:
    with arm_port(FAR) as arm, pedal() as foot:
        settings = arm.settings(tmp_path, f'[stop]\nport = "{foot.path}"\npedal = "line"\n')
        with parking(settings) as it:
            wait_until(lambda: arm.motors[1].position_rad() < FAR[0] - 0.3, it)
            stop(it, foot)
            code = it.process.wait(PATIENCE_S)
            said = b"".join(it.said).decode()
        assert code == 1, said
        assert "stopped by a person; the arm stands still" in said
        here = {number: motor.position_rad() for number, motor in arm.motors.items()}
        assert here[1] > VIPERX_300S.park_rad[0] + 0.3, "it was in the midst of its way"
        _last_goal_is_the_present_place(arm)
        arm.bus.tick(time.monotonic() + 5.0)
        assert {n: motor.position_rad() for n, motor in arm.motors.items()} == pytest.approx(
            here, abs=TICK_RAD
        )


def _last_goal_is_the_present_place(arm: ArmPort) -> None:
    goals = [
        told
        for told in arm.told()
        if told.code == dynamixel.SYNC_WRITE and int.from_bytes(told.params[:2], "little") == GOAL
    ]
    rest = goals[-1].params[4:]
    leads = {
        rest[at]: int.from_bytes(rest[at + 1 : at + 5], "little", signed=True)
        for at in range(0, len(rest), 5)
    }
    assert sorted(leads) == [1, 2, 4, 6, 7, 8, 9], "one packet to all joints and the gripper"
    for number, goal in leads.items():
        servo = arm.servo(number)
        assert goal == pytest.approx(servo.count_of(arm.motors[number].position_rad()), abs=3), number
