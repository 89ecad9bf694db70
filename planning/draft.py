"""What a turn has found out so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planning.policy import Choice
from planning.probe import ProbeReport
from planning.tower import Slot
from planning.ways import Way
from robot.frames import Array
from robot.ports import Held


@dataclass
class Draft:
    """Filled in as the turn goes.

    Attributes:
        displaced_m: How far the probed block stands out (3,).
        choice: The block that is tried.
        way: How.
        probe: What its probe showed.
        held: The block in the hand.
        top: Where it was laid.
    """

    displaced_m: Array = field(default_factory=lambda: np.zeros(3))
    choice: Choice = field(init=False)
    way: Way = field(init=False)
    probe: ProbeReport = field(init=False)
    held: Held = field(init=False)
    top: Slot | None = None
