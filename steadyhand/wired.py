"""The real drivers at one end of a wire, a simulated table's devices at the other."""

from __future__ import annotations

from contextlib import ExitStack

from hardware.arm_file import ArmParts, load_arm
from hardware.arm_power import pinching
from hardware.dynamixel_bus import DynamixelBus
from hardware.servo_arm import ServoArm
from robot.limits import ArmLimits
from sim.simulation import Simulation
from steadyhand.devices import Devices
from steadyhand.emulated_arm import CountingPort, EmulatedArm, WireClock

_ARM = "viperx-300s"
GUARDED_M_S = 0.002  # what the latency of a real sensor and a real stop allows
_PATIENCE_S = 0.25  # real time: on a busy machine the emulated servos' thread waits for its turn


def over_the_wire(simulation: Simulation, limits: ArmLimits, pinch_n: float) -> Devices:
    """The simulated table's arm through its real driver, switched on where it stands.

    Raises:
        DeviceError: The driver finds something wrong.
    """
    plan = simulation.plan
    parts = pinching(load_arm(_ARM), pinch_n)
    with ExitStack() as made:
        far = EmulatedArm(simulation.world, plan.errors, plan.seed, parts)
        far.terminal.start()
        made.callback(far.close)
        port = made.enter_context(CountingPort(far.terminal.path, parts.baud))
        arm = _driver(port, parts, limits, simulation)
        clock = WireClock(simulation.world, lambda: _settle(far, port), arm.attend)
        arm.energise()  # an emulated arm rests on its stand, and nobody is near it
        made.callback(arm.close)
        return Devices(arm, clock, simulation.force, GUARDED_M_S, made.pop_all().close)


def _driver(port: CountingPort, parts: ArmParts, limits: ArmLimits, simulation: Simulation) -> ServoArm:
    names = {servo: joint.name for servo, (joint, _) in parts.servos.items()}
    bus = DynamixelBus(port, names, _PATIENCE_S)
    return ServoArm(bus, parts, limits, simulation.world, simulation.force)


def _settle(far: EmulatedArm, port: CountingPort) -> None:
    if not far.arrived(port.sent):
        port.sent = 0  # it has hung up
