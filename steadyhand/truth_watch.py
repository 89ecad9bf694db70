"""The truth log of a world that knows no turns: rows while something happens, and when it is over.

Three phases: `start`, as the log begins; `under-way`, as a block begins to move or the finger to touch one, and every
half second while it lasts; `at-rest`, a quarter of a second after both have ended. `slot` and `limit_n` are null, since
nobody tells this end of the wire what is meant; `peak_n` is the highest contact force since the row before.
"""

from __future__ import annotations

from pathlib import Path

from sim.simulation import Simulation
from sim.stillness import Stillness
from sim.world import World
from steadyhand.truth import TruthRows, Whereabouts

_EVERY_S, _OVER_S = 0.5, 0.25
_LOOK_S = 0.05


class TruthWatch:
    """Writes a truth log by what it sees of the world.

    Args:
        path: A new file, or one to write over.
        simulation: The truth; rows' times count from now.

    Raises:
        BadInputError: The file cannot be written.
    """

    def __init__(self, path: Path, simulation: Simulation) -> None:
        world = simulation.world
        self._rows = TruthRows(path, simulation, world.now_s())
        self._gauge, self._standing = simulation.gauge, Whereabouts(world)
        self._blocks = Stillness(world, [block.name for block in world.blocks])
        self._peak_n, self._touched_s = 0.0, -1.0
        self._rested = True  # whether the newest row tells of a rest
        self._next_s = world.now_s()
        self._write("start", world)
        world.watch(self._look)

    def close(self) -> None:
        """Close the file; the world must not go on after that."""
        self._rows.close()

    def _look(self, world: World) -> None:
        now_s = world.now_s()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _LOOK_S
        if self._gauge.peak_n:
            self._touched_s, self._peak_n = now_s, max(self._peak_n, *self._gauge.peak_n.values())
            self._gauge.reset()
        happened_s = max(self._blocks.moved_s, self._touched_s)
        if happened_s > self._row_s and self._rested:
            self._rested = False
            self._write("under-way", world)
        elif not self._rested:
            self._go_on(world, now_s - happened_s)

    def _go_on(self, world: World, quiet_s: float) -> None:
        if quiet_s >= _OVER_S:
            self._rested = True
            self._standing.look_again()
            self._write("at-rest", world)
        elif world.now_s() >= self._row_s + _EVERY_S:
            self._write("under-way", world)

    def _write(self, phase: str, world: World) -> None:
        self._row_s = world.now_s()
        peak_n = None if phase == "start" else self._peak_n
        self._rows.write(phase, self._standing.slots(), peak_n=peak_n)
        self._peak_n = 0.0
