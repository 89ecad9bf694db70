"""What a simulated room looks like: its light, the wood of the blocks, and what lies about or reaches in.

All of it is for the eyes only: nothing here has a contact, a mass or a joint, so that the physics of a world are the
same whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco

from robot.errors import BadInputError
from sim import clutter, reaching, stains
from sim.lighting import LIGHTS, NOISE, shine
from sim.scene import Room

AMOUNTS = ("none", *clutter.AMOUNTS)


@dataclass(frozen=True)
class Look:
    """How the room looks.

    Attributes:
        light: One of `sim.lighting.LIGHTS`.
        wood: One of `sim.stains.WOODS`.
        clutter: How much lies about ("none", "some" or "busy"), and what reaches to the tower, if anything does
            (`sim.reaching.VISITORS`).

    Raises:
        BadInputError: One of them is not known, or two say how much lies about or what reaches in.
    """

    light: str = "normal"
    wood: str = "light"
    clutter: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _need("light", self.light, LIGHTS)
        _need("wood", self.wood, stains.WOODS)
        for word in self.clutter:
            _need("clutter", word, (*AMOUNTS, *reaching.VISITORS))
        for kind in (AMOUNTS, tuple(reaching.VISITORS)):
            named = [word for word in self.clutter if word in kind]
            if len(named) > 1:
                raise BadInputError(f"clutter {','.join(named)!r}: allowed is one of {', '.join(kind)}")

    @property
    def noise(self) -> float:
        """By how much the cameras' noise grows."""
        return NOISE.get(self.light, 1.0)

    @property
    def visitor(self) -> str | None:
        """What reaches to the tower."""
        return next((word for word in self.clutter if word in reaching.VISITORS), None)

    def dress(self, spec: mujoco.MjSpec, room: Room, seed: int) -> None:
        """Give a scene that has its blocks this look."""
        stains.stain(spec, self.wood, seed)
        shine(spec, self.light, seed)
        for word in self.clutter:
            if word in clutter.AMOUNTS:
                clutter.scatter(spec, word, seed)
        if self.visitor:
            reaching.add_visitor(spec, self.visitor, room, seed)


def _need(what: str, word: str, known: Iterable[str]) -> None:
    if word not in known:
        raise BadInputError(f"{what} {word!r} is not known: choose one of {', '.join(known)}")
