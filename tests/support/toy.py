"""A table without physics: blocks slide against friction when the tip of a flying tool is in their way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from planning.actors import Actors
from planning.blockset import load_blockset
from planning.eyes import Doubt, ToolSeen, View
from planning.habits import Habits
from planning.observation import BlockMotion, BlockSeen, Seen, TowerObservation, as_stacked
from planning.tower import Slot, Tower
from robot.body import Body
from robot.clock import ManualClock
from robot.errors import PerceptionError
from robot.fakes import Button, FakeForce, Flying, InstantArm, Obstacles
from robot.follow import Mover
from robot.frames import Array, apply, inverse, pose, rot_z
from robot.guarded import Pusher
from robot.hand import Hand
from robot.limits import ArmLimits
from robot.offsets import JointOffsets
from robot.steered import SteeredArm

SIZE_M = np.array([0.075, 0.025, 0.015])
T_WORLD_TOWER = pose(rot_z(np.pi / 4), [0.0, 0.0, 0.1])
STIFFNESS_N_M = 500.0
GONE_M = 0.012
PARK = np.array([-0.35, 0.0, 0.45, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Moment:
    """How far each block is from where it was stacked, and which cannot be seen."""

    t_s: float
    out_m: dict[Slot, Array]
    hidden: frozenset[Slot]
    T_world_tool: Array = field(default_factory=lambda: np.eye(4))


@dataclass
class ToyTower:
    """The blocks, and the eyes that see them (`planning.eyes.Eyes`).

    Attributes:
        friction_n: What holds each block; a tenth of a newton where nothing is said.
        drags: For each block, which others come along and by what share.
        hidden: Blocks that cannot be seen.
        unknown: Slots of which nobody can tell what they hold.
        plain: Blocks without a grain to follow; only their edges are found.
        sticky: Blocks that do not move back towards their place.
        tool: Where the tool truly is (4, 4).
        tool_hidden: Whether nobody sees the tool.
        unreadable: Whether nobody can tell a tower in the pictures.
    """

    tower: Tower
    friction_n: Mapping[Slot, float] = field(default_factory=dict)
    drags: Mapping[Slot, Mapping[Slot, float]] = field(default_factory=dict)
    hidden: set[Slot] = field(default_factory=set)
    unknown: set[Slot] = field(default_factory=set)
    plain: set[Slot] = field(default_factory=set)
    sticky: set[Slot] = field(default_factory=set)
    fallen_slots: tuple[Slot, ...] = ()
    tool: Callable[[], Array] = lambda: np.eye(4)
    tool_hidden: bool = False
    unreadable: bool = False

    def __post_init__(self) -> None:
        self.stacked = _stacked(self.tower)
        self.out_m = {slot: np.zeros(3) for slot in self.stacked.blocks}
        self.clock = ManualClock()
        self.tool_looks = 0
        self.asked_with: list[
            bool
        ] = []  # a look with what was seen before, or without, each time the whole was seen

    def lay(self, taken: Slot, top: Slot) -> BlockSeen:
        """Take a block and lay it on top, without a flaw."""
        self.tower = self.tower.remove(taken).place(top)
        self.stacked = _stacked(self.tower)
        del self.out_m[taken]
        self.out_m[top] = np.zeros(3)
        return self.stacked.blocks[top]

    def lose(self, *gone: Slot) -> None:
        """Blocks leave the tower and lie nowhere on it."""
        for slot in gone:
            self.tower = self.tower.remove(slot)
            del self.out_m[slot]
        self.stacked = _stacked(self.tower)

    def gain(self, top: Slot) -> None:
        """A block from elsewhere is laid on top."""
        self.tower = self.tower.place(top)
        self.stacked = _stacked(self.tower)
        self.out_m[top] = np.zeros(3)

    def slide(self, slot: Slot, mm: float) -> None:
        """A block slides along its length, in the layer's + sense."""
        self.out_m[slot] = self.out_m[slot] + mm * 1e-3 * self.stacked.blocks[slot].T_world_block[:3, 0]

    # The world

    def push(self, T_world_tool: Array) -> float:
        """Move what the tip is in the way of; the force along the tool's x."""
        for slot in self.stacked.blocks:
            given_m = self._inside_m(slot, T_world_tool)
            if given_m > 0:
                return self._slide(slot, T_world_tool[:3, 0], given_m)
        return 0.0

    def _inside_m(self, slot: Slot, T_world_tool: Array) -> float:
        """How deep the tip is in a block, from the face that it meets; nothing where it passes by."""
        T = self.now(slot)
        tip, way = apply(inverse(T), T_world_tool[:3, 3]), T[:3, :3].T @ T_world_tool[:3, 0]
        axis, half = int(np.argmax(np.abs(way))), SIZE_M / 2
        beside = np.delete(np.abs(tip) > half + 1e-4, axis).any()
        depth = float(half[axis] + np.sign(way[axis]) * tip[axis])
        return 0.0 if beside or not 0 < depth < half[axis] else depth

    def _slide(self, slot: Slot, way: Array, given_m: float) -> float:
        holds_n = self.friction_n.get(slot, 0.1)
        slide_m = max(given_m - holds_n / STIFFNESS_N_M, 0.0)
        back = float(self.out_m[slot] @ way) < -1e-6
        if slide_m > 0 and not (back and slot in self.sticky):
            self.out_m[slot] = self.out_m[slot] + slide_m * way
            for other, share in self.drags.get(slot, {}).items():
                self.out_m[other] = self.out_m[other] + share * slide_m * way
            return holds_n
        return STIFFNESS_N_M * given_m

    def now(self, slot: Slot) -> Array:
        """Pose (4, 4) of a block."""
        T = self.stacked.blocks[slot].T_world_block.copy()
        T[:3, 3] += self.out_m[slot]
        return T

    def along_m(self, slot: Slot) -> float:
        """How far a block is out along its own length."""
        return float(self.out_m[slot] @ self.stacked.blocks[slot].T_world_block[:3, 0])

    # The eyes

    def look(self) -> Moment:
        out_m = {s: out.copy() for s, out in self.out_m.items()}
        return Moment(self.clock.now_s(), out_m, frozenset(self.hidden), self.tool())

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        assert isinstance(view, Moment)
        self.asked_with.append(prior is not None)
        if self.unreadable:
            raise PerceptionError("no tower there")
        blocks = {
            slot: replace(block, T_world_block=self._at(slot, view))
            for slot, block in self.stacked.blocks.items()
            if slot not in view.hidden | self.unknown
        }
        slots = self.stacked.slots | dict.fromkeys(self.unknown, Seen.UNKNOWN)
        return replace(self.stacked, t_s=view.t_s, blocks=blocks, slots=slots)

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        assert isinstance(before, Moment)
        assert isinstance(after, Moment)
        visible = set(seen.blocks) - before.hidden - after.hidden - self.plain
        return {s: BlockMotion(after.out_m[s] - before.out_m[s], 5e-5) for s in visible if s in after.out_m}

    def fallen(
        self, before: View, after: View, seen: TowerObservation, *, clear: bool = False
    ) -> tuple[Slot, ...]:
        assert isinstance(before, Moment)
        assert isinstance(after, Moment)
        gone = {s for s in after.out_m if np.linalg.norm(after.out_m[s] - before.out_m[s]) > GONE_M}
        return tuple(sorted(gone | set(self.fallen_slots)))

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        assert isinstance(view, Moment)
        for slot in set(view.out_m) - view.hidden:
            T = self._at(slot, view)
            if np.linalg.norm(T[:3, 3] - T_world_block[:3, 3]) < GONE_M:
                return BlockSeen(T, SIZE_M, 0.0, 3e-4)
        raise PerceptionError("no block there")

    def locate_tool(self, view: View, T_world_tool: Array, opening_m: float) -> ToolSeen:
        assert isinstance(view, Moment)
        self.tool_looks += 1
        if self.tool_hidden:
            raise PerceptionError("no fingers there")
        return ToolSeen(view.T_world_tool, np.diag([1e-4] * 3 + [2e-3] * 3) ** 2)

    def _at(self, slot: Slot, view: Moment) -> Array:
        T = self.stacked.blocks[slot].T_world_block.copy()
        T[:3, 3] += view.out_m[slot]
        return T


def _stacked(tower: Tower) -> TowerObservation:
    flat = as_stacked(tower, SIZE_M)
    blocks = {s: replace(b, T_world_block=T_WORLD_TOWER @ b.T_world_block) for s, b in flat.blocks.items()}
    return replace(flat, T_world_tower=T_WORLD_TOWER, blocks=blocks)


@dataclass
class ToyTable:
    """A toy tower, and a hand that flies about it."""

    tower: ToyTower
    hand: Hand
    arm: InstantArm
    actors: Actors
    button: Button
    obstacles: Obstacles


def toy_table(
    text: str = "111*4",
    *,
    habits: Habits | None = None,
    button: Button | None = None,
    flaw_rad: Array | None = None,
    **more: object,
) -> ToyTable:
    """A table; `more` goes to `ToyTower`.

    With `flaw_rad` (6,), lengths and turns, the tool is off from where the joints say, and is steered by eye.
    """
    tower = ToyTower(Tower.parse(text), **more)  # type: ignore[arg-type]
    one, signal = np.ones(6), button or Button()
    kinematics = Flying()
    limits = ArmLimits(
        kinematics.q_min_rad, kinematics.q_max_rad, 3 * one, 30 * one, 300 * one, opening_max_m=0.06
    )
    arm = InstantArm(kinematics.joint_names, limits, tower.clock, PARK)
    flaw = np.zeros(6) if flaw_rad is None else flaw_rad
    tower.tool = lambda: kinematics.forward(arm.state().q_rad + flaw)
    force = FakeForce(lambda: tower.push(tower.tool()), tower.clock, noise_n=0.005)
    offsets = None if flaw_rad is None else JointOffsets(kinematics.joint_names)
    mover = Mover(arm if offsets is None else SteeredArm(arm, offsets), tower.clock, signal)
    pusher = Pusher(mover, kinematics, force, STIFFNESS_N_M, limits.dq_max_rad_s)
    obstacles = Obstacles()
    hand = Hand(mover, pusher, Body(kinematics, np.eye(4), limits, PARK), obstacles, seed=1, offsets=offsets)
    actors = Actors.of(hand, tower, habits or Habits(), load_blockset("standard"))
    return ToyTable(tower, hand, arm, actors, signal, obstacles)
