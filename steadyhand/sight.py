"""The robot's eyes: the cameras, and perception to read their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.locate import locate_block
from perception.motion import block_motions
from perception.observe import observe
from planning.blockset import BlockSet
from planning.eyes import View
from planning.observation import BlockMotion, BlockSeen, TowerObservation
from planning.tower import Slot
from robot.frames import Array
from robot.ports import Camera, Frame


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
    """

    def __init__(self, cameras: Sequence[Camera], blockset: BlockSet, T_world_tower: Array) -> None:
        self._cameras = tuple(cameras)
        self._models = {camera.model.name: camera.model for camera in cameras}
        self._blockset, self._T_world_tower = blockset, T_world_tower

    def look(self) -> Pictures:
        """New pictures of all cameras."""
        return Pictures(tuple(camera.capture() for camera in self._cameras))

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        """The tower in a view."""
        expected = self._T_world_tower if prior is None else prior
        return observe(_frames(view), self._models, self._blockset, expected)

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        """How far each block moved between two views."""
        return block_motions(_frames(before), _frames(after), self._models, seen)

    def fallen(self, before: View, after: View, seen: TowerObservation) -> tuple[Slot, ...]:
        """The blocks that are gone from their places."""
        return ()

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, place_sd_m: float
    ) -> BlockSeen:
        """One block near a pose where it is expected."""
        return locate_block(_frames(view), self._models, size_m, T_world_block, around, place_sd_m)


def _frames(view: View) -> tuple[Frame, ...]:
    if not isinstance(view, Pictures):
        raise TypeError(f"a view of other eyes: {type(view).__name__}")
    return view.frames
