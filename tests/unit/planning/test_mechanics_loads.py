from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning.contacts import HEIGHT, MASS, TAPER, YAW, X, Y
from planning.mechanics import Towers, loads
from planning.tower import Slot
from robot.errors import BadInputError
from robot.frames import Array
from support.stacks import WEIGHT_N, rough, row_of, stack, without

layer = st.sampled_from(["111", "111", "110", "011", "101", "010"])
texts = st.lists(layer, min_size=1, max_size=9).map(lambda rows: "/".join([*rows, "111"]))
seeds = st.integers(0, 2**31)
compiled = settings(deadline=None, max_examples=60)  # the first example waits for the compiler


def borne(towers: Towers) -> tuple[Array, Array]:
    found = loads(towers)
    assert found.stands.all()
    return found.top_n[0], found.bottom_n[0]


# By hand


def test_single_block_presses_with_its_weight() -> None:
    top, bottom = borne(stack("010"))
    assert (top[0], bottom[0]) == (0.0, pytest.approx(WEIGHT_N))


def test_column_of_single_blocks_bears_all_above() -> None:
    top, bottom = borne(stack("010/010/010"))
    assert top == pytest.approx(np.array([2, 1, 0]) * WEIGHT_N, rel=1e-4)
    assert bottom == pytest.approx(np.array([3, 2, 1]) * WEIGHT_N, rel=1e-4)


def test_thin_middle_block_bears_nothing() -> None:
    top, bottom = borne(stack("111/111", height={"1.2": -2e-4}))
    assert top == pytest.approx(np.array([1.5, 0, 1.5, 0, 0, 0]) * WEIGHT_N, rel=1e-4)
    assert bottom[1] == pytest.approx(WEIGHT_N)


def test_thick_middle_block_bears_everything() -> None:
    top, _ = borne(stack("111/111/111", height={"1.2": 4e-4}))
    assert top[:3] == pytest.approx(np.array([0, 6, 0]) * WEIGHT_N, abs=1e-3 * WEIGHT_N)


def test_support_nearer_to_the_weight_bears_more() -> None:
    top, _ = borne(stack("101/010", y={"2.2": 0.00625}))
    assert top[1] > top[0] > 0
    assert top.sum() == pytest.approx(WEIGHT_N)


def test_two_blocks_of_a_layer_bear_half_each() -> None:
    top, bottom = borne(stack("101/111/111"))
    assert top[:2] == pytest.approx(np.array([3, 3]) * WEIGHT_N, rel=1e-4)
    assert bottom[:2] == pytest.approx(np.array([4, 4]) * WEIGHT_N, rel=1e-4)


def test_pushed_out_block_bears_only_where_it_still_lies() -> None:
    """Pushed out by two widths, it has left the far upper block and nearly the middle one."""
    whole, out = stack("111/111/111"), stack("111/111/111", y={"2.3": 0.05})
    near, far = row_of(out, "1.3"), row_of(out, "1.1")
    assert borne(out)[0][far] < borne(whole)[0][far]
    assert borne(out)[0][near] > borne(whole)[0][near]
    assert borne(out)[0].sum() > 0


def test_block_that_only_hangs_over_falls() -> None:
    found = loads(stack("010/010", y={"2.2": 0.052}))
    assert not found.stands[0]
    assert np.isnan(found.top_n).all()


def test_layer_on_tapered_blocks_is_higher_at_their_thick_ends() -> None:
    tapered = stack("111/111", taper={"1.1": 2e-4, "1.2": 2e-4, "1.3": 2e-4})
    height_m = loads(tapered).height_m[0]
    rise_m = height_m[row_of(tapered, "2.3")] - height_m[row_of(tapered, "2.1")]
    assert rise_m == pytest.approx(2e-4 * 50 / 75, rel=0.05)  # they lie flat on the ground


@pytest.mark.parametrize("seed", range(5))
def test_tall_tower_of_uneven_blocks_is_not_taken_for_a_falling_one(seed: int) -> None:
    assert loads(rough("111*40", seed, sd_m=2.5e-4)).stands[0]


def test_block_out_of_square_still_bears() -> None:
    """Half turned in, it overlaps its three neighbours below in polygons of more than four corners."""
    towers = stack("111/010/010", yaw={"2.2": 0.7})
    top, bottom = borne(towers)
    assert top[row_of(towers, "2.2")] == pytest.approx(WEIGHT_N, rel=1e-3)
    assert bottom[:3].sum() == pytest.approx(5 * WEIGHT_N, rel=1e-3)


def test_blocks_that_lie_with_a_corner_on_one_out_of_square_fall() -> None:
    assert not loads(stack("111/010/111", yaw={"2.2": 0.7})).stands[0]


def test_stiffer_faces_leave_more_to_the_thickest() -> None:
    towers = stack("111/111", height={"1.2": 2e-5})
    soft, hard = (loads(towers, stiffness).top_n[0, 1] for stiffness in (1e7, 1e9))
    assert hard > soft + 0.3 * WEIGHT_N


# Properties


@compiled
@given(texts, seeds)
def test_weight_is_conserved_in_every_layer(text: str, seed: int) -> None:
    towers = rough(text, seed)
    found = loads(towers)
    if not found.stands[0]:
        return
    layers = np.array([slot.layer for slot in towers.slots])
    weight = towers.bodies[0, :, MASS] * 9.81
    for k in range(1, layers.max() + 1):
        assert found.bottom_n[0][layers == k].sum() == pytest.approx(weight[layers >= k].sum(), rel=1e-4)
        assert found.top_n[0][layers == k].sum() == pytest.approx(weight[layers > k].sum(), rel=1e-4)


@compiled
@given(texts, seeds)
def test_no_block_presses_with_less_than_its_weight(text: str, seed: int) -> None:
    towers = rough(text, seed)
    found = loads(towers)
    if found.stands[0]:
        own = found.bottom_n[0] - found.top_n[0]
        assert own == pytest.approx(towers.bodies[0, :, MASS] * 9.81, rel=1e-4, abs=1e-5)
        assert (found.top_n >= 0).all()


@compiled
@given(st.lists(st.sampled_from(["111", "101", "010"]), min_size=2, max_size=9).map("/".join))
def test_symmetric_tower_bears_symmetrically(text: str) -> None:
    towers = stack(text)
    top, _ = borne(towers)
    for k, slot in enumerate(towers.slots):
        if slot.position == 1 and Slot(slot.layer, 3) in towers.slots:
            assert top[k] == pytest.approx(top[row_of(towers, f"{slot.layer}.3")], abs=1e-5)


@compiled
@given(texts, seeds, st.floats(0.1, 20))
def test_loads_scale_with_mass_and_stiffness_together(text: str, seed: int, factor: float) -> None:
    towers = rough(text, seed)
    heavy = towers.bodies.copy()
    heavy[..., MASS] *= factor
    light, loaded = loads(towers), loads(Towers(towers.slots, heavy), factor * 1e8)
    assert (light.stands == loaded.stands).all()
    assert loaded.top_n == pytest.approx(
        factor * light.top_n, rel=1e-3, abs=1e-3 * factor * WEIGHT_N, nan_ok=True
    )


@compiled
@given(texts, seeds)
def test_mirrored_tower_bears_as_in_a_mirror(text: str, seed: int) -> None:
    """In the plane x = 0: layers along x are turned end for end, layers along y change sides."""
    towers = rough(text, seed)
    bodies = towers.bodies.copy()
    bodies[..., X] *= -1
    bodies[..., YAW] *= -1
    along_x = np.array([slot.layer % 2 == 1 for slot in towers.slots])
    bodies[:, along_x, TAPER] *= -1
    bodies[:, ~along_x, YAW] += np.pi
    order = np.lexsort((bodies[0, :, Y], bodies[0, :, X] * ~along_x, [s.layer for s in towers.slots]))
    slots = tuple(
        Slot(s.layer, s.position if s.layer % 2 else 4 - s.position) for s in np.array(towers.slots)[order]
    )
    mirrored, plain = loads(Towers(slots, bodies[:, order])), loads(towers)
    assert (mirrored.stands == plain.stands).all()
    assert mirrored.top_n[0] == pytest.approx(plain.top_n[0][order], rel=1e-3, abs=1e-4, nan_ok=True)


@compiled
@given(seeds)
def test_removing_a_block_that_bears_nothing_changes_no_other_load(seed: int) -> None:
    """In the lowest layer; higher up its own weight would be missing from what lies below."""
    towers = rough("111*6", seed)
    bodies = towers.bodies.copy()
    bodies[0, 1, HEIGHT] -= 1e-3
    towers = Towers(towers.slots, bodies)
    top, bottom = borne(towers)
    assert top[1] == 0.0
    fewer_top, fewer_bottom = borne(without(towers, "1.2"))
    assert fewer_top == pytest.approx(np.delete(top, 1), abs=1e-4)
    assert fewer_bottom == pytest.approx(np.delete(bottom, 1), abs=1e-4)


@compiled
@given(texts, seeds, st.floats(-3, 3), st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
def test_loads_do_not_depend_on_where_the_tower_stands(
    text: str, seed: int, turn: float, at: tuple[float, float]
) -> None:
    towers = rough(text, seed)
    bodies = towers.bodies.copy()
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    bodies[..., X : Y + 1] = towers.bodies[..., X : Y + 1] @ R.T + at
    bodies[..., YAW] += turn
    moved, plain = loads(Towers(towers.slots, bodies)), loads(towers)
    assert (moved.stands == plain.stands).all()
    assert moved.top_n == pytest.approx(plain.top_n, rel=1e-3, abs=1e-4, nan_ok=True)


@compiled
@given(texts, st.lists(seeds, min_size=2, max_size=5))
def test_batch_says_the_same_as_each_tower_alone(text: str, many: list[int]) -> None:
    towers = [rough(text, seed) for seed in many]
    batch = loads(Towers(towers[0].slots, np.concatenate([t.bodies for t in towers])))
    for k, tower in enumerate(towers):
        assert np.array_equal(batch.top_n[k], loads(tower).top_n[0], equal_nan=True)


# Bad input


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"mass": {"1.1": -1.0}}, "sizes, mass and friction must be numbers above 0"),
        ({"height": {"1.1": np.nan}}, "sizes, mass and friction must be numbers above 0"),
    ],
)
def test_bodies_that_cannot_be_are_refused(change: dict[str, dict[str, float]], why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        stack("111", **change)


def test_blocks_out_of_order_are_refused() -> None:
    towers = stack("111")
    with pytest.raises(BadInputError, match="in order of layer"):
        Towers(towers.slots[::-1], towers.bodies)
    with pytest.raises(BadInputError, match=r"expected \(towers, 2, 9\)"):
        Towers(towers.slots[:2], towers.bodies)
