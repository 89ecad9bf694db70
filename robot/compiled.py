"""Numba's compiler behind a decorator that keeps a function's type.

Numba keeps machine code beside the source and looks at the age of that one file, though the code has in it what the
function calls from other files. So it is kept in a folder of its own for every state of all compiled sources together.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit

F = TypeVar("F", bound=Callable[..., object])
_FOLDERS = ("planning", "perception")
_MARK = b"import compiled"
_KEPT = Path(__file__).parent / "__pycache__" / "compiled"


def compiled(function: F) -> F:
    """Compile at the first call; the machine code is kept for later runs."""
    return cast(F, njit(cache=True)(function))


def state_of(sources: Iterable[Path]) -> str:
    """A name for what all compiled sources among these say now."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(sources):
        text = path.read_bytes()
        if _MARK in text:
            digest.update(path.name.encode() + b"\0" + text)
    return digest.hexdigest()


def _keep_apart() -> None:
    """Tell numba where to keep machine code, unless the environment does or there is no place."""
    root, config = Path(__file__).parents[1], cast(Any, numba.config)
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    state = state_of(path for folder in _FOLDERS for path in (root / folder).glob("*.py"))
    with suppress(OSError):
        (_KEPT / state).mkdir(parents=True, exist_ok=True)
        config.CACHE_DIR = str(_KEPT / state)


_keep_apart()
