"""The robot's eyes: the cameras, and perception to read their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from perception.locate import locate_block
from perception.motion import block_motions
from perception.observe import observe
from perception.tool import locate_tool
from planning.blockset import BlockSet
from planning.eyes import Doubt, ToolSeen, View
from planning.observation import BlockMotion, BlockSeen, Seen, TowerObservation
from planning.tower import Slot
from robot.errors import PerceptionError
from robot.frames import Array
from robot.lfinger import LFinger
from robot.ports import Camera, Frame

_GONE_M = 0.010
_MANY = 0.3  # share of the blocks that an arm in front does not hide


@dataclass(frozen=True)
class Pictures:
    """What all cameras saw at one moment."""

    frames: tuple[Frame, ...]

    @property
    def t_s(self) -> float:
        """When the last picture was exposed."""
        return max(frame.t_s for frame in self.frames)


class Sight:
    """Implements `planning.eyes.Eyes`.

    Args:
        cameras: Calibrated ones.
        blockset: What the blocks may be like.
        T_world_tower: Where the tower should stand (4, 4).
        finger: The arm's fingers.
    """

    def __init__(
        self, cameras: Sequence[Camera], blockset: BlockSet, T_world_tower: Array, finger: LFinger
    ) -> None:
        self._cameras = tuple(cameras)
        self._models = {camera.model.name: camera.model for camera in cameras}
        self._blockset, self._T_world_tower, self._finger = blockset, T_world_tower, finger
        self._newest: tuple[tuple[int, int, int], object, dict[Slot, BlockMotion]] | None = None

    def look(self) -> Pictures:
        """New pictures of all cameras."""
        return Pictures(tuple(camera.capture() for camera in self._cameras))

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        """The tower in a view."""
        expected = self._T_world_tower if prior is None else prior
        return observe(frames_of(view), self._models, self._blockset, expected)

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        """How far each block moved between two views."""
        return dict(self._moved(before, after, seen))

    def fallen(
        self, before: View, after: View, seen: TowerObservation, *, clear: bool = False
    ) -> tuple[Slot, ...]:
        """The blocks that are gone from their places.

        An arm in front hides a few blocks; where many are not found again, or any with nothing in front, the tower is
        read afresh. A block has fallen where the new reading shows a gap, or ends below its place. An arm in front can
        look like a gap: then most of what was lost must have fallen.
        """
        moved = self._moved(before, after, seen)
        lost = [slot for slot in seen.blocks if slot not in moved or _length_m(moved[slot]) > _GONE_M]
        if not lost or (not clear and len(lost) < _MANY * len(seen.blocks)):
            return ()
        try:
            now = self.observe(after)
        except PerceptionError:
            return tuple(sorted(lost))
        gone = tuple(sorted(slot for slot in lost if now.slots.get(slot, Seen.GAP) is Seen.GAP))
        return gone if clear or len(gone) > len(lost) / 2 else ()

    def _moved(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        """As `motions`; the newest answer is kept, because a fall is asked for first and the motions next."""
        key = (id(before), id(after), id(seen))
        if self._newest is None or self._newest[0] != key:
            moved = block_motions(frames_of(before), frames_of(after), self._models, seen)
            self._newest = (key, (before, after, seen), moved)
        return self._newest[2]

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        """One block near a pose where it is expected."""
        return locate_block(frames_of(view), self._models, size_m, T_world_block, around, doubt)

    def locate_tool(self, view: View, T_world_tool: Array, opening_m: float) -> ToolSeen:
        """The arm's tool near where its joints say that it is."""
        return locate_tool(frames_of(view), self._models, self._finger, T_world_tool, opening_m)


def _length_m(motion: BlockMotion) -> float:
    return float(np.linalg.norm(motion.moved_m))


def frames_of(view: View) -> tuple[Frame, ...]:
    """The pictures of a view that these eyes took."""
    if not isinstance(view, Pictures):
        raise TypeError(f"a view of other eyes: {type(view).__name__}")
    return view.frames
