"""What stands where, as far as a turn knows: the last reading, and what the arm has changed since."""

from __future__ import annotations

from dataclasses import replace

from planning.actors import Actors
from planning.eyes import View
from planning.lookout import observe
from planning.observation import BlockSeen, Seen, TowerObservation
from planning.poses import pushed_out
from planning.tower import Slot, Tower
from robot.frames import Array


class Standing:
    """Keeps the collision checker told of every change."""

    def __init__(self, actors: Actors) -> None:
        self._actors = actors
        self.seen: TowerObservation
        self.view: View  # in which it was read, with nothing in front
        self._read: TowerObservation | None = None  # in that view

    def observe(self, tower: Tower, prior: TowerObservation | None) -> None:
        """Look afresh.

        Raises:
            PerceptionError: The pictures cannot be read, or show another tower than the record's.
        """
        before = self.view if self._read is not None and prior is self._read else None
        self.seen, self.view = observe(self._actors.watcher.eyes, tower, prior, before)
        self._read = self.seen
        self._actors.avoid(self.seen.blocks)

    def take_over(self, view: View, seen: TowerObservation) -> None:
        """Go on with a look that somebody else changed the tower before."""
        self.seen, self.view = seen, view
        self._actors.avoid(seen.blocks)

    def stands_out(self, slot: Slot, as_probed: BlockSeen, end: int, out_m: float) -> Array:
        """A block stands out by so much on the side across from the pushed `end`; how far that is (3,)."""
        T_out = pushed_out(as_probed.T_world_block, end, out_m)
        self._actors.avoid({**self.seen.blocks, slot: replace(as_probed, T_world_block=T_out)})
        return T_out[:3, 3] - as_probed.T_world_block[:3, 3]

    def take(self, slot: Slot) -> None:
        """A block has left the tower."""
        self._hold({s: b for s, b in self.seen.blocks.items() if s != slot}, slot, Seen.GAP)

    def lay(self, slot: Slot, block: BlockSeen) -> None:
        """A block was laid into a slot."""
        self._hold({**self.seen.blocks, slot: block}, slot, Seen.BLOCK)

    def _hold(self, blocks: dict[Slot, BlockSeen], slot: Slot, what: Seen) -> None:
        self.seen = replace(self.seen, blocks=blocks, slots={**self.seen.slots, slot: what})
        self._actors.avoid(blocks)
