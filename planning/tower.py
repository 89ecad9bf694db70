"""Slots of a tower (to be replaced by the rules' own module)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Slot:
    """A place in the tower, `LAYER.POSITION`, both from 1."""

    layer: int
    position: int

    def __str__(self) -> str:
        return f"{self.layer}.{self.position}"
