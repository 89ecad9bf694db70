"""Giving an arm its torque, and what its firmware holds it to meanwhile: ceilings of torque, a profile, a watchdog.

Everything is written before the torque and read back after it; the goal is the present place before any torque.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hardware.arm_check import BY_TIME, REVERSE, wanted_mode
from hardware.arm_parts import ArmParts, ServoPart
from hardware.arm_senses import who
from hardware.registers import Table
from hardware.servos import Read, Servos
from hardware.tables import table_of
from robot.errors import DeviceError

_TRIES = 2
_BLOCK_M = 0.015  # what the fingers are apart when they hold a block


def ceiling_of(part: ServoPart, table: Table) -> tuple[str, int]:
    """The register that holds a servo's ceiling, and its counts."""
    names = {
        "goal_current": part.ceiling_a,
        "goal_pwm": part.ceiling_share,
        "torque_limit": part.ceiling_share,
    }
    name = next(name for name in names if name in table)
    value, register = names[name], table[name]
    assert value is not None  # an arm's file without it is refused
    counts = register.to_counts(value) if name == "goal_current" else round(value * register.high)
    return name, min(counts, register.high)


class Backstops:
    """What the firmware holds the servos to, whatever this program does or does not do.

    Args:
        servos: Of the arm.
        parts: What the arm's file says.

    Attributes:
        gentle: Whether goals are reached in the time of a push.
    """

    def __init__(self, servos: Servos, parts: ArmParts) -> None:
        self._servos, self._parts = servos, parts
        self._leads = [joint.lead for joint in parts.all_joints]
        self.gentle = False
        self._watched = [p.servo for p in self._leads if "bus_watchdog" in servos.table(p.servo)]
        self._guarded = [servo for servo in parts.servos if "bus_watchdog" in servos.table(servo)]

    def wanted(self, part: ServoPart) -> dict[str, int]:
        """Counts by register that a servo must have while it moves, all but the watchdog."""
        table = self._servos.table(part.servo)
        name, counts = ceiling_of(part, table)
        wanted = {name: counts, "profile_acceleration": 0}
        if "drive_mode" in table:  # the profile's register then counts milliseconds
            profile_s = self._parts.gentle_profile_s if self.gentle else self._parts.profile_s
            wanted["profile_velocity"] = round(profile_s * 1e3)
        return wanted

    def be_gentle(self, gentle: bool) -> None:
        """Have the servos take the time of a push for each goal, or the usual one; each servo is checked.

        Raises:
            DeviceError: A servo refuses or does not answer.
        """
        self.gentle = gentle
        for part in self._leads:
            if "profile_velocity" in (wanted := self.wanted(part)):
                self._servos.put(part.servo, "profile_velocity", wanted["profile_velocity"])

    def set(self) -> None:
        """Write ceilings and profiles of all servos, each one checked; watchdogs that have bitten are freed.

        Raises:
            DeviceError: A servo refuses or does not answer.
        """
        for servo in self._watched:
            self._servos.put(servo, "bus_watchdog", 0)
        for part in self._leads:
            for name, counts in self.wanted(part).items():
                self._servos.put(part.servo, name, counts)

    def renew(self) -> None:
        """Free watchdogs that have bitten, and set again what they took away by that; `check` tells whether it worked.

        Raises:
            BusError: The port is gone.
        """
        if self._watched:
            self._servos.put_all(dict.fromkeys(self._watched, 0), "bus_watchdog")
        for name in ("profile_velocity", "profile_acceleration"):
            counts = {
                part.servo: self.wanted(part)[name] for part in self._leads if name in self.wanted(part)
            }
            if counts:
                self._servos.put_all(counts, name)
        self.watch()

    def watch(self) -> None:
        """Start the watchdogs, or start them anew.

        Raises:
            BusError: The port is gone.
        """
        if not self._watched or not self._parts.watchdog_s:
            return
        counts = self._servos.table(self._watched[0])["bus_watchdog"].to_counts(self._parts.watchdog_s)
        self._servos.put_all(dict.fromkeys(self._watched, counts), "bus_watchdog")

    @property
    def bitten(self) -> bool:
        """Whether a watchdog has bitten: its servo has stopped by itself and takes no goal.

        Raises:
            BusError: The port is gone.
        """
        reads = self._servos.get_all(self._guarded, ("bus_watchdog",)) if self._guarded else {}
        return any(read.counts is not None and read.counts["bus_watchdog"] < 0 for read in reads.values())

    def check(self) -> None:
        """Read back what `prepare`, `set` and `watch` have written; from shadows too, who took it without an answer.

        Raises:
            DeviceError: A servo does not answer or has something else; the message names all of them.
        """
        names = {name for part in self._leads for name in self.wanted(part)} | {
            "torque_enable",
            "operating_mode",
        }
        if self._watched and self._parts.watchdog_s:
            names.add("bus_watchdog")
        reads = self._servos.get_all(list(self._parts.servos), sorted(names))
        faults: list[str] = []
        for servo, (joint, _) in self._parts.servos.items():
            read = reads[servo]
            if read.counts is None:
                faults.append(str(read.problem))
            else:
                faults += [f"{who(joint, servo)}: {wrong}" for wrong in self._wrong(joint.lead, read.counts)]
        if faults:
            raise DeviceError(
                f"{self._parts.name}: {'; '.join(faults)}. What the firmware must hold is not as it was set: something "
                "else has written to the servos, or one has started anew; support the arm and connect again"
            )

    def _wrong(self, lead: ServoPart, counts: dict[str, int]) -> list[str]:
        """What one servo of a joint has otherwise than its lead was told."""
        wanted = self.wanted(lead) | {"operating_mode": wanted_mode(self._servos.table(lead.servo))}
        wrong = [
            f"{name} {counts.get(name)}, set was {to}"
            for name, to in wanted.items()
            if counts.get(name) != to
        ]
        if counts["torque_enable"] != 1:
            wrong.append("its torque is off")
        if counts.get("bus_watchdog", 1) < 1:
            wrong.append("its watchdog is off or has bitten")
        return wrong


def prepare(servos: Servos, parts: ArmParts, held: Sequence[int]) -> None:
    """Set modes that can only be set without torque.

    Args:
        servos: Of the arm.
        parts: What they turn.
        held: Servos with torque on: their modes are right already, and stay.

    Raises:
        DeviceError: A servo refuses or does not answer.
    """
    for servo, (_, part) in parts.servos.items():
        table = servos.table(servo)
        if servo in held or "drive_mode" not in table:
            continue
        for name, counts in (
            ("operating_mode", wanted_mode(table)),
            ("drive_mode", BY_TIME | (REVERSE if part.reverse else 0)),
        ):
            if servos.get(servo, name) != counts:
                servos.put(servo, name, counts)


def pinching(parts: ArmParts, pinch_n: float) -> ArmParts:
    """The arm with such a ceiling of its gripper that each finger presses on a block with so many newtons.

    Args:
        parts: An arm.
        pinch_n: Of each finger.
    """
    lead, table = parts.gripper.lead, table_of(parts.gripper.lead.model)
    angle = parts.gripping.angle_rad(_BLOCK_M)
    torque_nm = 2 * pinch_n * parts.gripping.lever_m(angle)
    if table.torque_nm_per_a is not None and "goal_current" in table:
        part = replace(lead, ceiling_a=table.friction_a + torque_nm / table.torque_nm_per_a)
    else:
        part = replace(lead, ceiling_share=min(1.0, torque_nm / table.stall_nm))
    return replace(parts, gripper=replace(parts.gripper, servos=(part,)))


def relax(servos: Servos, parts: ArmParts) -> None:
    """Switch the torque off in every servo, the gripper's too: the arm sinks. Only when a person has said so.

    Raises:
        DeviceError: A servo does not answer, or keeps its torque; all others are off.
    """
    everyone = list(parts.servos)
    held: list[str] = []
    for _ in range(
        _TRIES
    ):  # nobody answers one packet to all, and an arm that is half limp is the worst of it
        servos.put_all(dict.fromkeys(everyone, 0), "torque_enable")
        held = _held(servos.get_all(everyone, ("torque_enable",)), parts)
        if not held:
            return
    raise DeviceError(
        f"{parts.name}: told to let go, but {'; '.join(held)}. The other servos are off: support the arm, and cut its "
        "power"
    )


def _held(reads: Mapping[int, Read], parts: ArmParts) -> list[str]:
    """Servos that keep their torque, or do not say whether they do."""
    held = []
    for servo, read in reads.items():
        if read.counts is None:
            held.append(str(read.problem))
        elif read.counts["torque_enable"]:
            held.append(f"{who(parts.servos[servo][0], servo)} keeps its torque")
    return held
