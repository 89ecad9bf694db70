"""Independent, named streams of randomness from one seed, so that adding a consumer changes no other stream."""

from __future__ import annotations

import zlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator for the stream called `names`, the same for the same seed on every machine.

    Args:
        seed: A whole number from 0.
        names: What the stream is for, for example `("camera", "left")`.

    Raises:
        ValueError: The seed is negative (numpy's own check).
    """
    words = [zlib.crc32(name.encode()) for name in names]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
