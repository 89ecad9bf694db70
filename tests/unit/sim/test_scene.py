from __future__ import annotations

import mujoco
import numpy as np
import pytest

from planning.blockset import load_blockset
from robot.frames import pose, rot_z
from sim.blocks import draw_tower
from sim.scene import Riser, Room, add_blocks, room_spec

FULL = [(layer, position) for layer in range(1, 19) for position in (1, 2, 3)]


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    spec = room_spec(Room(), 1, looks=False)
    add_blocks(spec, Room(), draw_tower(load_blockset("standard"), FULL, 1), None, 1, looks=False)
    return spec.compile()


def test_there_are_54_free_bodies_named_in_order(model: mujoco.MjModel) -> None:
    names = [model.body(k).name for k in range(1, model.nbody)]
    assert names == [f"b{k:02d}" for k in range(1, 55)]
    assert (model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).all()


def test_what_touches_blocks_has_the_first_contact_bit(model: mujoco.MjModel) -> None:
    for name in ["table", "plinth", *[f"b{k:02d}_hull" for k in range(1, 55)]]:
        geom = model.geom(name)
        assert geom.contype[0] & 1, name
        assert geom.conaffinity[0] & 1, name


def test_block_is_as_heavy_and_slippery_as_it_was_drawn(model: mujoco.MjModel) -> None:
    for block in draw_tower(load_blockset("standard"), FULL, 1):
        assert model.body(block.name).mass[0] == pytest.approx(block.mass_kg)
        assert model.geom(f"{block.name}_hull").friction[0] == pytest.approx(block.friction)
        x, y, _z = block.size_m
        about_z = block.mass_kg / 12 * (x * x + y * y)
        assert model.body(block.name).inertia.max() == pytest.approx(about_z, rel=1e-6)


def test_contact_is_the_corner_in_which_a_tower_stands(model: mujoco.MjModel) -> None:
    option = model.opt
    assert option.timestep == 0.004
    assert option.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    assert option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert option.noslip_iterations == 0
    assert option.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    hulls = [k for k in range(model.ngeom) if model.geom(k).name.endswith("_hull")]
    assert np.allclose(model.geom_solref[hulls], [0.004, 1.0])
    assert (model.geom_condim[hulls] == 3).all()


def test_plinth_carries_the_tower_at_its_height_and_turn(model: mujoco.MjModel) -> None:
    plinth = model.geom("plinth")
    assert plinth.pos[2] + plinth.size[2] == pytest.approx(0.1)
    assert 2 * plinth.size[:2] == pytest.approx([0.084, 0.084])
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, plinth.quat)
    assert turned.reshape(3, 3)[:2, 0] == pytest.approx(np.sqrt([0.5, 0.5]))


def test_looks_change_nothing_that_touches() -> None:
    blocks = draw_tower(load_blockset("standard"), [(1, 1), (1, 2)], 1)
    touching = []
    for looks in (False, True):
        spec = room_spec(Room(), 1, looks=looks)
        add_blocks(spec, Room(), blocks, None, 1, looks=looks)
        m = spec.compile()
        touching.append(
            [(m.geom(k).name, m.geom(k).friction.tolist()) for k in range(m.ngeom) if m.geom_contype[k]]
        )
        assert m.body_mass[1:].tolist() == [block.mass_kg for block in blocks]
    assert touching[0] == touching[1]


def test_without_height_there_is_no_plinth() -> None:
    flat = Room(pose(), (0.084, 0.0))
    names = [geom.name for geom in room_spec(flat, 1, looks=False).worldbody.geoms]
    assert names == ["table"]


@pytest.mark.parametrize("z_m", [0.0, 0.12])
def test_arm_that_is_raised_stands_on_a_box(z_m: float) -> None:
    raised = Room(riser=Riser(pose(rot_z(np.pi / 2), [-0.3, 0.1, z_m]), ((-0.16, 0.08), (-0.05, 0.05))))
    model = room_spec(raised, 1, looks=False).compile()
    names = [model.geom(k).name for k in range(model.ngeom)]
    assert ("riser" in names) == (z_m > 0)
    if z_m > 0:
        assert model.geom("riser").pos == pytest.approx([-0.3, 0.06, 0.06])
        assert model.geom("riser").size == pytest.approx([0.12, 0.05, 0.06])
