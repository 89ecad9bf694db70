"""Which slots of a tower hold a block: the one-line text, the top layer, and what may be put where.

A tower never changes; `remove` and `place` return new towers. A layer is three bits in one byte, so that a
tower of a thousand layers is copied as fast as one of eighteen. Which block is loose, or whether the tower
would stand, is no matter of this module: there is no physics here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from planning.refusals import ImpossibleError, MalformedError

Axis = Literal["x", "y"]
Placing = Literal["top", "early", "below", "taken", "absent"]

COMPLETE = 0b111
MAX_LAYERS = 100_000  # a text of a few bytes must not ask for all the memory there is
MAX_DIGITS = 600  # longer numbers are refused by the interpreter itself, from 640 digits on

_SLOT = re.compile(r"([1-9][0-9]*)\.([1-9][0-9]*)", re.ASCII)
_RUN = re.compile(r"([01]{3})(?:\*([1-9][0-9]*))?", re.ASCII)
_TEXT_OF_LAYER = tuple("".join("1" if mask >> k & 1 else "0" for k in range(3)) for mask in range(8))
_LAYER_OF_TEXT = {text: mask for mask, text in enumerate(_TEXT_OF_LAYER)}


@dataclass(frozen=True, order=True, slots=True)
class Slot:
    """A place for a block, `LAYER.POSITION`, both from 1; layer 1 lies on the table.

    Position 4 or layer 99 can be written (a person may try to place a block there), but holds no block.
    """

    layer: int
    position: int

    def __post_init__(self) -> None:
        for number in (self.layer, self.position):
            if type(number) is not int or number < 1:
                raise MalformedError("a slot of two whole numbers from 1", (self.layer, self.position))

    @classmethod
    def parse(cls, text: str) -> Slot:
        """Read `7.2`."""
        found = _SLOT.fullmatch(text) if len(text) <= MAX_DIGITS else None
        if found is None:
            raise MalformedError(
                "a slot LAYER.POSITION", text, "Write two whole numbers from 1 joined by a point, such as 7.2"
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.layer}.{self.position}"


@lru_cache(maxsize=4096)
def row(layer: int) -> tuple[Slot, Slot, Slot]:
    """Return the three slots of a layer."""
    return Slot(layer, 1), Slot(layer, 2), Slot(layer, 3)


def axis_of(layer: int) -> Axis:
    """Tell the direction in which the blocks of a layer lie: x in odd layers, y in even ones."""
    return "x" if layer % 2 else "y"


@dataclass(frozen=True, slots=True, repr=False)
class Tower:
    """The blocks that stand, layer by layer from the table up; the topmost layer holds at least one."""

    layers: bytes = b""

    def __post_init__(self) -> None:
        if self.layers and (self.layers[-1] == 0 or max(self.layers) > COMPLETE):
            raise MalformedError("layers of three bits, the topmost not empty", self.layers)

    @classmethod
    def parse(cls, text: str) -> Tower:
        """Read `111*17/110`; the empty text is the empty table."""
        layers = bytearray()
        for part in text.split("/") if text else ():
            found = _RUN.fullmatch(part) if len(part) <= MAX_DIGITS else None
            if found is None:
                raise MalformedError(
                    "tower text such as 111/101 or 111*18",
                    part,
                    "Write each layer as three characters, 1 or 0",
                )
            run = int(found[2] or 1)
            if len(layers) + run > MAX_LAYERS:
                raise MalformedError(f"a tower of at most {MAX_LAYERS} layers", text, "Shorten its runs")
            layers += bytes([_LAYER_OF_TEXT[found[1]]]) * run
        if layers and not layers[-1]:
            raise MalformedError(
                "a tower whose topmost layer holds a block", text, "Leave empty top layers out"
            )
        return cls(bytes(layers))

    @classmethod
    def of_blocks(cls, n_blocks: int) -> Tower:
        """Build the starting tower of so many blocks, three a layer."""
        return cls(bytes([COMPLETE]) * (n_blocks // 3))

    def __str__(self) -> str:
        return "/".join(_run_text(mask, len(list(run))) for mask, run in groupby(self.layers))

    def __repr__(self) -> str:
        return f"Tower.parse({str(self)!r})"

    @property
    def n_layers(self) -> int:
        """How many layers stand, the topmost one included even if incomplete."""
        return len(self.layers)

    @property
    def n_blocks(self) -> int:
        """How many blocks stand."""
        return sum(mask.bit_count() for mask in self.layers)

    @property
    def highest_complete_layer(self) -> int:
        """The highest layer with three blocks; 0 where none has."""
        return self.layers.rfind(COMPLETE) + 1

    def has(self, slot: Slot) -> bool:
        """Whether a block stands in the slot."""
        return slot.layer <= len(self.layers) and self.layers[slot.layer - 1] >> (slot.position - 1) & 1 == 1

    def is_complete(self, layer: int) -> bool:
        """Whether a layer has its three blocks; the table (layer 0) always bears."""
        return layer == 0 or (layer <= len(self.layers) and self.layers[layer - 1] == COMPLETE)

    def blocks(self, up_to_layer: int | None = None) -> Iterator[Slot]:
        """List the slots that hold a block, in order of layer, then position."""
        for layer, mask in enumerate(self.layers[:up_to_layer], start=1):
            yield from (slot for slot in row(layer) if mask & _bit(slot))

    def gaps(self) -> Iterator[Slot]:
        """List the slots of the standing layers that hold no block."""
        for layer, mask in enumerate(self.layers, start=1):
            yield from (slot for slot in row(layer) if not mask & _bit(slot))

    @property
    def free_top_slots(self) -> tuple[Slot, ...]:
        """Where the next block belongs: the gaps of the top layer or, where it is complete, a new layer."""
        top = self.n_layers
        layer = top + 1 if self.is_complete(top) else top
        return tuple(slot for slot in row(layer) if not self.has(slot))

    def placing(self, slot: Slot) -> Placing:
        """Tell what it would mean to set a block down there.

        `top` is right, `early` begins a layer on an incomplete one, `below` is a gap under the top layer,
        `taken` holds a block, and `absent` does not exist.
        """
        top = self.n_layers
        if slot.position > 3 or slot.layer > top + 1:
            return "absent"
        if self.has(slot):
            return "taken"
        if slot.layer > top:
            return "top" if self.is_complete(top) else "early"
        return "top" if slot.layer == top else "below"

    def remove(self, slot: Slot) -> Tower:
        """Return the tower without that block; a top layer that lost all its blocks is dropped."""
        if not self.has(slot):
            raise ImpossibleError("a slot that holds a block", str(slot), f"The tower is {self}")
        return self._with_layer(slot.layer, self.layers[slot.layer - 1] & ~_bit(slot))

    def place(self, slot: Slot) -> Tower:
        """Return the tower with a block more, wherever a free slot exists."""
        if self.placing(slot) in ("taken", "absent"):
            raise ImpossibleError("a free slot of the tower", str(slot), f"The tower is {self}")
        standing = self.layers[slot.layer - 1] if slot.layer <= self.n_layers else 0
        return self._with_layer(slot.layer, standing | _bit(slot))

    def _with_layer(self, layer: int, mask: int) -> Tower:
        layers = self.layers[: layer - 1] + bytes([mask]) + self.layers[layer:]
        return _unchecked(layers.rstrip(b"\0") if layers[-1] == 0 else layers)


def _unchecked(layers: bytes) -> Tower:
    """Wrap what this module computed itself: checking every layer again would cost more than the move."""
    tower = object.__new__(Tower)
    object.__setattr__(tower, "layers", layers)
    return tower


def _bit(slot: Slot) -> int:
    return 1 << (slot.position - 1)


def _run_text(mask: int, count: int) -> str:
    text = _TEXT_OF_LAYER[mask]
    return f"{text}*{count}" if count >= 3 else "/".join([text] * count)
