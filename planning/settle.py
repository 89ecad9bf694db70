"""Waiting out the settling time and judging it by what the pictures show to have moved, never by speed."""

from __future__ import annotations

from collections.abc import Callable

from planning.actors import Actors
from planning.eyes import View
from planning.observation import TowerObservation
from planning.scribe import Scribe
from planning.tower import Slot
from planning.watch import Watcher, sizes_m
from robot.errors import PerceptionError
from robot.follow import Mover

_TICK_S = 1.0
_MOST = 6  # so many further settling times may it take


def settle(
    mover: Mover,
    watcher: Watcher,
    before: View,
    seen: TowerObservation,
    until_s: float,
    tick: Callable[[float], None],
) -> tuple[Slot, float] | None:
    """Wait with the arm at rest and compare the pictures of the end with those of the beginning.

    Args:
        mover: Waits, and stops when asked to.
        watcher: Sees a fall.
        before: What the cameras saw when the hand had left the tower.
        seen: The tower as it should stand.
        until_s: When the settling time ends, on the mover's clock.
        tick: Told every second how much is left.

    Returns:
        The block that moved most, and how far [m]; None where nothing could be compared.

    Raises:
        TowerFellError: Blocks fell.
        StoppedError: A person asked for a stop.
    """
    while (left_s := until_s - mover.clock.now_s()) > 1e-6:
        tick(left_s)
        mover.wait(min(_TICK_S, left_s))
    moved = sizes_m(watcher.motions(before, seen, clear=True))
    return max(moved.items(), key=lambda item: item[1], default=None)


def until_still(
    mover: Mover,
    watcher: Watcher,
    seen: TowerObservation,
    settle_s: float,
    still_m: float,
    tick: Callable[[float], None],
) -> tuple[Slot, float] | None:
    """Wait for further settling times until the pictures show nothing to have moved by more than `still_m` in one.

    Returns:
        As `settle`, of the last one.

    Raises:
        PerceptionError: It is still seen to move after the last one.
        TowerFellError: Blocks fell.
        StoppedError: A person asked for a stop.
    """
    for _ in range(_MOST):
        worst = settle(mover, watcher, watcher.look(), seen, mover.clock.now_s() + settle_s, tick)
        if worst is None or worst[1] <= still_m:
            return worst
    slot, moved_m = worst or (None, 0.0)
    raise PerceptionError(
        f"the tower does not come to rest: {slot} moved {moved_m * 1e3:.1f} mm in the last {settle_s:g} s, allowed "
        f"{still_m * 1e3:.1f} mm"
    )


def stood(
    actors: Actors,
    scribe: Scribe,
    before: tuple[View, TowerObservation],
    until_s: float,
    tick: Callable[[float], None],
) -> str:
    """Wait the settling time out as the game's rules have it, and write its end into the record.

    Args:
        actors: Eyes, and a hand at rest.
        scribe: Of whose turn it is.
        before: What the cameras saw when the hand had left the tower, and the tower as it should stand.
        until_s: When the settling time ends.
        tick: Told every second how much is left.

    Returns:
        What was seen of it, in words.

    Raises:
        PerceptionError: It does not come to rest where the rules ask for that.
        TowerFellError: Blocks fell.
        StoppedError: A person asked for a stop.
    """
    mover, watcher, options = actors.hand.mover, actors.watcher, scribe.game.options
    settle_s, still_m = float(options.settle_s), actors.habits.settled_m
    worst = settle(mover, watcher, *before, until_s, tick)
    if options.settling == "visible":
        if worst is not None and worst[1] > still_m:
            worst = until_still(mover, watcher, before[1], settle_s, still_m, tick)
        scribe.settled()
    scribe.clock()
    return f"stood {settle_s:g} s" + (f"; {worst[0]} moved {worst[1] * 1e3:.2f} mm" if worst else "")
