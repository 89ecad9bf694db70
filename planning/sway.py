"""How far a tower gives way as a whole while one of its blocks is pushed: it springs back, and drags nothing."""

from __future__ import annotations

# Metres a newton and squared layer of the block, at the top of the tower: 68 probes by the arm on simulated towers that
# stopped at their limit (docs/physics.md).
_SWAY_M_N = 1.35e-5


def sway_m(layer: int, force_n: float) -> float:
    """How far the top gives way when a block of a layer is pushed."""
    return _SWAY_M_N * layer**2 * abs(force_n)


def hardest_n(layer: int, most_m: float) -> float:
    """The force at which the top gives way so far."""
    return most_m / (_SWAY_M_N * layer**2)
