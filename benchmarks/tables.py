"""Simulated tables for measurements, as `play` sets them up."""

from __future__ import annotations

from pathlib import Path

from planning.tower import Tower
from sim.simulation import Simulation
from steadyhand import wiring
from steadyhand.rig import Rig
from steadyhand.settings import Settings
from steadyhand.stopping import HumanStop
from steadyhand.truth import TruthLog

N_BLOCKS = 54


def table(seed: int, blockset: str = "standard") -> tuple[Rig, Simulation]:
    """A full tower with arm and cameras."""
    settings = Settings()
    chosen = wiring.block_set(settings, blockset)
    return wiring.simulated(settings, chosen, Tower.of_blocks(N_BLOCKS), seed, HumanStop())


def truth_log(path: Path, simulation: Simulation, rig: Rig) -> TruthLog:
    """The evaluation's eyes on a table."""
    return TruthLog(path, simulation, rig.clock.now_s())
