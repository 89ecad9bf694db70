"""What a block takes along on its way out: seen beside a view from before, and told from what only leans."""

from __future__ import annotations

from planning.eyes import View
from planning.probe import ProbeReport
from planning.sway import sway_m
from planning.touch import Push, passed_on
from planning.tower import Slot
from planning.watch import Watcher

UNDER_FORCE_M, AT_REST_M = (
    0.002,
    0.0005,
)  # a tower leans at most: while a block is drawn, and for good by having been


def taken_along(watcher: Watcher, probe: ProbeReport, clear: View | None = None) -> dict[Slot, float]:
    """How far [m] every other block that can be watched has moved.

    Args:
        watcher: It looks.
        probe: Of the block that is on its way out.
        clear: A view without an arm to compare with, where none is in front now; else that of the probe.

    Raises:
        TowerFellError: A block that was left alone is gone from its place.
    """
    before = probe.before if clear is None else clear
    motions = watcher.motions(before, probe.seen, taken=probe.slot, clear=clear is not None)
    motions.pop(probe.slot, None)
    block = probe.seen.blocks[probe.slot]
    push = Push(probe.slot, -probe.end * block.T_world_block[:3, 0], float(block.size_m[0]))
    return passed_on(motions, push, probe.seen.blocks)


def in_words(
    probe: ProbeReport, others: dict[Slot, float], least_m: float, force_n: float, leans_m: float = 0.0
) -> str | None:
    """Which other block moved too far, None where none did.

    Args:
        probe: Of the block that is on its way out.
        others: As `taken_along` has them.
        least_m: What may be.
        force_n: Of this moment; the tower gives way under it and springs back.
        leans_m: So much at most of what all blocks beside and below have done, too, is taken for the tower's leaning.
    """
    slot, moved_m = max(others.items(), key=lambda item: item[1], default=(None, 0.0))
    sways_m = max(sway_m(probe.slot.layer, force_n), min(leans_m, _common_m(probe.slot, others)))
    return f"{slot} came along by {moved_m * 1e3:.1f} mm" if moved_m > least_m + sways_m else None


def _common_m(drawn: Slot, others: dict[Slot, float]) -> float:
    """How far the blocks beside and below the drawn one have moved, all that are watched."""
    steady_m = [moved_m for slot, moved_m in others.items() if slot.layer in {drawn.layer - 1, drawn.layer}]
    return min(steady_m, default=0.0)


def touching(probe: ProbeReport) -> set[Slot]:
    """The blocks right above and below: only these can a block take along first."""
    layers = (probe.slot.layer - 1, probe.slot.layer + 1)
    return {slot for slot in probe.seen.blocks if slot.layer in layers}
