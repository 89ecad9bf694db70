"""`steadyhand play`: from the options of a person to a match and its summary."""

from __future__ import annotations

import json
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from planning.blockset import BlockSet
from planning.game import Game
from planning.tower import Tower
from robot.errors import BadInputError
from steadyhand import wiring
from steadyhand.account import Account
from steadyhand.arm_parts import fitting_parts
from steadyhand.files import PICTURES, RUNS, need_place
from steadyhand.journal import Journal
from steadyhand.lines import Lines
from steadyhand.match import EXIT_CODES, Match, Summary
from steadyhand.opengl import choose_backend, need_screen
from steadyhand.opening import Request, the_game, who_decides
from steadyhand.rig import Rig
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings
from steadyhand.stopping import HumanStop, listening
from steadyhand.table_stop import pedal_watched
from steadyhand.typist import Typist

if TYPE_CHECKING:
    from sim.simulation import Simulation
    from steadyhand.truth import TruthLog


@dataclass(frozen=True)
class _Desk:
    """Where a person sits: what they read, what they type, and what they stop the arm with."""

    console: Console
    lines: Lines
    stop: HumanStop
    folder: Path

    def say(self, text: str) -> None:
        """Show a line; nothing of an empty one."""
        if text:
            self.console.print(f" {text}", markup=False, highlight=False)

    def ask(self, question: str) -> bool:
        """Put a question; True for yes."""
        self.say(f"{question}:")
        return (self.lines.next() or "").strip().lower() == "yes"


def run(request: Request) -> int:
    """Play, and return the exit code.

    Raises:
        BadInputError: An option cannot be used; nothing was written.
        DeviceError: The table is not ready.
    """
    settings = load_settings(request.settings)
    blockset = wiring.block_set(settings, request.blockset)
    game = the_game(request, settings)
    who_decides(request, game.opening.players)  # refuses before anything is made
    _check_places(request)
    _check_real(request, settings)
    need_screen() if request.view else choose_backend()
    stop, console = HumanStop(), Console(stderr=request.json)
    with ExitStack() as stack:
        folder = Path() if request.settings is None else request.settings.parent
        desk = _Desk(console, stack.enter_context(listening(stop)), stop, folder)
        stack.enter_context(pedal_watched(settings.stop, stop))
        summary = _play(request, settings, blockset, game, desk, stack)
        _report(
            request, summary, console
        )  # before the devices are given back, which an arm may not take quietly
    return EXIT_CODES[summary.ended_by]


def _check_real(request: Request, settings: Settings) -> None:
    """What there is in simulation only, and what a real table needs."""
    if request.faults:
        wiring.faults_to_come(request.faults)
    asked = {"--wire": request.wire, "--truth": request.truth, "--view": request.view}
    wrong = [name for name, value in asked.items() if value]
    if settings.arm.port and wrong:
        raise BadInputError(
            f"arm.port = {settings.arm.port!r} names a real arm, and {', '.join(wrong)} is of the simulation: leave it "
            "out, or play with settings without arm.port"
        )
    fitting_parts(settings.arm)
    if settings.arm.port:
        wiring.need_cameras(settings)


def _check_places(request: Request) -> None:
    """Refuse before anything moves what could not be written later."""
    if request.faults and not request.wire:
        raise BadInputError("--fault has emulated devices fail: it needs --wire")
    named = (request.record, request.resume, request.truth, request.strip)
    places = [path for path in named if path is not None]
    for path in places:
        need_place(path, PICTURES if path is request.strip else ())
    if len({path.resolve() for path in places}) < len(places):
        raise BadInputError("record, truth log and picture strip must be different files")


def _play(
    request: Request,
    settings: Settings,
    blockset: BlockSet,
    game: Game,
    desk: _Desk,
    stack: ExitStack,
) -> Summary:
    console, stop = desk.console, desk.stop
    if not request.json:
        _greet(
            console,
            request,
            blockset,
            game.tower,
            f"at {settings.arm.port}" if settings.arm.port else "in simulation",
        )
    rig, simulation = _table(request, settings, blockset, game, desk)
    stack.callback(rig.close)
    if simulation is not None:
        simulation.renderer.prepare(simulation.world)
    record, strip = _places(request)
    opened = Journal.resume(record) if request.resume else Journal.create(record, game.opening)
    journal = stack.enter_context(opened)
    _listen(rig, request, strip, console)
    if request.truth and simulation is not None:
        start_s = rig.clock.now_s() - game.t_s
        rig.listeners.append(
            _truth_log(request.truth, simulation, start_s, None if request.resume else record, stack)
        )
    if request.view and simulation is not None:
        from sim.viewer import show

        stack.enter_context(show(simulation.world, stop.set))
    opening = game.opening
    summary = Summary(request.seed, blockset.name, opening.edition, list(opening.players), record=str(record))
    policies = who_decides(request, opening.players)
    hands = None if simulation is None else wiring.simulated_hands(settings, simulation, stop, request.seed)
    match = Match(
        rig,
        journal,
        summary,
        desk.say,
        lambda player: wiring.policy_of(settings, rig.actors, request.seed, policies[player]),
        lambda player: Typist(player, desk.lines, desk.say, rig.clock, hands),
    )
    return match.play(request.turns)


def _table(
    request: Request, settings: Settings, blockset: BlockSet, game: Game, desk: _Desk
) -> tuple[Rig, Simulation | None]:
    """The table that the settings name, or a simulated one and what is behind it."""
    if settings.arm.port:
        return wiring.on_table(settings, blockset, game.tower, request.seed, desk.stop, desk), None
    faults = request.faults if request.wire else None
    return wiring.simulated(
        settings, blockset, game.tower, request.seed, desk.stop, len(game.in_hand), faults
    )


def _truth_log(
    path: Path, simulation: Simulation, start_s: float, new_record: Path | None, stack: ExitStack
) -> TruthLog:
    """The evaluation's eyes; a new record without them must not stay behind."""
    from steadyhand.truth import TruthLog

    try:
        truth = TruthLog(path, simulation, start_s)
    except BadInputError:
        if new_record is not None:
            new_record.unlink()
        raise
    stack.callback(truth.close)
    return truth


def _places(request: Request) -> tuple[Path, Path | None]:
    """Where record and strip go; a folder of the run's own where nothing was said."""
    named = request.resume or request.record
    if named is not None:
        return named, request.strip
    folder = RUNS / time.strftime("%Y%m%d-%H%M%S")
    for attempt in range(1000):
        target = folder if attempt == 0 else folder.with_name(f"{folder.name}-{attempt}")
        try:
            target.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise BadInputError(
                f"{target}: cannot be made: {error.strerror}; name a file with --record"
            ) from None
        return target / "game.jsonl", request.strip or (None if request.json else target / "turn.png")
    raise BadInputError(f"{folder}: exists a thousand times over; name a file with --record")


def _listen(rig: Rig, request: Request, strip: Path | None, console: Console) -> None:
    if not request.json:
        rig.listeners.append(Account(console))
    if strip is not None:
        from steadyhand.strip import PictureStrip

        front = next((camera for camera in rig.cameras if camera.model.name == "front"), rig.cameras[0])
        rig.listeners.append(PictureStrip(front, strip))


def _greet(console: Console, request: Request, blockset: BlockSet, tower: Tower, where: str) -> None:
    table = f"block set {blockset.name}, seed {request.seed}, tower {tower}"
    console.print(f"[bold]steadyhand[/bold] plays {escape(where)}: {escape(table)}", highlight=False)
    console.print("The space bar or Ctrl-C stops the arm at any moment.", style="dim")


def _report(request: Request, summary: Summary, console: Console) -> None:
    if request.json:
        sys.stdout.write(json.dumps(summary.as_dict()) + "\n")
        if summary.ended_by == "fault":
            console.print(_next(summary), markup=False, highlight=False)
        return
    console.print(
        f"\n[bold]{summary.turns_completed} turns[/bold], ended by {summary.ended_by}; {summary.probes} probes, "
        f"{summary.restored} of {summary.rejected} rejected blocks put back, "
        f"highest force {summary.peak_force_n:.2f} N, "
        f"{summary.sim_s:.0f} s of play in {summary.wall_s:.0f} s",
        highlight=False,
    )
    console.print(f"Record: {summary.record}", markup=False, highlight=False)
    console.print(_next(summary), style="dim", markup=False, highlight=False)


def _next(summary: Summary) -> str:
    """What a person may do now."""
    if summary.ended_by == "fault":
        return f"Next: see to what was said, then steadyhand play --resume {summary.record}"
    record, other = summary.record, summary.seed + 1
    return f"Next: steadyhand referee {record} --explain    steadyhand play --seed {other} --view"
