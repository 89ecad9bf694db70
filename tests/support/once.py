"""What takes a minute to make is made once for all test processes, though each of them has fixtures of its own."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """What was made in a folder of that name, by whichever process came first; the others wait for it.

    Args:
        factory: Of temporary folders.
        name: Of the folder, which all processes share.
        make: Makes it there; it can be pickled.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / f"once-{name}"
    folder.mkdir(exist_ok=True)
    kept = folder / "made.pickle"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(pickle.dumps(make(folder)))
    made: T = pickle.loads(kept.read_bytes())
    return made
