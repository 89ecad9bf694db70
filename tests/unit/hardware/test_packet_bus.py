"""What the buses say and count, and what is peculiar to one protocol."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from hardware.bus import READ_RETRIES, NoAnswerError, ServoError
from hardware.dynamixel import encode_status
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import Answer
from hardware.feetech_bus import FeetechBus
from hardware.packet_bus import PacketBus
from hardware.tables import STS3215, XM430
from hardware.wire import Wire
from hardware.wire_faults import FOR_EVER, Order, WireFault
from robot.clock import ManualClock
from robot.errors import LimitError
from support.wires import SERVOS, MemoryWire, Wired, emulated, in_memory, on_terminal

GOAL, SPEED = "goal_position", "profile_velocity"


def told(wired: Wired, kind: WireFault) -> str:
    wired.faults.order(Order(kind, FOR_EVER, servo=3))
    return str(wired.bus.sync_read(SERVOS, *wired.where(GOAL))[3].problem)


@pytest.mark.parametrize("model", [XM430, STS3215])
def test_silence_and_damage_are_told_apart(model: int) -> None:
    with in_memory(model) as wired:
        assert "does not answer a sync read" in told(wired, WireFault.SILENT)
    with in_memory(model) as wired:
        assert "answers only damaged bytes to a sync read" in told(wired, WireFault.CORRUPTED)


def test_an_answer_behind_the_front_of_a_longer_one_is_found_when_time_is_up() -> None:
    front, refusal = bytes.fromhex("ff ff fd 00 05 12 00"), encode_status(2, 7)
    bus = DynamixelBus(MemoryWire(lambda _: [Answer(2, front + refusal)], ManualClock()))
    with pytest.raises(ServoError, match=r"servo 2 .*refuses a read of register 100: .*cannot be accessed"):
        bus.read(2, 100, 10)


@pytest.mark.parametrize("model", [XM430, STS3215])
def test_the_late_answer_to_one_write_does_not_confirm_the_next(model: int) -> None:
    with in_memory(model) as wired:
        speed = wired.table[SPEED]
        wired.faults.order(Order(WireFault.DELAYED, delay_s=0.05))
        wired.bus.write(2, speed.address, speed.encode(5))
        wired.servo(2).silent = True
        with pytest.raises(NoAnswerError, match=r"servo 2 .*a write of 06 00"):
            wired.bus.write(2, speed.address, speed.encode(6))


@pytest.mark.parametrize("model", [XM430, STS3215])
def test_the_second_answer_to_one_write_does_not_confirm_the_next(model: int) -> None:
    with in_memory(model) as wired:
        speed = wired.table[SPEED]
        wired.faults.order(Order(WireFault.REPEATED))
        wired.bus.write(2, speed.address, speed.encode(5))
        wired.servo(2).silent = True
        with pytest.raises(NoAnswerError, match=r"servo 2 .*a write of 06 00"):
            wired.bus.write(2, speed.address, speed.encode(6))


@pytest.mark.parametrize("model", [XM430, STS3215])
def test_an_answer_that_comes_much_later_is_not_taken_for_one_to_another_question(model: int) -> None:
    with in_memory(model) as wired:
        wired.set_positions()
        goal, speed = wired.table[GOAL], wired.table[SPEED]
        wired.servo(5).put(SPEED, 77)
        wired.faults.order(Order(WireFault.DELAYED, servo=5, delay_s=0.08))
        wired.bus.sync_read(SERVOS, goal.address, goal.size)
        wired.bus.ping(5)
        for _ in range(200):
            assert wired.bus.read(5, speed.address, speed.size) == speed.encode(77)


def test_an_answer_that_lies_there_is_not_taken_for_a_new_one() -> None:
    with in_memory() as wired:
        goal = wired.table[GOAL]
        wired.set_positions()
        wired.faults.order(Order(WireFault.REPEATED))
        wired.bus.read(2, goal.address, goal.size)
        wired.clock.sleep_until(wired.clock.now_s() + 0.01)
        wired.servo(2).put(GOAL, 5)
        assert wired.bus.read(2, goal.address, goal.size) == goal.encode(5)


def test_an_answer_that_comes_a_little_late_is_not_taken_for_a_new_one() -> None:
    with in_memory() as wired:
        goal = wired.table[GOAL]
        wired.faults.order(Order(WireFault.DELAYED, READ_RETRIES + 1, servo=2, delay_s=0.0215))
        with pytest.raises(NoAnswerError):
            wired.bus.read(2, goal.address, goal.size)
        wired.servo(2).put(GOAL, 5)
        assert wired.bus.read(2, goal.address, goal.size) == goal.encode(5)


def test_the_same_question_again_waits_for_no_silence() -> None:
    with in_memory() as wired:
        where = wired.where(GOAL)
        wired.bus.sync_read(SERVOS, *where)
        begun_s = wired.clock.now_s()
        wired.bus.sync_read(SERVOS, *where)
        assert wired.clock.now_s() - begun_s == pytest.approx((21 + 7 * 15) * 1e-5)


@pytest.mark.parametrize("kind", [DynamixelBus, FeetechBus])
def test_a_line_that_is_never_quiet_ends_too(kind: Callable[[Wire], PacketBus]) -> None:
    clock = ManualClock()
    bus = kind(MemoryWire(lambda _: [Answer(1, b"\xff" * 20_000)], clock))
    with pytest.raises(ServoError, match="servo 2 "):
        bus.read(2, 100, 4)
    assert clock.now_s() < 2


def test_a_fast_read_asks_once_for_all_and_the_usual_way_for_what_is_missing() -> None:
    with in_memory(fast=True) as wired:
        told = wired.set_positions()
        where = wired.where(GOAL)
        replies = wired.bus.sync_read(SERVOS, *where)
        assert {n: reply.data for n, reply in replies.items()} == told
        wired.servo(4).silent = True
        replies = wired.bus.sync_read(SERVOS, *where)
        assert {n: replies[n].data for n in SERVOS if n != 4} == {n: told[n] for n in SERVOS if n != 4}
        assert [it.code for it in wired.servos.told] == [0x8A, 0x8A, 0x82, 0x82]


@pytest.mark.parametrize("address", [39, 40])
def test_making_here_the_middle_is_refused_before_it_is_sent(address: int) -> None:
    with in_memory(STS3215) as wired:
        data = bytes(40 - address) + bytes((128,))
        with pytest.raises(
            LimitError, match=r"128 into torque enable .*nothing was sent; allowed are 0 and 1"
        ):
            wired.bus.write(1, address, data)
        with pytest.raises(LimitError, match="nothing was sent"):
            wired.bus.sync_write(address, {1: bytes(len(data)), 2: data})
        assert not wired.servos.told
        wired.bus.write(1, 40, b"\x01")
        wired.bus.write(1, 41, bytes((128,)))  # an acceleration
        assert [wired.servo(1).get(name) for name in ("torque_enable", "profile_acceleration")] == [1, 128]


def test_a_refusal_tells_what_the_number_means() -> None:
    with in_memory() as wired:
        wired.servo(1).put("bus_watchdog", -1)
        goal = wired.table[GOAL]
        with pytest.raises(
            ServoError, match=r"servo 1 .*refuses a write.*watchdog has tripped \(write 0 to it\)"
        ):
            wired.bus.write(1, goal.address, goal.encode(5))
        with pytest.raises(ServoError, match=r"servo 1 .*refuses a read of register 660.*cannot be accessed"):
            wired.bus.read(1, 660, 4)
        replies = wired.bus.sync_read([1, 2], 660, 4)
        assert replies[1].data is None
        assert "refuses to be read at register 660" in str(replies[1].problem)


def test_threads_take_turns_on_one_bus() -> None:
    with on_terminal() as wired:
        told, wrong = wired.set_positions(), []
        where = wired.where(GOAL)

        def read(servo: int) -> None:
            wrong.extend(1 for _ in range(20) if wired.bus.read(servo, *where) != told[servo])

        threads = [threading.Thread(target=read, args=(servo,)) for servo in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_servos_answer_byte_by_byte_in_time() -> None:
    clock = ManualClock()
    servos = emulated(XM430, clock)
    wire = MemoryWire(lambda data: (Answer(0, bytes((b,)), 1e-4) for b in servos.answer(data)), clock)
    assert DynamixelBus(wire).ping(1).model == XM430
