"""When a sample would have come had nothing held it up, by the device's own clock.

A line that waited in a hub comes late with an early stamp. The device's clock is tied to ours by the quickest lines of
late: they waited least. Its crystal may be off by a part in a hundred, so the tie is let slip at that rate.
"""

from __future__ import annotations

_SLIP = 0.01  # a microcontroller's ceramic resonator is good to half of that
_EARLY_S = 0.020  # a stamp that lies so far ahead of its arrival is damaged, or the tie is wrong
_STRANGE = 3  # samples in a row that do not fit: then it is the tie that is wrong, as after a reset


class DeviceTime:
    """Turns a device's stamps into times on our clock."""

    def __init__(self) -> None:
        self._tie_s: float | None = None  # our time less the device's
        self._stamp_s = self._now_s = 0.0
        self._strange = 0

    def heard_s(self, stamp_s: float, now_s: float) -> float | None:
        """Our time of a stamp that came now, at most `now_s`; None where the stamp is damaged."""
        if self._tie_s is None:
            return self._tied(stamp_s, now_s)
        tie_s = self._tie_s + _SLIP * (now_s - self._now_s)
        if stamp_s < self._stamp_s or stamp_s + tie_s > now_s + _EARLY_S + 2 * (tie_s - self._tie_s):
            self._strange += 1
            return self._tied(stamp_s, now_s) if self._strange >= _STRANGE else None
        self._strange = 0
        self._tie_s, self._stamp_s, self._now_s = min(tie_s, now_s - stamp_s), stamp_s, now_s
        return min(stamp_s + self._tie_s, now_s)

    def _tied(self, stamp_s: float, now_s: float) -> float:
        self._tie_s, self._stamp_s, self._now_s, self._strange = now_s - stamp_s, stamp_s, now_s, 0
        return now_s
