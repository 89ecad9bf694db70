"""All that a turn acts through, put together once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planning.blockset import BlockSet
from planning.company import Company, Nobody
from planning.extract import Extractor
from planning.eyes import Eyes
from planning.habits import Habits
from planning.observation import BlockSeen
from planning.place import Placer
from planning.probe import Prober
from planning.restore import Restorer
from planning.tower import Slot
from planning.watch import Watcher
from robot.hand import Hand


@dataclass(frozen=True)
class Actors:
    """Hand, eyes and what they do together."""

    hand: Hand
    watcher: Watcher
    habits: Habits
    blockset: BlockSet
    prober: Prober
    restorer: Restorer
    extractor: Extractor
    placer: Placer
    company: Company = field(default_factory=Nobody)

    @classmethod
    def of(
        cls, hand: Hand, eyes: Eyes, habits: Habits, blockset: BlockSet, company: Company | None = None
    ) -> Actors:
        """Actors that share one hand and one pair of eyes; `company` looks whether somebody is there."""
        watcher = Watcher(eyes)
        return cls(
            hand,
            watcher,
            habits,
            blockset,
            Prober(hand, watcher, habits),
            Restorer(hand, watcher, habits),
            Extractor(hand, watcher, habits),
            Placer(hand, watcher, habits),
            company or Nobody(),
        )

    def avoid(self, blocks: Mapping[Slot, BlockSeen]) -> None:
        """Tell the collision checker where the blocks stand."""
        self.hand.collisions.set_tower([(block.T_world_block, block.size_m) for block in blocks.values()])
