"""A simulated person's hand: it draws a block out along its length and lays it on top, in the physics.

The hand pulls as a person does who feels what a block does: one that bears much stays, others may come along, and a
tower may fall. Where the blocks really are is what a person sees; nothing of it goes further.
"""

from __future__ import annotations

import numpy as np

from planning.tower import Slot, axis_of, row
from robot.errors import StoppedError
from robot.frames import Array, apply, inverse, pose, rot_z
from robot.ports import StopSignal
from robot.seeding import generator
from sim.grip import FIRM_N, HARD_N, Grip
from sim.standing import standing
from sim.world import World

_DRAW_M_S, _CARRY_M_S, _LOWER_M_S = 0.03, 0.15, 0.02
_CLEAR_M = 0.06  # between the tower and a block that is carried by, and above the top
_COME_M, _FELL_M = 0.004, 0.03  # another block that went so far comes along, or has fallen
_BORNE_M = 0.001  # so far the block stays behind when it touches down
_PATIENCE_S, _REST_S = 1.0, 0.5
_ROOM_M = 0.0003  # left to the neighbours
_ALONG_SD_M, _TURN_SD_RAD = 0.0006, np.radians(0.4)  # how well people lay a block


class SimPerson:
    """Moves blocks of a world as a person's hand does; the arm holds still meanwhile.

    Args:
        world: The table.
        arm_m: Where the arm stands (3,), world frame: the hand keeps to the other side.
        stop: Ends a motion.
        seed: Of how exactly blocks are laid.
    """

    def __init__(self, world: World, arm_m: Array, stop: StopSignal, seed: int) -> None:
        self._world, self._arm_m, self._stop = world, arm_m, stop
        self._rng = generator(seed, "person")
        self._size_m = {block.name: np.array(block.size_m) for block in world.blocks}
        self._home: dict[str, Array] = {}  # of blocks that were pushed

    def take(self, slot: Slot, top: Slot, *, hard: bool = False) -> bool:
        """Draw the block of a slot out and lay it in another one; what comes of that is to be looked at.

        Returns:
            False where the block holds or takes others along, and the hand, which does not pull `hard`, leaves it.

        Raises:
            StoppedError: A person asked for a stop; the hand has let go.
        """
        name = standing(self._world).get(slot)
        if name is None:
            return True
        grip = Grip(self._world, name, self._check_stop, HARD_N if hard else FIRM_N)
        try:
            if out := self._drawn(grip, name, hard=hard):
                self._laid(grip, name, top)
        finally:
            grip.let_go()
        self._rest()
        return out or hard

    def lay(self, top: Slot) -> None:
        """Take a block that lies on the table and lay it in a slot.

        Raises:
            StoppedError: A person asked for a stop; the hand has let go.
        """
        stands = set(standing(self._world).values())
        lying = [block.name for block in self._world.blocks if block.name not in stands]
        if not lying:
            return
        grip = Grip(self._world, lying[0], self._check_stop)
        try:
            self._laid(grip, lying[0], top)
        finally:
            grip.let_go()
        self._rest()

    def push(self, slot: Slot, by_m: float) -> None:
        """Push a block along its length, by so much towards +x or +y if it gives way, and let go.

        Raises:
            StoppedError: A person asked for a stop; the hand has let go.
        """
        name = standing(self._world).get(slot)
        if name is None:
            return
        self._home.setdefault(name, self._world.T_world_block(name))
        self._shove(name, self._along(name, slot) * by_m)

    def restore(self, slot: Slot) -> None:
        """Push a block back to where it was before it was first pushed.

        Raises:
            StoppedError: A person asked for a stop; the hand has let go.
        """
        name = standing(self._world).get(slot)
        if name is not None and name in self._home:
            self._shove(name, self._home.pop(name)[:3, 3] - self._world.T_world_block(name)[:3, 3])

    def _check_stop(self) -> None:
        if self._stop.is_set():
            raise StoppedError("stopped by a person; the arm stands still")

    def _rest(self) -> None:
        self._world.sleep_until(self._world.now_s() + _REST_S)

    def _along(self, name: str, slot: Slot) -> Array:
        """Direction (3,) of the block's length, in the sense of the layer's + axis."""
        axis = self._world.room.T_world_tower[:3, 0 if axis_of(slot.layer) == "x" else 1]
        x = self._world.T_world_block(name)[:3, 0]
        return x if x @ axis > 0 else -x

    def _shove(self, name: str, by_m: Array) -> None:
        grip = Grip(self._world, name, self._check_stop)
        try:
            grip.go(_moved(grip.wish, by_m), _DRAW_M_S)
            grip.stay(_PATIENCE_S)
        finally:
            grip.let_go()
        self._rest()

    def _drawn(self, grip: Grip, name: str, *, hard: bool) -> bool:
        """Pull the block out on the side away from the arm; False where it holds, or others come along or fall."""
        start, before = grip.now(), self._positions(name)
        out = start[:3, 0] if start[:3, 0] @ (start[:3, 3] - self._arm_m) > 0 else -start[:3, 0]
        goal = _moved(start, (self._size_m[name][0] + _CLEAR_M) * out)
        least_m = _FELL_M if hard else _COME_M
        grip.go(goal, _DRAW_M_S, lambda: grip.holds or self._went(before, least_m))
        return bool((grip.now()[:3, 3] - start[:3, 3]) @ out > self._size_m[name][0])

    def _positions(self, held: str) -> dict[str, Array]:
        return {n: self._world.T_world_block(n)[:3, 3].copy() for n in self._size_m if n != held}

    def _went(self, before: dict[str, Array], least_m: float) -> bool:
        now = self._world.data.body
        return any(float(np.abs(now(n).xpos - was).max()) > least_m for n, was in before.items())

    def _laid(self, grip: Grip, name: str, top: Slot) -> None:
        """Up beside the tower, over it, and down until it is borne."""
        lies = self._lies(name, top)
        above = _moved(lies, np.array([0.0, 0.0, _CLEAR_M]))
        up = grip.wish.copy()
        up[2, 3] = above[2, 3]
        grip.go(up, _CARRY_M_S)
        grip.go(above, _CARRY_M_S)
        grip.stay(_PATIENCE_S / 2)
        grip.go(
            _moved(lies, np.array([0.0, 0.0, -2 * _BORNE_M])),
            _LOWER_M_S,
            lambda: bool(grip.behind_m()[2] < -_BORNE_M),
        )
        grip.stay(_REST_S)

    def _lies(self, name: str, top: Slot) -> Array:
        """Where a person lays the block: square on the layer below, beside those that lie there."""
        T_world_layer, bears_m = self._layer(top.layer)
        size = self._size_m[name]
        across_m = self._across_m(name, top, T_world_layer)
        along_m = self._rng.normal(0, _ALONG_SD_M)
        turn = rot_z(self._rng.normal(0, _TURN_SD_RAD))
        T = T_world_layer @ pose(turn, [along_m, across_m, 0.0])
        T[2, 3] = bears_m + size[2] / 2
        if T[:3, 0] @ self._world.T_world_block(name)[:3, 0] < 0:  # no more turning than need be
            T[:3, :3] = T[:3, :3] @ rot_z(np.pi)
        return T

    def _layer(self, layer: int) -> tuple[Array, float]:
        """Frame (4, 4) of a layer, x along its blocks, and the height that bears it [m]."""
        stands, T_world_tower = standing(self._world), self._world.room.T_world_tower
        below = [self._world.T_world_block(stands[s]) for s in row(max(layer - 1, 1)) if s in stands]
        if layer == 1 or not below:
            return T_world_tower, float(T_world_tower[2, 3])
        across = np.mean([T[:3, 0] * np.sign(T[:3, 0] @ below[0][:3, 0]) for T in below], axis=0)
        nominal = T_world_tower[:3, 0 if axis_of(layer) == "x" else 1]
        angle = np.arctan2(-across[0], across[1])
        x = np.array([np.cos(angle), np.sin(angle), 0.0])
        x = x if x @ nominal > 0 else -x
        thick_m = max(self._size_m[stands[s]][2] for s in row(layer - 1) if s in stands)
        middle = np.mean([T[:3, 3] for T in below], axis=0)
        axes = np.stack([x, np.cross([0.0, 0.0, 1.0], x), [0.0, 0.0, 1.0]], axis=1)
        return pose(axes, middle), float(middle[2] + thick_m / 2)

    def _across_m(self, name: str, top: Slot, T_world_layer: Array) -> float:
        """Where on the layer's y it goes, moved aside for those that lie there."""
        stands, width = standing(self._world), self._size_m[name][1]
        pitch_m = float(np.mean([size[1] for size in self._size_m.values()])) + _ROOM_M
        sense = 1 if axis_of(top.layer) == "x" else -1  # positions run along +x where blocks lie along y
        at_m = sense * (top.position - 2) * pitch_m
        for slot in row(top.layer):
            if slot == top or slot not in stands:
                continue
            other_m = apply(inverse(T_world_layer), self._world.T_world_block(stands[slot])[:3, 3])[1]
            least_m = (width + self._size_m[stands[slot]][1]) / 2 + _ROOM_M
            if abs(at_m - other_m) < least_m:
                at_m = other_m + sense * np.sign(top.position - slot.position) * least_m
        return float(at_m)


def _moved(T: Array, by_m: Array) -> Array:
    out = T.copy()
    out[:3, 3] += by_m
    return out
