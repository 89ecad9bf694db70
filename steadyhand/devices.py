"""The devices of one table that move its arm, whatever is behind them, and who switches them on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from robot.guarded import FASTEST_M_S
from robot.ports import Arm, Clock, ForceSensor

if TYPE_CHECKING:
    from steadyhand.faults import Emulated


@dataclass(frozen=True)
class Devices:
    """What the robot's motions need of a table.

    Attributes:
        arm: Switched on.
        clock: Its time.
        force: Of the fingertip.
        fastest_m_s: Speed of the tip that no push passes.
        lag_s: How long after a goal was sent the arm is there, in a push.
        far: The emulated devices at the other end of their wires; None where there are none.
        close: Gives them back; may be called twice.
    """

    arm: Arm
    clock: Clock
    force: ForceSensor
    fastest_m_s: float = FASTEST_M_S
    lag_s: float = 0.0
    close: Callable[[], None] = lambda: None
    far: Emulated | None = None


class Desk(Protocol):
    """Where the person sits who switches an arm on."""

    @property
    def folder(self) -> Path:
        """Of the settings; calibrations are looked for from there."""
        ...

    def say(self, text: str) -> None:
        """Show a line."""
        ...

    def ask(self, question: str) -> bool:
        """Put a question; True for yes."""
        ...
