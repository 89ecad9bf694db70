"""What can happen to a tower: one frozen class for each event of a game record.

The words of the record are kept: `t_s` is its `t`, and `Brace.support` its `with`; everything else bears the
record's own name. `further` holds the keys that the referee ignores, such as `force_n`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from planning.tower import Axis, Slot

Hand = Literal["left", "right", "arm"]
Face = Literal["+x", "-x", "+y", "-y"]
Material = Literal["w", "b", "m"]


@dataclass(frozen=True)
class Event:
    """Something that happened at a time, in seconds from the start of the record."""

    t_s: float
    further: Mapping[str, object] = field(default_factory=dict, kw_only=True, hash=False)

    kind: ClassVar[str] = ""
    on_tower: ClassVar[bool] = False

    def is_on_tower(self) -> bool:
        """Tell whether this is an event *on the tower*: one that only the player in turn may cause."""
        return self.on_tower


class Collapse(Event):
    """The tower fell."""

    kind = "collapse"


class Stop(Event):
    """The group ends the game with the tower standing."""

    kind = "stop"


class Settled(Event):
    """The tower is seen to stand still."""

    kind = "settled"


class Clock(Event):
    """Nothing happened; time is read."""

    kind = "clock"


@dataclass(frozen=True)
class Bump(Event):
    """Somebody who is not in turn, or the surroundings, disturbed the tower."""

    by: str
    kind = "bump"


@dataclass(frozen=True)
class Blocks(Event):
    """Something that happened to several blocks at once."""

    blocks: tuple[Slot, ...]


class Shift(Blocks):
    """The player in turn displaced neighbours without intent."""

    kind = "shift"


class Fall(Blocks):
    """Blocks other than the one being moved fell; the rest stands."""

    kind = "fall"


@dataclass(frozen=True)
class Act(Event):
    """Something that a player did or said."""

    player: str


class Drop(Act):
    """The extracted or half extracted block fell, and nothing else was disturbed."""

    kind = "drop"


class Release(Act):
    """The player's hands have left the tower after placing; the settling time starts."""

    kind = "release"


class Concede(Act):
    """The player can neither restore nor make a legal move, and gives up."""

    kind = "concede"


class Catch(Act):
    """The player caught or held a falling tower."""

    kind = "catch"


class PromptDone(Act):
    """The prompt of a marked block was carried out."""

    kind = "prompt_done"


@dataclass(frozen=True)
class Hands(Act):
    """So many hands of the player touch the tower at once from now on."""

    count: int
    kind = "hands"

    def is_on_tower(self) -> bool:
        """Tell whether any hand is on the tower."""
        return self.count > 0


@dataclass(frozen=True)
class Brace(Act):
    """A forearm, body or object steadies the tower."""

    support: str
    kind = "brace"
    on_tower = True


@dataclass(frozen=True)
class ByHand(Act):
    """Something that a player did with one hand."""

    hand: Hand
    on_tower = True


@dataclass(frozen=True)
class OnBlock(ByHand):
    """Something that a hand did to one block, named by the slot that it stood in when the turn began."""

    block: Slot


class Touch(OnBlock):
    """The hand touches the block, nothing moved."""

    kind = "touch"


class Restore(OnBlock):
    """The block is back where it was."""

    kind = "restore"


class Extract(OnBlock):
    """The block has left the tower."""

    kind = "extract"


@dataclass(frozen=True)
class Move(OnBlock):
    """The block was displaced along its length by so much in all, and is still in the tower."""

    mm: float
    kind = "move"


@dataclass(frozen=True)
class Relocate(OnBlock):
    """A block placed earlier on top, named by the slot it stands in now, was moved to another slot."""

    slot: Slot
    kind = "relocate"


@dataclass(frozen=True)
class Place(ByHand):
    """The block in hand was set down flat; `axis` is the direction of its length."""

    slot: Slot
    axis: Axis
    kind = "place"


@dataclass(frozen=True)
class Align(ByHand):
    """Blocks of the top layer, named by the slots they stand in now, were straightened where they lie."""

    blocks: tuple[Slot, ...]
    kind = "align"


@dataclass(frozen=True)
class Spin(Act):
    """The spinner's result: blocks to stack, their material, layers to climb."""

    stack: int
    material: Material
    climb: int
    kind = "spin"


@dataclass(frozen=True)
class Skip(Act):
    """Stacking is skipped because the only movable block would bring the tower down."""

    what: Literal["stack"]
    kind = "skip"


@dataclass(frozen=True)
class Climb(Act):
    """The player's peg goes into the hole of the block that stands there now, on that face of the tower."""

    slot: Slot
    face: Face
    kind = "climb"
    on_tower = True


@dataclass(frozen=True)
class PegDown(Act):
    """An opponent's peg is moved down, or taken off (`slot` None), before its block is stacked."""

    peg_of: str
    slot: Slot | None
    face: Face | None = None
    kind = "peg_down"
    on_tower = True


EVENT_TYPES: tuple[type[Event], ...] = (
    *(Touch, Move, Shift, Restore, Extract, Drop, Place, Release, Align, Relocate, Hands, Brace, Fall),
    *(Collapse, Bump, Concede, Stop, Settled, Catch, PromptDone, Spin, Climb, PegDown, Skip, Clock),
)
