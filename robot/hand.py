"""The one effector's motions: through free space, along straight lines, pushing under guard, gripping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robot.body import Body
from robot.errors import MotionError
from robot.follow import PERIOD_S, Mover
from robot.frames import Array, unit
from robot.guarded import Pusher
from robot.lines import first_hit, follow_line, lines_from_branches
from robot.lowering import LOWER_ACCEL_M_S2, lowered
from robot.offsets import JointOffsets
from robot.ports import CollisionChecker, Held
from robot.trajectory import AlongLine, Line, Transit
from robot.transit import find_way

_ROOM_M = 0.008  # in free space
_SHORTER_M = 0.005  # of two lines that are tried one after the other
_PINCH_S = 0.4
_WEIGH_M, _WEIGH_M_S = (0.0001, 0.001)
_YIELD_STEPS, _YIELD_SHARE = 30, 0.3
# A command rounded to a step and an angle rounded to one differ by as much as a step though nothing strains
_BLIND_STEPS = 1.0
_HELD_PACE = (
    0.2  # a held block creeps in the grip, 5 mm in a turn at twice this, the more the faster it is swung
)
_LEVEL = np.cos(np.radians(30.0))
_ASIDE_RAD = np.pi / 2  # of the first joint, whose axis stands upright: what is held stays level


@dataclass(frozen=True)
class Aim:
    """A straight line wanted of the tool.

    Attributes:
        starts: Poses (4, 4) of the tool in the world at its start; any of them will do.
        direction: Unit vector (3,) in the world.
        length_m: Of the line.
        free_m: How much of it must be free of contact; what comes after is meant to touch.
    """

    starts: Sequence[Array]
    direction: Array
    length_m: float
    free_m: float


class Hand:
    """Plans and makes the motions of the arm's tool in the world.

    Args:
        mover: Of the arm.
        pusher: Of the same arm.
        body: The arm's kinematics, place and limits.
        collisions: What the arm must not touch.
        seed: For the search of ways.
        pace: Share of the limits that motions through free space use.
        offsets: Of the arm's joints, learnt from where the tool is seen; None: the arm goes as its joints say.
    """

    def __init__(
        self,
        mover: Mover,
        pusher: Pusher,
        body: Body,
        collisions: CollisionChecker,
        *,
        seed: int,
        pace: float = 1.0,
        offsets: JointOffsets | None = None,
    ) -> None:
        self.mover, self.pusher = mover, pusher
        self.body, self.collisions, self.offsets = body, collisions, offsets
        self._kinematics, self._limits = body.kinematics, body.limits
        self._seed, self._pace = seed, pace
        self._free_rad = np.zeros_like(body.park_rad)  # command to measurement, before a grip

    def q(self) -> Array:
        """Measured joint angles (n,)."""
        return self.mover.arm.state().q_rad

    def T_world_tool(self) -> Array:
        """Measured pose (4, 4) of the tool."""
        return self.body.T_world_base @ self._kinematics.forward(self.q())

    def outline(self) -> list[Array]:
        """Points (n, 3) of each part of the arm where it is measured to be; a part lies within their convex hull."""
        return self.collisions.outline(self.q(), self.mover.arm.state().opening_m)

    def lines(
        self,
        aim: Aim,
        opening_m: float,
        held: Held | None = None,
        near_rad: Array | None = None,
        why: list[str] | None = None,
    ) -> Iterator[Line]:
        """Every way to follow an aim, free of collisions as far as it asks; the posture nearest to the present first.

        What stands in the way of the others is added to `why`.
        """
        near = self.q() if near_rad is None else near_rad
        direction = self.body.T_base_world[:3, :3] @ aim.direction
        hit = self._hit(opening_m, held)
        for T_world_start in aim.starts:
            T = self.body.T_base_world @ T_world_start
            branches = self._kinematics.branches(T)
            for line in lines_from_branches(self._kinematics, branches, T, direction, aim.length_m, near):
                touched = first_hit(line, hit, upto_m=aim.free_m)
                if touched is None:
                    yield line
                elif why is not None:
                    why.append(touched)

    def line(
        self, aim: Aim, opening_m: float, held: Held | None = None, near_rad: Array | None = None
    ) -> Line | None:
        """The first of `lines`, or None where the arm cannot do it."""
        return next(self.lines(aim, opening_m, held, near_rad), None)

    def continues(self, line: Line, direction: Array, length_m: float) -> bool:
        """Whether the arm can go straight on in a direction (3,) of the world from the end of a line."""
        q = line.q(line.length_m)
        T = self._kinematics.forward(q)
        way = self.body.T_base_world[:3, :3] @ direction
        return follow_line(self._kinematics, T, way, length_m, q) is not None

    def T_at(self, line: Line, at_m: float) -> Array:
        """Pose (4, 4) of the tool in the world at a place on a line."""
        return self.body.T_world_base @ self._kinematics.forward(line.q(at_m))

    def line_from_here(self, direction: Array, length_m: float, least_m: float | None = None) -> Line:
        """Straight on from where the tool is (3,), in the posture it has; for ways back that are known to be free.

        Args:
            direction: Unit vector (3,) in the world.
            length_m: How far.
            least_m: How far at least, where the arm cannot reach so far.

        Raises:
            MotionError: The arm cannot reach so far.
        """
        q = self._here()
        T = self._kinematics.forward(q)
        way = self.body.T_base_world[:3, :3] @ direction
        shortest_m = length_m if least_m is None else least_m
        lengths = np.arange(length_m, shortest_m - _SHORTER_M / 2, -_SHORTER_M)
        found = (follow_line(self._kinematics, T, way, float(length), q) for length in lengths)
        line = next((line for line in found if line is not None), None)
        return need(line, f"{shortest_m * 1e3:.0f} mm straight on")

    def go(self, q_goal_rad: Array, held: Held | None = None) -> None:
        """Through free space to a posture (n,), around everything that stands.

        Raises:
            MotionError: There is no way, or the arm did not arrive.
        """
        self._follow(self._way(q_goal_rad, held), held)

    def _way(self, q_goal_rad: Array, held: Held | None) -> Array:
        q, opening = self.q(), self.mover.arm.state().opening_m
        hit = self._hit(opening, held, _ROOM_M)
        if hit(q) is not None:  # a straight line has led close to something: away from there with less room
            hit = self._hit(opening, held)
        low, high = self._kinematics.q_min_rad, self._kinematics.q_max_rad
        return find_way(q, q_goal_rad, low, high, hit, self._seed)

    def _follow(self, way: Array, held: Held | None) -> None:
        pace = self._pace if held is None else min(self._pace, _HELD_PACE)
        self.mover.follow(Transit(way, self._limits, pace))

    def park(self) -> None:
        """To the posture in which the arm hides nothing from the cameras.

        Raises:
            MotionError: There is no way, or the arm did not arrive.
        """
        self.go(self.body.park_rad)

    def stand_aside(self, held: Held) -> None:
        """Swing away from the tower with a block in the hand: parked, the hand would turn it over.

        Raises:
            MotionError: There is no way to either side, or the arm did not arrive.
        """
        q = self.q()
        low, high = self._kinematics.q_min_rad, self._kinematics.q_max_rad
        left, right = (np.clip(q + side * _ASIDE_RAD * np.eye(len(q))[0], low, high) for side in (1, -1))
        try:
            way = self._way(left, held)
        except MotionError:
            way = self._way(right, held)
        self._follow(way, held)

    def along(
        self, line: Line, from_m: float, to_m: float, speed_m_s: float, each: Callable[[], None] | None = None
    ) -> None:
        """Between two distances along a line, without guard but the force ceiling."""
        if abs(to_m - from_m) > 1e-6:
            self.mover.follow(AlongLine(line, from_m, to_m, speed_m_s, self._limits), each)

    def lower(self, line: Line, from_m: float, to_m: float, speed_m_s: float, lag_m: float) -> float:
        """Along a line until something bears: until the tool lags `lag_m` more behind its command than at first.

        Returns:
            Where on the line it bore, or `to_m` where nothing did. The arm then holds that place.
        """
        return lowered(
            self.mover,
            self._kinematics,
            line,
            AlongLine(line, from_m, to_m, speed_m_s, self._limits, LOWER_ACCEL_M_S2),
            lag_m + self.grain_m(line),
        )

    def grain_m(self, line: Line) -> float:
        """How far the steps of the joints put the tool off along a line: one step of each, added up as by chance."""
        q = line.q(line.length_m)
        return self._grain_m(q, self._kinematics.jacobian(q)[:3] @ line.dq_ds(line.length_m))

    def rounding_m(self, direction: Array) -> float:
        """The same along a direction (3,) of the world, in the posture that the arm has."""
        return self._grain_m(self.q(), self.body.T_base_world[:3, :3] @ direction)

    def _grain_m(self, q_rad: Array, way: Array) -> float:
        J = self._kinematics.jacobian(q_rad)[:3]
        return self.mover.arm.step_rad * float(np.linalg.norm(unit(way) @ J))

    def grip(self, opening_m: float, seconds: float = 0.8) -> float:
        """Open or close the fingers; the opening that was reached."""
        return self.mover.set_opening(opening_m, seconds)

    def pinch(self) -> float:
        """Close the fingers on what is between them and give way to it; the opening that was reached.

        The fingers then weigh on it by a hair, for so long as it is held: an end that is lifted presses the block
        against what lies on it, one that is weighed down does so five times less.
        """
        self._free_rad = self._strain()
        self.mover.close_gently()
        opening = self.grip(0.0, _PINCH_S)
        self.give_way()
        down = self.line_from_here(np.array([0.0, 0.0, -1.0]), _WEIGH_M)
        self.along(down, 0.0, _WEIGH_M, _WEIGH_M_S)
        self._free_rad = self._strain()
        return opening

    def give_way(self) -> None:
        """Take the strain out of a grip.

        Fingers that hold a block a little too high, too low or askew strain against what holds it. The strain shows as
        a distance between command and measured posture that was not there before the fingers closed; the command goes
        after the measured posture until it is gone.
        """
        for _ in range(_YIELD_STEPS):
            sent = self._sent() + _YIELD_SHARE * self._felt()
            self.mover.step(sent, np.zeros_like(sent), self.mover.clock.now_s() + PERIOD_S)

    def _sent(self) -> Array:
        return self.mover.sent_rad if self.mover.sent_rad is not None else self.q()

    def _felt(self) -> Array:
        """What of the strain the arm can tell from the rounding of its steps; all of it where it has none."""
        strain = self._strain() - self._free_rad
        blind_rad = _BLIND_STEPS * self.mover.arm.step_rad
        return np.asarray(np.sign(strain) * np.maximum(np.abs(strain) - blind_rad, 0.0))

    def _here(self) -> Array:
        """Where the arm is: a joint that is where it was sent, as far as it can tell, is there exactly."""
        q, sent = self.q(), self._sent()
        return np.where(np.abs(q - sent) < self.mover.arm.step_rad, sent, q)

    def _strain(self) -> Array:
        return self.q() - self._sent()

    def _hit(self, opening_m: float, held: Held | None, room_m: float = 0.0) -> Callable[[Array], str | None]:
        if held is None:
            return lambda q: self.collisions.hit(q, opening_m, None, room_m)
        return lambda q: self._tilted(q) or self.collisions.hit(q, opening_m, held, room_m)

    def _tilted(self, q: Array) -> str | None:
        """A held block stays level on its way, or its weight turns it between the fingers."""
        level = abs(self._kinematics.forward(q)[2, 2])
        return "the held block tilted too far" if level < _LEVEL else None


def need(line: Line | None, what: str) -> Line:
    """The line, or an error that says what could not be reached.

    Raises:
        MotionError: There is none.
    """
    if line is None:
        raise MotionError(f"{what}: out of reach, or something stands in the way")
    return line
