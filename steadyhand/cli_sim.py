"""The `sim` commands: export the world, view it, take a picture of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

sim = typer.Typer(help="The simulated world by itself.", no_args_is_help=True, rich_markup_mode=None)

Seed = Annotated[int, typer.Option(min=0, help="Fixes everything random.")]
BlockSetName = Annotated[str | None, typer.Option("--blockset", help="Name of a block set, or a .toml file.")]
TowerText = Annotated[str | None, typer.Option("--tower", help="Tower text, such as 111*17/101.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="Settings file (TOML).")]


@sim.command(epilog="Example: steadyhand sim export --blockset tight --seed 4 -o scene.xml")
def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="The MuJoCo file to write.")],
    blockset: BlockSetName = None,
    seed: Seed = 1,
    tower: TowerText = None,
    settings: SettingsFile = None,
    arm: Annotated[
        bool, typer.Option("--arm", help="With the arm; its meshes are written beside the file.")
    ] = False,
) -> None:
    """Write the world that `play` starts in, for MuJoCo alone."""
    from steadyhand.simulating import export_scene

    export_scene(output, settings, blockset, seed, tower, with_arm=arm)


@sim.command(epilog="Example: steadyhand sim view --blockset loose --seed 2")
def view(
    blockset: BlockSetName = None,
    seed: Seed = 1,
    tower: TowerText = None,
    settings: SettingsFile = None,
) -> None:
    """Open the world in MuJoCo's viewer."""
    from steadyhand.simulating import view_scene

    view_scene(settings, blockset, seed, tower)


@sim.command(epilog="Example: steadyhand sim picture --camera left --seed 2 -o left.png")
def picture(  # noqa: PLR0913, PLR0917 - one parameter an option
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write (PNG or JPEG).")],
    camera: Annotated[str, typer.Option(help="Name of the camera.")] = "front",
    light: Annotated[str, typer.Option(help="normal, dim, warm, glare, or hard: a near lamp.")] = "normal",
    wood: Annotated[str, typer.Option(help="light, dark, stained, mixed or painted blocks.")] = "light",
    clutter: Annotated[
        str,
        typer.Option(
            help="What else is there: none, some or busy, and with a comma hand, sleeve or tool: busy,hand."
        ),
    ] = "none",
    blockset: BlockSetName = None,
    seed: Seed = 1,
    tower: TowerText = None,
    settings: SettingsFile = None,
) -> None:
    """Take a picture as a camera sees the world, with its camera file beside it."""
    from steadyhand.simulating import take_picture

    appearance = {"light": light, "wood": wood, "clutter": clutter}
    typer.echo(take_picture(output, camera, settings, blockset, seed, tower, appearance))
