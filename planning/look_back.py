"""What stands after a person's hand was at the tower: pictures read with hindsight, afresh, and with a story in mind.

A single reading of a tower that was changed now and then sees a block too many on top, or a gap where a block stands.
Blocks whose grain is found again in their place stand there, whatever a reading says. What two readings contradict each
other in nobody has seen. And a story that both of them bear out is held against the pictures once more, as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from planning.actors import Actors
from planning.eyes import View
from planning.game import Game
from planning.observation import Seen, TowerObservation
from planning.place import lying_pose
from planning.tower import Slot, row
from planning.watch import TowerFellError
from planning.witness import Change, Story, change_of, claim, is_allowed, is_seen, read_move, story_of
from planning.words import Word
from robot.errors import MotionError, PerceptionError

_THERE_M = 0.010  # a block whose grain is found nearer than that has not left its slot


class LookBack:
    """One view after a person's act, against what was known before it.

    Args:
        actors: Whose eyes look.
        game: Where the record stands.
        before: The newest look at the tower as the record has it.
        view: The new one.
        word: What the person says they did.
    """

    def __init__(
        self, actors: Actors, game: Game, before: tuple[View, TowerObservation], view: View, word: Word | None
    ) -> None:
        self._actors, self._game, self._before, self._view, self._word = actors, game, before, view, word
        self._there = self._stayed()

    def read(self) -> TowerObservation:
        """The tower as it stands now.

        Raises:
            PerceptionError: The pictures cannot be read.
            TowerFellError: Every reading shows that it does not stand any more.
        """
        first = self._observe(self._before[1])
        if self._is_plain(self._change(first)):
            return first
        try:
            second = self._observe(None)
        except PerceptionError:
            return first
        fits = [seen for story in self._stories(first, second) if (seen := self._as_told(story)) is not None]
        if len(fits) == 1:
            return fits[0]
        gone = set(self._change(first).gone) & set(self._change(second).gone)
        if (fell := TowerFellError(tuple(sorted(gone)))).whole:
            raise fell
        return _agreed(first, second)

    def _stayed(self) -> set[Slot]:
        view, seen = self._before
        motions = self._actors.watcher.eyes.motions(view, self._view, seen)
        return {s for s, m in motions.items() if float(np.linalg.norm(m.moved_m)) < _THERE_M}

    def _observe(self, prior: TowerObservation | None) -> TowerObservation:
        """A reading, with those blocks in it that are known to have stayed."""
        seen, was = self._actors.watcher.eyes.observe(self._view, prior), self._before[1]
        missed = [slot for slot in self._there if seen.slots.get(slot) is not Seen.BLOCK]
        slots = {**seen.slots, **dict.fromkeys(missed, Seen.BLOCK)}
        return replace(seen, slots=slots, blocks={**{s: was.blocks[s] for s in missed}, **seen.blocks})

    def _change(self, seen: TowerObservation) -> Change:
        return change_of(self._game.tower, seen)

    def _is_plain(self, change: Change) -> bool:
        """Whether a reading needs no second one."""
        if self._word is not None and claim(self._game, self._word)[0] is not None:
            story = story_of(self._game, change, self._word)
            return story is not None and is_seen(self._game, change, story)
        return not change or read_move(self._game, change) is not None

    def _stories(self, *readings: TowerObservation) -> Iterator[Story]:
        """The moves that a reading or the other bears out: the one that was said, else those that the rules allow."""
        game, changes = self._game, [self._change(seen) for seen in readings]
        taken = set(game.in_hand[:1]) or {
            s for c in changes for s in (*c.gone, *c.hidden) if game.tower.has(s)
        }
        tops = {s for c in changes for s in (*c.came, *c.hidden) if not game.tower.has(s)}
        said = (None, None) if self._word is None else claim(game, self._word)
        for story in (Story(block, top) for block in sorted(taken) for top in sorted(tops)):
            if (story.taken, story.top) == said or (said[0] is None and is_allowed(game, story)):
                yield story

    def _as_told(self, story: Story) -> TowerObservation | None:
        """A reading with a story in mind; None where the pictures do not bear it out down to the last slot."""
        try:
            prior = self._imagined(story)
            seen = None if prior is None else self._observe(prior)
        except (PerceptionError, MotionError):
            return None
        if seen is None:
            return None
        change, gone = self._change(seen), () if story.taken in self._game.in_hand else (story.taken,)
        return seen if (change.gone, change.came) == (gone, (story.top,)) else None

    def _imagined(self, story: Story) -> TowerObservation | None:
        """The tower as it would be seen."""
        seen, top = self._before[1], story.top
        block = seen.blocks.get(story.taken) or next(iter(seen.blocks.values()), None)
        if block is None or top is None:
            return None
        blocks = {s: b for s, b in seen.blocks.items() if s != story.taken}
        slots = {
            **dict.fromkeys(row(top.layer), Seen.GAP),
            **seen.slots,
            story.taken: Seen.GAP,
            top: Seen.BLOCK,
        }
        left = replace(seen, blocks=blocks, slots=slots)
        lies = lying_pose(left, top, block.size_m, self._actors.habits.place)
        return replace(left, blocks={**blocks, top: replace(block, T_world_block=lies, out_m=0.0)})


def _agreed(first: TowerObservation, second: TowerObservation) -> TowerObservation:
    """A reading without what another one contradicts; either may tell of more layers."""
    every = {*first.slots, *second.slots}
    said = {s: (first.slots.get(s, Seen.GAP), second.slots.get(s, Seen.GAP)) for s in every}
    apart = {s for s, (one, other) in said.items() if one is not other}
    slots = {s: Seen.UNKNOWN if s in apart else one for s, (one, _) in said.items()}
    return replace(first, slots=slots, blocks={s: b for s, b in first.blocks.items() if s not in apart})
