"""What the last push by hand measured of the stop: `arm push` writes it, `doctor` tells it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

LAST = "last-push.json"


class LastPush(BaseModel):
    """What a push by hand measured.

    Attributes:
        at: When.
        limit_n: Force at which it was to stop.
        ended: `force` where it met that, `travel` where it did not.
        peak_n: Largest filtered force.
        over_n: By how much that passed the limit; None where it did not meet it.
        stop_ms: From the reading that ended it until the tip stood still.
        contact_mm: Where the tip touched; None where it never did.
    """

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    at: datetime
    limit_n: float
    ended: str
    peak_n: float
    over_n: float | None
    stop_ms: float
    contact_mm: float | None


def last_push(runs: Path) -> LastPush | None:
    """What was measured last; None where nothing was, or it cannot be read."""
    try:
        return LastPush.model_validate_json((runs / LAST).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        return None
