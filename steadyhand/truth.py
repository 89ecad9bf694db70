"""The truth log: an evaluation's eyes, and the one door through which simulation truth leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import numpy as np

from planning.notes import Note, Phase
from planning.tower import Slot
from robot.errors import BadInputError
from sim.simulation import Simulation
from sim.standing import standing

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
        self._file = _open(path)
        self._simulation, self._start_s = simulation, start_s
        self._slots = {
            Slot(*block.slot): block.name for block in simulation.world.blocks if block.slot is not None
        }
        self._home = {name: self._position(name) for name in self._slots.values()}
        self._in_hand: str | None = None

    def __call__(self, note: Note) -> None:
        """Listen to a turn."""
        if note.phase is Phase.PERSON_PLAYED:
            self._look_again()
        if note.phase not in _LOGGED:
            return
        self._follow(note)
        row = {
            "t": round(self._simulation.world.now_s() - self._start_s, 3),
            "phase": str(note.phase),
            "slot": str(note.slot) if note.slot else None,
            "limit_n": note.limit_n,
            "peak_n": self._peak() if note.phase in _ENDS_MOTION else None,
            "poses": self._simulation.world.poses(),
            "slots": {str(slot): name for slot, name in sorted(self._slots.items()) if self._stands(name)},
        }
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._simulation.gauge.reset()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _peak(self) -> float:
        return max(self._simulation.gauge.peak_n.values(), default=0.0)

    def _follow(self, note: Note) -> None:
        """Which block stands where: the slots of those that a turn took and laid."""
        if note.phase is Phase.EXTRACTED and note.slot in self._slots:
            self._in_hand = self._slots.pop(note.slot)
        elif note.phase is Phase.PLACED and note.slot is not None and self._in_hand:
            self._slots[note.slot] = self._in_hand
            self._home[self._in_hand] = self._position(self._in_hand)
            self._in_hand = None

    def _look_again(self) -> None:
        """A person's hand has moved blocks, and tells nobody which."""
        self._slots = dict(standing(self._simulation.world))
        self._home = {name: self._position(name) for name in self._slots.values()}

    def _stands(self, name: str) -> bool:
        return float(np.linalg.norm(self._position(name) - self._home[name])) < _LEFT_M

    def _position(self, name: str) -> np.ndarray:
        return np.array(self._simulation.world.T_world_block(name)[:3, 3])


def _open(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise BadInputError(
            f"truth log {path}: cannot be written: {error.strerror}; name another file"
        ) from None
