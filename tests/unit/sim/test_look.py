from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import mujoco
import numpy as np
import pytest

from planning.blockset import load_blockset
from planning.tower import Tower
from robot.errors import BadInputError
from sim.blocks import draw_tower
from sim.lighting import LIGHTS
from sim.look import Look
from sim.reaching import NAME, VISITORS, reach
from sim.scene import SKIN, Room, add_blocks, room_spec
from sim.simulation import Simulation
from sim.stains import WOODS
from sim.viewpoints import add_cameras, default_places
from steadyhand import wiring
from steadyhand.settings import Settings
from support import bench

SMALL = draw_tower(load_blockset("standard"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3)], 1)


@lru_cache
def model(look: Look, seed: int = 1) -> mujoco.MjModel:
    """A room with a few blocks, no arm, as the look has it."""
    room = Room()
    spec = room_spec(room, seed)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 320, 240
    add_blocks(spec, room, SMALL, None, seed)
    add_cameras(spec, default_places())
    look.dress(spec, room, seed)
    return spec.compile()


HAND = Look(clutter=("hand",))


def picture(look: Look) -> np.ndarray:
    """What the left camera sees, in small and without noise (rows, columns, RGB)."""
    data = mujoco.MjData(model(look))
    mujoco.mj_kinematics(model(look), data)
    mujoco.mj_camlight(model(look), data)
    with mujoco.Renderer(model(look), 240, 320) as renderer:
        renderer.update_scene(data, "left")
        return np.asarray(renderer.render(), dtype=float)


def stepped(look: Look, *, looks: bool) -> Simulation:
    """Half a second of a simulated table."""
    plan = wiring.plan_of(Settings(), load_blockset("standard"), Tower.parse("111/101"), 1, looks=looks)
    simulation = Simulation(replace(plan, look=look), bench.body().limits, bench.body().park_rad)
    simulation.world.sleep_until(0.5)
    return simulation


@pytest.fixture(scope="module")
def usual() -> np.ndarray:
    return picture(Look())


def colours(look: Look) -> np.ndarray:
    dressed = model(look)
    skins = [k for k in range(dressed.ngeom) if dressed.geom(k).name.endswith(SKIN)]
    return np.array([dressed.geom_rgba[k, :3] for k in skins])


def test_nothing_of_a_look_touches_blocks_or_moves_them() -> None:
    bare = stepped(Look(), looks=False)
    dressed = stepped(Look("hard", "painted", ("busy", "hand")), looks=True)
    assert dressed.world.poses() == bare.world.poses()
    one, other = bare.world.model, dressed.world.model
    assert one.nv == other.nv, "no joints"
    assert other.nbody > one.nbody + 10
    touching = [(m.geom_contype | m.geom_conaffinity).astype(bool).sum() for m in (one, other)]
    assert touching[0] == touching[1]


def test_dim_light_is_darker_and_noisier_and_warm_light_is_redder(usual: np.ndarray) -> None:
    dim, warm = picture(Look("dim")), picture(Look("warm"))
    assert 0.1 < dim.mean() / usual.mean() < 0.4
    assert Look("dim").noise > Look("normal").noise
    ratio = [(image[..., 0].mean() + 1) / (image[..., 2].mean() + 1) for image in (usual, warm)]
    assert ratio[1] > 1.3 * ratio[0]


def test_glare_saturates_more_of_the_picture_and_a_hard_lamp_has_darker_shadows(usual: np.ndarray) -> None:
    glare, hard = picture(Look("glare")), picture(Look("hard"))
    assert (glare > 250).mean() > 2 * (usual > 250).mean() + 0.005
    low = [np.percentile(image[125:], 2) / np.percentile(image[125:], 98) for image in (usual, hard)]
    assert low[1] < low[0]


def test_wood_is_darker_stained_alike_or_each_block_of_its_own_tone() -> None:
    seen = {wood: colours(Look(wood=wood)) for wood in WOODS}
    assert seen["dark"].max() < 0.6 * seen["light"].max()
    spread = {wood: float(rgb.std(axis=0).max()) for wood, rgb in seen.items()}
    assert spread["mixed"] > 2 * spread["light"]
    assert spread["painted"] > spread["mixed"]
    assert spread["stained"] < spread["painted"]


@pytest.mark.parametrize("visitor", list(VISITORS))
def test_what_reaches_in_shows_at_the_tower_and_comes_from_beyond_the_picture(
    usual: np.ndarray, visitor: str
) -> None:
    changed = np.abs(picture(Look(clutter=(visitor,))) - usual).max(axis=2) > 25
    assert changed.sum() > 200
    border = np.concatenate([changed[0], changed[-1], changed[:, 0], changed[:, -1]])
    assert border.any()


def test_same_seed_gives_the_same_look_and_another_seed_another() -> None:
    look = Look("hard", "mixed", ("busy", "sleeve"))
    model.cache_clear()
    first = model(look, 3)
    model.cache_clear()
    again, other = model(look, 3), model(look, 4)
    one, two, three = (
        np.concatenate([m.body_pos.ravel(), m.geom_rgba.ravel()]) for m in (first, again, other)
    )
    assert np.array_equal(one, two)
    assert one.shape != three.shape or not np.array_equal(one, three)


def test_visitors_tip_is_beside_the_tower_and_never_comes_from_the_arms_side() -> None:
    rng, room = np.random.default_rng(1), Room()
    for _ in range(50):
        T = reach(rng, room)
        assert 0.05 < np.linalg.norm(T[:2, 3] - room.T_world_tower[:2, 3]) < 0.07
        assert -T[:3, 0] @ np.array([-1.0, 0, 0]) < 0.75, "the arm stands there"
        assert -T[2, 0] > 0, "it comes from above the table"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"light": "bright"}, r"light 'bright' is not known: choose one of normal, dim, warm, glare, hard"),
        ({"wood": "pine"}, r"wood 'pine' is not known: choose one of light, dark"),
        ({"clutter": ("cat",)}, r"clutter 'cat' is not known: choose one of none, some, busy, hand"),
        ({"clutter": ("some", "busy")}, r"clutter 'some,busy': allowed is one of none, some, busy"),
        ({"clutter": ("hand", "tool")}, r"clutter 'hand,tool': allowed is one of hand, sleeve, tool"),
    ],
)
def test_unknown_looks_are_refused(given: dict[str, object], why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        Look(**given)  # type: ignore[arg-type]


def test_every_light_is_offered() -> None:
    assert list(LIGHTS) == ["normal", "dim", "warm", "glare", "hard"]


def test_a_scene_without_a_visitor_has_no_body_of_that_name() -> None:
    found = [mujoco.mj_name2id(model(look), mujoco.mjtObj.mjOBJ_BODY, NAME) for look in (Look(), HAND)]
    assert found[0] == -1
    assert found[1] > 0
