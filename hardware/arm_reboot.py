"""Starting servos anew that report an alarm: they stay limp, and nothing else is told anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardware.arm_check import misfit_of, who_answers
from hardware.arm_parts import ArmParts
from hardware.arm_senses import Senses, who
from hardware.bus import Found, NoAnswerError, ServoBus
from hardware.servos import Servos
from robot.errors import BadInputError, DeviceError
from robot.ports import Clock

_BOOT_S, _ASK_S = 3.0, 0.1  # until when a servo must answer again, and how often it is asked
_QUIET_S = 0.3  # before that it may still be answering from before


class Reboot:
    """What is to be started anew on a bus; making one only asks.

    Args:
        bus: The wire.
        parts: Of the arm.
        clock: For the deadline.
        joint: Name of a joint, or of the gripper, whose servos are all meant, alarm or not; empty: those with an alarm.

    Attributes:
        servos: Their numbers.
        told: Each by its name, and what its alarm says.

    Raises:
        BadInputError: The arm has no such joint.
        DeviceError: One of them does not answer or is another model, or the port is gone.
    """

    def __init__(self, bus: ServoBus, parts: ArmParts, clock: Clock, joint: str = "") -> None:
        self._bus, self._parts, self._clock = bus, parts, clock
        found = who_answers(bus, parts)
        self.servos = (
            self._of_joint(joint) if joint else [s for s in parts.servos if s in found and found[s].alert]
        )
        self._check(found)
        self._registers = Servos(bus, {servo: part.model for servo, (_, part) in parts.servos.items()})
        self._senses = Senses(self._registers, parts, clock, lambda: None)
        self.told = [self._told(servo, found) for servo in self.servos]

    def _of_joint(self, name: str) -> list[int]:
        for joint in self._parts.all_joints:
            if joint.name == name:
                return [part.servo for part in joint.servos]
        known = ", ".join(joint.name for joint in self._parts.all_joints)
        raise BadInputError(
            f"joint {name!r}: a {self._parts.name} has none of that name; its joints are {known}"
        )

    def _check(self, found: Mapping[int, Found]) -> None:
        wrong = [text for servo in self.servos if (text := misfit_of(self._parts, servo, found))]
        if wrong:
            raise DeviceError(
                f"{self._parts.name} on {self._bus.name}: {'; '.join(wrong)}. Nothing was written"
            )

    def _told(self, servo: int, found: Mapping[int, Found]) -> str:
        return self._senses.alarm(servo) if found[servo].alert else f"{self._who(servo)}: no alarm"

    def _who(self, servo: int) -> str:
        return who(self._parts.servos[servo][0], servo)

    def run(self) -> None:
        """Start each anew, see that it answers without alarm and without torque, and set its goal to where it is.

        Raises:
            DeviceError: One does not come back, keeps its alarm or has torque; those after it were not touched.
        """
        for servo in self.servos:
            self._bus.reboot(servo)
            for part in self._parts.servos[servo][0].servos:  # a shadow may obey this order, too
                found = self._back(part.servo)
                if part.servo == servo:
                    self._check_fresh(servo, found)
        for joint in self._parts.all_joints:
            if joint.lead.servo in self.servos:
                self._aim_where_it_is(joint.lead.servo, [part.servo for part in joint.servos])

    def _check_fresh(self, servo: int, found: Found) -> None:
        if found.alert:
            raise DeviceError(f"{self._senses.alarm(servo)}; it was started anew, and the alarm came back")
        if self._registers.get(servo, "torque_enable"):
            raise DeviceError(
                f"{self._who(servo)} was started anew and has torque: support the arm, `steadyhand arm relax`"
            )

    def _back(self, servo: int) -> Found:
        began_s = self._clock.now_s()
        self._clock.sleep_until(began_s + _QUIET_S)
        while True:
            try:
                return self._bus.ping(servo)
            except NoAnswerError as error:
                if self._clock.now_s() > began_s + _BOOT_S:
                    raise DeviceError(
                        f"{self._who(servo)} was started anew and has not answered for {_BOOT_S:.0f} s: switch the "
                        "supply off and on, with the arm on its stand"
                    ) from error
                self._clock.sleep_until(self._clock.now_s() + _ASK_S)

    def _aim_where_it_is(self, lead: int, servos: Sequence[int]) -> None:
        """A goal that waits somewhere else would be gone to with the torque; a shadow that holds is told nothing."""
        if any(self._registers.get(servo, "torque_enable") for servo in servos):
            return
        self._registers.put(lead, "goal_position", self._registers.get(lead, "present_position"))
