"""What `steadyhand mechanics` does: the mechanics of the tower that `sim export` writes for the same arguments."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
from rich.console import Console
from rich.progress import track

from planning.blockset import BlockSet
from planning.editions import options_of, read_edition
from planning.mechanics import Mechanics, Towers, assess, body, joined
from planning.tower import Slot, Tower
from robot.frames import Array
from steadyhand import wiring
from steadyhand.files import PICTURES, need_place, write_whole
from steadyhand.mechanics_words import as_json, as_text
from steadyhand.settings_file import load_settings

if TYPE_CHECKING:
    from sim.blocks import Block

_AT_ONCE = 20  # sampled towers between two moves of the progress bar


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    settings: Path | None = None
    blockset: str | None = None
    seed: int = 1
    tower: str | None = None
    samples: int = 0
    picture: Path | None = None
    json: bool = False


def run(request: Request, out: TextIO) -> int:
    """Reckon and print; 0 where the tower stands, 1 where it does not.

    Raises:
        BadInputError: An argument cannot be used, or the picture cannot be written.
    """
    if request.picture is not None:
        need_place(request.picture, PICTURES)
    blockset, tower = _chosen(request)
    blocks = drawn(blockset, tower, request.seed)
    towers = towers_of([blocks])
    console = Console(stderr=True)
    with console.status("reckoning (the first time it is compiled, which takes half a minute)"):
        known = assess(towers)
    sampled = _sampled(blockset, tower, request, console) if request.samples else None
    if request.picture is not None:
        from steadyhand.mechanics_picture import encoded

        write_whole(request.picture, encoded(towers, known, sampled, request.picture.suffix))
    names = [block.name for block in blocks]
    if request.json:
        out.write(json.dumps(as_json(names, towers, known, sampled)) + "\n")
    else:
        out.write(as_text(names, towers, known, sampled))
    return 0 if known.stands[0] else 1


def _chosen(request: Request) -> tuple[BlockSet, Tower]:
    loaded = load_settings(request.settings)
    n_blocks = options_of(read_edition(loaded.edition), {}).blocks
    return wiring.block_set(loaded, request.blockset), wiring.checked_tower(request.tower, n_blocks)


def drawn(blockset: BlockSet, tower: Tower, seed: int) -> list[Block]:
    """The blocks that `sim export` stacks."""
    from sim.blocks import draw_tower

    return draw_tower(blockset, [(slot.layer, slot.position) for slot in tower.blocks()], seed)


def towers_of(many: Sequence[Sequence[Block]]) -> Towers:
    """Towers of the same slots as plain arrays."""
    slots = tuple(Slot(*block.slot) for block in many[0] if block.slot is not None)
    return Towers(slots, np.array([[_row(block) for block in blocks] for blocks in many]))


def _row(block: Block) -> Array:
    T = block.T_tower_block
    yaw = float(np.arctan2(T[1, 0], T[0, 0]))
    return body(T[:2, 3], yaw, block.size_m, block.taper_m, block.mass_kg, block.friction)


def _sampled(blockset: BlockSet, tower: Tower, request: Request, console: Console) -> Mechanics:
    """The mechanics of as many towers as were asked for, drawn with seeds from the command's own on."""
    seeds = range(request.seed, request.seed + request.samples)
    parts = []
    for begin in track(
        range(0, len(seeds), _AT_ONCE), "towers", console=console, disable=not sys.stderr.isatty()
    ):
        many = [drawn(blockset, tower, seed) for seed in seeds[begin : begin + _AT_ONCE]]
        parts.append(assess(towers_of(many)))
    return joined(parts)
