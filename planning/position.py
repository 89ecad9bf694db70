"""Where a game stands: everything that its further course depends on.

A `Position` is copied once for each event, then changed, then never again: `Game` hands out only finished
ones. What is small is copied; the tower, the materials and the list of violations are shared.

A block bears the slot that it stood in when the turn began (its *name*), wherever it is now. A slot in which
no block stood then names the block that was set down there since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from planning.events import Face, Hand, Spin
from planning.materials import material_at, read_materials, with_material
from planning.opening import Opening
from planning.outcome import Outcome
from planning.tower import Slot, Tower
from planning.violations import Violations

State = TypeVar("State", "Turn", "Position")


@dataclass(frozen=True)
class Held:
    """A block in hand: its name and what travels with it."""

    name: Slot
    mark: str | None
    material: str
    pegs: tuple[str, ...]


@dataclass(frozen=True)
class Peg:
    """Where a player's peg is; `slot` is None while its block is in a hand, `layer` the last one it had."""

    slot: Slot | None
    face: Face
    layer: int


@dataclass(frozen=True)
class Debt:
    """Prompts of marked blocks that a player still has to carry out."""

    player: str
    blocks: tuple[Slot, ...]


@dataclass
class Turn:
    """What belongs to the turn in progress and is forgotten at its end."""

    tower: Tower  # as it stood when the turn began
    spins: bool  # whether the spinner says what is to be done
    spin: Spin | None = None
    first_ms: int | None = None  # the first event on the tower
    released_ms: int | None = None  # since when the tower settles
    late: bool = False
    fell: bool = False
    laid: bool = False  # a block was set down, or the peg climbed: the hands may leave
    skipped: bool = False
    climbed: bool = False
    completed_layer: bool = False
    n_hands: int = 0
    last_hand: Hand | None = None
    n_extracted: int = 0
    n_stacked: int = 0
    held: tuple[Held, ...] = ()
    put_back: tuple[Slot, ...] = ()
    where: dict[Slot, Slot | None] = field(default_factory=dict)  # of blocks that left their slot
    arrived: dict[Slot, Slot] = field(default_factory=dict)  # slot now: name
    moved: dict[Slot, Hand] = field(default_factory=dict)  # displaced by `move`, and with which hand
    shifted: dict[Slot, Hand | None] = field(default_factory=dict)  # displaced by `shift`
    restored: set[Slot] = field(default_factory=set)

    def copy(self) -> Turn:
        """Return a twin that shares nothing that changes."""
        twin = _twin(self)
        twin.where, twin.arrived = self.where.copy(), self.arrived.copy()
        twin.moved, twin.shifted = self.moved.copy(), self.shifted.copy()
        twin.restored = self.restored.copy()
        return twin

    @property
    def n_allowed(self) -> int:
        """How many blocks may be extracted in this turn."""
        if not self.spins:
            return 1
        return 0 if self.spin is None else self.spin.stack

    @property
    def blocks_left(self) -> bool:
        """Whether a further block is to be extracted in this turn."""
        return self.n_extracted < self.n_allowed and not self.skipped

    @property
    def must_place(self) -> bool:
        """Whether an extracted block is still to be set on top."""
        return bool(self.held or self.put_back)

    @property
    def all_done(self) -> bool:
        """Whether everything of the turn but its settling is done."""
        if self.must_place or (self.spins and not (self.spin and self.climbed)):
            return False
        return self.skipped or self.n_stacked >= self.n_allowed

    def is_displaced(self, name: Slot) -> bool:
        """Tell whether the block was displaced and not restored."""
        return name in self.moved or name in self.shifted

    def displaced(self) -> tuple[Slot, ...]:
        """Return the blocks that were displaced and not restored, in order."""
        return tuple(sorted({*self.moved, *self.shifted}))


@dataclass
class Position:
    """A game at one moment."""

    opening: Opening
    tower: Tower
    turn: Turn
    materials: str
    marks: Mapping[Slot, str]  # slot now: the prompt of the block there
    pegs: Mapping[str, Peg] = field(default_factory=dict)
    now_ms: int = 0
    seat: int = 0
    direction: int = 1
    n_completed: int = 0
    last_completed: str | None = None  # who completed a turn last
    at_the_top: str | None = None  # who reached a top hole first
    next_spin: Spin | None = None  # spun by the next player while the tower settles
    debt: Debt | None = None
    violations: Violations = field(default_factory=Violations)
    outcome: Outcome | None = None

    @classmethod
    def start(cls, opening: Opening) -> Position:
        """Return the position before the first event."""
        options, tower = opening.options, opening.tower
        letters = read_materials(options.materials, tower) if options.materials else ""
        turn = Turn(tower, spins=opening.edition == "fortnite")
        return cls(opening, tower, turn, letters, options.prompts)

    def copy(self) -> Position:
        """Return a twin that may be changed without changing this one."""
        twin = _twin(self)
        twin.turn = self.turn.copy()
        return twin

    @property
    def player(self) -> str:
        """The player in turn, were the tower not over."""
        return self.opening.players[self.seat]

    @property
    def turns_round(self) -> bool:
        """Whether the direction of play turns at the end of this turn."""
        return self.turn.completed_layer and self.opening.options.reverse_on_layer

    @property
    def next_seat(self) -> int:
        """Whose turn follows this one."""
        step = -self.direction if self.turns_round else self.direction
        return (self.seat + step) % len(self.opening.players)

    @property
    def next_player(self) -> str:
        """The player whose turn follows this one."""
        return self.opening.players[self.next_seat]

    @property
    def highest_open_layer(self) -> int:
        """The highest layer that blocks may be taken from; 0 where none is open."""
        highest = self.tower.highest_complete_layer - 1
        if self.opening.options.source_layers == "below-top-two":
            highest = min(highest, self.tower.n_layers - 2)
        return max(highest, 0)

    def name_of(self, slot: Slot) -> Slot | None:
        """Return the name of the block that an event means by this slot; None where there is none."""
        return slot if self.turn.tower.has(slot) else self.turn.arrived.get(slot)

    def block(self, slot: Slot) -> Slot:
        """Return the name of a block that is known to exist."""
        return self.name_of(slot) or slot

    def slot_of(self, name: Slot) -> Slot | None:
        """Return where the block of this name stands now; None where it left the tower."""
        return self.turn.where.get(name, name)

    def lift(self, name: Slot) -> Held:
        """Take a standing block out of the tower, with all that travels with it."""
        slot = self.slot_of(name)
        if slot is None:
            raise LookupError(f"block {name} does not stand in {self.tower!r}")
        self.tower = self.tower.remove(slot)
        self.turn.where[name] = None
        self.turn.arrived.pop(slot, None)
        self.turn.moved.pop(name, None)
        self.turn.shifted.pop(name, None)
        held = Held(name, self.marks.get(slot), material_at(self.materials, slot), self._pegs_in(slot))
        self._carry(held, slot, None)
        return held

    def set_down(self, held: Held, slot: Slot) -> None:
        """Put a block that was lifted into a free slot."""
        self.tower = self.tower.place(slot)
        self.turn.where[held.name] = slot
        if slot != held.name:
            self.turn.arrived[slot] = held.name
        self.materials = with_material(self.materials, slot, held.material)
        self._carry(held, None, slot)

    def _pegs_in(self, slot: Slot) -> tuple[str, ...]:
        return tuple(player for player, peg in self.pegs.items() if peg.slot == slot)

    def _carry(self, held: Held, was: Slot | None, now: Slot | None) -> None:
        if held.mark is not None:
            kept = {slot: text for slot, text in self.marks.items() if slot != was}
            self.marks = kept if now is None else {**kept, now: held.mark}
        for player in held.pegs:
            peg = self.pegs.get(player)
            if peg is not None and peg.slot == was:  # it may have been moved while its block was in hand
                self.pegs = {**self.pegs, player: Peg(now, peg.face, now.layer if now else peg.layer)}


def _twin(original: State) -> State:
    """Copy one level deep; `dataclasses.replace` takes ten times as long, and every event pays for it."""
    twin = object.__new__(type(original))
    twin.__dict__ = original.__dict__.copy()
    return twin
