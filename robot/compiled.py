"""Numba's compiler behind a decorator that keeps a function's type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile at the first call; the machine code is kept beside the source for later runs."""
    return cast(F, njit(cache=True)(function))
