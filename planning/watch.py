"""Looking with a question in mind: what moved, does the tower still stand?"""

from __future__ import annotations

import numpy as np

from planning.eyes import Eyes, View
from planning.observation import BlockMotion, TowerObservation
from planning.tower import Slot
from robot.errors import SteadyhandError

_WHOLE = 4  # so many blocks gone: that is no longer a block that fell, the tower did


class TowerFellError(SteadyhandError):
    """Blocks other than the one in hand have fallen.

    Attributes:
        slots: The blocks that are gone from their places.
    """

    def __init__(self, slots: tuple[Slot, ...]) -> None:
        names = ", ".join(str(slot) for slot in sorted(slots))
        super().__init__(f"blocks have fallen: {names}")
        self.slots = slots

    @property
    def whole(self) -> bool:
        """Whether the tower fell, not just a block of it."""
        return len(self.slots) >= _WHOLE


class Watcher:
    """Looks before and after an act, and raises where the tower no longer stands."""

    def __init__(self, eyes: Eyes) -> None:
        self.eyes = eyes

    def look(self) -> View:
        """New pictures."""
        return self.eyes.look()

    def motions(
        self, before: View, seen: TowerObservation, taken: Slot | None = None, after: View | None = None
    ) -> dict[Slot, BlockMotion]:
        """How far each block that can be seen has moved since a view.

        Args:
            before: The view.
            seen: The tower then.
            taken: A block that may have left its slot.
            after: The view to compare with; a new one where it is left out.

        Raises:
            TowerFellError: Other blocks have left their places.
        """
        after = after or self.eyes.look()
        fallen = tuple(slot for slot in self.eyes.fallen(before, after, seen) if slot != taken)
        if fallen:
            raise TowerFellError(fallen)
        return self.eyes.motions(before, after, seen)


def sizes_m(motions: dict[Slot, BlockMotion]) -> dict[Slot, float]:
    """How far each block moved."""
    return {slot: float(np.linalg.norm(motion.moved_m)) for slot, motion in motions.items()}


def shifted(moved_m: dict[Slot, float], least_m: float) -> list[Slot]:
    """The blocks that moved at least so far, in order."""
    return sorted(slot for slot, distance in moved_m.items() if distance >= least_m)
