"""Which block is of which material: one letter a slot, layers from the table up, `-` for a gap.

The letters travel with the blocks. They are kept as one string of three letters a layer, which is copied when
a block moves; where a game knows no materials the string is empty and stays so.
"""

from __future__ import annotations

import re

from planning.refusals import MalformedError
from planning.tower import MAX_DIGITS, Slot, Tower

GAP = "-"

_RUN = re.compile(r"([wbm-]{3})(?:\*([1-9][0-9]*))?", re.ASCII)


def read_materials(text: str, tower: Tower) -> str:
    """Read `wbm/w-m` or `wbm*15`; it must say a material for every block of the tower, and no more."""
    letters: list[str] = []
    left = tower.n_layers
    for part in text.split("/"):
        found = _RUN.fullmatch(part) if len(part) <= MAX_DIGITS else None
        run = 0 if found is None else int(found[2] or 1)
        if found is None or run > left:
            raise _not_matching(text, tower)
        letters.append(found[1] * run)
        left -= run
    spread = "".join(letters)
    if left or any((spread[_index(slot)] == GAP) for slot in tower.blocks()):
        raise _not_matching(text, tower)
    if any(spread[_index(slot)] != GAP for slot in tower.gaps()):
        raise _not_matching(text, tower)
    return spread


def material_at(letters: str, slot: Slot) -> str:
    """Return the letter of the block that stands in a slot, `-` where none is known."""
    return letters[_index(slot)] if letters and slot.position <= 3 else GAP


def with_material(letters: str, slot: Slot, letter: str) -> str:
    """Return the letters with the one of a slot changed; the tower may have grown by a layer."""
    if not letters:
        return letters
    k = _index(slot)
    letters = letters.ljust(3 * slot.layer, GAP)
    return letters[:k] + letter + letters[k + 1 :]


def _index(slot: Slot) -> int:
    return 3 * (slot.layer - 1) + slot.position - 1


def _not_matching(text: str, tower: Tower) -> MalformedError:
    return MalformedError(
        f"`materials` that match the tower {tower}",
        text,
        "Write w, b or m for each block and - for each gap, layers from the table up, such as wbm/w-m",
    )
