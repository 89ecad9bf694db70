"""All margins at once are the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.observation import as_stacked
from planning.stability import margins_without_m, support_margin_m
from planning.tower import Tower

LAYER = st.sampled_from(["111", "101", "110", "011", "010", "100", "001"])


@given(st.lists(LAYER, min_size=2, max_size=6))
def test_same_as_thinking_each_block_away(layers: list[str]) -> None:
    tower = Tower.parse("/".join(layers))
    seen = as_stacked(tower, np.array([0.075, 0.025, 0.015]))
    for slot, margin_m in margins_without_m(seen, tower.blocks()).items():
        assert margin_m == pytest.approx(support_margin_m(seen, {slot}), abs=1e-12)
