"""The truth log: an evaluation's eyes, and the one door through which simulation truth leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import numpy as np

from planning.notes import Note, Phase
from planning.tower import Slot
from robot.errors import BadInputError
from sim.simulation import Simulation
from sim.standing import standing
from sim.world import World

_LOGGED = frozenset(
    {
        Phase.TURN_START, Phase.PROBE_START, Phase.PROBE_END, Phase.RESTORED, Phase.EXTRACTED, Phase.PLACED,
        Phase.SETTLED, Phase.COLLAPSE,
    }
)  # fmt: skip
_ENDS_MOTION = frozenset({Phase.PROBE_END, Phase.RESTORED, Phase.EXTRACTED})
_LEFT_M = 0.012  # a block that is farther from where it stood has left its slot


class TruthLog:
    """Writes one JSON object a logged phase, as `commands.md` has it.

    Args:
        path: A new file, or one to write over.
        simulation: The truth.
        start_s: When the record began, on the world's clock.
    """

    def __init__(self, path: Path, simulation: Simulation, start_s: float) -> None:
        self._rows = TruthRows(path, simulation, start_s)
        self._gauge, self._standing = simulation.gauge, Whereabouts(simulation.world)
        self._in_hand: str | None = None

    def __call__(self, note: Note) -> None:
        """Listen to a turn."""
        if note.phase is Phase.PERSON_PLAYED:
            self._standing.look_again()
        if note.phase not in _LOGGED:
            return
        self._follow(note)
        peak_n = max(self._gauge.peak_n.values(), default=0.0) if note.phase in _ENDS_MOTION else None
        slot = str(note.slot) if note.slot else None
        self._rows.write(str(note.phase), self._standing.slots(), slot, note.limit_n, peak_n)
        self._gauge.reset()

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    def _follow(self, note: Note) -> None:
        """Which block stands where: the slots of those that a turn took and laid."""
        if note.slot is None:
            return
        if note.phase is Phase.EXTRACTED:
            self._in_hand = self._standing.take(note.slot)
        elif note.phase is Phase.PLACED and self._in_hand:
            self._standing.lay(note.slot, self._in_hand)
            self._in_hand = None


class TruthRows:
    """The file of a truth log.

    Args:
        path: A new file, or one to write over.
        simulation: The truth.
        start_s: Nought of the rows' times, on the world's clock.

    Raises:
        BadInputError: It cannot be written.
    """

    def __init__(self, path: Path, simulation: Simulation, start_s: float) -> None:
        self._file = _open(path)
        self._world, self._start_s = simulation.world, start_s

    def write(
        self,
        phase: str,
        slots: Mapping[Slot, str],
        slot: str | None = None,
        limit_n: float | None = None,
        peak_n: float | None = None,
    ) -> None:
        """One row of how everything stands now."""
        row = {
            "t": round(self._world.now_s() - self._start_s, 3),
            "phase": phase,
            "slot": slot,
            "limit_n": limit_n,
            "peak_n": peak_n,
            "poses": self._world.poses(),
            "slots": {str(slot): name for slot, name in sorted(slots.items())},
        }
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Whereabouts:
    """Which block stands in which slot, for those who know when one is taken and laid.

    Args:
        world: As the tower was built.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._slots = {Slot(*block.slot): block.name for block in world.blocks if block.slot is not None}
        self._home = {name: self._position(name) for name in self._slots.values()}

    def slots(self) -> dict[Slot, str]:
        """Those that stand where they belong."""
        return {slot: name for slot, name in self._slots.items() if self._stands(name)}

    def take(self, slot: Slot) -> str | None:
        """The block of a slot has left it; None where there was none."""
        return self._slots.pop(slot, None)

    def lay(self, slot: Slot, name: str) -> None:
        """A block has got a slot."""
        self._slots[slot], self._home[name] = name, self._position(name)

    def look_again(self) -> None:
        """Blocks were moved, and nobody tells which; all of them lie still."""
        self._slots = dict(standing(self._world))
        self._home = {name: self._position(name) for name in self._slots.values()}

    def _stands(self, name: str) -> bool:
        return float(np.linalg.norm(self._position(name) - self._home[name])) < _LEFT_M

    def _position(self, name: str) -> np.ndarray:
        return np.array(self._world.T_world_block(name)[:3, 3])


def _open(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"truth log {path}: cannot be written: {error.strerror}; name another file"
        ) from None
