"""One program's simulated time, kept by another: a file of two numbers that both hold in memory.

The world tells what time it is; whoever plays in it says until when it may go on, and while they think it stands still.
So a machine that is too slow for both changes nothing of the game. While nobody plays, the world goes as the clock on
the wall does. Who plays holds a lock on the file, which the system takes back if their program dies.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from robot.clock import WallClock
from robot.errors import DeviceError
from robot.ports import Clock

NAME = ".clock"
_NOW, _UNTIL, _SIZE = 0, 1, 16
_ASK_S = 0.2  # how often it is looked whether somebody plays
_NAP_S, _LOCK_S, _GONE_S = 0.0003, 1.0, 10.0
_ROUNDING_S = 1e-9


class _Numbers:
    """The file, held in memory; a number of eight bytes in its place is written in one go."""

    def __init__(self, handle: int) -> None:
        self._map = mmap.mmap(handle, _SIZE)
        self._view = memoryview(self._map).cast("d")

    def __getitem__(self, at: int) -> float:
        return float(self._view[at])

    def __setitem__(self, at: int, value: float) -> None:
        self._view[at] = value

    def close(self) -> None:
        self._view.release()
        self._map.close()


class ToldTime:
    """The world's end of it.

    Args:
        folder: Where the file is made.
        now_s: The world's time.
        wall: Real time.

    Raises:
        OSError: The file cannot be made.
    """

    def __init__(self, folder: Path, now_s: float, wall: Clock | None = None) -> None:
        self._wall, self._path = wall or WallClock(), folder / NAME
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        os.ftruncate(self._handle, _SIZE)
        self._numbers = _Numbers(self._handle)
        self._asked_s, self._played = -math.inf, False
        self._numbers[_UNTIL] = now_s
        self.tell(now_s)

    def tell(self, now_s: float) -> None:
        """What time it is."""
        self._numbers[_NOW] = now_s

    def may_go_on(self) -> bool:
        """Whether the world may: nobody plays, or who plays waits for a later moment than now."""
        return self._numbers[_NOW] < self._numbers[_UNTIL] - _ROUNDING_S or not self.is_played()

    def is_played(self) -> bool:
        """Whether somebody plays; a program that has begun or died is noticed within 0.2 s."""
        if (now_s := self._wall.now_s()) >= self._asked_s + _ASK_S:
            self._asked_s, self._played = now_s, not _locked(self._handle)
            if not self._played:
                fcntl.flock(self._handle, fcntl.LOCK_UN)
        return self._played

    def close(self) -> None:
        """Tell nobody any more; may be called twice."""
        if self._handle >= 0:
            self._path.unlink(missing_ok=True)
            self._numbers.close()
            os.close(self._handle)
            self._handle = -1


class LinkedClock:
    """Implements `Clock` by a world's time that another program keeps; one program at a time plays in it.

    Args:
        folder: Where the other program keeps it.
        wall: Real time.

    Raises:
        DeviceError: It keeps none there, or another program plays in that world.
    """

    def __init__(self, folder: Path, wall: Clock | None = None) -> None:
        self._folder, self._wall = folder, wall or WallClock()
        try:
            self._handle = os.open(folder / NAME, os.O_RDWR)
        except OSError as error:
            raise self._error(
                f"no time is told there: {error.strerror}; start `steadyhand emulate`"
            ) from None
        if not self._has_locked():
            os.close(self._handle)
            raise self._error("another program plays in that world; end it, or wait until it has ended")
        self._numbers = _Numbers(self._handle)
        self._numbers[_UNTIL] = self.now_s()

    def now_s(self) -> float:
        """The world's time."""
        return self._numbers[_NOW]

    def sleep_until(self, t_s: float) -> None:
        """Let the world go on until `t_s` or a little later.

        Raises:
            DeviceError: It does not go on.
        """
        seen_s, moved_s = self.now_s(), self._wall.now_s()
        self._numbers[_UNTIL] = max(t_s, self._numbers[_UNTIL])
        while (now_s := self.now_s()) < t_s - _ROUNDING_S:
            if now_s > seen_s:
                seen_s, moved_s = now_s, self._wall.now_s()
            elif self._wall.now_s() > moved_s + _GONE_S:
                raise self._error(
                    f"its world has stood still at {now_s:.2f} s for {_GONE_S:g} s: has `steadyhand emulate` ended?"
                )
            self._nap()

    def close(self) -> None:
        """Let the world go as it likes; may be called twice."""
        if self._handle >= 0:
            self._numbers.close()
            os.close(self._handle)  # gives the lock back
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _has_locked(self) -> bool:
        """The world's end holds the lock for moments, to see who else does."""
        until_s = self._wall.now_s() + _LOCK_S
        while not _locked(self._handle):
            if self._wall.now_s() > until_s:
                return False
            self._nap()
        return True

    def _nap(self) -> None:
        self._wall.sleep_until(self._wall.now_s() + _NAP_S)

    def _error(self, why: str) -> DeviceError:
        return DeviceError(f"time of {self._folder}: {why}")


def _locked(handle: int) -> bool:
    """Whether the lock could be had, and was."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
