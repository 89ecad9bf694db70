from __future__ import annotations

import os
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.stop import ContactPedal, LinePedal, PedalWatch, watched_pedal
from hardware.transport import Port
from robot.clock import ManualClock
from robot.errors import DeviceError
from robot.fakes import Gantry, InstantArm
from robot.follow import Mover
from robot.limits import ArmLimits
from steadyhand.stopping import HumanStop
from steadyhand.table_stop import pedal_watched
from steadyhand.wire_settings import StopSettings


class Said:
    """A port of which a test says what comes and how its lines are."""

    name = "pedal port"

    def __init__(self) -> None:
        self.waiting, self.on, self.gone, self.closed = b"", True, False, 0
        self.broken = False

    def open(self) -> None:
        self._there()

    def close(self) -> None:
        self.closed += 1

    def signal(self, name: str) -> bool:
        self._there()
        return self.on

    def read_waiting(self) -> bytes:
        self._there()
        came, self.waiting = self.waiting, b""
        return came

    def _there(self) -> None:
        if self.gone:
            raise DeviceError("port 'pedal port' cannot be read: it is unplugged")
        if self.broken:
            raise TypeError("an integer is required")


def asked_for_soon(stop: HumanStop) -> bool:
    """Whether another thread asks for a stop within five seconds."""
    until_s = time.monotonic() + 5.0
    while not stop.is_set() and time.monotonic() < until_s:
        time.sleep(0.002)
    return stop.is_set()


def lines(*portions: bytes) -> tuple[LinePedal, Said, ManualClock]:
    """A pedal that is at rest."""
    port, clock = Said(), ManualClock()
    pedal = LinePedal(port, clock)
    port.waiting = b"p\nup\nup\n"
    pedal.start()
    return pedal, port, clock


@pytest.mark.parametrize("line", ["cts", "dsr"])
def test_contact_that_opens_asks_for_a_stop(line: str) -> None:
    port = Said()
    pedal = ContactPedal(port, line)  # type: ignore[arg-type]
    pedal.start()
    assert pedal.asks() == ""
    port.on = False
    assert pedal.asks() == "pedal"


def test_contact_that_is_open_at_rest_asks_when_it_closes() -> None:
    port = Said()
    port.on = False
    pedal = ContactPedal(port, "cts", closed=False)
    pedal.start()
    port.on = True
    assert pedal.asks() == "pedal"


@pytest.mark.parametrize(
    ("on", "closed", "told"), [(False, True, "is open, .* be closed"), (True, False, "is closed, .* be open")]
)
def test_contact_that_is_not_at_rest_at_the_start_is_refused(on: bool, closed: bool, told: str) -> None:
    port = Said()
    port.on = on
    with pytest.raises(DeviceError, match=rf"stop pedal at 'pedal port': its contact from RTS to CTS {told}"):
        ContactPedal(port, "cts", closed=closed).start()


@pytest.mark.parametrize(
    ("came", "why"),
    [
        (b"up\r\nup\r\n", ""),
        (b"up\ndown\nup\n", "pedal"),
        (b"u", ""),
        (b"u\n", "pedal: it says b'u'"),
        (b"\xff\x00\n", "pedal: it says b'\\xff\\x00'"),
        (b"x" * 100, "pedal: it says b'xxxxxxxxxxxxxxxx'"),
    ],
)
def test_every_line_but_up_asks_for_a_stop(came: bytes, why: str) -> None:
    pedal, port, _ = lines()
    port.waiting = came
    assert pedal.asks() == why


def test_silence_for_half_a_second_asks_for_a_stop() -> None:
    pedal, port, clock = lines()
    for _ in range(10):
        clock.sleep_until(clock.now_s() + 0.4)
        port.waiting = b"up\n"
        assert pedal.asks() == ""
    clock.sleep_until(clock.now_s() + 0.51)
    assert pedal.asks() == "pedal lost: silent for 0.5 s, allowed are 0.5 s"


def test_line_in_portions_is_a_line() -> None:
    pedal, port, _ = lines()
    for portion in (b"u", b"p", b"\r", b"\nu", b"p\n"):
        port.waiting = portion
        assert pedal.asks() == ""


@pytest.mark.parametrize(
    ("says", "told"),
    [(b"", "no whole line came within 6 s"), (b"down\n", "it says b'down', at rest it must say 'up'")],
)
def test_board_that_does_not_say_up_at_the_start_is_refused(says: bytes, told: str) -> None:
    port, clock = Said(), ManualClock()

    class Saying(ManualClock):
        def sleep_until(self, t_s: float) -> None:
            super().sleep_until(t_s)
            port.waiting += says

    clock = Saying()
    with pytest.raises(DeviceError, match=f"stop pedal at 'pedal port': {told}"):
        LinePedal(port, clock).start()
    assert clock.now_s() < 6.1


def test_ten_thousand_random_portions_raise_nothing() -> None:
    pedal, port, _ = lines()
    rng = np.random.default_rng(3)
    for _ in range(10_000):
        port.waiting = rng.integers(0, 256, int(rng.integers(1, 40)), dtype=np.uint8).tobytes()
        assert isinstance(pedal.asks(), str)


def test_lost_port_is_a_stop_and_the_watch_ends_cleanly() -> None:
    port, stop = Said(), HumanStop()
    with PedalWatch(ContactPedal(port, "cts"), stop.set):
        assert not stop.is_set()
        port.gone = True
        assert asked_for_soon(stop)
    assert stop.why == "pedal lost: port 'pedal port' cannot be read: it is unplugged"
    assert port.closed == 1


def test_pedal_whose_watch_breaks_by_an_error_of_any_kind_is_a_stop() -> None:
    port, stop = Said(), HumanStop()
    with PedalWatch(ContactPedal(port, "cts"), stop.set):
        port.broken = True
        assert asked_for_soon(stop)
    assert stop.why == "pedal lost: TypeError('an integer is required'); please report it"


def test_pedal_that_is_not_at_rest_leaves_no_port_open() -> None:
    port = Said()
    port.on = False
    with pytest.raises(DeviceError), PedalWatch(ContactPedal(port, "cts"), lambda _why: None):
        pass
    assert port.closed == 1


@pytest.fixture
def board() -> Iterator[tuple[int, str]]:
    """A pseudo-terminal: its far end, and its name."""
    far, near = os.openpty()
    tty.setraw(near)
    yield far, os.ttyname(near)
    for end in (far, near):
        os.close(end)


def test_tread_on_a_board_at_a_real_port_stops_the_arm_and_it_stays_where_it_is(
    board: tuple[int, str],
) -> None:
    far, name = board
    stop, up = HumanStop(), threading.Event()

    def say() -> None:
        while not up.wait(0.02):
            os.write(far, b"up\n")

    speaker = threading.Thread(target=say)
    speaker.start()
    limits = ArmLimits(np.full(3, -1.0), np.ones(3), np.full(3, 0.5), np.full(3, 5.0), np.full(3, 50.0), 0.06)
    clock = ManualClock()
    arm = InstantArm(Gantry().joint_names, limits, clock, np.zeros(3))
    mover = Mover(arm, clock, stop)
    try:
        with watched_pedal(Port(name, 9600), "line", stop.set, closed=True):
            mover.step(np.array([0.01, 0, 0]), np.zeros(3), clock.now_s())
            up.set()
            speaker.join()
            os.write(far, b"down\n")
            assert asked_for_soon(stop)
    finally:
        up.set()
        speaker.join()
    assert stop.why == "pedal"
    with pytest.raises(Exception, match="stopped by a person"):
        mover.step(np.array([0.02, 0, 0]), np.zeros(3), clock.now_s())
    assert arm.state().q_rad[0] == 0.01


def test_control_lines_of_a_port_are_read() -> None:
    """pyserial's loop:// has RTS on CTS and DTR on DSR, as a closed pedal has."""
    with Port("loop://") as port:
        assert port.signal("cts")
        assert port.signal("dsr")
        assert port._serial is not None
        port._serial.rts = False
        assert not port.signal("cts")
        assert port.signal("dsr")


def test_port_without_control_lines_says_so(board: tuple[int, str]) -> None:
    with Port(board[1]) as port, pytest.raises(DeviceError, match="tells no CTS"):
        port.signal("cts")


def test_no_pedal_in_the_settings_is_nothing_and_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pedal_watched(StopSettings(), HumanStop()):
        pass
    missing = StopSettings(port=str(tmp_path / "ttyX"))
    with pytest.raises(DeviceError, match="cannot be opened"), pedal_watched(missing, HumanStop()):
        pass


def test_pedal_of_the_settings_stops() -> None:
    stop = HumanStop()
    with pedal_watched(StopSettings(port="loop://"), stop):
        time.sleep(0.02)
        assert not stop.is_set(), "the contact of loop:// is closed"
