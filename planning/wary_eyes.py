"""Eyes that look on only while nobody reaches in beside the arm, in the middle of a turn too."""

from __future__ import annotations

from planning.company import Company, wait_while
from planning.eyes import Doubt, Eyes, ToolSeen, View
from planning.notes import Notify
from planning.observation import BlockMotion, BlockSeen, TowerObservation
from planning.tower import Slot
from robot.frames import Array
from robot.hand import Hand


class WaryEyes:
    """Implements `Eyes` on others: the arm stands while it looks, and stands on for as long as somebody is there.

    Args:
        eyes: Who sees.
        company: Who tells whether somebody reaches in.
        hand: Of the arm that waits.
        notify: Told what it waits for.
    """

    def __init__(self, eyes: Eyes, company: Company, hand: Hand, notify: Notify) -> None:
        self._eyes, self._company, self._hand, self._notify = eyes, company, hand, notify

    def look(self) -> View:
        """New pictures with nobody in them.

        Raises:
            DeviceError: Somebody was there all the time.
            StoppedError: A person asked for a stop.
        """
        views = list[View]()

        def someone() -> str | None:
            views.append(self._eyes.look())
            return self._company.reaching_in(views[-1], self._hand.outline())

        wait_while(someone, self._hand.mover, self._notify)
        return views[-1]

    def observe(self, view: View, prior: TowerObservation | None = None) -> TowerObservation:
        """The tower in a view."""
        return self._eyes.observe(view, prior)

    def motions(self, before: View, after: View, seen: TowerObservation) -> dict[Slot, BlockMotion]:
        """How far each block moved between two views."""
        return self._eyes.motions(before, after, seen)

    def fallen(
        self, before: View, after: View, seen: TowerObservation, *, clear: bool = False
    ) -> tuple[Slot, ...]:
        """The blocks that are gone from their places."""
        return self._eyes.fallen(before, after, seen, clear=clear)

    def locate(
        self, view: View, T_world_block: Array, size_m: Array, around: TowerObservation, doubt: Doubt
    ) -> BlockSeen:
        """One block near a pose where it is expected."""
        return self._eyes.locate(view, T_world_block, size_m, around, doubt)

    def locate_tool(self, view: View, T_world_tool: Array, opening_m: float) -> ToolSeen:
        """The arm's tool near where its joints say that it is."""
        return self._eyes.locate_tool(view, T_world_tool, opening_m)
