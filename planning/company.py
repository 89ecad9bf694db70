"""Never move while somebody is there: what planning asks, and how long it waits for an answer that lets it go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from planning.eyes import View
from planning.notes import Note, Notify, Phase
from robot.errors import DeviceError
from robot.follow import Mover
from robot.frames import Array

PATIENCE_S = 60.0  # nobody plays a move for longer with the hand at the tower
AGAIN_S = 0.5  # between two looks


class Company(Protocol):
    """Who looks whether somebody is at the table."""

    def someone_there(self) -> str | None:
        """Look once: why the arm must not move, in words, or None where nobody is there."""
        ...

    def check_place(self, view: View) -> None:
        """Make sure that the cameras stand as they stood in the first view that was kept.

        Raises:
            PerceptionError: One was moved.
        """
        ...

    def keep(self, view: View, arm: Sequence[Array]) -> list[str]:
        """Told of a view with nobody in it and the arm parked; what a person should know of the light, a line each.

        `arm` is its outline there (`robot.ports.CollisionChecker.outline`).
        """
        ...

    def reaching_in(self, view: View, arm: Sequence[Array]) -> str | None:
        """Why the arm, which is in the view itself and has this outline there, must not go on, in words; or None.

        Raises:
            PerceptionError: The view cannot be read.
        """
        ...


class Nobody:
    """Implements `Company` for a table without eyes for people."""

    def someone_there(self) -> str | None:
        """Nobody is."""
        return None

    def check_place(self, view: View) -> None:
        """Nobody has moved anything."""

    def keep(self, view: View, arm: Sequence[Array]) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Nothing to keep."""
        return []

    def reaching_in(self, view: View, arm: Sequence[Array]) -> str | None:  # noqa: ARG002
        """Nobody is."""
        return None


def wait_until_alone(company: Company, mover: Mover, notify: Notify) -> None:
    """Look until nobody is there; each new reason to wait is told.

    Raises:
        DeviceError: Somebody was there all the time.
        StoppedError: A person asked for a stop.
    """
    wait_while(company.someone_there, mover, notify)


def wait_while(someone: Callable[[], str | None], mover: Mover, notify: Notify) -> None:
    """Ask until there is no reason to wait any more; each new one is told.

    Raises:
        DeviceError: There was one all the time.
        StoppedError: A person asked for a stop.
    """
    until_s, told = mover.clock.now_s() + PATIENCE_S, ""
    while (why := someone()) is not None:
        if mover.clock.now_s() >= until_s:
            raise DeviceError(
                f"the arm has waited {PATIENCE_S:g} s and does not move while somebody may be there: {why}. Clear the "
                "table around the tower, see that every camera shows it, and resume the record"
            )
        if _kind(why) != told:
            told = _kind(why)
            notify(Note(Phase.WAITING, text=f"waits: {why}"))
        mover.wait(AGAIN_S)


def _kind(why: str) -> str:
    """A reason without how long it has held."""
    return why.split(" (", maxsplit=1)[0]
