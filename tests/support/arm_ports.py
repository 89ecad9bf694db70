"""An emulated arm behind a pseudo-terminal, and every byte that a program sent it; its servos' motors have no world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hardware import dynamixel
from hardware.arm_file import load_arm
from hardware.arm_parts import JointParts, ServoPart
from hardware.emulated_bus import Answer, EmulatedBus
from hardware.emulated_servo import EmulatedServo
from hardware.motor import IdleMotor, Motor
from hardware.packets import Instruction
from hardware.pseudo_terminal import PseudoTerminal
from hardware.wire_faults import WireFaults
from robot.clock import WallClock
from robot.frames import Array
from steadyhand.emulated_arm import horn_rad, servos_of


@dataclass
class ArmPort:
    """The arm's end of the wire.

    Attributes:
        path: Its port.
        sent: What the program wrote, as it came.
        motors: What the servos turn, by their numbers.
    """

    path: str
    bus: EmulatedBus
    faults: WireFaults
    sent: list[bytes] = field(default_factory=list)
    motors: dict[int, IdleMotor] = field(default_factory=dict)

    def servo(self, number: int) -> EmulatedServo:
        return next(servo for servo in self.bus.servos if servo.number == number)

    def settings(self, folder: Path, more: str = "") -> Path:
        """A settings file that names the port."""
        file = folder / "steadyhand.toml"
        file.write_text(f'[arm]\nport = "{self.path}"\n{more}')
        return file

    def told(self) -> list[Instruction]:
        """Every instruction that was sent; each byte belongs to one."""
        told, rest = dynamixel.instructions(b"".join(self.sent))
        assert rest == b""
        return told

    def memory(self) -> list[bytes]:
        """What every servo holds, in all its registers that a program can write."""
        return [
            b"".join(
                register.encode(servo.get(register.name))
                for register in servo.table.registers.values()
                if register.writable
            )
            for servo in self.bus.servos
        ]


@contextmanager
def arm_port(q_rad: Array, name: str = "viperx-300s") -> Iterator[ArmPort]:
    """An arm at rest at angles (n,), its gripper closed."""
    parts, clock, faults = load_arm(name), WallClock(), WireFaults()
    angles = dict(zip((joint.name for joint in parts.joints), q_rad, strict=True))

    motors = dict[int, IdleMotor]()

    def motor_of(joint: JointParts, part: ServoPart) -> Motor:
        angle = float(angles.get(joint.name, parts.gripping.angle_rad(0.0)))
        motors[part.servo] = IdleMotor(horn_rad(joint, part, angle))
        return motors[part.servo]

    port = ArmPort("", EmulatedBus(servos_of(parts, motor_of), clock), faults, motors=motors)

    def answers(data: bytes) -> Iterable[Answer]:
        port.sent.append(data)
        return faults.spoil(port.bus.answers(data))

    with PseudoTerminal(answers) as terminal:
        port.path = terminal.path
        yield port
