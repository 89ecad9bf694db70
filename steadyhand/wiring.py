"""The one place that knows whether an arm is real or simulated. Adapters are imported inside its functions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planning.blockset import BlockSet, load_blockset
from planning.notes import Notify
from planning.tower import Tower
from robot.errors import BadInputError
from robot.ports import Kinematics, StopSignal
from steadyhand.policies import OURS, make_policy
from steadyhand.rig import Rig, told_to
from steadyhand.settings import Settings

if TYPE_CHECKING:
    from planning.actors import Actors
    from planning.policy import Policy
    from robot.body import Body
    from robot.limits import ArmLimits
    from robot.offsets import JointOffsets
    from sim.person import SimPerson
    from sim.scene import Room
    from sim.simulation import Simulation, SimulationPlan
    from steadyhand.devices import Desk, Devices
    from steadyhand.faults import Fault


_INSET_RAD = np.radians(1.0)  # plans stay so far from where joints end: they may be off by that
MOST_LAYERS = 30
_NOMINAL_M = np.array([0.075, 0.025, 0.015])  # of a block, as far as standing goes
_LEAST_MARGIN_M = 0.001  # towers fall before the edge is reached


def block_set(settings: Settings, name: str | None) -> BlockSet:
    """The block set that was named, or that of the settings."""
    return load_blockset(settings.blockset if name is None else name)


def checked_tower(text: str | None, n_blocks: int) -> Tower:
    """A tower that can stand and that the arm can reach, from its text or as a game starts.

    Raises:
        BadInputError: The text cannot be read, or such a tower would fall or be too high.
    """
    tower = Tower.of_blocks(n_blocks) if text is None else Tower.parse(text)
    if not 1 <= tower.n_layers <= MOST_LAYERS:
        raise BadInputError(
            f"tower {text!r}: {tower.n_layers} layers, allowed 1 to {MOST_LAYERS}: the arm reaches no higher"
        )
    _check_stands(tower)
    return tower


def _check_stands(tower: Tower) -> None:
    from planning.observation import as_stacked
    from planning.stability import support_margins_m

    for layer, margin_m in support_margins_m(as_stacked(tower, _NOMINAL_M)).items():
        if margin_m < _LEAST_MARGIN_M:
            side = "inside" if margin_m >= 0 else "outside"
            why = f"what is above it weighs down {abs(margin_m) * 1e3:.1f} mm {side} the edge of its blocks"
            raise BadInputError(
                f"tower {str(tower)!r}: it cannot stand on layer {layer}: "
                f"{why if np.isfinite(margin_m) else 'that is empty'}; allowed is "
                f"{_LEAST_MARGIN_M * 1e3:.0f} mm inside or more"
            )


def limits_of(settings: Settings, kinematics: Kinematics) -> ArmLimits:
    """What the arm may be asked for."""
    from robot.limits import ArmLimits

    one = np.ones(len(kinematics.joint_names))
    arm = settings.arm
    return ArmLimits(
        kinematics.q_min_rad - _INSET_RAD,
        kinematics.q_max_rad + _INSET_RAD,
        np.radians(arm.joint_speed_deg_s) * one,
        np.radians(arm.joint_accel_deg_s2) * one,
        np.radians(arm.joint_jerk_deg_s3) * one,
        opening_max_m=settings.finger.max_opening_mm * 1e-3,
        force_ceiling_n=settings.force.ceiling_n,
        tool_max_m_s=arm.tool_speed_mm_s * 1e-3,
        jacobian=kinematics.jacobian,
    )


def body_of(settings: Settings) -> Body:
    """The arm of the settings with L-fingers, where they put it."""
    from robot.body import Body
    from robot.kinematics import ArmKinematics

    model = settings.arm.described
    kinematics = ArmKinematics(model, settings.finger.fingers().T_flange_tool(), _INSET_RAD)
    return Body(kinematics, settings.arm.T_world_base(), limits_of(settings, kinematics), model.park_rad)


def offsets_of(settings: Settings, joint_names: Sequence[str]) -> JointOffsets:
    """What the joints are off by, as calibrated; steering learns the rest.

    Raises:
        BadInputError: The file of the joints cannot be used.
    """
    from robot.offsets import JointOffsets
    from steadyhand.joints_file import read_joints

    path = settings.arm.joints
    return read_joints(Path(path), joint_names) if path else JointOffsets(joint_names)


def room_of(settings: Settings) -> Room:
    """Table, mat, plinth and what the arm stands on."""
    from sim.scene import Riser, Room

    tower, arm = settings.tower, settings.arm
    plinth_m = (tower.plinth_width_mm * 1e-3, tower.plinth_mm * 1e-3)
    return Room(tower.T_world_tower(), plinth_m, riser=Riser(arm.T_world_base(), arm.described.foot_m))


def plan_of(
    settings: Settings, blockset: BlockSet, tower: Tower, seed: int, *, looks: bool = True, aside: int = 0
) -> SimulationPlan:
    """What `play`, `sim export` and `sim picture` simulate for the same arguments."""
    from sim.arm_model import FingerMechanics
    from sim.finger import BeamCell
    from sim.joints import ArmErrors
    from sim.simulation import SimulationPlan

    sim, force, finger = settings.sim, settings.force, settings.finger
    errors = ArmErrors(np.radians(sim.joint_offset_deg), np.radians(sim.backlash_deg), sim.sag)
    return SimulationPlan(
        blockset=blockset,
        slots=[(slot.layer, slot.position) for slot in tower.blocks()],
        seed=seed,
        room=room_of(settings),
        arm=settings.arm.described,
        T_world_base=settings.arm.T_world_base(),
        finger=finger.fingers(),
        mechanics=FingerMechanics(finger.stiffness_n_mm * 1e3, finger.pinch_n),
        cell=BeamCell(force.noise_n, force.delay_ms * 1e-3, force.rate_hz),
        errors=errors if sim.arm_errors else ArmErrors(),
        camera_noise=sim.camera_noise,
        looks=looks,
        aside=aside,
    )


def simulated(
    settings: Settings,
    blockset: BlockSet,
    tower: Tower,
    seed: int,
    stop: StopSignal,
    aside: int = 0,
    wire: Sequence[str] | None = None,
) -> tuple[Rig, Simulation]:
    """A simulated table, and the simulation behind it for those who may look at it (viewer, evaluation).

    `aside`: how many blocks lie on the table beside the tower. `wire`: not None where its devices are reached through
    the real drivers, over wires; then what fails when, as `--fault` has it.

    Raises:
        BadInputError: A fault cannot be read, or the arm cannot play.
        DeviceError: A driver finds something wrong.
    """
    from sim.simulation import Simulation
    from steadyhand.able import need_able
    from steadyhand.acting import Seen, actors_of

    to_come = faults_to_come(wire) if wire else []

    body = body_of(settings)
    need_able(settings, body, tower)
    simulation = Simulation(plan_of(settings, blockset, tower, seed, aside=aside), body.limits, body.park_rad)
    devices, listeners = _devices(settings, body, simulation, wire=wire is not None), list[Notify]()
    seen = Seen(
        simulation.cameras, len(simulation.world.blocks), settings.sim.camera_noise > 0, told_to(listeners)
    )
    actors = actors_of(settings, blockset, body, seen, devices, seed, stop)

    def close() -> None:
        try:
            devices.close()
        finally:
            simulation.close()

    rig = Rig(actors, devices.clock, simulation.cameras, close, listeners)
    if devices.far is not None and to_come:
        from steadyhand.faults import FaultsToCome

        rig.listeners.append(FaultsToCome(to_come, simulation.world, devices.far.spoil))
    return rig, simulation


def faults_to_come(texts: Sequence[str]) -> list[Fault]:
    """What `--fault` says.

    Raises:
        BadInputError: One cannot be read.
    """
    from steadyhand.faults import read_fault

    return [read_fault(text) for text in texts]


def _devices(settings: Settings, body: Body, simulation: Simulation, *, wire: bool) -> Devices:
    from steadyhand.devices import Devices

    if not wire:
        return Devices(simulation.arm, simulation.world, simulation.force)
    from robot.vernier import Vernier
    from steadyhand.wired import over_the_wire

    vernier = Vernier(body.kinematics)
    pinch_n, sinks_rad_s = settings.finger.pinch_n, settings.arm.sinks_rad_s
    return over_the_wire(simulation, body.limits, pinch_n, vernier=vernier, sinks_rad_s=sinks_rad_s)


def need_cameras(settings: Settings) -> None:
    """Refuse a real arm that would play blind.

    Raises:
        BadInputError: No camera is named.
    """
    if not settings.cameras:
        raise BadInputError(
            "arm.port names a real arm, and no camera is named: add a section [cameras.NAME] for each, as "
            "`steadyhand settings --example` shows"
        )


def on_table(
    settings: Settings, blockset: BlockSet, tower: Tower, seed: int, stop: StopSignal, desk: Desk
) -> Rig:
    """The table that the settings name: arm, force sensor and cameras; the arm is switched on if a person agrees.

    Raises:
        BadInputError: The settings lack something, or the arm cannot play.
        DeviceError: A device is not there or not fit.
        StoppedError: The person did not agree.
    """
    from steadyhand.able import need_able
    from steadyhand.acting import Seen, actors_of
    from steadyhand.table_arm import table_devices
    from steadyhand.table_cameras import table_cameras
    from steadyhand.table_force import sensor_of
    from steadyhand.table_time import table_time

    with ExitStack() as made:
        time = made.enter_context(table_time(settings))
        cameras = [made.enter_context(c) for c in table_cameras(settings, time.clock, desk.folder)]
        body = body_of(settings)
        need_able(settings, body, tower)
        sensor = sensor_of(settings.force, time.clock, desk.folder)
        devices = table_devices(settings, body, sensor, desk.say, desk.ask, time)
        made.callback(devices.close)
        listeners = list[Notify]()
        seen = Seen(cameras, sum(1 for _ in tower.blocks()), True, told_to(listeners))
        actors = actors_of(settings, blockset, body, seen, devices, seed, stop)
        return Rig(actors, devices.clock, cameras, made.pop_all().close, listeners)


def simulated_hands(settings: Settings, simulation: Simulation, stop: StopSignal, seed: int) -> SimPerson:
    """The hands of the persons at a simulated table."""
    from sim.person import SimPerson

    return SimPerson(simulation.world, settings.arm.T_world_base()[:3, 3], stop, seed)


def policy_of(settings: Settings, actors: Actors, seed: int, name: str = OURS) -> Policy:
    """Who decides for a robot player at a table: what it believes rests on the sensor that is there.

    Raises:
        BadInputError: Nobody has that name.
        LimitError: The sensor's noise hides even what the highest limit of a probe lets feel.
    """
    from planning.belief import COUNT
    from planning.force_limit import LAST_SHARE, Bounds, need_feeling
    from planning.senses import Senses

    probe, noise_n = settings.habits().probe, actors.hand.pusher.smallest_force_n
    hardest_n = settings.extract.limit_n
    bounds = Bounds(noise_n, probe.limit_n, probe.sway_m, LAST_SHARE * hardest_n)
    actors.hand.pusher.check_limit(bounds.ceiling_n)
    need_feeling(bounds)
    senses = Senses().feeling(noise_n)
    return make_policy(name, actors.blockset, senses, bounds, seed, hardest_n=hardest_n, count=COUNT)


def picture_path(path: Path) -> Path:
    """The camera file that belongs to a picture."""
    return path.with_name(f"{path.stem}.camera.json")
