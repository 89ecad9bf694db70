from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from hardware.arm_urdf import model_of
from robot.arm_models import ArmModel
from robot.errors import BadInputError
from robot.frames import pose
from robot.kinematics import ArmKinematics
from robot.lfinger import LFinger
from sim.arm_model import FINGERS, FLANGE, FingerMechanics, arm_spec
from sim.scene import ARM_BIT
from support.own_arm import SIX, own_arm

FINGER = LFinger()


def heron(folder: Path, of: str = "", by: str = "") -> ArmModel:
    path, urdf = own_arm(folder), folder / "heron.urdf"
    text = urdf.read_text()
    assert of in text
    urdf.write_text(text.replace(of, by) if of else text)
    return model_of(str(path))


def built(model: ArmModel) -> mujoco.MjModel:
    return arm_spec(model, FINGER, FingerMechanics()).compile()


def test_own_arm_bends_in_the_simulation_as_the_kinematics_say(tmp_path: Path) -> None:
    """MuJoCo reads the URDF by itself: a second opinion on our reading of axes and turned frames."""
    model = heron(tmp_path)
    world, to_flange = built(model), ArmKinematics(model, np.eye(4))
    data, draw = mujoco.MjData(world), np.random.default_rng(1)
    for _ in range(20):
        q = draw.uniform(to_flange.q_min_rad, to_flange.q_max_rad)
        for name, angle in zip(model.joint_names, q, strict=True):
            data.joint(name).qpos[0] = angle
        mujoco.mj_kinematics(world, data)
        site = data.site(FLANGE)
        assert np.allclose(pose(site.xmat.reshape(3, 3), site.xpos), to_flange.forward(q), atol=1e-9)


def test_fingers_slide_apart_along_the_flanges_y_and_the_grippers_own_are_gone(tmp_path: Path) -> None:
    world = built(heron(tmp_path))
    names = [world.body(k).name for k in range(world.nbody)]
    assert "claw" not in names
    assert {"base", "twist_link", "left_finger_link", "right_nose"} <= set(names)
    data = mujoco.MjData(world)
    tips = []
    for opening_m in (0.0, 0.040):
        for side, sign in zip(FINGERS, (1, -1), strict=True):
            data.joint(f"{side}_finger").qpos[0] = sign * (0.020 + opening_m / 2)
        mujoco.mj_kinematics(world, data)
        left, right = (data.geom(f"{side}_nose").xpos.copy() for side in FINGERS)
        tips.append((left - right) @ data.site(FLANGE).xmat.reshape(3, 3)[:, 1])
    assert tips[0] == pytest.approx(FINGER.nose_thickness_m)
    assert tips[1] - tips[0] == pytest.approx(0.040)


def test_every_link_can_touch(tmp_path: Path) -> None:
    world = built(heron(tmp_path))
    for bone in SIX:
        body = world.body(f"{bone.name}_link")
        assert body.geomnum[0] == 1, "its shape to touch, and not the picture of it too"
        assert world.geom(body.geomadr[0]).contype[0] & ARM_BIT


def test_link_that_has_only_a_look_touches_with_that(tmp_path: Path) -> None:
    middle = '<collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.04 0.04"/></geometry></collision>'
    world = built(heron(tmp_path, middle, ""))
    assert world.geom(world.body("lift_link").geomadr[0]).size == pytest.approx([0.15, 0.02, 0.02])


def test_limits_are_those_of_the_urdf(tmp_path: Path) -> None:
    world = built(heron(tmp_path))
    assert world.joint("nod").range == pytest.approx([-1.9, 2.1])


def with_mesh(name: str) -> tuple[str, str]:
    box = '<box size="0.3 0.04 0.04"/>'
    return box, f'<mesh filename="{name}"/>'


def test_mesh_is_found_by_its_package_in_a_folder_above(tmp_path: Path) -> None:
    folder = tmp_path / "heron_description" / "urdf"
    folder.mkdir(parents=True)
    meshes = tmp_path / "heron_description" / "meshes"
    meshes.mkdir()
    corners = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (meshes / "upper.obj").write_text(corners)
    world = built(heron(folder, *with_mesh("package://heron_description/meshes/upper.obj")))
    assert world.nmesh == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "package://heron/upper.stl",
            r"link 'lift_link': there is no mesh 'package://heron/upper\.stl' \(/.*upper",
        ),
        ("upper.stl", r"link 'lift_link': there is no mesh 'upper\.stl'"),
        (
            "heron.toml",
            r"link 'lift_link': mesh 'heron\.toml' is of a kind that is not read, allowed are \.stl, \.obj",
        ),
    ],
)
def test_mesh_that_is_not_there_or_not_read_is_refused(tmp_path: Path, name: str, why: str) -> None:
    model = heron(tmp_path, *with_mesh(name))
    with pytest.raises(BadInputError, match=why):
        built(model)


def test_damaged_mesh_is_refused_with_the_builders_own_words(tmp_path: Path) -> None:
    (tmp_path / "upper.stl").write_bytes(b"no mesh at all" * 20)
    model = heron(tmp_path, *with_mesh("upper.stl"))
    with pytest.raises(BadInputError, match=r"MuJoCo cannot build the arm: .*correct that in the file"):
        built(model)


def test_arm_without_any_shape_is_refused(tmp_path: Path) -> None:
    model = heron(tmp_path)
    urdf = tmp_path / "heron.urdf"
    text = urdf.read_text().replace("visual>", "nothing>").replace("collision>", "nothing>")
    urdf.write_text(text)
    with pytest.raises(BadInputError, match="no link has a shape"):
        built(model_of(model.name))
