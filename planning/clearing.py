"""Before a match's first look: an arm that a fault left at the tower is led out of the picture, with open eyes.

Nothing is known then but the record and what the cameras show around the arm: what they show is believed, what they
hide stands as the record has it, and where they cannot be read, or no way is free, a person leads the arm clear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from planning.actors import Actors
from planning.company import wait_until_alone
from planning.game import Game
from planning.lookout import observe
from planning.notes import Notify
from planning.observation import BlockSeen, TowerObservation, as_stacked
from planning.tower import Slot, Tower
from robot.errors import MotionError, PerceptionError

_PARKED_RAD = 0.1  # servos that were switched on with the arm on its stand have sagged by less
REMEDY = (
    "Support the arm, `steadyhand arm relax`, lead it clear of the tower, `steadyhand arm hold`, and play on"
)
_UNSEEN = "If the arm hides it, park it (`steadyhand arm park`), and play on"


def withdraw(actors: Actors, game: Game, notify: Notify, *, first: bool) -> None:
    """Park once nobody is there; on the `first` look of a match, with open eyes.

    Raises:
        DeviceError: Somebody was there all the time.
        StoppedError: A person asked for a stop.
        PerceptionError, MotionError: As for `step_clear`; or there is no way to park.
    """
    wait_until_alone(actors.company, actors.hand.mover, notify)
    if first:
        step_clear(actors, game.tower, holds=game.must_place)
    actors.hand.park()


def step_clear(actors: Actors, tower: Tower, *, holds: bool) -> None:
    """Park an arm that stands elsewhere, round the tower as it is seen with the arm in front of it.

    Args:
        actors: Hand and eyes.
        tower: As the record has it.
        holds: Whether the hand may hold a block.

    Raises:
        PerceptionError: The tower cannot be read so, or is not the record's; nothing moved.
        MotionError: It may hold a block, there is no free way, or the arm did not arrive.
    """
    hand = actors.hand
    if np.abs(hand.q() - hand.body.park_rad).max() < _PARKED_RAD:
        return
    if holds:
        raise MotionError(
            f"a block was in the fingers and may still be. Take it, `steadyhand arm open`. {REMEDY}"
        )
    where = "the arm is not parked, and does not move unless the tower is seen"
    try:
        seen, _ = observe(actors.watcher.eyes, tower, None)
    except PerceptionError as error:
        raise PerceptionError(f"{where}: {error}. {_UNSEEN}", error.reason) from None
    actors.avoid(_with_hidden(actors, seen, tower))
    try:
        hand.park()
    except MotionError as error:
        raise MotionError(f"the arm does not get clear of the tower by itself: {error}. {REMEDY}") from None


def _with_hidden(actors: Actors, seen: TowerObservation, tower: Tower) -> Mapping[Slot, BlockSeen]:
    """The blocks that are seen, and the others of the record."""
    blocks = actors.blockset
    size_m = np.array([blocks.length_m.mean, blocks.width_m.mean, blocks.height_m.mean])
    stacked = {
        slot: replace(block, T_world_block=seen.T_world_tower @ block.T_world_block)
        for slot, block in as_stacked(tower, size_m).blocks.items()
    }
    return {**stacked, **seen.blocks}
