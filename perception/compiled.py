"""Numba's compiler, as `robot.compiled` has it."""

from robot.compiled import compiled

__all__ = ["compiled"]
