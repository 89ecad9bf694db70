"""What every servo bus must do, with the wire whole and with it failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from hardware import dynamixel, feetech
from hardware.bus import READ_RETRIES, BusError, NoAnswerError, ServoError
from hardware.tables import STS3215, XM430
from hardware.wire_faults import FOR_EVER, Order, WireFault
from robot.errors import BadInputError
from support.wires import SERVOS, Wired, in_memory, on_terminal

BUSES: dict[str, Callable[[], AbstractContextManager[Wired]]] = {
    "dynamixel in memory": lambda: in_memory(XM430),
    "dynamixel in memory, fast": lambda: in_memory(XM430, fast=True),
    "dynamixel on a terminal": lambda: on_terminal(XM430),
    "feetech in memory": lambda: in_memory(STS3215),
    "feetech on a terminal": lambda: on_terminal(STS3215),
}
OVERLOAD = 0x20
WRITES = {dynamixel.WRITE, feetech.WRITE}


@pytest.fixture(params=BUSES)
def wired(request: pytest.FixtureRequest) -> Iterator[Wired]:
    with BUSES[request.param]() as it:
        yield it


def goals(wired: Wired) -> tuple[int, int]:
    return wired.where("goal_position")


def writes_told(wired: Wired) -> int:
    return sum(told.code in WRITES for told in wired.servos.told)


def test_a_servo_tells_model_and_firmware(wired: Wired) -> None:
    found = wired.bus.ping(3)
    assert found.model == wired.table.model
    assert found.firmware == ((3, 10) if found.model == STS3215 else (46,))
    assert not found.alert


def test_all_servos_are_found(wired: Wired) -> None:
    wired.servo(4).silent = True
    found = wired.bus.scan()
    assert sorted(found) == [n for n in SERVOS if n != 4]
    assert {one.model for one in found.values()} == {wired.table.model}


def test_what_is_written_is_read(wired: Wired) -> None:
    register = wired.table["profile_velocity"]
    wired.bus.write(2, register.address, register.encode(321))
    assert wired.servo(2).get("profile_velocity") == 321
    assert wired.bus.read(2, register.address, register.size) == register.encode(321)


def test_a_sync_read_brings_each_servo_its_own(wired: Wired) -> None:
    told = wired.set_positions()
    replies = wired.bus.sync_read(SERVOS, *goals(wired))
    assert {servo: reply.data for servo, reply in replies.items()} == told
    assert all(reply.problem is None and not reply.alert for reply in replies.values())


def test_a_sync_write_gives_each_servo_its_own(wired: Wired) -> None:
    register = wired.table["goal_position"]
    wired.bus.sync_write(register.address, {n: register.encode(2000 + n) for n in SERVOS})
    wired.bus.sync_read(SERVOS, register.address, register.size)  # so that the packet has been heard
    assert [wired.servo(n).get("goal_position") for n in SERVOS] == [2000 + n for n in SERVOS]


def test_who_is_silent_is_named_and_the_rest_is_kept(wired: Wired) -> None:
    told = wired.set_positions()
    wired.servo(3).silent = True
    replies = wired.bus.sync_read(SERVOS, *goals(wired))
    assert replies[3].data is None
    assert "servo 3 (elbow)" in str(replies[3].problem)
    assert f"asked {1 + READ_RETRIES} times" in str(replies[3].problem)
    assert {n: replies[n].data for n in SERVOS if n != 3} == {n: told[n] for n in SERVOS if n != 3}


def test_reading_who_is_silent_raises_and_is_no_number(wired: Wired) -> None:
    wired.servo(3).silent = True
    with pytest.raises(NoAnswerError, match=r"servo 3 \(elbow\).*does not answer.*cable and power") as caught:
        wired.bus.read(3, *goals(wired))
    assert caught.value.servo == 3
    with pytest.raises(NoAnswerError, match="servo 3"):
        wired.bus.ping(3)


def test_an_alarm_does_not_spoil_the_data(wired: Wired) -> None:
    told = wired.set_positions()
    wired.servo(4).fail(OVERLOAD)
    replies = wired.bus.sync_read(SERVOS, *goals(wired))
    assert [n for n in SERVOS if replies[n].alert] == [4]
    assert replies[4].data == told[4]
    assert wired.bus.read(4, *goals(wired)) == told[4]
    assert wired.bus.ping(4).alert
    assert wired.bus.read(4, *wired.where("hardware_error")) == bytes((OVERLOAD,))


def test_a_write_that_is_not_taken_names_the_servo(wired: Wired) -> None:
    wired.servo(3).put("torque_enable", 1)  # and the lock of an STS is on from the start
    register = wired.table["homing_offset"]
    with pytest.raises(ServoError, match=r"servo 3 \(elbow\).*(cannot be accessed|holds 00 00)"):
        wired.bus.write(3, register.address, register.encode(7))
    assert wired.servo(3).get("homing_offset") == 0


@pytest.mark.parametrize("kind", WireFault)
def test_one_fault_of_any_kind_is_read_over(wired: Wired, kind: WireFault) -> None:
    told = wired.set_positions()
    for order in (Order(kind, servo=3), Order(kind), Order(kind, servo=6)):
        wired.faults.order(order)
        replies = wired.bus.sync_read(SERVOS, *goals(wired))
        assert {n: reply.data for n, reply in replies.items()} == told
        wired.faults.mend()


@pytest.mark.parametrize("kind", WireFault)
def test_a_fault_that_stays_costs_one_servo_and_invents_nothing(wired: Wired, kind: WireFault) -> None:
    told = wired.set_positions()
    wired.faults.order(Order(kind, FOR_EVER, servo=7, delay_s=0.3))
    replies = wired.bus.sync_read(SERVOS, *goals(wired))
    assert {n: replies[n].data for n in SERVOS if n != 7} == {n: told[n] for n in SERVOS if n != 7}
    assert replies[7].data in (None, told[7])
    assert (replies[7].data is None) == ("servo 7" in str(replies[7].problem))


@pytest.mark.parametrize("kind", [WireFault.LOST, WireFault.CORRUPTED, WireFault.SILENT])
def test_a_write_whose_answer_is_lost_is_checked_and_not_sent_again(wired: Wired, kind: WireFault) -> None:
    register = wired.table["profile_velocity"]
    wired.faults.order(Order(kind))
    wired.bus.write(2, register.address, register.encode(33))
    assert wired.servo(2).get("profile_velocity") == 33
    assert writes_told(wired) == 1


def test_a_write_that_nobody_hears_is_not_sent_again(wired: Wired) -> None:
    wired.servo(2).silent = True
    register = wired.table["goal_position"]
    with pytest.raises(NoAnswerError, match=r"servo 2 .*whether it was taken is not known"):
        wired.bus.write(2, register.address, register.encode(33))
    assert writes_told(wired) == 1


@pytest.mark.parametrize("kind", [WireFault.DELAYED, WireFault.REPEATED])
def test_an_answer_to_another_question_is_not_taken_for_this_ones(wired: Wired, kind: WireFault) -> None:
    goal, speed = wired.table["goal_position"], wired.table["profile_velocity"]
    wired.set_positions()
    wired.servo(5).put("profile_velocity", 77)
    wired.faults.order(Order(kind, servo=5, delay_s=0.06))
    wired.bus.sync_read(SERVOS, goal.address, goal.size)
    assert wired.bus.read(5, speed.address, speed.size) == speed.encode(77)


def test_a_reboot_forgets_what_is_not_stored_or_is_said_to_be_impossible(wired: Wired) -> None:
    wired.servo(3).put("profile_velocity", 9)
    if wired.table.model == STS3215:
        with pytest.raises(ServoError, match=r"servo 3 .*switch its power off and on"):
            wired.bus.reboot(3)
        return
    wired.bus.reboot(3)
    assert wired.servo(3).get("profile_velocity") == 0


def test_senseless_questions_are_refused_before_anything_is_sent(wired: Wired) -> None:
    with pytest.raises(BadInputError, match="servo 253"):
        wired.bus.read(253, 0, 2)
    with pytest.raises(BadInputError, match="named twice"):
        wired.bus.sync_read([1, 2, 1], 0, 2)
    with pytest.raises(BadInputError, match="not one size"):
        wired.bus.sync_write(42, {1: b"\x00", 2: b"\x00\x00"})
    assert not wired.servos.told


def test_nobody_is_asked_for_nothing(wired: Wired) -> None:
    assert wired.bus.sync_read([], 0, 2) == {}
    assert not wired.servos.told


@pytest.mark.parametrize("wired", [name for name in BUSES if "terminal" in name], indirect=True)
def test_a_hang_up_is_told_with_the_port_each_time(wired: Wired) -> None:
    assert wired.terminal is not None
    name = wired.terminal.path
    wired.terminal.close()
    for _ in range(3):
        with pytest.raises(BusError, match=rf"port '{name}' .*unplugged or has hung up.*connect anew"):
            wired.bus.sync_read(SERVOS, 0, 2)
        with pytest.raises(BusError, match="hung up"):
            wired.bus.sync_write(42, {1: b"\x00\x00"})
