"""The real drivers at one end of their wires, a simulated table's devices at the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts
from hardware.arm_power import pinching
from hardware.dynamixel_bus import DynamixelBus
from hardware.force import SerialForce
from hardware.force_formats import HX711
from hardware.force_stream import ForceStream
from hardware.servo_arm import ServoArm
from hardware.transport import Port
from robot.limits import ArmLimits
from robot.ports import Clock, ForceSensor
from robot.vernier import Vernier
from sim.simulation import Simulation
from sim.world import World
from steadyhand.devices import Devices
from steadyhand.emulated_arm import CountingPort, EmulatedArm, WireClock
from steadyhand.emulated_finger import finger_line
from steadyhand.faults import Emulated

GUARDED_M_S = 0.002  # what the latency of a real sensor and a real stop allows
# Real time: on a busy machine this program's threads wait for their turn
_PATIENCE_S, _BUSY_S = 0.5, 5.0


def over_the_wire(
    simulation: Simulation,
    limits: ArmLimits,
    pinch_n: float,
    force: ForceSensor | None = None,
    patience_s: float = _PATIENCE_S,
    vernier: Vernier | None = None,
    sinks_rad_s: float = 0.0,
) -> Devices:
    """The simulated table's arm and force sensor through their real drivers; the arm is switched on where it stands.

    Args:
        simulation: The table.
        limits: Of the arm.
        pinch_n: Force of each finger on a block.
        force: A sensor in place of the emulated one.
        patience_s: Real time that an answer may take.
        vernier: Finer steps of the tip than the servos' own; None for the nearest ones.
        sinks_rad_s: So fast the arm lowers itself where it is given back after a stop; 0: it holds.

    Raises:
        DeviceError: A driver finds something wrong.
    """
    with ExitStack() as made:
        far = made.enter_context(far_ends(simulation, pinch_n))
        devices = near_ends(simulation.world, far, limits, force, patience_s, vernier, sinks_rad_s)
        made.callback(devices.close)
        return replace(devices, close=made.pop_all().close)


@contextmanager
def far_ends(simulation: Simulation, pinch_n: float) -> Iterator[Emulated]:
    """The simulated table's devices, each behind a port of its own."""
    plan = simulation.plan
    parts = pinching(load_arm(plan.arm.name), pinch_n)
    with ExitStack() as made:
        arm = EmulatedArm(simulation.world, plan.errors, plan.seed, parts)
        arm.terminal.start()
        made.callback(arm.close)
        device, line = finger_line(simulation)
        made.callback(line.close)
        yield Emulated(arm, parts, device, line.path)


def near_ends(
    world: World,
    far: Emulated,
    limits: ArmLimits,
    force: ForceSensor | None = None,
    patience_s: float = _PATIENCE_S,
    vernier: Vernier | None = None,
    sinks_rad_s: float = 0.0,
) -> Devices:
    """The real drivers of devices in a world, connected; see `over_the_wire`."""
    with ExitStack() as made:
        port = made.enter_context(CountingPort(far.arm.terminal.path, far.parts.baud, write_s=_BUSY_S))
        clock = WireClock(world, far.arm, port)
        sensor = _sensor(far, clock)
        bus = _bus(port, far.parts, patience_s)
        arm = ServoArm(bus, far.parts, limits, clock, force or sensor, vernier, sinks_rad_s)
        clock.attend = arm.attend
        arm.energise()  # an emulated arm rests on its stand, and nobody is near it
        made.callback(arm.close)
        made.enter_context(sensor)
        lag_s = far.parts.gentle_profile_s
        return Devices(arm, clock, force or sensor, GUARDED_M_S, lag_s, made.pop_all().close, far)


def _bus(port: Port, parts: ArmParts, patience_s: float) -> DynamixelBus:
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    return DynamixelBus(port, names, patience_s)


def _sensor(far: Emulated, clock: Clock) -> SerialForce:
    """The driver of the finger's sensor, not connected yet."""
    assert far.sensor is not None
    stream = ForceStream(Port(far.sensor_port, HX711.baud), HX711, clock)
    return SerialForce(stream, far.sensor.scale, far.sensor.delay_s)
