"""A person for tests: plays, answers and listens by a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planning.game import Game
from planning.opponent import Played
from planning.tower import Slot
from planning.violations import Violation
from planning.words import Word, read_word
from robot.errors import StoppedError
from support.toy import ToyTower

Act = Callable[[ToyTower], None]
TURN_S = 5.0  # a hand is at the tower for so long


def takes(block: str, top: str) -> Act:
    def act(tower: ToyTower) -> None:
        tower.lay(Slot.parse(block), Slot.parse(top))

    return act


def loses(*blocks: str) -> Act:
    return lambda tower: tower.lose(*map(Slot.parse, blocks))


def slides(block: str, mm: float) -> Act:
    return lambda tower: tower.slide(Slot.parse(block), mm)


def nothing(_tower: ToyTower) -> None: ...


class Guest:
    """Implements `Opponent` on a toy tower.

    Args:
        tower: Where its acts are done.
        acts: What it says, and does, one after the other; nothing said where the line is empty. When there are no more,
            its input is at its end.
        answers: The lines it answers with.
    """

    def __init__(self, tower: ToyTower, acts: Sequence[tuple[str, Act]], answers: Sequence[str] = ()) -> None:
        self._tower, self._acts, self._answers = tower, list(acts), list(answers)
        self.told: list[str] = []
        self.asked: list[str] = []
        self.broken: list[str] = []

    def play(self, game: Game) -> Played:
        if not self._acts:
            raise StoppedError("the input has ended")
        line, act = self._acts.pop(0)
        began_s = self._tower.clock.now_s()
        act(self._tower)
        self._tower.clock.sleep_until(began_s + TURN_S)
        return Played(_said(line), began_s, self._tower.clock.now_s())

    def answer(self, question: str) -> Word | None:
        self.asked.append(question)
        self._tower.clock.sleep_until(self._tower.clock.now_s() + 1.0)
        return _said(self._answers.pop(0))

    def tell(self, text: str) -> None:
        self.told.append(text)

    def judge(self, violations: Sequence[Violation]) -> None:
        self.broken += [violation.rule for violation in violations]


def _said(line: str) -> Word | None:
    return read_word(line) if line else None
