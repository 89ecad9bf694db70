"""A person's turn as the robot sees it: it looks, lets them play, looks again, says what it read, and writes that down.

What the pictures show and what the person says must agree before a line of the record is written; where they do not,
the robot asks.
"""

from __future__ import annotations

from planning.actors import Actors
from planning.clearing import step_clear
from planning.displaced import Displaced, displaced
from planning.eyes import View
from planning.look_back import LookBack
from planning.notes import Note, Notify, Phase
from planning.observation import TowerObservation
from planning.opponent import Opponent, Played
from planning.scribe import Scribe
from planning.settle import stood
from planning.standing import Standing
from planning.states import State
from planning.take_up import take_up
from planning.tally import Tally
from planning.tower import Slot
from planning.watch import TowerFellError
from planning.witness import Change, Story, change_of, in_words, is_seen, read_move, story_of, why_not
from planning.words import Concedes, Drops, Lays, Moves, Pushes, Restores, Touches, Word
from robot.errors import PerceptionError, StoppedError

_ACTS = 20  # so many looks may a turn take, tests of blocks included
_ANSWERS = 3


class PersonTurn:
    """One turn of a person.

    Args:
        actors: Eyes, and a hand that keeps out of the way.
        scribe: Writes the record and knows the rules.
        opponent: The person.
        notify: Told what happens.
        prior: The tower as last seen, None where a fresh look must do without.
    """

    def __init__(
        self,
        actors: Actors,
        scribe: Scribe,
        opponent: Opponent,
        notify: Notify,
        prior: TowerObservation | None,
    ) -> None:
        self._actors, self._scribe, self._opponent, self._notify = actors, scribe, opponent, notify
        self._standing, self._prior = Standing(actors), prior
        self._first: tuple[View, TowerObservation]
        self.tally = Tally()
        self.why = ""

    @property
    def seen(self) -> TowerObservation:
        """The tower as this turn knows it."""
        return self._standing.seen

    def run(self) -> State:
        """See the turn to one of its ends.

        Raises:
            StoppedError: A person asked for a stop, or cannot be heard any more.
            SteadyhandError: Any fault; the arm stands still.
        """
        try:
            self._look()
            for _ in range(_ACTS):
                if self._scribe.game.outcome is not None:
                    return State.DROPPED
                if self._scribe.game.blocks_to_stack == 0:
                    return self._settle()
                if self._act():
                    return State.CONCEDED
        except TowerFellError as fell:
            return self._fallen(fell)
        raise StoppedError(f"{self._scribe.player}'s turn has no end after {_ACTS} looks; the game stops")

    def _look(self) -> None:
        scribe = self._scribe
        if self._prior is None:
            step_clear(self._actors, scribe.game.tower, holds=False)
        self._actors.hand.park()
        self._standing.observe(scribe.game.tower, self._prior)
        self._first = (self._standing.view, self.seen)
        self._ended_s = self._actors.hand.mover.clock.now_s()
        if not scribe.game.must_place:  # a block that lies on the table is the person's to take up
            take_up(scribe, self.seen)

    def _act(self) -> bool:
        """Let the person do something and write it down; True where they concede."""
        played = self._opponent.play(self._scribe.game)
        self._ended_s = played.ended_s
        match played.word:
            case Concedes():
                self.why = f"{self._scribe.player} concedes"
                self._scribe.concede()
                return True
            case Touches(block):
                self._scribe.touch(block)
            case _:
                self._witness(played)
        return False

    def _witness(self, played: Played) -> None:
        """Look at what the person did, and write down what they and the pictures agree on."""
        view = self._actors.watcher.look()
        after = self._read(view, played.word)
        if after is None:
            return
        n_broken = len(self._scribe.game.violations)
        named = (*self._scribe.game.must_restore, *_pushed(played.word))
        moved = displaced(self._actors.watcher, self._first, (view, after), named)
        change = change_of(self._scribe.game.tower, after)
        if not change and not (change.hidden and isinstance(played.word, Moves | Lays | Drops)):
            self._tests(moved, played)
        elif (story := self._agreed(change, played.word)) is not None:
            self._standing.take_over(view, after)
            self._turn_of(story, moved, played)
        self._opponent.judge(list(self._scribe.game.violations)[n_broken:])

    def _read(self, view: View, word: Word | None) -> TowerObservation | None:
        """The tower in a view; None where it cannot be read, and the person knows.

        Raises:
            TowerFellError: It does not stand any more.
        """
        before = (self._standing.view, self.seen)
        try:
            return LookBack(self._actors, self._scribe.game, before, view, word).read()
        except PerceptionError as error:
            if error.reason == "no-tower":
                fell = TowerFellError(
                    self._actors.watcher.eyes.fallen(before[0], view, self.seen, clear=True)
                )
                if fell.whole:
                    raise fell from None
            self._opponent.tell(f"I cannot read the tower: {error}. Step back, then press Enter")
            return None

    def _agreed(self, change: Change, word: Word | None) -> Story | None:
        """The story that pictures and person agree on; None where the person is to go on."""
        game, player = self._scribe.game, self._scribe.player
        said = None if word is None else story_of(game, change, word)
        if said is not None and is_seen(game, change, said):
            self._opponent.tell(f"I see: {said.of(player)}")
            return said
        offer = read_move(game, change) or said
        question = f"I see: {offer.of(player)}. Enter if so" if offer else f"I see: {why_not(game, change)}"
        for _ in range(_ANSWERS):
            answer = self._opponent.answer(f"{question}, or type what you did")
            if answer is None:
                return offer
            if (story := story_of(game, change, answer)) is not None:
                return story
            question = f"The pictures show otherwise: {why_not(game, change)}. Set it right, Enter to go on"
            offer = None
        return None

    def _turn_of(self, story: Story, moved: Displaced, played: Played) -> None:
        """Write the story down.

        Raises:
            TowerFellError: Other blocks fell.
        """
        began, ended = self._scribe.at(played.began_s), self._scribe.at(played.ended_s)
        self._restored(began, moved)
        if story.taken not in began.game.in_hand:
            began.extract(story.taken)
        if shifted := [s for s in moved.away() if s not in (*began.game.must_restore, story.taken)]:
            ended.shift(shifted)
        if story.top is not None:
            ended.place(story.top)
        elif not story.fell:
            ended.drop()
        if story.fell:
            raise TowerFellError(story.fell)
        if ended.game.outcome is None and ended.game.blocks_to_stack == 0:
            ended.release()
        self._notify(Note(Phase.PERSON_PLAYED, story.top, text=story.of(self._scribe.player), detail=story))

    def _tests(self, moved: Displaced, played: Played) -> None:
        """Write down which blocks stand out now, and which are back, where none was taken."""
        ended = self._scribe.at(played.ended_s)
        back = self._restored(ended, moved)
        away = [slot for slot in moved.away() if slot not in ended.game.must_restore]
        if isinstance(played.word, Pushes) and played.word.block in moved.away():
            away = [played.word.block, *(slot for slot in away if slot != played.word.block)]
        for slot in away[:1]:
            ended.move(slot, moved.along_m(slot))
            self._opponent.tell(f"I see: {slot} stands out by {moved.along_m(slot) * 1e3:.1f} mm")
        if away[1:]:
            ended.shift(away[1:])
            self._opponent.tell(f"I see: {in_words(tuple(away[1:]))} came along")
        if not away and not back:
            self._opponent.tell("I see no change")

    def _restored(self, pen: Scribe, moved: Displaced) -> list[Slot]:
        back = moved.home(pen.game.must_restore)
        for slot in back:
            pen.restore(slot)
            self._opponent.tell(f"I see: {slot} is back in its place")
        return back

    def _settle(self) -> State:
        scribe, until_s = self._scribe, self._ended_s + float(self._scribe.game.options.settle_s)
        said = stood(self._actors, scribe, (self._standing.view, self.seen), until_s, self._tick)
        self._opponent.tell(f"The tower {said}")
        return State.DONE

    def _tick(self, left_s: float) -> None:
        self._notify(Note(Phase.SETTLING, text=f"{left_s:.0f}"))

    def _fallen(self, fell: TowerFellError) -> State:
        self.why = str(fell)
        self._scribe.fell(fell.slots, whole=fell.whole)
        self._notify(Note(Phase.COLLAPSE, text=self.why))
        return State.FALLEN


def _pushed(word: Word | None) -> tuple[Slot, ...]:
    return (word.block,) if isinstance(word, Pushes | Restores) else ()
