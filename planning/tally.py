"""What a turn came to, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tally:
    """What a turn came to.

    Attributes:
        peak_n: Largest force of a probe, a restoring or an extraction.
        over_n: By how much a force was above the limit of its motion at most.
    """

    probes: int = 0
    restored: int = 0
    extracted: int = 0
    peak_n: float = 0.0
    over_n: float = 0.0

    @property
    def rejected(self) -> int:
        """How many probes did not lead to an extraction."""
        return self.probes - self.extracted

    def force(self, peak_n: float, limit_n: float) -> None:
        """Note the largest force of a motion."""
        self.peak_n = max(self.peak_n, peak_n)
        self.over_n = max(self.over_n, peak_n - limit_n)
