"""What a player's own probes have shown: of this turn, and which blocks hold fast since earlier ones."""

from __future__ import annotations

from planning.evidence import Felt
from planning.tower import Slot


class Trials:
    """Keeps a player from asking a block again what it has answered."""

    def __init__(self) -> None:
        self._limits_n: dict[Slot, float] = {}  # of this turn's probes
        # Pushed so hard, blocks did not move, and nothing about them has changed
        self._held_n: dict[Slot, float] = {}
        self._passed: set[Slot] = set()  # in this turn, and put back for a better one
        self._dragging: set[Slot] = set()  # seen in this turn

    def turns(self) -> None:
        """A new turn begins."""
        self._limits_n, self._passed, self._dragging = {}, set(), set()

    def asks(self, slot: Slot, limit_n: float) -> None:
        """A block is about to be probed."""
        self._limits_n[slot] = limit_n

    def feels(self, felt: Felt) -> None:
        """What the probe showed."""
        if felt.dragged:
            self._dragging.add(felt.slot)
            self._passed.discard(felt.slot)
        if not felt.moved:
            self._held_n[felt.slot] = max(felt.limit_n, self._held_n.get(felt.slot, 0.0))

    def puts_back(self, slot: Slot) -> None:
        """The block passed, and went back for a better one: it may be come back to."""
        self._limits_n.pop(slot, None)
        self._passed.add(slot)

    def unbinds(self, gone: Slot) -> None:
        """A block is gone: what held fast beside it may not do so any more."""
        near = range(gone.layer - 1, gone.layer + 2)
        self._held_n = {held: force_n for held, force_n in self._held_n.items() if held.layer not in near}

    def passed(self, slot: Slot) -> bool:
        """Whether the block passed in this turn and was put back all the same."""
        return slot in self._passed

    def drags(self, slot: Slot) -> bool:
        """Whether it was seen in this turn to take others along; what did so once does so again."""
        return slot in self._dragging

    def is_new(self, slot: Slot, limit_n: float, raised: float) -> bool:
        """Whether a limit is so many times what the block was asked in this turn, or held fast at before."""
        return limit_n > raised * max(self._limits_n.get(slot, 0.0), self._held_n.get(slot, 0.0))
