"""Other people's programs, as they are, against our emulation, and our bus against other people's emulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dynamixel_sdk as sdk
import pytest
import rustypot
from feetech_cli.registers import CONTROL_TABLE
from feetech_cli.simulator import SimulatedBus, SimulatedServo

from hardware.bus import NoAnswerError, ServoError
from hardware.emulated_bus import Answer, EmulatedBus
from hardware.feetech_bus import FeetechBus
from hardware.pseudo_terminal import PseudoTerminal
from hardware.tables import CENTRE, STS3215, XL330, XL430, XM430, table_of
from hardware.transport import Port
from robot.clock import WallClock
from support.wires import SERVOS, emulated

ALERT, ACCESS, DATA_RANGE, OVERLOAD = 0x80, 7, 4, 0x20
PATIENCE_S = 1.0  # a loaded machine answers late
GOAL, PRESENT, TORQUE, WATCHDOG = 116, 132, 64, 98
IDS = list(SERVOS)


@contextmanager
def terminal(model: int) -> Iterator[tuple[PseudoTerminal, EmulatedBus]]:
    servos = emulated(model, WallClock())
    with PseudoTerminal(servos.answers) as it:
        yield it, servos


@pytest.fixture
def official() -> Iterator[tuple[sdk.PortHandler, sdk.Protocol2PacketHandler, EmulatedBus]]:
    """The maker's SDK at a bus of seven XM430."""
    with terminal(XM430) as (it, servos):
        port = sdk.PortHandler(it.path)
        assert port.setBaudRate(1_000_000)
        yield port, sdk.PacketHandler(2.0), servos
        port.closePort()


@pytest.fixture
def rusty() -> Iterator[tuple[rustypot.Xl330PyController, EmulatedBus]]:
    """Rustypot at a bus of seven XL330."""
    with terminal(XL330) as (it, servos):
        controller = rustypot.Xl330PyController(it.path, 1_000_000, PATIENCE_S)
        yield controller, servos
        controller.close()


@pytest.fixture
def rusty_sts() -> Iterator[tuple[rustypot.Sts3215PyController, EmulatedBus]]:
    """Rustypot at a bus of seven STS3215."""
    with terminal(STS3215) as (it, servos):
        controller = rustypot.Sts3215PyController(it.path, 1_000_000, PATIENCE_S)
        yield controller, servos
        controller.close()


Official = tuple[sdk.PortHandler, sdk.Protocol2PacketHandler, EmulatedBus]
Rusty = tuple[rustypot.Xl330PyController, EmulatedBus]
RustySts = tuple[rustypot.Sts3215PyController, EmulatedBus]


def patiently(ask: Callable[[], Any]) -> Any:
    """Ask the maker's SDK again where it gave up: after 34 ms by the wall's clock, which a busy machine may need."""
    for _ in range(20):
        answer = ask()
        if not {sdk.COMM_RX_TIMEOUT, sdk.COMM_RX_CORRUPT} & {
            *(answer if isinstance(answer, tuple) else [answer])
        }:
            break
    return answer


def test_the_makers_sdk_pings_and_finds_all(official: Official) -> None:
    port, handler, _ = official
    assert patiently(lambda: handler.ping(port, 3)) == (XM430, sdk.COMM_SUCCESS, 0)
    assert handler.ping(port, 99)[1] == sdk.COMM_RX_TIMEOUT
    found, result = handler.broadcastPing(port)
    assert result == sdk.COMM_SUCCESS
    assert found == {n: [XM430, 46] for n in SERVOS}


def test_the_makers_sdk_reads_writes_and_reboots(official: Official) -> None:
    port, handler, servos = official
    assert patiently(lambda: handler.write4ByteTxRx(port, 2, GOAL, 1234)) == (sdk.COMM_SUCCESS, 0)
    assert patiently(lambda: handler.read4ByteTxRx(port, 2, GOAL)) == (1234, sdk.COMM_SUCCESS, 0)
    assert servos.servos[1].get("goal_position") == 1234
    servos.servos[1].boot_s = 0.0  # so that it can be asked again
    assert patiently(lambda: handler.reboot(port, 2)) == (sdk.COMM_SUCCESS, 0)
    assert servos.servos[1].get("goal_position") == CENTRE


def test_the_makers_sdk_reads_and_writes_many_at_once(official: Official) -> None:
    port, handler, servos = official
    writer = sdk.GroupSyncWrite(port, handler, GOAL, 4)
    for n in SERVOS:
        assert writer.addParam(n, list((1000 + n).to_bytes(4, "little")))
    assert writer.txPacket() == sdk.COMM_SUCCESS
    for read in ("txRxPacket", "fastSyncRead"):
        reader = sdk.GroupSyncRead(port, handler, GOAL, 4)
        assert all(reader.addParam(n) for n in SERVOS)
        assert patiently(getattr(reader, read)) == sdk.COMM_SUCCESS
        assert [reader.getData(n, GOAL, 4) for n in SERVOS] == [1000 + n for n in SERVOS]
    assert [servo.get("goal_position") for servo in servos.servos] == [1000 + n for n in SERVOS]


def test_the_makers_sdk_reads_different_registers_at_once(official: Official) -> None:
    port, handler, _ = official
    reader = sdk.GroupBulkRead(port, handler)
    assert reader.addParam(1, 144, 2)
    assert reader.addParam(2, 146, 1)
    assert patiently(reader.txRxPacket) == sdk.COMM_SUCCESS
    assert (reader.getData(1, 144, 2), reader.getData(2, 146, 1)) == (120, 35)


def test_the_makers_sdk_is_told_refusals_and_alarms(official: Official) -> None:
    port, handler, servos = official
    assert patiently(lambda: handler.write1ByteTxRx(port, 1, TORQUE, 1)) == (sdk.COMM_SUCCESS, 0)
    assert patiently(lambda: handler.write1ByteTxRx(port, 1, 11, 5)) == (sdk.COMM_SUCCESS, ACCESS)
    servos.servos[0].put("bus_watchdog", -1)
    assert patiently(lambda: handler.write4ByteTxRx(port, 1, GOAL, 5)) == (sdk.COMM_SUCCESS, DATA_RANGE)
    servos.servos[3].fail(OVERLOAD)
    assert patiently(lambda: handler.read4ByteTxRx(port, 4, PRESENT)) == (CENTRE, sdk.COMM_SUCCESS, ALERT)


def test_rustypot_pings_reads_writes_and_reboots(rusty: Rusty) -> None:
    controller, servos = rusty
    assert controller.ping(3) is True
    controller.write_register(2, "goal_position", 1234)
    assert controller.read_register(2, "goal_position") == 1234
    assert controller.reboot(2) is True
    assert servos.servos[1].get("goal_position") == CENTRE


def test_rustypot_reads_and_writes_many_at_once(rusty: Rusty) -> None:
    controller, servos = rusty
    controller.sync_write_register(IDS, "goal_position", [1000 + n for n in SERVOS])
    for fast in (False, True):
        controller.set_fast_sync_read(fast)
        assert controller.sync_read_register(IDS, "goal_position") == [1000 + n for n in SERVOS]
    assert [servo.get("goal_position") for servo in servos.servos] == [1000 + n for n in SERVOS]


def test_rustypot_is_told_refusals_alarms_and_silence(rusty: Rusty) -> None:
    controller, servos = rusty
    controller.write_register(1, "torque_enable", 1)
    assert controller.write_register_with_error(1, "operating_mode", 5) == ACCESS
    servos.servos[3].fail(OVERLOAD)
    assert controller.read_register_with_error(4, "present_position") == (CENTRE, ALERT)
    assert controller.sync_read_register_with_error([3, 4], "present_position") == [
        (CENTRE, 0),
        (CENTRE, ALERT),
    ]
    servos.servos[5].silent = True
    controller.set_timeout(0.05)
    assert controller.ping(6) is False
    with pytest.raises(RuntimeError):
        controller.read_register(6, "present_position")


def test_rustypot_finds_feetech_servos_reads_and_writes_them(rusty_sts: RustySts) -> None:
    controller, servos = rusty_sts
    assert controller.ping(3) is True
    controller.sync_write_raw_goal_position(IDS, [1000 + n for n in SERVOS])
    assert list(controller.sync_read_raw_present_position(IDS)) == [1000 + n for n in SERVOS]
    servos.servos[4].fail(OVERLOAD)
    assert controller.read_register_with_error(5, "goal_position") == (1005, OVERLOAD)


@pytest.mark.parametrize(
    ("model", "theirs"),
    [
        (XL430, rustypot.Xl430PyController),
        (XL330, rustypot.Xl330PyController),
        (STS3215, rustypot.Sts3215PyController),
    ],
)
def test_rustypots_control_tables_have_our_registers_where_ours_have_them(model: int, theirs: type) -> None:
    sizes = {register.addr: register.size for register in theirs.registers()}
    for register in table_of(model).registers.values():
        if (model, register.name) != (STS3215, "firmware"):  # two registers of theirs
            assert sizes.get(register.address) == register.size, register.name


def test_feetech_clis_control_table_agrees_with_ours() -> None:
    theirs = {register.address: register for register in CONTROL_TABLE.values()}
    for register in table_of(STS3215).registers.values():
        if register.name != "firmware":
            other = theirs[register.address]
            ours = (register.size, register.sign, register.writable)
            assert ours == (other.size, other.sign_bit, other.writable), register.name


class FeetechSimulator:
    """Feetech-cli's simulated servos behind a pseudo-terminal."""

    def __init__(self, *, echo: bool) -> None:
        self.servos = [SimulatedServo(n) for n in SERVOS]
        self._bus = SimulatedBus(self.servos, echo=echo)
        self._heard = b""

    def answers(self, data: bytes) -> Iterator[Answer]:
        """It takes one packet at a time, and a terminal may hand over two that were sent one after the other."""
        self._heard += data
        while len(self._heard) > 3 and len(self._heard) >= 4 + self._heard[3]:
            end = 4 + self._heard[3]
            packet, self._heard = self._heard[:end], self._heard[end:]
            self._bus.write(packet)
            yield Answer(0, self._bus.read(4096))


@pytest.fixture(params=[False, True], ids=["plain adapter", "adapter that echoes"])
def simulator(request: pytest.FixtureRequest) -> Iterator[tuple[FeetechBus, FeetechSimulator]]:
    it = FeetechSimulator(echo=request.param)
    with PseudoTerminal(it.answers) as terminal, Port(terminal.path) as port:
        yield FeetechBus(port, patience_s=0.1), it


def test_our_bus_knows_feetech_clis_servos(simulator: tuple[FeetechBus, FeetechSimulator]) -> None:
    bus, _ = simulator
    assert [bus.ping(n).model for n in SERVOS] == [STS3215] * 7
    with pytest.raises(NoAnswerError, match="servo 99 "):
        bus.ping(99)


def test_our_bus_moves_feetech_clis_servos(simulator: tuple[FeetechBus, FeetechSimulator]) -> None:
    bus, it = simulator
    table = table_of(STS3215)
    goal, present = table["goal_position"], table["present_position"]
    bus.sync_write(goal.address, {n: goal.encode(1000 + n) for n in SERVOS})
    replies = bus.sync_read(SERVOS, present.address, present.size)
    assert [present.decode(replies[n].data or b"") for n in SERVOS] == [1000 + n for n in SERVOS]
    bus.write(2, goal.address, goal.encode(500))
    assert it.servos[1].get("present_position") == 500


def test_our_bus_sees_a_locked_store_an_offset_an_alarm_and_a_missing_servo(
    simulator: tuple[FeetechBus, FeetechSimulator],
) -> None:
    bus, it = simulator
    table = table_of(STS3215)
    offset, present = table["homing_offset"], table["present_position"]
    with pytest.raises(ServoError, match=r"servo 1 .*holds 00 00"):
        bus.write(1, offset.address, offset.encode(-100))
    bus.write(1, table["lock"].address, b"\x00")
    bus.write(1, offset.address, offset.encode(-100))
    assert present.decode(bus.read(1, present.address, present.size)) == CENTRE + 100
    it.servos[2].error = OVERLOAD
    replies = bus.sync_read([1, 3, 42], present.address, present.size)
    assert [replies[n].alert for n in (1, 3, 42)] == [False, True, False]
    assert present.decode(replies[3].data or b"") == CENTRE
    assert replies[42].data is None
    assert "servo 42 " in str(replies[42].problem)
