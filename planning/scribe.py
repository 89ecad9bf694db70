"""Writes what a player does into the record, in the record's words, and says what the rules then allow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from planning import events
from planning.game import Game
from planning.tower import Slot, axis_of
from robot.clock import ManualClock
from robot.ports import Clock


class Recorder(Protocol):
    """A record that is being written, one event at a time."""

    @property
    def game(self) -> Game:
        """Where the game stands."""
        ...

    def append(self, event: events.Event) -> Game:
        """Judge the event and write it."""
        ...


class Scribe:
    """One player's pen.

    Args:
        recorder: Of the game.
        clock: Times are counted from `start_s`, when the record began.
        player: Whose acts are written.
        hand: `arm` for the robot.
    """

    def __init__(
        self, recorder: Recorder, clock: Clock, player: str, start_s: float, hand: events.Hand = "arm"
    ) -> None:
        self._recorder, self._clock, self._start_s = recorder, clock, start_s
        self.player, self._hand = player, hand

    @property
    def game(self) -> Game:
        """Where the game stands."""
        return self._recorder.game

    def at(self, t_s: float) -> Scribe:
        """The same pen for what happened at a time of the clock and is only written now."""
        return Scribe(self._recorder, ManualClock(t_s), self.player, self._start_s, self._hand)

    def now_s(self) -> float:
        """Time of the record, to the millisecond, never before what is written already."""
        return max(round(self._clock.now_s() - self._start_s, 3), self.game.t_s)

    def touch(self, slot: Slot) -> None:
        """The hand touches the block."""
        self._write(events.Touch(self.now_s(), self.player, self._hand, slot))

    def move(self, slot: Slot, moved_m: float, peak_n: float | None = None) -> None:
        """The block was displaced along its length by so much in all."""
        mm = round(moved_m * 1e3, 1) or 0.1
        further = _felt(peak_n)
        self._write(events.Move(self.now_s(), self.player, self._hand, slot, mm, further=further))

    def shift(self, slots: Iterable[Slot]) -> None:
        """Neighbours were displaced without intent."""
        self._write(events.Shift(self.now_s(), tuple(sorted(slots))))

    def restore(self, slot: Slot) -> None:
        """The block is back where it was."""
        self._write(events.Restore(self.now_s(), self.player, self._hand, slot))

    def extract(self, slot: Slot, peak_n: float | None = None) -> None:
        """The block has left the tower."""
        further = _felt(peak_n)
        self._write(events.Extract(self.now_s(), self.player, self._hand, slot, further=further))

    def place(self, slot: Slot) -> None:
        """The block in hand lies in a top slot."""
        self._write(events.Place(self.now_s(), self.player, self._hand, slot, axis_of(slot.layer)))

    def release(self) -> None:
        """The hand has left the tower; the settling starts."""
        self._write(events.Release(self.now_s(), self.player))

    def drop(self) -> None:
        """The block fell out of the hand and disturbed nothing."""
        self._write(events.Drop(self.now_s(), self.player))

    def concede(self) -> None:
        """Neither restoring nor a legal move is possible."""
        self._write(events.Concede(self.now_s(), self.player))

    def fall(self, slots: Iterable[Slot]) -> None:
        """Other blocks fell; the rest stands."""
        self._write(events.Fall(self.now_s(), tuple(sorted(slots))))

    def collapse(self) -> None:
        """The tower fell."""
        self._write(events.Collapse(self.now_s()))

    def fell(self, slots: Iterable[Slot], *, whole: bool) -> None:
        """Blocks fell, or with them the whole tower."""
        if whole:
            self.collapse()
        else:
            self.fall(slots)

    def settled(self) -> None:
        """The tower is seen to stand still."""
        self._write(events.Settled(self.now_s()))

    def clock(self) -> None:
        """Time is read."""
        self._write(events.Clock(self.now_s()))

    def stop(self) -> None:
        """The game ends with the tower standing."""
        self._write(events.Stop(self.now_s()))

    def _write(self, event: events.Event) -> None:
        self._recorder.append(event)


def _felt(peak_n: float | None) -> dict[str, object]:
    """The force that was measured; nobody measures a person's."""
    return {} if peak_n is None else {"force_n": round(peak_n, 3)}
