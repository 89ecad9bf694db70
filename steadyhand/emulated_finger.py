"""The simulated finger's force sensor at the end of a wire. Joins `hardware` and `sim`."""

from __future__ import annotations

from pathlib import Path

from hardware.emulated_force import EmulatedForce, with_noise
from hardware.force_line import ForceLine
from sim.simulation import Simulation


def finger_line(
    simulation: Simulation, link: Path | None = None, *, arrives: bool = True
) -> tuple[EmulatedForce, ForceLine]:
    """A sensor as the simulation's own one is, on a pseudo-terminal that the world's time serves.

    `link`: a name for the terminal that stays. `arrives`: whether the world waits until each sample can be read, so
    that a simulated game is the same each time; in real time it must not.
    """
    cell, seed = simulation.plan.cell, simulation.plan.seed
    felt = with_noise(simulation.force.true_n, cell.noise_n, seed)
    device = EmulatedForce(felt, simulation.world, delay_s=cell.delay_s, rate_hz=cell.rate_hz, seed=seed)
    line = ForceLine(device, link) if arrives else ForceLine(device, link, 0.0)
    simulation.world.watch(lambda _world: line.pump())
    return device, line
