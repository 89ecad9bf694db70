from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot.seeding import generator


@given(st.integers(0, 10**40), st.lists(st.text(), max_size=3))
def test_same_seed_and_names_give_the_same_stream(seed: int, names: list[str]) -> None:
    assert generator(seed, *names).random(4).tolist() == generator(seed, *names).random(4).tolist()


def test_streams_differ_by_seed_and_by_every_name() -> None:
    keys = [(1, ()), (2, ()), (1, ("a",)), (1, ("b",)), (1, ("a", "b")), (1, ("b", "a")), (1, ("ab",))]
    first = {generator(seed, *names).random() for seed, names in keys}
    assert len(first) == len(keys)


def test_stream_is_the_same_in_another_process() -> None:
    code = "from robot.seeding import generator; print(generator(7, 'camera', 'left').random())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert float(told) == generator(7, "camera", "left").random()


def test_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        generator(-1)
