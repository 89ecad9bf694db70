"""The `arm` commands: what a person needs of a real arm by hand, each asked for twice."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

arm = typer.Typer(
    help="Move a real arm by hand's order: each motion is asked for twice. The space bar stops it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SettingsFile = Annotated[
    Path | None, typer.Option("--settings", help="Settings file (TOML) that names the arm's port.")
]
Yes = Annotated[
    int, typer.Option("--yes", count=True, help="Said twice, nobody is asked.", show_default=False)
]


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _run(motion: str, settings: Path | None, yes: int) -> None:
    from steadyhand.arm_motions import Request, run

    _ended(lambda: run(Request(motion, settings, yes), sys.stdin, _say))


def _ended(motion: Callable[[], int]) -> NoReturn:
    """Leave with the motion's exit code; a person's stop is an answer, not a fault."""
    from robot.errors import StoppedError

    try:
        raise typer.Exit(motion())
    except StoppedError as stop:
        _say(str(stop))
        raise typer.Exit(1) from None


@arm.command(epilog="Example: steadyhand arm park --settings steadyhand.toml")
def park(settings: SettingsFile = None, yes: Yes = 0) -> None:
    """Go to the parking posture, slowly, round the tower."""
    _run("park", settings, yes)


@arm.command("open", epilog="Example: steadyhand arm open --settings steadyhand.toml")
def open_(settings: SettingsFile = None, yes: Yes = 0) -> None:
    """Open the fingers: what they hold falls."""
    _run("open", settings, yes)


@arm.command(epilog="Example: steadyhand arm relax --settings steadyhand.toml")
def relax(settings: SettingsFile = None, yes: Yes = 0) -> None:
    """Switch the torque off: the arm sinks, so support it."""
    _run("relax", settings, yes)


@arm.command(epilog="Example: steadyhand arm hold --settings steadyhand.toml")
def hold(settings: SettingsFile = None, yes: Yes = 0) -> None:
    """Take hold where the arm stands, without moving."""
    _run("hold", settings, yes)


@arm.command(epilog="Example: steadyhand arm reboot --settings steadyhand.toml --joint elbow")
def reboot(
    settings: SettingsFile = None,
    joint: Annotated[
        str, typer.Option(help="All servos of this joint, alarm or not.", show_default=False)
    ] = "",
    yes: Yes = 0,
) -> None:
    """Start the servos anew that report an alarm; they are limp then."""
    from steadyhand.arm_reboot import Request, run

    _ended(lambda: run(Request(settings, joint, yes), sys.stdin, _say))


@arm.command(epilog="Example: steadyhand arm push --settings steadyhand.toml --travel-mm 5 --limit-n 0.3")
def push(
    settings: SettingsFile = None,
    travel_mm: Annotated[float, typer.Option(min=0.5, max=30, help="How far at most.")] = 5.0,
    limit_n: Annotated[float, typer.Option(min=0.05, max=1.5, help="Force at which it stops.")] = 0.3,
    yes: Yes = 0,
) -> None:
    """Push straight ahead under guard and come back: the first probe, and what `doctor` tells of the stop."""
    from steadyhand.arm_push import Request, run
    from steadyhand.files import RUNS

    _ended(lambda: run(Request(settings, travel_mm, limit_n, yes), sys.stdin, _say, RUNS))
