"""Whether somebody is at the table, told by the robot's own cameras."""

from __future__ import annotations

from perception.watching import Watch
from planning.eyes import View
from robot.errors import PerceptionError
from steadyhand.sight import Sight, frames_of


class Onlookers:
    """Implements `planning.company.Company`.

    Args:
        sight: The cameras.
        watch: What compares their pictures.
    """

    def __init__(self, sight: Sight, watch: Watch) -> None:
        self._sight, self._watch = sight, watch

    def someone_there(self) -> str | None:
        """Look once: why the arm must not move, or None; who cannot see does not know that nobody is there."""
        try:
            return self._watch.look(self._sight.look().frames).why
        except PerceptionError as error:
            return str(error)

    def keep(self, view: View) -> None:
        """A view with nobody in it and the arm parked."""
        self._watch.keep(frames_of(view))
