"""The real drivers at one end of their wires, a simulated table's devices at the other."""

from __future__ import annotations

from contextlib import ExitStack

from hardware.arm_file import ArmParts, load_arm
from hardware.arm_power import pinching
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_force import EmulatedForce
from hardware.force import SerialForce
from hardware.force_formats import HX711
from hardware.force_stream import ForceStream
from hardware.servo_arm import ServoArm
from hardware.transport import Port
from robot.limits import ArmLimits
from robot.ports import Clock, ForceSensor
from robot.vernier import Vernier
from sim.simulation import Simulation
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
) -> Devices:
    """The simulated table's arm and force sensor through their real drivers; the arm is switched on where it stands.

    Args:
        simulation: The table.
        limits: Of the arm.
        pinch_n: Force of each finger on a block.
        force: A sensor in place of the emulated one.
        patience_s: Real time that an answer may take.
        vernier: Finer steps of the tip than the servos' own; None for the nearest ones.

    Raises:
        DeviceError: A driver finds something wrong.
    """
    parts = pinching(load_arm(simulation.plan.arm.name), pinch_n)
    with ExitStack() as made:
        far, port = _arm_line(simulation, parts, made)
        clock = WireClock(simulation.world, far, port)
        device, sensor = _sensor(simulation, clock, made)
        arm = ServoArm(_bus(port, parts, patience_s), parts, limits, clock, force or sensor, vernier)
        clock.attend = arm.attend
        arm.energise()  # an emulated arm rests on its stand, and nobody is near it
        made.callback(arm.close)
        made.enter_context(sensor)
        emulated = Emulated(far, parts, device)
        return Devices(
            arm, clock, force or sensor, GUARDED_M_S, parts.gentle_profile_s, made.pop_all().close, emulated
        )


def _arm_line(simulation: Simulation, parts: ArmParts, made: ExitStack) -> tuple[EmulatedArm, CountingPort]:
    """Both ends of the servos' wire."""
    plan = simulation.plan
    far = EmulatedArm(simulation.world, plan.errors, plan.seed, parts)
    far.terminal.start()
    made.callback(far.close)
    return far, made.enter_context(CountingPort(far.terminal.path, parts.baud, write_s=_BUSY_S))


def _bus(port: Port, parts: ArmParts, patience_s: float) -> DynamixelBus:
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    return DynamixelBus(port, names, patience_s)


def _sensor(simulation: Simulation, clock: Clock, made: ExitStack) -> tuple[EmulatedForce, SerialForce]:
    """The finger's sensor, and its driver at the other end of the wire, not connected yet."""
    device, line = finger_line(simulation)
    made.callback(line.close)
    stream = ForceStream(Port(line.path, HX711.baud), HX711, clock)
    return device, SerialForce(stream, device.scale, device.delay_s)
