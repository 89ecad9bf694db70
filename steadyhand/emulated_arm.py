"""A simulated arm at the end of a wire: its servos as a real arm has them. Joins `hardware` and `sim`."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hardware.arm_parts import ArmParts, JointParts, ServoPart
from hardware.emulated_bus import Answer, EmulatedBus, emulated_servo
from hardware.emulated_servo import EmulatedServo
from hardware.motor import Motor
from hardware.pseudo_terminal import PseudoTerminal
from hardware.servo_arm import ATTEND_S
from hardware.tables import CENTRE, TICKS, table_of
from hardware.transport import Port
from hardware.wire_faults import WireFaults
from robot.arm_models import ARM_MODELS
from robot.errors import BadInputError
from robot.linkage import Linkage
from sim.arm_model import joints_of
from sim.joints import ArmErrors
from sim.motors import ArmMotors, SimMotor
from sim.world import World

_ARRIVAL_S = (
    5.0  # real time; mostly a fraction of a millisecond, but a busy machine may let this program wait
)
_TICK_RAD = math.tau / TICKS
_ROUNDING_S = 1e-9
_NO_SHADOW = 255
_BAUDS = {57_600: 1, 1_000_000: 3}


def horn_rad(joint: JointParts, part: ServoPart, angle_rad: float) -> float:
    """The angle of a servo's horn, counter-clockwise from its middle, at an angle of the joint that it turns."""
    counted_rad = (joint.ticks(angle_rad) - CENTRE) * _TICK_RAD
    return -counted_rad if part.reverse else counted_rad


class Horn:
    """Implements `Motor`: a servo's horn, turned by the simulated joint that it sits on."""

    def __init__(self, motor: SimMotor, joint: JointParts, part: ServoPart) -> None:
        self._motor, self._joint, self._part = motor, joint, part
        self._sense = -joint.sign if part.reverse else joint.sign
        self._zero_rad = horn_rad(joint, part, 0.0)

    def position_rad(self) -> float:
        """Where the horn is."""
        return horn_rad(self._joint, self._part, self._motor.position_rad())

    def velocity_rad_s(self) -> float:
        """How fast it turns."""
        return self._sense * self._motor.velocity_rad_s()

    def torque_nm(self) -> float:
        """What the servo exerts on it."""
        return self._sense * self._motor.torque_nm()

    def drive(self, goal_rad: float | None, velocity_rad_s: float, torque_limit_nm: float | None) -> None:
        """Turn the joint."""
        goal = None if goal_rad is None else self._sense * (goal_rad - self._zero_rad)
        self._motor.drive(goal, self._sense * velocity_rad_s, torque_limit_nm)


def servos_of(parts: ArmParts, motor_of: Callable[[JointParts, ServoPart], Motor]) -> list[EmulatedServo]:
    """An arm's servos as its maker delivers them: numbers, shadows and directions set, torque off."""
    servos = []
    for joint in parts.all_joints:
        for part in joint.servos:
            settings = {"return_delay": 0}
            if parts.protocol == "dynamixel":
                lead = joint.lead.servo
                settings |= {
                    "baud": _BAUDS.get(parts.baud, 3),
                    "drive_mode": int(part.reverse),
                    "shadow_id": _NO_SHADOW if part.servo == lead else lead,
                }
            servos.append(emulated_servo(part.model, part.servo, motor_of(joint, part), settings))
    return servos


def check_body(parts: ArmParts) -> Linkage:
    """Refuse an arm that the simulation has no body of; how its gripper works.

    Raises:
        BadInputError: No simulated arm has its joints, or its gripper.
    """
    if not isinstance(parts.gripping, Linkage) or not parts.body:
        known = ", ".join(ARM_MODELS)
        raise BadInputError(
            f"arm {parts.name}: the simulation has no body of it; choose one of {known}, or a file that says body = "
            '"NAME" with one of these, and its gripper\'s horn_mm, rod_mm and closed_mm'
        )
    return parts.gripping


class EmulatedArm:
    """The servos of the simulated arm behind a pseudo-terminal.

    Args:
        world: Where the arm is; its time is theirs.
        errors: Of the arm.
        seed: For the arm's offsets.
        parts: Which servos turn what.
        link: A name for the terminal that stays.
        baud: Bits a second that the wire carries; None for as fast as it goes.

    Attributes:
        bus: The servos; set what they measure and have them fail there.
        faults: Of the wire.

    Raises:
        BadInputError: The simulated arm has other joints.
    """

    def __init__(
        self,
        world: World,
        errors: ArmErrors,
        seed: int,
        parts: ArmParts,
        link: Path | None = None,
        baud: int | None = None,
    ) -> None:
        gripping = check_body(parts)
        stall_nm = table_of(parts.gripper.lead.model).stall_nm
        motors = ArmMotors(world, errors, seed, gripping, stall_nm)
        shafts = dict(zip(joints_of(world.model), motors.joints, strict=True)) | {
            parts.gripper.name: motors.gripper
        }

        def motor_of(joint: JointParts, part: ServoPart) -> Motor:
            return Horn(shafts[joint.name].motor(), joint, part)

        self.bus = EmulatedBus(servos_of(parts, motor_of), world)
        self.faults = WireFaults()
        self.terminal = PseudoTerminal(self._answers, link, baud)
        self._world = world
        self._heard = 0
        self._arrived = threading.Condition()
        world.watch(lambda moved: self.bus.tick(moved.now_s()))

    def _answers(self, data: bytes) -> Iterator[Answer]:
        """What comes back for bytes that arrived."""
        try:
            yield from self.faults.spoil(self.bus.answers(data))
        finally:
            with self._arrived:
                self._heard += len(data)
                self._arrived.notify_all()

    def arrived(self, sent: int) -> bool:
        """Wait until so many bytes in all have come, and have worked; where they do not, False, and count anew."""
        until_s = time.monotonic() + _ARRIVAL_S
        with self._arrived:
            arrived = self._arrived.wait_for(lambda: self._heard >= sent, until_s - time.monotonic())
            if not arrived:
                self._heard = 0
            return arrived

    def close(self) -> None:
        """Hang up; may be called twice."""
        self.terminal.close()


class CountingPort(Port):
    """A serial port that knows how many bytes went out.

    Attributes:
        sent: Bytes written since it was made.
    """

    sent = 0

    def write(self, data: bytes) -> None:
        """Hand all bytes over; see `Port`."""
        super().write(data)
        self.sent += len(data)


class WireClock:
    """The world's time for a program at the other end of its wire. Implements `Clock`.

    Bytes cross a wire in no time of the world: before it moves on, all that was written has arrived and has worked. So
    a simulated game over the wire is the same each time.

    Args:
        world: Whose time it is.
        far: The wire's end in the world.
        near: The program's.

    Attributes:
        attend: Called all the while, as often as a watchdog asks for.
    """

    def __init__(self, world: World, far: EmulatedArm, near: CountingPort) -> None:
        self._world, self._far, self._near = world, far, near
        self.attend: Callable[[], None] = lambda: None
        self._attended_s = world.now_s()

    def now_s(self) -> float:
        """Time of the world."""
        return self._world.now_s()

    def sleep_until(self, t_s: float) -> None:
        """Let the world go on until `t_s`."""
        while True:
            if not self._far.arrived(self._near.sent):
                self._near.sent = 0  # it has hung up, and counting begins anew
            self._world.sleep_until(min(t_s, self._attended_s + ATTEND_S))
            if self._world.now_s() >= self._attended_s + ATTEND_S - _ROUNDING_S:
                self._attended_s = self._world.now_s()
                self.attend()
            if self._world.now_s() >= t_s - _ROUNDING_S:
                return
