"""The belief as a game goes on: it looks, feels, and follows blocks that are taken and laid.

Nothing is reckoned until something is asked, so a turn costs one reckoning of the tower, not one for each change.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planning.belief import Belief, Grounds
from planning.evidence import Felt
from planning.force_limit import Bounds, ForceLimit, force_limit
from planning.observation import Seen, TowerObservation
from planning.probe import ProbeReport, Verdict
from planning.tower import Slot

_STAYED_M = 0.0005  # a block that was seen to move by less has not moved


class Mind:
    """What the robot believes of the tower before it.

    Args:
        grounds: Of its belief.
        bounds: Of its force limits.
    """

    def __init__(self, grounds: Grounds, bounds: Bounds) -> None:
        self._grounds, self._bounds = grounds, bounds
        self._belief: Belief | None = None
        self._seen: TowerObservation | None = None

    @property
    def belief(self) -> Belief | None:
        """None until the tower was looked at."""
        return self._belief

    def looks(self, seen: TowerObservation) -> None:
        """The first look makes the belief, later ones say where the blocks stand now.

        Blocks that were taken and laid by others are followed as if it had been the robot. One that is only hidden
        is taken to stand where it was seen last.
        """
        belief, seen = self._belief, self._with_hidden(seen)
        self._seen = seen
        if belief is None:
            self._belief = Belief.seen(self._grounds, seen)
            return
        for slot in sorted(set(belief.slots) - set(seen.blocks)):
            belief = belief.taken(slot)
        for slot in sorted(set(seen.blocks) - set(belief.slots)):
            belief = belief.placed(slot)
        self._belief = belief.stands(seen)

    def _with_hidden(self, seen: TowerObservation) -> TowerObservation:
        if self._belief is None or self._seen is None:
            return seen
        hidden = {
            slot: self._seen.blocks[slot]
            for slot in self._belief.slots
            if slot not in seen.blocks
            and slot in self._seen.blocks
            and seen.slots.get(slot, Seen.GAP) is not Seen.GAP
        }
        return replace(seen, blocks={**seen.blocks, **hidden})

    def feels(self, felt: Felt | None) -> None:
        """A probe; None says nothing."""
        if self._belief is not None and felt is not None:
            self._belief = self._belief.felt(felt)

    def takes(self, slot: Slot, thickness_m: float | None = None) -> None:
        """A block has left the tower."""
        if self._belief is not None:
            self._belief = self._belief.taken(slot, thickness_m)

    def lays(self, slot: Slot) -> None:
        """The block in the hand was laid on top."""
        if self._belief is not None:
            self._belief = self._belief.placed(slot)

    def limit(self, slot: Slot) -> ForceLimit | None:
        """Force limit of a block's probe, None where nothing is believed of it yet."""
        if self._belief is None or slot not in self._belief.slots:
            return None
        return force_limit(self._belief, slot, self._bounds)


def felt_of(report: ProbeReport, neighbour_m: float) -> Felt | None:
    """What a probe says to the belief.

    A push that ended by travel says of a block that stayed that it holds that much; of one that half followed, nothing.

    Args:
        report: The probe.
        neighbour_m: Motion of another block that counts as dragged along.
    """
    moved = report.peak_n < report.limit_n
    if moved and report.verdict is Verdict.TIGHT:
        stayed = float(np.linalg.norm(report.displaced_m)) < _STAYED_M
        return Felt(report.slot, moved=False, peak_n=report.peak_n, limit_n=report.peak_n) if stayed else None
    dragged = report.worst[1] > neighbour_m if report.worst else None
    if report.verdict is Verdict.TURNS:
        dragged = True  # a neighbour holds it on one side, so that it does not come out by itself
    return Felt(report.slot, moved, report.peak_n, report.limit_n, dragged if moved else None)


def dragged(report: ProbeReport, peak_n: float) -> Felt:
    """What a block says to the belief that was given up on its way out, pushed with so much: it takes others along."""
    return Felt(report.slot, moved=True, peak_n=peak_n, limit_n=max(peak_n, report.limit_n), dragged=True)
