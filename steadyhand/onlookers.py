"""Whether somebody is at the table, and whether the cameras stand where they stood, told by their pictures."""

from __future__ import annotations

from collections.abc import Sequence

from perception.same_scene import SameScene
from perception.watching import Watch
from planning.eyes import View
from robot.errors import PerceptionError
from robot.frames import Array
from steadyhand.sight import Sight, frames_of


class Onlookers:
    """Implements `planning.company.Company`.

    Args:
        sight: The cameras.
        watch: What compares their pictures.
        scene: What tells whether they stand where they stood.
    """

    def __init__(self, sight: Sight, watch: Watch, scene: SameScene) -> None:
        self._sight, self._watch, self._scene = sight, watch, scene

    def someone_there(self) -> str | None:
        """Look once: why the arm must not move, or None; who cannot see does not know that nobody is there."""
        try:
            return self._watch.look(self._sight.look().frames).why
        except PerceptionError as error:
            return str(error)

    def check_place(self, view: View) -> None:
        """Make sure that no camera was moved since the first view that was kept.

        Raises:
            PerceptionError: One was.
        """
        self._scene.check(frames_of(view))

    def keep(self, view: View, arm: Sequence[Array]) -> list[str]:
        """A view with nobody in it and the arm parked; what the light has become, where it has changed."""
        self._watch.keep(frames_of(view), arm)
        return self._scene.cautions(frames_of(view))

    def reaching_in(self, view: View, arm: Sequence[Array]) -> str | None:
        """Whether somebody reaches in beside the arm, which has this outline.

        Raises:
            PerceptionError: A picture cannot be read.
        """
        return self._watch.reaching_in(frames_of(view), arm)
