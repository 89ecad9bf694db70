"""What an arm's servos measure: every joint's newest angle with its age, and alarms as soon as one is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hardware.arm_parts import ArmParts, JointParts
from hardware.bus import ServoError
from hardware.servos import Read, Servos
from robot.errors import DeviceError
from robot.ports import Clock

_FRESH_S = 0.004  # asked for again sooner, the last answer still holds
_MOST_MISSED = 2  # cycles in a row without an answer of one servo
_HEALTH_S = 1.0
_MOTION = ("present_position", "present_velocity")
_HEALTH = ("voltage", "temperature")
# Bits of the alarm register: Dynamixel X, then Feetech STS
ALARMS = {
    "dynamixel": {0: "input voltage", 2: "overheating", 3: "encoder", 4: "electric shock", 5: "overload"},
    "feetech": {0: "input voltage", 1: "sensor", 2: "overheating", 3: "current", 4: "angle", 5: "overload"},
}
_REMEDIES = {
    "input voltage": "check the supply and its plugs",
    "overheating": "let it cool down, and lower its ceiling in the arm's file",
    "overload": "support the arm, see what it pushes against, then `steadyhand arm reboot`",
}


@dataclass(frozen=True)
class Sensed:
    """What one servo said last: its position in ticks, its speed in counts, and when."""

    ticks: int
    speed: int
    t_s: float


class Senses:
    """Reads all servos at once, shadows too; one that does not answer keeps its last value, which ages, for one cycle.

    Args:
        servos: Of the arm.
        parts: What they turn.
        clock: Tells the age of what was read.
        still: Makes the arm stand still; called before a fault is told.
    """

    def __init__(self, servos: Servos, parts: ArmParts, clock: Clock, still: Callable[[], None]) -> None:
        self._servos, self._parts, self._clock, self._still = servos, parts, clock, still
        self._leads = [joint.lead.servo for joint in parts.all_joints]
        self._newest: dict[int, Sensed] = {}
        self._missed = dict.fromkeys(parts.servos, 0)
        self._asked_s = self._healthy_s = -float("inf")

    @property
    def newest(self) -> Sequence[Sensed]:
        """The last that was read of every joint and the gripper, in their order."""
        return [self._newest[servo] for servo in self._leads]

    def of(self, servo: int) -> Sensed:
        """The last that was read of one servo, a shadow too."""
        return self._newest[servo]

    def look(self) -> None:
        """Read all servos, if that was not done just now.

        Raises:
            DeviceError: A servo reports an alarm, or has not answered twice in a row; the arm was told to stand still.
        """
        now_s = self._clock.now_s()
        if now_s - self._asked_s < _FRESH_S:
            return
        if now_s - self._healthy_s >= _HEALTH_S:
            self._look_after_health(now_s)
        self.look_now()

    def look_now(self) -> None:
        """Read all servos: a shadow that fails leaves its lead to bear alone, and the lead cannot tell.

        Raises:
            DeviceError: As for `look`.
        """
        replies = self._servos.get_all(list(self._missed), _MOTION)
        self._asked_s = now_s = self._clock.now_s()
        for servo, reply in replies.items():
            if reply.counts is not None:
                self._missed[servo] = 0
                counts = reply.counts
                self._newest[servo] = Sensed(counts["present_position"], counts["present_velocity"], now_s)
            else:
                self._missed[servo] += 1
        self._told(replies)

    def take(self, replies: dict[int, Read]) -> None:
        """Take over what a first look at the arm has read."""
        for servo, reply in replies.items():
            if reply.counts is not None:
                counts = reply.counts
                self._newest[servo] = Sensed(counts["present_position"], 0, self._clock.now_s())

    def _told(self, replies: dict[int, Read]) -> None:
        for servo, reply in replies.items():
            if reply.alert:
                deaf = self._stood_still()  # before the servo is asked anything: it may not answer
                raise DeviceError(self.alarm(servo) + deaf)
        for servo, reply in replies.items():
            if self._missed[servo] >= _MOST_MISSED or (self._missed[servo] and servo not in self._newest):
                self._fault(
                    f"{reply.problem}; {self._missed[servo]} cycles in a row; the others were told to stop"
                )

    def _look_after_health(self, now_s: float) -> None:
        everyone = list(self._parts.servos)
        for servo, reply in self._servos.get_all(everyone, _HEALTH).items():
            if reply.counts is None:
                continue  # whether it is there is asked elsewhere, every cycle
            fault = self.unwell(servo, reply.counts)
            if fault:
                self._fault(fault)
        self._healthy_s = now_s

    def unwell(self, servo: int, counts: dict[str, int]) -> str | None:
        """What is wrong with a servo's supply or temperature, or None."""
        parts, table = self._parts, self._servos.table(servo)
        volts = counts["voltage"] * table["voltage"].unit
        if not parts.least_volts <= volts <= parts.most_volts:
            return (
                f"{self._who(servo)}: {volts:.1f} V, allowed {parts.least_volts:g} to {parts.most_volts:g} V: check "
                "the supply: its voltage, its plugs, and that it gives enough current"
            )
        if counts["temperature"] > parts.most_celsius:
            return (
                f"{self._who(servo)}: {counts['temperature']} degrees C, allowed {parts.most_celsius:g}: let the "
                "arm rest, supported, and see what it strains against"
            )
        return None

    def alarm(self, servo: int) -> str:
        """What a servo's alarm says, and what to do; a servo that does not say which it is has one all the same."""
        try:
            bits = self._servos.get(servo, "hardware_error")
        except ServoError as error:
            return f"{self._who(servo)}: an alarm that cannot be read ({error}); support the arm, and cut its power"
        known = ALARMS[self._parts.protocol]
        names = [name for bit, name in known.items() if bits >> bit & 1] or [
            "an alarm that it has taken back"
        ]
        remedy = next((_REMEDIES[name] for name in names if name in _REMEDIES), "`steadyhand arm reboot`")
        return f"{self._who(servo)}: {', '.join(names)} (alarm register {bits:#04x}): {remedy}"

    def _who(self, servo: int) -> str:
        return who(self._parts.servos[servo][0], servo)

    def _fault(self, text: str) -> None:
        raise DeviceError(text + self._stood_still())

    def _stood_still(self) -> str:
        """Make the arm stand still; what a message has to say of those servos that do not."""
        try:
            self._still()
        except DeviceError as deaf:
            return f". {deaf}"
        return ""


def who(joint: JointParts, servo: int) -> str:
    """How a message names a servo."""
    return f"servo {servo} ({joint.name}{'' if servo == joint.lead.servo else ', shadow'})"
