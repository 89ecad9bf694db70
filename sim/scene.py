"""The simulated room as a MuJoCo specification: table, mat, plinth, lights and the blocks of a tower.

The contact settings are the ones under which a wooden tower neither creeps nor sticks; docs/physics.md has the
measurements. Blocks touch with a hull of their true thickness, bevelled at the ends, and are seen as a bevelled body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from robot.frames import Array, pose, quaternion, rot_z
from robot.mat import Mat, default_mat
from robot.seeding import generator
from sim import textures
from sim.blocks import Block
from sim.meshes import BEVEL_M, bevelled, hull

TIMESTEP_S = 0.004
SOLREF = (0.004, 1.0)
SOLIMP = (0.95, 0.99, 0.0001, 0.5, 2.0)
TOUCHES = 1  # contact bit of everything that touches blocks
ARM_BIT = 2  # the arm's links touch what has TOUCHES, not each other
Foot = tuple[tuple[float, float], tuple[float, float]]  # from where to where along x, and along y
LOOKS, HULLS = 0, 3  # geom groups: seen by cameras, and hidden
SKIN = "_skin"  # ends the names of what is seen of blocks


@dataclass(frozen=True)
class Riser:
    """A box under an arm's base, where that stands above the table.

    Attributes:
        T_world_base: Pose (4, 4) of the arm's base, which stands upright.
        foot_m: What the box covers, in the base's frame: from where to where along x, and along y.
    """

    T_world_base: Array
    foot_m: Foot


@dataclass(frozen=True)
class Room:
    """Where the fixed things stand.

    Attributes:
        T_world_tower: Nominal tower frame (4, 4), its origin on the plinth.
        plinth_m: Width and height of the square plinth; with no height there is none.
        riser: What the arm stands on; None without an arm.
    """

    T_world_tower: Array = field(default_factory=lambda: pose(rot_z(np.pi / 4), [0.0, 0.0, 0.1]))
    plinth_m: tuple[float, float] = (0.084, 0.100)
    mat: Mat = field(default_factory=default_mat)
    riser: Riser | None = None


def room_spec(room: Room, seed: int, *, looks: bool = True) -> mujoco.MjSpec:
    """The room without a tower: options, table, plinth, and with `looks` the lights, pictures and mat."""
    spec = mujoco.MjSpec()
    spec.modelname = "steadyhand"
    _options(spec)
    _furniture(spec, room)
    if looks:
        _looks(spec, room, seed)
    return spec


def _options(spec: mujoco.MjSpec) -> None:
    option = spec.option
    option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    option.timestep = TIMESTEP_S
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    option.iterations = 50
    option.ls_iterations = 50
    option.tolerance = 1e-8
    option.impratio = 300
    option.sleep_tolerance = 1e-4
    option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)


def touching(geom: mujoco.MjsGeom, friction: float) -> None:
    """Make a geom one that blocks rest on and slide along."""
    geom.contype = geom.conaffinity = TOUCHES
    geom.condim = 3
    geom.friction = [friction, 0.005, 0.0001]
    geom.solref, geom.solimp = SOLREF, SOLIMP
    geom.margin = geom.gap = 0.0


def _furniture(spec: mujoco.MjSpec, room: Room) -> None:
    """Table plane, plinth and riser; their friction never exceeds the blocks' own (contacts take the larger)."""
    world = spec.worldbody
    table = world.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1.5, 1.5, 0.05], group=LOOKS)
    touching(table, 0.5)
    width, height = room.plinth_m
    if height > 0:
        _support(world, "plinth", room.T_world_tower, ((-width / 2, width / 2),) * 2, height)
    riser = room.riser
    if riser is not None and riser.T_world_base[2, 3] > 0:
        _support(world, "riser", riser.T_world_base, riser.foot_m, float(riser.T_world_base[2, 3]))


def _support(world: mujoco.MjsBody, name: str, T_world_top: Array, foot_m: Foot, height_m: float) -> None:
    """A box below a frame (4, 4), so high and, in the frame's axes, from where to where."""
    (x0, x1), (y0, y1) = foot_m
    T = T_world_top @ pose(None, [(x0 + x1) / 2, (y0 + y1) / 2, -height_m / 2])
    box = world.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[(x1 - x0) / 2, (y1 - y0) / 2, height_m / 2],
        pos=T[:3, 3],
        quat=quaternion(T[:3, :3]),
        rgba=[0.25, 0.27, 0.30, 1],
        group=LOOKS,
    )
    touching(box, 0.5)


def _looks(spec: mujoco.MjSpec, room: Room, seed: int) -> None:
    rng = generator(seed, "looks")
    for k in range(4):
        add_picture(spec, f"wood{k}", textures.wood(rng))
    add_picture(spec, "table", textures.table_top(rng))
    spec.geom("table").material = "table"
    add_picture(spec, "mat", textures.mat_sheet(room.mat))
    half = room.mat.size_m / 2
    # A thin plate: its texture is a mesh's, because MuJoCo projects box textures per face.
    sheet = spec.add_mesh(name="mat")
    sheet.uservert = np.array(
        [[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0], [0, 0, -1e-3]]
    ).ravel()
    sheet.usernormal = np.tile([0.0, 0.0, 1.0], 5)
    sheet.usertexcoord = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [0.5, 0.5]], dtype=float).ravel()
    sheet.userface = np.array([[0, 1, 2], [0, 2, 3], [0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]]).ravel()
    spec.worldbody.add_geom(
        name="mat", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mat", material="mat", pos=[0, 0, 5e-5],
        contype=0, conaffinity=0, group=LOOKS,
    )  # fmt: skip
    sky = spec.add_texture(name="room", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=256, height=1536)
    sky.builtin = mujoco.mjtBuiltin.mjBUILTIN_GRADIENT  # plain walls, so that no camera looks into the void
    sky.rgb1, sky.rgb2 = [0.62, 0.61, 0.58], [0.50, 0.50, 0.48]
    _lights(spec)


def _lights(spec: mujoco.MjSpec) -> None:
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.15, 0.15, 0.15]
    spec.visual.headlight.specular = [0, 0, 0]
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 960
    spec.visual.quality.shadowsize = 2048
    spec.visual.quality.offsamples = 4
    spec.visual.map.znear, spec.visual.map.zfar = 0.05, 10.0
    for name, pos, shade in (("window", [0.9, -1.1, 1.6], 0.55), ("lamp", [0.5, 1.3, 1.4], 0.35)):
        spec.worldbody.add_light(
            name=name, pos=pos, dir=[-pos[0], -pos[1], 0.25 - pos[2]], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            diffuse=[shade] * 3, specular=[0.05] * 3, castshadow=name == "window",
        )  # fmt: skip


def add_picture(spec: mujoco.MjSpec, name: str, image: textures.Image) -> None:
    """A material that shows a picture (rows, columns, 3)."""
    texture = spec.add_texture(
        name=name,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        width=image.shape[1],
        height=image.shape[0],
        nchannel=3,
    )
    texture.data = image.tobytes()
    material = spec.add_material(name=name, specular=0.1, shininess=0.1, reflectance=0.0)
    material.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = name


def add_blocks(
    spec: mujoco.MjSpec,
    room: Room,
    blocks: Sequence[Block],
    poses_world: dict[str, Array] | None,
    seed: int,
    *,
    looks: bool = True,
) -> None:
    """Free bodies `b01` ... in the world, at `poses_world` where given and else as drawn."""
    rng = generator(seed, "block looks")
    for block in blocks:
        T = poses_world[block.name] if poses_world else room.T_world_tower @ block.T_tower_block
        body = spec.worldbody.add_body(name=block.name, pos=T[:3, 3], quat=quaternion(T[:3, :3]))
        body.add_freejoint(name=block.name)
        _inertia(body, block)
        _hull_geom(spec, body, block)
        if looks:
            skin_geom(spec, body, block, rng)


def _inertia(body: mujoco.MjsBody, block: Block) -> None:
    x, y, z = block.size_m
    body.explicitinertial = True
    body.mass = block.mass_kg
    body.ipos, body.iquat = [0, 0, 0], [1, 0, 0, 0]
    body.inertia = [block.mass_kg / 12 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y)]


def _hull_geom(spec: mujoco.MjSpec, body: mujoco.MjsBody, block: Block) -> None:
    mesh = spec.add_mesh(name=f"{block.name}_hull")
    mesh.uservert = hull(block.size_m, block.taper_m).ravel()
    geom = body.add_geom(
        name=f"{block.name}_hull", type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"{block.name}_hull", group=HULLS, mass=0,
        rgba=[0.8, 0.65, 0.45, 1],
    )  # fmt: skip
    touching(geom, block.friction)


def skin_geom(spec: mujoco.MjSpec, body: mujoco.MjsBody, block: Block, rng: np.random.Generator) -> None:
    """What is seen of a block, in its body's frame."""
    skin = bevelled(block.size_m, BEVEL_M + rng.uniform(0, 0.4e-3), (rng.uniform(), rng.uniform()))
    mesh = spec.add_mesh(name=f"{block.name}{SKIN}")
    mesh.uservert, mesh.usernormal = skin.vertices_m.ravel(), skin.normals.ravel()
    mesh.usertexcoord, mesh.userface = skin.texcoords.ravel(), skin.triangles.ravel()
    tone = rng.uniform(0.82, 1.0)
    warmth = rng.uniform(-0.03, 0.03)
    body.add_geom(
        name=f"{block.name}{SKIN}", type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"{block.name}{SKIN}",
        material=f"wood{rng.integers(4)}", rgba=[min(1, tone + warmth), tone, tone - warmth, 1],
        contype=0, conaffinity=0, group=LOOKS, mass=0,
    )  # fmt: skip
