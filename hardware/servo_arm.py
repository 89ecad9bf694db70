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
from hardware.arm_parts import ArmParts
from hardware.arm_power import Backstops, prepare
from hardware.arm_senses import Sensed, Senses
from hardware.arm_sink import Sinking, bounds_of
from hardware.arm_stop import check_stayed, halt
from hardware.bus import BusError, ServoBus
from hardware.fine_motion import FineMotion
from hardware.servos import Servos
from hardware.tables import TICKS
from robot.errors import DeviceError
from robot.frames import Array
from robot.limits import ArmLimits, LimitedArm
from robot.ports import ArmState, Clock, ForceSensor
from robot.vernier import Vernier

# After so long without a goal the backstops are read back before the next: so before every probe. Less than the
# watchdog waits, for a servo whose watchdog has bitten takes no goal and says nothing of it
_PAUSE_S = 0.15
ATTEND_S = 0.1  # how often to attend an arm: twice in the shortest time of a watchdog
_CLOSES_S, _AT_REST_M_S = 0.3, 0.005  # fingers told so long ago that go no faster press on what they hold


class ServoArm(LimitedArm):
    """Implements `Arm` on a servo bus.

    Args:
        bus: The wire; opened by its owner.
        parts: Which servos turn what.
        limits: Of the arm's joints, in their order.
        clock: The arm's time.
        force: Sensor of the fingertip, for the force ceiling.
        vernier: For pushes in steps of the tip finer than the servos' own; None for the nearest steps.
        sinks_rad_s: So fast each joint lowers itself where the arm is given back after a stop; 0: it holds.

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
        sinks_rad_s: float = 0.0,
    ) -> None:
        super().__init__([joint.name for joint in parts.joints], limits, clock, force)
        self._bus, self._parts = bus, parts
        self._leads = [joint.lead.servo for joint in parts.joints]
        self._grip = parts.gripper.lead.servo
        self._found: tuple[Servos, Senses, Backstops, Inspection] | None = None
        self._fine = FineMotion(parts, vernier)
        self._turn = threading.RLock()  # `attend` may come from another thread
        self._sinks_rad_s = sinks_rad_s
        self._moves = self._stopped = False  # whether the last that it was told was to stop
        self._told_s = self._opening_told_s = -math.inf
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
        check_stayed(self._parts, here, self._present_ticks(senses))
        self._opening_ticks = here[self._grip]
        self._moves = True

    def state(self) -> ArmState:
        """The newest measured state.

        Raises:
            DeviceError: A servo does not answer any more, or reports an alarm; the arm was told to stand still.
        """
        self._tell_fault()  # a lost port's, too: only it says why the arm is not connected any more
        _, senses, _, found = self._connected()
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
        with self._turn:
            if not self._moves or self._fault is not None:
                return
            try:
                with self._talking():
                    self._connected()[1].look()
            except DeviceError as fault:
                self._fault = fault

    def _tell_fault(self) -> None:
        """Raise what `attend` found, once."""
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def close(self) -> None:
        """Stand still where it is and forget the servos; they keep their torque, so that nothing drops.

        An arm that was stopped and is set to sink lowers itself first, for at most a minute.

        Raises:
            DeviceError: A servo does not stand still: whoever walks up to the arm must know.
        """
        sinks = self._stopped and self._sinks_rad_s > 0
        try:
            self.stop()
            if sinks and self._moves:
                self._sink()
        finally:
            self._moves, self._found = False, None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with (
            contextlib.nullcontext() if error is None else contextlib.suppress(DeviceError)
        ):  # one fault was told
            self.close()

    def _send(self, q_rad: Array, dq_rad_s: Array) -> None:
        with self._talking():
            _, _, stops, found = self._switched_on()
            gentle = self._fine.is_gentle(dq_rad_s, asked=self._gentle)
            if gentle != stops.gentle:
                stops.be_gentle(gentle)
            ticks = self._fine.ticks(q_rad)
            self._tell(
                {servo: at + turn for servo, at, turn in zip(self._leads, ticks, found.turns, strict=False)}
            )

    def _send_opening(self, opening_m: float) -> None:
        with self._talking():
            _, _, _, found = self._switched_on()
            angle = self._parts.gripping.angle_rad(opening_m)
            ticks = round(self._parts.gripper.ticks(angle)) + found.turns[-1]
            self._tell({self._grip: ticks})
            self._opening_ticks, self._opening_told_s = ticks, self._clock.now_s()

    def _switched_on(self) -> tuple[Servos, Senses, Backstops, Inspection]:
        """What moves; asked in one's turn to talk, since the arm may have given up while one waited for that."""
        self._tell_fault()
        found = self._connected()
        if not self._moves:
            raise DeviceError(
                f"{self._parts.name}: not switched on since it was connected; nothing was sent. Look at the arm, and "
                "switch it on"
            )
        return found

    def _tell(self, goals: dict[int, int]) -> None:
        servos, _, stops, _ = self._switched_on()
        now_s = self._clock.now_s()
        if now_s - self._told_s > _PAUSE_S:
            if stops.bitten:
                stops.renew()
            stops.check()
        servos.put_all(goals, "goal_position")
        self._told_s, self._stopped = now_s, False

    def _send_stop(self) -> None:
        if not self._moves:
            return  # nothing was ever told to move
        with self._talking():
            self._connected()[1].look_now()
        self._stand_still()
        self._stopped = True

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
        servos, senses, stops, found = self._found
        here = self._present_ticks(senses)
        here[self._grip] = self._grip_to_keep(senses.newest[-1], found.turns[-1])
        with self._talking():
            deaf = halt(servos, self._parts, stops, here)
        self._opening_ticks = here[self._grip]
        if deaf:
            self._moves = False
            raise DeviceError(
                f"{self._parts.name}: told to stand still, but {'; '.join(deaf)}. The others stand still: cut the "
                "power if it moves, support the arm, and connect again"
            )

    def _sink(self) -> None:
        """Go after what the load pulls at, slowly; the fingers keep what they hold."""
        servos, senses, stops, found = self._connected()
        here = self._present_ticks(senses) | {self._grip: self._opening_ticks}
        bounds = bounds_of(self._parts.joints, self.limits, found.turns, self._sinks_rad_s)
        with self._talking():
            Sinking(servos, self._parts, stops, senses, self._clock).run(here, bounds)

    def _grip_to_keep(self, fingers: Sensed, turn: int) -> int:
        """Fingers that move, or were told to just now, stop where they are; those at rest keep what they hold."""
        gripping, gripper = self._parts.gripping, self._parts.gripper
        told, here = (gripper.angle_rad(at - turn) for at in (self._opening_ticks, fingers.ticks))
        speed_m_s = abs(fingers.speed) * self._speed_unit(self._grip) * abs(gripping.lever_m(here))
        fresh = self._clock.now_s() - self._opening_told_s < _CLOSES_S
        opens = gripping.opening_m(told) > gripping.opening_m(here)
        return fingers.ticks if opens or fresh or speed_m_s > _AT_REST_M_S else self._opening_ticks

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
