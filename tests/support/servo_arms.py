"""Servo arms on emulated buses, for tests: motors without a world on a wire in memory, whose time costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts, JointParts, ServoPart
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import EmulatedBus
from hardware.emulated_servo import EmulatedServo
from hardware.feetech_bus import FeetechBus
from hardware.motor import IdleMotor, Motor
from hardware.packets import Instruction
from hardware.servo_arm import ServoArm
from hardware.wire_faults import WireFaults
from robot.clock import ManualClock
from robot.fakes import FakeForce
from robot.frames import Array
from robot.limits import ArmLimits
from robot.vernier import Vernier
from steadyhand.emulated_arm import horn_rad, servos_of
from support import bench
from support.wires import MemoryWire

WRITES = {3, 4, 5, 0x83, 0x93}  # write, reg write, action, sync write, bulk write


class TickingClock:
    """Time passes in steps, in which the servos go on."""

    def __init__(self, clock: ManualClock, bus: EmulatedBus) -> None:
        self._clock, self._bus = clock, bus

    def now_s(self) -> float:
        return self._clock.now_s()

    def sleep_until(self, t_s: float) -> None:
        self._clock.sleep_until(t_s)
        self._bus.tick(self.now_s())


class AttendedClock:
    """Time passes in steps, in which the servos go on, and the arm is attended as by the program."""

    def __init__(self, clock: ManualClock, bus: EmulatedBus, arm: ServoArm) -> None:
        self._clock, self._bus, self._arm = clock, bus, arm

    def now_s(self) -> float:
        return self._clock.now_s()

    def sleep_until(self, t_s: float) -> None:
        while self.now_s() < t_s:
            self._clock.sleep_until(min(t_s, self.now_s() + 0.02))
            self._bus.tick(self.now_s())
            self._arm.attend()


@dataclass
class Emulated:
    """Both ends of an arm's wire; `force_n[0]` pushes its fingertip."""

    arm: ServoArm
    parts: ArmParts
    bus: EmulatedBus
    faults: WireFaults
    wire: MemoryWire
    clock: ManualClock
    attended: AttendedClock
    motors: dict[int, IdleMotor]
    force_n: list[float] = field(default_factory=lambda: [0.0])

    def servo(self, number: int) -> EmulatedServo:
        return next(servo for servo in self.bus.servos if servo.number == number)

    def wait(self, seconds: float) -> None:
        """Let time pass, attended as by the program."""
        self.attended.sleep_until(self.clock.now_s() + seconds)

    def writes(self) -> list[Instruction]:
        """Every write since `forget`."""
        return [told for told in self.bus.told if told.code in WRITES]

    def forget(self) -> None:
        self.bus.told.clear()


@contextmanager
def emulated(
    q_rad: Array,
    name: str = "viperx-300s",
    limits: ArmLimits | None = None,
    *,
    vernier: Vernier | None = None,
    sinks_rad_s: float = 0.0,
    make: Callable[[JointParts, ServoPart, float], IdleMotor] | None = None,
) -> Iterator[Emulated]:
    """An arm at rest at angles (n,), its gripper closed, found by nobody yet."""
    clock, faults, force_n = ManualClock(100.0), WireFaults(), [0.0]
    parts, motors = load_arm(name), dict[int, IdleMotor]()
    angles = dict(zip((joint.name for joint in parts.joints), q_rad, strict=True))

    def motor_of(joint: JointParts, part: ServoPart) -> Motor:
        closed = parts.gripping.angle_rad(0.0)
        angle = float(angles.get(joint.name, closed))
        idle = IdleMotor(horn_rad(joint, part, angle))
        motors[part.servo] = make(joint, part, angle) if make else idle
        return motors[part.servo]

    bus = EmulatedBus(servos_of(parts, motor_of), clock)
    for servo in bus.servos:
        servo.voltage_v = (parts.least_volts + parts.most_volts) / 2
    wire = MemoryWire(lambda data: faults.spoil(bus.answers(data)), clock)
    force = FakeForce(lambda: force_n[0], clock, noise_n=0.0, delay_s=0.0)
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    driver = DynamixelBus(wire, names) if parts.protocol == "dynamixel" else FeetechBus(wire, names)
    own = TickingClock(clock, bus) if sinks_rad_s else clock  # it waits by itself only while it sinks
    arm = ServoArm(driver, parts, limits or bench.body().limits, own, force, vernier, sinks_rad_s)
    yield Emulated(arm, parts, bus, faults, wire, clock, AttendedClock(clock, bus, arm), motors, force_n)
