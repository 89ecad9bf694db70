"""From a gripper's opening to its servo's angle and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Gripping(Protocol):
    """How a servo's angle opens a gripper."""

    def angle_rad(self, opening_m: float) -> float:
        """The angle at an opening, held to what the gripper can do."""
        ...

    def opening_m(self, angle_rad: float) -> float:
        """The opening at an angle; negative where the fingers would pass each other."""
        ...

    def lever_m(self, angle_rad: float) -> float:
        """How far one finger moves a radian of the servo, and so the servo's torque for a newton on one finger."""
        ...


@dataclass(frozen=True)
class Linkage:
    """A servo's horn and two rods that slide the fingers apart, one mirrored to the other: a slider-crank.

    The horn's end stands at (r sin a, r cos a); a rod of fixed length joins it to the finger, which slides along the
    first axis.

    Attributes:
        horn_m: From the servo's axis to a rod's joint.
        rod_m: Length of a rod.
        closed_m: From the servo's axis to a finger when the fingers touch each other.
    """

    horn_m: float
    rod_m: float
    closed_m: float

    def angle_rad(self, opening_m: float) -> float:
        """The horn's angle at a distance between the fingers; held to what the linkage can do."""
        x = self.closed_m + opening_m / 2
        sine = (x * x + self.horn_m**2 - self.rod_m**2) / (2 * x * self.horn_m)
        return float(np.arcsin(np.clip(sine, -1.0, 1.0)))

    def opening_m(self, angle_rad: float) -> float:
        """The distance between the fingers at an angle of the horn; negative where they would pass each other."""
        across = self.horn_m * np.cos(angle_rad)
        x = self.horn_m * np.sin(angle_rad) + np.sqrt(self.rod_m**2 - across**2)
        return float(2 * (x - self.closed_m))

    def lever_m(self, angle_rad: float) -> float:
        """How far one finger slides a radian of the horn."""
        across = self.horn_m * np.cos(angle_rad)
        along = self.horn_m * np.sin(angle_rad)
        return float(across + across * along / np.sqrt(self.rod_m**2 - across**2))


@dataclass(frozen=True)
class Jaw:
    """One jaw that swings away from a fixed one.

    Attributes:
        jaw_m: From its axis to where it holds.
    """

    jaw_m: float

    def angle_rad(self, opening_m: float) -> float:
        """The jaw's angle at a distance between the jaws."""
        return float(2 * np.arcsin(np.clip(opening_m / (2 * self.jaw_m), 0.0, 1.0)))

    def opening_m(self, angle_rad: float) -> float:
        """The distance between the jaws at an angle."""
        return float(2 * self.jaw_m * np.sin(angle_rad / 2))

    def lever_m(self, angle_rad: float) -> float:
        """Half of how far the jaw moves a radian: two newtons, one on each jaw, ask for this much torque each."""
        return float(self.jaw_m * np.cos(angle_rad / 2) / 2)
