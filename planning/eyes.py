"""What planning asks of the pictures. It never sees them itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planning.observation import BlockMotion, BlockSeen, TowerObservation
from planning.tower import Slot
from robot.frames import Array


@dataclass(frozen=True)
class Doubt:
    """How well a block's pose is known before it is looked at: standard deviations along and about its own axes.

    Attributes:
        place_m: Along its length, across it, and through its thickness.
        turn_rad: About the same axes.
    """

    place_m: tuple[float, float, float]
    turn_rad: tuple[float, float, float]


@dataclass(frozen=True)
class ToolSeen:
    """Where the arm's tool is by the pictures.

    Attributes:
        T_world_tool: Pose (4, 4).
        covariance: Of the tool's place (3) and turn (3), along and about the world's axes (6, 6).
    """

    T_world_tool: Array
    covariance: Array

    @property
    def sd_m(self) -> float:
        """Standard deviation of the tip's place in the worst direction."""
        return float(np.sqrt(np.linalg.eigvalsh(self.covariance[:3, :3])[-1]))


class View(Protocol):
    """What all cameras saw at one moment; only the eyes look inside."""

    @property
    def t_s(self) -> float:
        """When it was seen."""
        ...


class Eyes(Protocol):
    """The cameras and what reads their pictures."""

    def look(self) -> View:
        """New pictures of all cameras, exposed after this call began."""
        ...

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        """The tower in a view.

        Raises:
            PerceptionError: It cannot be read; the reason says why.
        """
        ...

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        """How far each block moved between two views; blocks that could not be seen in both are absent."""
        ...

    def fallen(
        self, before: View, after: View, seen: TowerObservation, *, clear: bool = False
    ) -> tuple[Slot, ...]:
        """The blocks of a tower that stood before and are gone from their places after; `clear`: no arm in front."""
        ...

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        """One block near a pose (4, 4) where it is expected, known but for a `doubt`; `around` it stands the tower.

        Raises:
            PerceptionError: It is not there.
        """
        ...

    def locate_tool(self, view: View, T_world_tool: Array, opening_m: float) -> ToolSeen:
        """The arm's tool, within some 10 mm of the pose (4, 4) where its joints say it is, the fingers open so far.

        Raises:
            PerceptionError: The fingers are not seen there.
        """
        ...
