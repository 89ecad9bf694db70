"""The devices of one table behind their ports, real or simulated; who plays does not know which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planning.actors import Actors
from planning.notes import Note, Notify
from robot.ports import Camera, Clock


@dataclass
class Rig:
    """A table ready to play.

    Attributes:
        actors: Hand and eyes of the robot.
        clock: The table's time.
        cameras: For pictures of what goes on.
        listeners: Told of every moment of a turn.
        close: Gives the devices back; may be called twice.
    """

    actors: Actors
    clock: Clock
    cameras: Sequence[Camera]
    close: Callable[[], None]
    listeners: list[Notify] = field(default_factory=list)


def told_to(listeners: Sequence[Notify]) -> Notify:
    """Tells everyone who listens by then."""

    def notify(note: Note) -> None:
        for listener in listeners:
            listener(note)

    return notify
