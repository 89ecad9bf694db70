"""A person who plays by typing: what may be typed, what of it can be, and whose hand then moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from planning.game import Game
from planning.opponent import Played
from planning.tower import Slot
from planning.violations import Violation
from planning.words import Concedes, Drops, Lays, Moves, Pushes, Restores, Touches, Word, forms, read_word
from robot.errors import BadInputError, StoppedError
from robot.ports import Clock
from steadyhand.explaining import breach_words, turn_words
from steadyhand.lines import Lines

TRIES = 5  # lines in a row that cannot be used


class Hands(Protocol):
    """Hands that do what is typed, where the person has none at the table."""

    def take(self, slot: Slot, top: Slot, *, hard: bool) -> bool:
        """Take a block and lay it in a slot; False where it holds, and was not pulled `hard`."""
        ...

    def lay(self, top: Slot) -> None:
        """Lay the block that is out in a slot."""
        ...

    def push(self, slot: Slot, by_m: float) -> None:
        """Push a block along its length, towards +x or +y."""
        ...

    def restore(self, slot: Slot) -> None:
        """Push a block back to where it was."""
        ...


class Typist:
    """Implements `planning.opponent.Opponent`.

    Args:
        name: Of the player.
        lines: What is typed.
        say: Shows a line.
        clock: The table's.
        hands: Do what is typed; None where the person has hands of their own, and types only what they did.
    """

    def __init__(
        self, name: str, lines: Lines, say: Callable[[str], None], clock: Clock, hands: Hands | None
    ) -> None:
        self._name, self._lines, self._say, self._clock, self._hands = name, lines, say, clock, hands
        self._knows = False  # what may be typed

    def play(self, game: Game) -> Played:
        """Ask for a move, and have it made."""
        self._say(f"{' '.join(turn_words(game))} {_tops(game)}.")
        word = self._word(lambda word: self._check(word, game), self._how(game))
        began_s = self._clock.now_s()
        if word is not None and self._hands is not None:
            self._say(_do(word, self._hands))
        return Played(word, began_s, self._clock.now_s())

    def answer(self, question: str) -> Word | None:
        """Ask for a yes, which is Enter, or another word."""
        self._say(f"{question}.")
        return self._word(lambda _word: None, "")

    def tell(self, text: str) -> None:
        """Say something."""
        self._say(text)

    def judge(self, violations: Sequence[Violation]) -> None:
        """Say which rules were broken, and what to do about it."""
        for violation in violations:
            self._say(breach_words(violation))

    def _how(self, game: Game) -> str:
        """What may be typed: all of it once, then the shortest."""
        block, top = (game.legal or tuple(game.tower.blocks()))[0], game.tower.free_top_slots[0]
        all_of_it, self._knows = not self._knows, True
        if self._hands is None:
            return "Play, take your hands away, and press Enter" + (
                f"; or type {forms(str(block), str(top))}" if all_of_it else ""
            )
        if not all_of_it:
            return f"Type block and slot, such as `{top if game.in_hand else f'{block} {top}'}`"
        return (
            f"Type {forms(str(block), str(top))}; Enter: the robot looks. The space bar on an empty line, or Ctrl-C, "
            "stops"
        )

    def _check(self, word: Word, game: Game) -> None:
        check(word, game)
        if (
            self._hands is not None
            and isinstance(word, Moves | Lays)
            and word.top.layer < game.tower.n_layers
        ):
            raise BadInputError(f"{word.top}: the simulated hand lays blocks on top only. {_tops(game)}")

    def _word(self, check_word: Callable[[Word], None], how: str) -> Word | None:
        """The next line that can be used; None of an empty one.

        Raises:
            StoppedError: A person asked for a stop, the input is at its end, or too many lines cannot be used.
        """
        self._say(f"{how}." if how else "")
        for left in range(TRIES - 1, -1, -1):
            line = self._lines.next()
            if line is None:
                raise StoppedError(f"the input has ended in {self._name}'s turn: nobody is there to play on")
            try:
                return _read(line, check_word)
            except BadInputError as error:
                self._say(f"{error}. {left} more lines may go wrong")
        raise StoppedError(f"{TRIES} lines in a row could not be used in {self._name}'s turn: the game stops")


def _read(line: str, check_word: Callable[[Word], None]) -> Word | None:
    if not line.strip():
        return None
    word = read_word(line)
    check_word(word)
    return word


def check(word: Word, game: Game) -> None:
    """Refuse what cannot be done here; what the rules forbid can.

    Raises:
        BadInputError: The block is not there, or the slot is not free.
    """
    match word:
        case Moves(block, top, _):
            _need_nothing_out(game)
            _need_block(block, game)
            _need_free(top, game.tower.remove(block).placing(top), game)
        case Lays(top):
            if not game.in_hand:
                raise BadInputError(f"{top}: no block is out; type the block too, such as `5.2 {top}`")
            _need_free(top, game.tower.placing(top), game)
        case Drops(block) if block in game.in_hand:
            pass
        case Drops(block) | Touches(block) | Pushes(block, _) | Restores(block):
            _need_block(block, game)
        case Concedes():
            pass


def _need_nothing_out(game: Game) -> None:
    if game.in_hand:
        raise BadInputError(
            f"block {game.in_hand[0]} is out already: type the slot that it goes to, such as `{_first_top(game)}`"
        )


def _need_block(block: Slot, game: Game) -> None:
    if not game.tower.has(block):
        raise BadInputError(f"{block}: no block stands there; the tower is {game.tower}")


def _need_free(top: Slot, placing: str, game: Game) -> None:
    if placing in ("taken", "absent"):
        why = "a block stands there" if placing == "taken" else "there is no such slot"
        raise BadInputError(f"{top}: {why}. {_tops(game)}")


def _tops(game: Game) -> str:
    return f"Free on top: {', '.join(map(str, game.tower.free_top_slots))}"


def _first_top(game: Game) -> Slot:
    return game.tower.free_top_slots[0]


def _do(word: Word, hands: Hands) -> str:
    """Have it done; what the hand felt."""
    match word:
        case Moves(block, top, hard):
            if not hands.take(block, top, hard=hard):
                return f"{block} holds, or takes others along: take another one, or type `{block} {top} hard`"
        case Lays(top):
            hands.lay(top)
        case Pushes(block, mm):
            hands.push(block, mm * 1e-3)
        case Restores(block):
            hands.restore(block)
    return ""
