"""`steadyhand emulate`: a simulated arm, finger and tower behind serial ports, in real time, for any program."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.arm_file import load_arm
from hardware.arm_parts import ArmParts
from hardware.clock_link import ToldTime
from hardware.emulated_force import EmulatedForce
from hardware.force_formats import HX711
from robot.errors import BadInputError
from sim.simulation import Simulation
from steadyhand.emulated_arm import EmulatedArm, check_body
from steadyhand.emulated_finger import finger_line
from steadyhand.faults import OF_THE_SENSOR, Emulated, FaultsToCome, Kind, read_timed_fault
from steadyhand.files import need_place, write_whole
from steadyhand.force_file import ForceFile
from steadyhand.simulating import plan_and_body
from steadyhand.truth_watch import TruthWatch

if TYPE_CHECKING:
    from steadyhand.emulated_cameras import EmulatedCameras

_NAP_S = 0.001
_SLIPS_S, _TELL_S = 0.1, 5.0
_MOST_BEHIND_S = 0.2  # a machine that is too slow for the world lets its time slip


class Slips:
    """Tells on standard error when the world is too late, at most once in five seconds."""

    def __init__(self) -> None:
        self._slipped_s = self._told_s = 0.0

    def slipped(self, by_s: float, now_s: float) -> None:
        """The world has been given so much more time."""
        self._slipped_s += by_s
        if self._slipped_s >= _SLIPS_S and now_s >= self._told_s + _TELL_S:
            sys.stderr.write(
                f"at {now_s:.0f} s: this machine has been {self._slipped_s:.1f} s too slow for real time since it was "
                "last said, and the arm lags behind who moves it: end other programs, or emulate elsewhere\n"
            )
            self._slipped_s, self._told_s = 0.0, now_s


@dataclass(frozen=True)
class Request:
    """The options of `emulate`, as given."""

    arm: str
    link: Path
    force_link: Path | None
    settings: Path | None
    blockset: str | None
    tower: str | None
    baud: int | None
    seed: int
    faults: Sequence[str] = ()
    truth: Path | None = None
    camera_link: Path | None = None


def run(request: Request) -> int:
    """Be there until the program is told to end.

    Raises:
        BadInputError: An option cannot be used.
    """
    _check_links(request)
    parts = load_arm(request.arm)
    check_body(parts)
    faults = [read_timed_fault(text) for text in request.faults]
    _check_faults(request, faults)
    with ExitStack() as made, _until_told() as ended:
        table = _table(request, parts)
        made.callback(table.close)
        plan = table.plan
        arm = EmulatedArm(table.world, plan.errors, plan.seed, parts, request.link, request.baud)
        arm.terminal.start()
        made.callback(arm.close)
        sensor = None if request.force_link is None else _finger(table, request.force_link, made)
        to_come = FaultsToCome((), table.world, Emulated(arm, parts, sensor).spoil)
        for kind, after_s in faults:
            to_come.after(after_s, kind)
        if request.truth is not None:
            made.callback(TruthWatch(request.truth, table).close)
        folder = request.camera_link
        link = None if folder is None else _linked(table, folder, ended, made)
        print(f"ready {request.link}", flush=True)  # noqa: T201 - the contract of the command line
        _go_on(table, ended, link)
    return 0


def _check_links(request: Request) -> None:
    """A link of an earlier run may be replaced, as may pictures and a truth log; anything else may not."""
    if request.truth is not None:
        need_place(request.truth)
    folder = request.camera_link
    if folder is not None and folder.exists() and not folder.is_dir():
        raise BadInputError(f"--camera-link {folder}: is no folder; name another")
    links = [link for link in (request.link, request.force_link) if link is not None]
    if len({link.absolute() for link in links}) < len(links):
        raise BadInputError("--link and --force-link must be different names")
    for link in links:
        if not link.parent.is_dir():
            raise BadInputError(f"{link}: there is no folder {link.parent}; make it, or name another")
        if link.exists() and not link.is_symlink():
            raise BadInputError(f"{link}: something else has that name, and is kept; name another")


def _table(request: Request, parts: ArmParts) -> Simulation:
    plan, body = plan_and_body(
        request.settings,
        request.blockset,
        request.seed,
        request.tower,
        looks=request.camera_link is not None,
        arm=parts.body,
    )
    if plan.arm.name != parts.body:
        raise BadInputError(
            f"emulate {request.arm}: these are the servos of a {parts.body}, and in {request.settings} arm.model = "
            f'{plan.arm.name!r} is another arm; write model = "{parts.body}" in [arm] there, or emulate {plan.arm.name}'
        )
    return Simulation(plan, body.limits, body.park_rad)


def _check_faults(request: Request, faults: Sequence[tuple[Kind, float]]) -> None:
    """A sensor that is not there cannot fail."""
    wrong = [kind for kind, _ in faults if kind in OF_THE_SENSOR]
    if wrong and request.force_link is None:
        raise BadInputError(
            f"--fault {wrong[0]}: there is no force sensor to fail; name its port with --force-link"
        )


def _finger(table: Simulation, link: Path, made: ExitStack) -> EmulatedForce:
    """The sensor's port under a name that stays, and beside it the calibration that a person would find by weighing."""
    device, line = finger_line(table, link, arrives=False)
    made.callback(line.close)
    calibration = link.with_name(f"{link.name}.json")
    write_whole(calibration, _calibration(table, device).text().encode())
    made.callback(lambda: calibration.unlink(missing_ok=True))
    return device


@dataclass(frozen=True)
class _Link:
    """What another program has of the world, beside its wires: the cameras' pictures, and the time."""

    cameras: EmulatedCameras
    told: ToldTime


def _linked(table: Simulation, folder: Path, ended: threading.Event, made: ExitStack) -> _Link:
    """The cameras' folder; the time that is told there is that of a world of which all others were told."""
    from steadyhand.emulated_cameras import EmulatedCameras

    cameras = EmulatedCameras(table, folder, ended.set)
    made.callback(cameras.close)
    cameras.start()
    told = ToldTime(folder, table.world.now_s())
    made.callback(told.close)
    table.world.watch(lambda world: told.tell(world.now_s()))
    return _Link(cameras, told)


def _calibration(table: Simulation, device: EmulatedForce) -> ForceFile:
    cell = table.plan.cell
    return ForceFile(
        format=HX711.name,
        made=date.today(),
        per_n=device.scale.per_n,
        zero=device.scale.zero,
        noise_n=cell.noise_n,
        rate_hz=cell.rate_hz,
        residual_n=0.0,
        check_mass_g=0.0,
        check_n=0.0,
        return_n=0.0,
        weighings=[],
    )


def _go_on(table: Simulation, ended: threading.Event, link: _Link | None) -> None:
    """Let the world go on as fast as the clock on the wall, or as fast as this machine can.

    `link`: to those who play in it, for whom it waits.
    """
    world, began_s = table.world, time.monotonic() - table.world.now_s()
    slips = Slips()
    while not ended.is_set():
        behind_s = time.monotonic() - began_s - world.now_s()
        if link is not None:
            link.cameras.exposures.attend()
        if link is not None and not link.told.may_go_on():
            began_s += behind_s
            behind_s = 0.0
        elif behind_s > _MOST_BEHIND_S:
            began_s += behind_s - _MOST_BEHIND_S
            if link is None or not link.told.is_played():  # who plays goes by the world's time
                slips.slipped(behind_s - _MOST_BEHIND_S, world.now_s())
        if behind_s >= world.step_s:
            world.step()
        else:
            time.sleep(_NAP_S)


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """An event that an interrupt or an order to end sets."""
    ended = threading.Event()
    before = {which: signal.getsignal(which) for which in (signal.SIGINT, signal.SIGTERM)}
    for which in before:
        signal.signal(which, lambda *_: ended.set())
    try:
        yield ended
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
