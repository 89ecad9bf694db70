"""What a person did, told by the tower that stood before and the one that is seen after.

A look never says more than it can: a move is read only where it is the one story that fits, down to the last slot. All
else needs a word from the person, and a word is believed only where the pictures allow it.
"""

from __future__ import annotations

from dataclasses import dataclass

from planning.game import Game
from planning.observation import Seen, TowerObservation
from planning.tower import Slot, Tower
from planning.words import Drops, Lays, Moves, Word

_MOST_NAMED = 6


@dataclass(frozen=True)
class Change:
    """Where a tower is seen to differ from the record's.

    Attributes:
        gone: Slots of the record's blocks that are seen empty.
        came: Slots without a block that are seen to hold one.
        hidden: Slots that cannot be seen, whatever the record says of them.
    """

    gone: tuple[Slot, ...]
    came: tuple[Slot, ...]
    hidden: tuple[Slot, ...]

    def __bool__(self) -> bool:
        return bool(self.gone or self.came)


@dataclass(frozen=True)
class Story:
    """What happened to the tower in a turn.

    Attributes:
        taken: The block, by the slot that it stood in.
        top: Where it was laid; None where it lies nowhere on the tower.
        fell: Other blocks that are gone.
    """

    taken: Slot
    top: Slot | None
    fell: tuple[Slot, ...] = ()

    def of(self, player: str) -> str:
        """In words."""
        where = "laid it nowhere on the tower" if self.top is None else f"laid it in {self.top}"
        fell = f", and {in_words(self.fell)} fell" if self.fell else ""
        return f"{player} took {self.taken} and {where}{fell}"


def change_of(tower: Tower, after: TowerObservation) -> Change:
    """Compare a tower of the record with what is seen; above what is seen there is nothing."""
    gone = [s for s in tower.blocks() if after.slots.get(s, Seen.GAP) is Seen.GAP]
    came = [s for s, what in after.slots.items() if what is Seen.BLOCK and not tower.has(s)]
    hidden = [s for s, what in after.slots.items() if what is Seen.UNKNOWN]
    return Change(tuple(sorted(gone)), tuple(sorted(came)), tuple(sorted(hidden)))


def read_move(game: Game, change: Change) -> Story | None:
    """The move that pictures alone are believed for: the only story that fits, and one that the rules allow."""
    if change.hidden or len(change.came) != 1:
        return None
    story = _only(game, change)
    return story if story is not None and is_allowed(game, story) else None


def _only(game: Game, change: Change) -> Story | None:
    (top,) = change.came
    if game.in_hand:
        return None if change.gone else Story(game.in_hand[0], top)
    return Story(change.gone[0], top) if len(change.gone) == 1 else None


def is_allowed(game: Game, story: Story) -> bool:
    """Whether the rules let the player in turn do so."""
    may_take = story.taken in game.in_hand or story.taken in game.legal
    stands = game.tower if story.taken in game.in_hand else game.tower.remove(story.taken)
    return may_take and story.top in stands.free_top_slots and not story.fell


def why_not(game: Game, change: Change) -> str:
    """In words, why pictures alone are not believed; to be asked where `read_move` gave nothing."""
    if not change and not change.hidden:
        return "nothing seems to have changed"
    said = []
    if change.gone:
        said.append(f"{in_words(change.gone)} {_is(change.gone)} gone")
    if change.came:
        said.append(f"{in_words(change.came)} {_is(change.came)} new")
    if change.hidden:
        said.append(f"{in_words(change.hidden)} cannot be seen")
    story = None if len(change.came) != 1 else _only(game, change)
    if story is not None and not is_allowed(game, story):
        said.append("the rules do not allow that")
    elif len(change.gone) + len(game.in_hand) != len(change.came):
        said.append("that does not add up")
    return ", ".join(said)


def story_of(game: Game, change: Change, word: Word) -> Story | None:
    """What happened if a word is true; None where it says nothing of a block taken, or the pictures contradict it."""
    block, top = claim(game, word)
    if block is None or not _taken(game, change, block):
        return None
    fell = tuple(slot for slot in change.gone if slot != block)
    came = set(change.came)
    if top is None:
        return Story(block, None, fell) if not came else None
    if came <= {top} and (top in came or top in change.hidden):
        return Story(block, top, fell)
    lost = isinstance(word, Moves) and not came and not game.in_hand
    return Story(block, None, fell) if lost else None


def claim(game: Game, word: Word) -> tuple[Slot | None, Slot | None]:
    """The block that a word says was taken, and where it was laid; None for what it does not say."""
    match word:
        case Moves(block, top, _):
            return block, top
        case Lays(top):
            return (game.in_hand[0] if game.in_hand else None), top
        case Drops(block):
            return block, None
    return None, None


def _taken(game: Game, change: Change, block: Slot) -> bool:
    return block in game.in_hand or (game.tower.has(block) and block in (*change.gone, *change.hidden))


def is_seen(game: Game, change: Change, story: Story) -> bool:
    """Whether pictures show all of a story, and nothing fell."""
    taken = story.taken in game.in_hand or story.taken in change.gone
    laid = story.top is None or story.top in change.came
    return taken and laid and not story.fell


def in_words(some: tuple[Slot, ...]) -> str:
    """Slots in words, no more than a person reads."""
    more = f" and {len(some) - _MOST_NAMED} more" if len(some) > _MOST_NAMED else ""
    return ", ".join(map(str, some[:_MOST_NAMED])) + more


def _is(some: tuple[Slot, ...]) -> str:
    return "is" if len(some) == 1 else "are"
