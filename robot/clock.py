"""Clocks: the wall's, and one whose waits cost nothing."""

from __future__ import annotations

import time


class WallClock:
    """Monotonic time of the machine."""

    def now_s(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def sleep_until(self, t_s: float) -> None:
        """Sleep until `t_s`, or return at once where that is past."""
        left_s = t_s - self.now_s()
        if left_s > 0:
            time.sleep(left_s)


class ManualClock:
    """Time that passes only by waiting, in no time at all."""

    def __init__(self, now_s: float = 0.0) -> None:
        self._now_s = now_s

    def now_s(self) -> float:
        """Seconds since the start, plus what the constructor was given."""
        return self._now_s

    def sleep_until(self, t_s: float) -> None:
        """Make it `t_s`, unless it is later already."""
        self._now_s = max(self._now_s, t_s)
