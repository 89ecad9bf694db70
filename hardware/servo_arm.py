"""An arm of smart servos on a serial bus: connects without a word that moves, and moves only once a person said so."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np

from hardware.arm_check import Inspection, find, inspect
from hardware.arm_file import TICKS, ArmParts
from hardware.arm_power import Backstops, prepare
from hardware.arm_senses import Senses, who
from hardware.bus import BusError, ServoBus
from hardware.fine_motion import FineMotion
from hardware.servos import Servos
from robot.errors import DeviceError
from robot.frames import Array
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, Clock, ForceSensor
from robot.vernier import Vernier

# After so long without a goal the backstops are read back before the next: so before every probe. Less than the
# watchdog waits, for a servo whose watchdog has bitten takes no goal and says nothing of it
_PAUSE_S = 0.15
_STOP_TRIES = 2
_WITHIN_TICKS = 12  # a servo that took torque stands still where it was, to 1 degree


class ServoArm(LimitedArm):
    """Implements `Arm` on a servo bus.

    Args:
        bus: The wire; opened by its owner.
        parts: Which servos turn what.
        limits: Of the arm's joints, in their order.
        clock: The arm's time.
        force: Sensor of the fingertip, for the force ceiling.
        vernier: For pushes in steps of the tip finer than the servos' own; None for the nearest steps.

    Attributes:
        warnings: What the first look found that does not keep the arm from moving.
    """

    step_rad = math.tau / TICKS

    def __init__(
        self,
        bus: ServoBus,
        parts: ArmParts,
        limits: ArmLimits,
        clock: Clock,
        force: ForceSensor | None = None,
        vernier: Vernier | None = None,
    ) -> None:
        super().__init__([joint.name for joint in parts.joints], limits, clock, force)
        self._bus, self._parts = bus, parts
        self._leads = [joint.lead.servo for joint in parts.joints]
        self._grip = parts.gripper.lead.servo
        self._found: tuple[Servos, Senses, Backstops, Inspection] | None = None
        self._fine = FineMotion(parts, vernier)
        self._turn = threading.RLock()  # `attend` may come from another thread
        self._moves = False
        self._told_s = -math.inf
        self._fault: DeviceError | None = None
        self._gone = ""  # why it is not connected any more
        self._opening_ticks = 0
        self.warnings: tuple[str, ...] = ()

    def connect(self) -> None:
        """Find all servos and see that they are fit; reads only.

        Raises:
            DeviceError: They are not; every fault is named.
        """
        self._moves = False
        self._found = self._fault = None
        self._gone = ""
        servos = find(self._bus, self._parts)
        senses = Senses(servos, self._parts, self._clock, self._give_up)
        found = inspect(servos, self._parts, senses, self.limits.q_min_rad, self.limits.q_max_rad)
        senses.take(found.reads)
        self.warnings = found.warnings
        self._found = (servos, senses, Backstops(servos, self._parts), found)

    def energise(self) -> None:
        """Have the servos hold the arm where it is, under their ceilings. Only when a person has said so.

        Raises:
            DeviceError: A servo refuses, does not answer or is not as it was set; what has no torque yet stays limp.
        """
        self.connect()  # what was found before may have changed since, by hand
        servos, senses, stops, found = self._connected()
        prepare(
            servos, self._parts, [s for s, r in found.reads.items() if r.counts and r.counts["torque_enable"]]
        )
        stops.set()
        senses.look_now()
        here = self._present_ticks(senses)
        for servo, ticks in here.items():
            servos.put(servo, "goal_position", ticks)
        servos.put_all(dict.fromkeys(here, 1), "torque_enable")
        stops.watch()
        stops.check()
        self._told_s = self._clock.now_s()
        senses.look_now()
        self._stayed(here, self._present_ticks(senses))
        self._opening_ticks = here[self._grip]
        self._moves = True

    def _stayed(self, before: dict[int, int], now: dict[int, int]) -> None:
        moved = {servo: abs(now[servo] - ticks) for servo, ticks in before.items()}
        servo = max(moved, key=lambda s: moved[s])
        if moved[servo] > _WITHIN_TICKS:
            raise DeviceError(
                f"{self._who(servo)}: moved by {moved[servo] * 360 / TICKS:.1f} degrees as it took torque, allowed "
                f"{_WITHIN_TICKS * 360 / TICKS:.0f}: support the arm, switch it off and see what pulls at it"
            )

    def state(self) -> ArmState:
        """The newest measured state.

        Raises:
            DeviceError: A servo does not answer any more, or reports an alarm; the arm was told to stand still.
        """
        _, senses, _, found = self._connected()
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        with self._talking():
            senses.look()
        newest = senses.newest
        rows = zip(self._parts.all_joints, newest, found.turns, strict=True)
        angles = [joint.angle_rad(sensed.ticks - turn) for joint, sensed, turn in rows]
        rates = [
            joint.sign * sensed.speed * self._speed_unit(joint.lead.servo)
            for joint, sensed in zip(self._parts.joints, newest, strict=False)
        ]
        opening_m = self._parts.gripping.opening_m(angles[-1])
        return ArmState(
            np.array(angles[:-1]), np.array(rates), max(opening_m, 0.0), min(sensed.t_s for sensed in newest)
        )

    def attend(self) -> None:
        """Look at the arm while it waits: call it more often than its watchdog's time, from any thread.

        What is wrong is told by the next `state` or command; the arm was told to stand still then.
        """
        if not self._moves or self._fault is not None:
            return
        try:
            with self._talking():
                self._connected()[1].look()
        except DeviceError as fault:
            self._fault = fault

    def close(self) -> None:
        """Stand still where it is and forget the servos; they keep their torque, so that nothing drops."""
        with contextlib.suppress(DeviceError):  # who moved it was told, or will be as it connects anew
            self.stop()
        self._moves, self._found = False, None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        _, _, stops, found = self._connected()
        gentle = self._fine.is_gentle(dq_rad_s, asked=self._gentle)
        if self._moves and gentle != stops.gentle:
            with self._talking():
                stops.be_gentle(gentle)
        ticks = self._fine.ticks(q_rad)
        self._tell(
            {servo: at + turn for servo, at, turn in zip(self._leads, ticks, found.turns, strict=False)}
        )

    def _send_opening(self, opening_m: float) -> None:
        _, _, _, found = self._connected()
        angle = self._parts.gripping.angle_rad(opening_m)
        self._opening_ticks = round(self._parts.gripper.ticks(angle)) + found.turns[-1]
        self._tell({self._grip: self._opening_ticks})

    def _tell(self, goals: dict[int, int]) -> None:
        servos, _, stops, _ = self._connected()
        if not self._moves:
            raise DeviceError(
                f"{self._parts.name}: not switched on since it was connected; nothing was sent. Look at the arm, and "
                "switch it on"
            )
        with self._talking():
            now_s = self._clock.now_s()
            if now_s - self._told_s > _PAUSE_S:
                if stops.bitten:
                    stops.renew()
                stops.check()
            servos.put_all(goals, "goal_position")
        self._told_s = now_s

    def _send_stop(self) -> None:
        if not self._moves:
            return  # nothing was ever told to move
        with self._talking():
            self._connected()[1].look_now()
        self._stand_still()

    def _give_up(self) -> None:
        """Stand still, and move no more until a person has seen to it."""
        try:
            self._stand_still()
        finally:
            self._moves = False

    def _stand_still(self) -> None:
        """One packet to all: your goal is where you are; then every servo is asked whether it took that."""
        if not self._moves or self._found is None:
            return
        servos, senses, stops, _ = self._found
        here = self._present_ticks(senses)
        here[self._grip] = self._keep_grip(here[self._grip])
        deaf: dict[int, str] = {}
        with self._talking():
            for _ in range(_STOP_TRIES):
                servos.put_all(here, "goal_position")
                deaf = self._not_stopped(servos, here)
                if not deaf:
                    break
                if stops.bitten:  # such a servo has stopped by itself, and takes no goal
                    stops.renew()
        self._opening_ticks = here[self._grip]
        if deaf:
            self._moves = False
            told = "; ".join(deaf.values())
            raise DeviceError(
                f"{self._parts.name}: told to stand still, but {told}. The others stand still: cut the power if it "
                "moves, support the arm, and connect again"
            )

    def _not_stopped(self, servos: Servos, here: dict[int, int]) -> dict[int, str]:
        deaf = {}
        for servo, read in servos.get_all(list(here), ("goal_position",)).items():
            if read.counts is None:
                deaf[servo] = str(read.problem)
            elif read.counts["goal_position"] != here[servo]:
                told = read.counts["goal_position"]
                deaf[servo] = f"the goal of {self._who(servo)} is {told}, not {here[servo]}"
        return deaf

    def _keep_grip(self, ticks: int) -> int:
        """Fingers that open stop where they are; those that close keep what they hold."""
        gripping, gripper = self._parts.gripping, self._parts.gripper
        goal, now = (gripping.opening_m(gripper.angle_rad(at)) for at in (self._opening_ticks, ticks))
        return ticks if goal > now else self._opening_ticks

    def _present_ticks(self, senses: Senses) -> dict[int, int]:
        servos = [*self._leads, self._grip]
        return {servo: sensed.ticks for servo, sensed in zip(servos, senses.newest, strict=True)}

    @contextlib.contextmanager
    def _talking(self) -> Iterator[None]:
        """One talker at a time; once the port is gone, nothing moves until the arm was connected anew."""
        with self._turn:
            try:
                yield
            except BusError as gone:
                self._moves, self._found, self._gone = False, None, str(gone)
                raise

    def _connected(self) -> tuple[Servos, Senses, Backstops, Inspection]:
        if self._found is None:
            gone = self._gone
            raise BusError(gone) if gone else DeviceError(f"{self._parts.name}: not connected; connect first")
        return self._found

    def _speed_unit(self, servo: int) -> float:
        return self._connected()[0].table(servo)["present_velocity"].unit

    def _who(self, servo: int) -> str:
        return who(self._parts.servos[servo][0], servo)
