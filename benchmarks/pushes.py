"""Pushing blocks of the simulated tower one by one, the tower put back after each."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from sim.world import World

_SPEED_M_S, _WAY_M = 0.01, 0.003
_READ_M = (0.0005, 0.0015)
_SPRING_N_M, _DAMPING_N_S_M = 300.0, 2.0
_LONGEST_S = 4.0
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True)
class Pushed:
    """The force that keeps the block moving at first, and how far the other block that moved most has gone."""

    force_n: float
    others_m: float


def push(world: World, name: str) -> Pushed:
    """Draw a block's middle along its own x by a spring whose other end moves steadily, until it has gone 3 mm."""
    model, data = world.model, world.data
    kept = np.zeros(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, kept, _STATE)
    before, along = _places(world), world.T_world_block(name)[:3, 0]
    forces = list(_forces(world, name, before[name], along))
    after = _places(world)
    data.xfrc_applied[:] = 0.0
    mujoco.mj_setState(model, data, kept, _STATE)
    mujoco.mj_forward(model, data)
    others_m = max(np.linalg.norm((after[n] - before[n])[:2]) for n in before if n != name)
    return Pushed(float(np.median(forces)) if forces else np.nan, float(others_m))


def _forces(world: World, name: str, start: np.ndarray, along: np.ndarray):
    """The forces after the block has begun to move."""
    data, body, joint = world.data, world.model.body(name).id, world.model.joint(name)
    for tick in range(round(_LONGEST_S / world.step_s)):
        gone_m = (data.xpos[body] - start) @ along
        lag_m = _SPEED_M_S * tick * world.step_s - gone_m
        speed_m_s = data.qvel[joint.dofadr[0] : joint.dofadr[0] + 3] @ along
        force_n = _SPRING_N_M * lag_m + _DAMPING_N_S_M * (_SPEED_M_S - speed_m_s)
        data.xfrc_applied[body, :3] = force_n * along
        mujoco.mj_step(world.model, data)
        if _READ_M[0] < gone_m < _READ_M[1]:
            yield force_n
        if gone_m > _WAY_M:
            return


def _places(world: World) -> dict[str, np.ndarray]:
    return {name: np.array(pose[:3]) for name, pose in world.poses().items()}
