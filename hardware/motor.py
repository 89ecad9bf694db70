"""What turns an emulated servo's horn, and a motor that needs no world."""

from __future__ import annotations

from typing import Protocol


class Motor(Protocol):
    """The horn of one servo. Its angle grows counter-clockwise, seen from the front of the horn; 0 is the middle."""

    def position_rad(self) -> float:
        """Where the horn is."""
        ...

    def velocity_rad_s(self) -> float:
        """How fast it turns."""
        ...

    def torque_nm(self) -> float:
        """Torque that the servo exerts on the horn."""
        ...

    def drive(self, goal_rad: float | None, velocity_rad_s: float, torque_limit_nm: float | None) -> None:
        """Be at this angle now, moving at this rate, with at most this torque; None for the angle is limp."""
        ...


class IdleMotor:
    """Implements `Motor` without a world: the horn is where it is told to be, at once, whatever the torque."""

    def __init__(self, position_rad: float = 0.0) -> None:
        self._position_rad, self._velocity_rad_s = position_rad, 0.0
        self.limit_nm: float | None = None
        self.limp = True

    def position_rad(self) -> float:
        """Where it was told to be last."""
        return self._position_rad

    def velocity_rad_s(self) -> float:
        """The rate that it was told last."""
        return self._velocity_rad_s

    def torque_nm(self) -> float:
        """None is needed."""
        return 0.0

    def drive(self, goal_rad: float | None, velocity_rad_s: float, torque_limit_nm: float | None) -> None:
        """Be there."""
        self.limp, self.limit_nm = goal_rad is None, torque_limit_nm
        self._velocity_rad_s = 0.0 if goal_rad is None else velocity_rad_s
        if goal_rad is not None:
            self._position_rad = goal_rad
