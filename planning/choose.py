"""Which block to try next: a first, sound rule.

A block is worth trying where the tower stands without it with some margin, where it is the middle one of a full layer
(its neighbours then carry on both sides), and where no earlier probe of this game found it tight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planning.observation import TowerObservation
from planning.probe import Verdict
from planning.stability import support_margin_m
from planning.tower import Slot

LEAST_MARGIN_M = 0.004  # towers fall a millimetre before the edge, and the pictures are half a millimetre off
_MIDDLE, _NEAR_TOP, _PER_MM = 12.0, 6.0, 1.0
_TRIED = {Verdict.TIGHT: 30.0, Verdict.DRAGS: 40.0, Verdict.UNSEEN: 20.0}
_FORGET = 0.7  # share of an earlier verdict's weight that is left after another turn: the loads shift


@dataclass(frozen=True)
class Choice:
    """A block worth trying, and why."""

    slot: Slot
    score: float
    margin_m: float
    why: str


@dataclass
class Memory:
    """What earlier probes of this game have shown of each block that still stands where it was probed."""

    _found: dict[Slot, tuple[Verdict, int]] = field(default_factory=dict)
    turn: int = 0

    def note(self, slot: Slot, verdict: Verdict) -> None:
        """Remember a probe."""
        self._found[slot] = (verdict, self.turn)

    def forget(self, slot: Slot) -> None:
        """The block has left this slot."""
        self._found.pop(slot, None)

    def penalty(self, slot: Slot) -> float:
        """How much an earlier verdict speaks against trying again."""
        if slot not in self._found:
            return 0.0
        verdict, turn = self._found[slot]
        return _TRIED.get(verdict, 0.0) * _FORGET ** (self.turn - turn)

    def known(self) -> Mapping[Slot, Verdict]:
        """The last verdict on each block."""
        return {slot: verdict for slot, (verdict, _) in self._found.items()}


def rank(seen: TowerObservation, legal: Iterable[Slot], memory: Memory) -> list[Choice]:
    """The legal blocks that the tower can do without, best first."""
    top = max((slot.layer for slot in seen.blocks), default=0)
    choices = []
    for slot in legal:
        if slot not in seen.blocks:
            continue
        margin = support_margin_m(seen, {slot})
        if margin >= LEAST_MARGIN_M:
            choices.append(_choice(slot, margin, top, _is_middle(slot, seen), memory))
    return sorted(choices, key=lambda c: (-c.score, c.slot))


def _choice(slot: Slot, margin_m: float, top: int, middle: bool, memory: Memory) -> Choice:
    near_top = top - slot.layer <= 2  # little weight above: the block takes its neighbours along
    score = (
        _PER_MM * min(margin_m * 1e3, 12.0) + _MIDDLE * middle - _NEAR_TOP * near_top - memory.penalty(slot)
    )
    words = [
        "middle of a full layer" if middle else "side block",
        f"leaves {margin_m * 1e3:.0f} mm of support",
    ]
    if memory.penalty(slot) > 0:
        words.append(f"earlier verdict: {memory.known()[slot].value}")
    return Choice(slot, score, margin_m, ", ".join(words))


def _is_middle(slot: Slot, seen: TowerObservation) -> bool:
    return slot.position == 2 and all(Slot(slot.layer, p) in seen.blocks for p in (1, 3))
