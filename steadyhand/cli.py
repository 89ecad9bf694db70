"""The command line. Commands import what they need when they run, so that `--help` starts at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from steadyhand.cli_arm import arm
from steadyhand.cli_bench import bench
from steadyhand.cli_calibrate import calibrate
from steadyhand.cli_sim import sim

app = typer.Typer(
    help="A desktop robot arm plays the wooden block-stacking game.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(sim, name="sim")
app.add_typer(bench, name="bench")
app.add_typer(calibrate, name="calibrate")
app.add_typer(arm, name="arm")

SettingsFile = Annotated[Path | None, typer.Option("--settings", help="Settings file (TOML).")]
Seed = Annotated[int, typer.Option(min=0, help="Fixes everything random.")]
BlockSetName = Annotated[str | None, typer.Option("--blockset", help="Name of a block set, or a .toml file.")]
TowerText = Annotated[str | None, typer.Option("--tower", help="Tower text, such as 111*17/101.")]


@app.command(epilog="Example: steadyhand play --turns 3 --seed 7 --view")
def play(  # noqa: PLR0913, PLR0917 - one parameter an option
    settings: SettingsFile = None,
    players: Annotated[
        str | None,
        typer.Option(
            help="Players in turn order, split by commas; a name that does not begin with Robot is a person's.",
            show_default="Robot",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="Who decides, for all robots or one each, split by commas.", show_default="ours"),
    ] = None,
    edition: Annotated[str | None, typer.Option(help="Edition of the rules.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE, an option of the edition.")] = None,
    turns: Annotated[
        int | None, typer.Option(min=1, help="Completed turns of the game; else until it ends.")
    ] = None,
    seed: Seed = 1,
    blockset: BlockSetName = None,
    tower: TowerText = None,
    record: Annotated[Path | None, typer.Option(help="The game record to write.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with a record that broke off, by a fresh look.")
    ] = None,
    truth: Annotated[Path | None, typer.Option(help="Truth log, for an evaluation (simulation).")] = None,
    strip: Annotated[Path | None, typer.Option(help="Picture strip of the newest turn (PNG).")] = None,
    view: Annotated[bool, typer.Option("--view", help="Show it in MuJoCo's viewer.")] = False,
    wire: Annotated[
        bool, typer.Option("--wire", help="Through the real driver, over emulated wires (simulation).")
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(help="KIND@PHASE, with --wire: what fails when, such as overload@probe-start."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
) -> None:
    """Play in simulation, turn after turn, with a live account, a record and a picture strip."""
    from steadyhand.opening import Request
    from steadyhand.playing import run

    request = Request(
        settings=settings,
        players=tuple(name.strip() for name in players.split(",")) if players is not None else (),
        policies=tuple(name.strip() for name in policy.split(",")) if policy is not None else (),
        edition=edition,
        options=tuple(option or ()),
        turns=turns,
        seed=seed,
        blockset=blockset,
        tower=tower,
        record=record,
        resume=resume,
        truth=truth,
        strip=strip,
        view=view,
        wire=wire,
        faults=tuple(fault or ()),
        json=json,
    )
    raise typer.Exit(run(request))


@app.command(epilog="Example: steadyhand mechanics --tower 111*6/101/111*3 --samples 200 --picture tower.png")
def mechanics(
    settings: SettingsFile = None,
    blockset: BlockSetName = None,
    seed: Seed = 1,
    tower: TowerText = None,
    samples: Annotated[
        int,
        typer.Option(min=0, help="Also over so many towers drawn from the block set.", show_default=False),
    ] = 0,
    picture: Annotated[
        Path | None, typer.Option(help="The tower from two sides, coloured (PNG or JPEG).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell who bears what in a tower, which push starts which block, and what stands without it."""
    from steadyhand.mechanics import Request, run

    raise typer.Exit(run(Request(settings, blockset, seed, tower, samples, picture, json), sys.stdout))


@app.command(
    epilog="Example: steadyhand see left.png right.png --camera left.json --camera right.json --draw seen.png"
)
def see(  # noqa: PLR0913, PLR0917 - one parameter an option
    images: Annotated[
        list[Path] | None,
        typer.Argument(help="Pictures of one tower at one moment.", metavar="IMAGE", show_default=False),
    ] = None,
    camera: Annotated[
        list[Path] | None,
        typer.Option(
            help="Camera file (JSON or YAML) of the first picture, of the second, ...; without any, one picture by "
            "itself."
        ),
    ] = None,
    blockset: Annotated[
        str | None,
        typer.Option("--blockset", help="Name of a block set, or a .toml file.", show_default="as sold"),
    ] = None,
    base_mm: Annotated[
        float, typer.Option("--base-mm", help="Height of what the tower stands on, over the world's z = 0.")
    ] = 0.0,
    take: Annotated[
        Path | None,
        typer.Option(
            help="No IMAGE: take pictures with the settings' cameras, and keep them in this folder."
        ),
    ] = None,
    settings: SettingsFile = None,
    draw: Annotated[
        Path | None, typer.Option(help="The pictures with what was seen drawn over them (PNG or JPEG).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read a tower from pictures: which slots hold a block, and how far each block stands out."""
    if (take is None) == (not images):
        raise typer.BadParameter("give one or more IMAGE, or --take FOLDER to take them now; one of the two")
    if take is not None and camera:
        raise typer.BadParameter("--take takes the cameras from the settings; leave --camera out")
    if take is None and settings is not None:
        raise typer.BadParameter("--settings names cameras for --take; leave it out where IMAGE is given")
    from steadyhand.seeing import Request, run

    pictures, files = tuple(images or ()), tuple(camera or ())
    if take is not None:
        from steadyhand.taking import take as take_pictures

        pictures, files = take_pictures(settings, take)
    request = Request(pictures, files, blockset, base_mm / 1e3, draw, json)
    raise typer.Exit(run(request, sys.stdout))


@app.command(epilog="Example: steadyhand referee game.jsonl --explain")
def referee(
    record: Annotated[Path, typer.Argument(help="A game record (JSON Lines).")],
    explain: Annotated[bool, typer.Option("--explain", help="Plain words instead of JSON.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="A line for each new event of a growing record.")
    ] = False,
) -> None:
    """Judge a game record and print the verdict."""
    from steadyhand import refereeing

    judge = refereeing.follow if follow else refereeing.explain if explain else refereeing.referee
    raise typer.Exit(judge(record, sys.stdout, sys.stderr))


@app.command(epilog="Example: steadyhand rules classic --language de")
def rules(
    edition: Annotated[str, typer.Argument(help="classic, rulebook or fortnite.")] = "classic",
    language: Annotated[str, typer.Option(help="en or de.")] = "en",
) -> None:
    """Print an edition's rules for people."""
    from steadyhand import refereeing

    raise typer.Exit(refereeing.rules(edition, language, sys.stdout, sys.stderr))


@app.command(
    epilog="Example: steadyhand emulate viperx-300s --link /tmp/arm --force-link /tmp/force --camera-link /tmp/cams"
)
def emulate(  # noqa: PLR0913, PLR0917 - one parameter an option
    arm: Annotated[str, typer.Argument(help="Name of an arm, or a .toml file that describes one.")],
    link: Annotated[Path, typer.Option(help="Name for the servo bus's port.")],
    force_link: Annotated[Path | None, typer.Option(help="Name for the force sensor's port.")] = None,
    camera_link: Annotated[
        Path | None, typer.Option(help="Folder for what the cameras see, drawn when asked for.")
    ] = None,
    settings: SettingsFile = None,
    blockset: BlockSetName = None,
    tower: TowerText = None,
    truth: Annotated[
        Path | None, typer.Option(help="Write what really happens, for an evaluation only (JSON Lines).")
    ] = None,
    baud: Annotated[
        int | None, typer.Option(min=9600, help="Bits a second of the bus; else as fast as it goes.")
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option(help="KIND@SECONDS: what fails when, such as overload@30.")
    ] = None,
    seed: Seed = 1,
) -> None:
    """Be a real arm's serial ports, moved by a simulated arm, finger and tower, until told to end."""
    if camera_link is not None:
        from steadyhand.opengl import choose_backend

        choose_backend()  # MuJoCo looks for it as it loads
    from steadyhand.emulating import Request, run

    faults = tuple(fault or ())
    request = Request(
        arm, link, force_link, settings, blockset, tower, baud, seed, faults, truth, camera_link
    )
    raise typer.Exit(run(request))


@app.command(epilog="Example: steadyhand doctor --settings steadyhand.toml --bundle report.zip")
def doctor(
    settings: SettingsFile = None,
    bundle: Annotated[
        Path | None, typer.Option(help="Pack settings, versions, findings and the newest records (.zip).")
    ] = None,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="With --bundle: the games' pictures, too.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what is connected, what it measures, what is wrong and how to mend it. It moves nothing."""
    from steadyhand.doctor import Request, run

    if pictures and bundle is None:
        raise typer.BadParameter("--pictures goes with --bundle FILE")
    raise typer.Exit(run(Request(settings, json, bundle, pictures), sys.stdout))


@app.command(epilog="Example: steadyhand settings --example > steadyhand.toml")
def settings(
    example: Annotated[bool, typer.Option("--example", help="Write a commented settings file.")] = False,
    check: Annotated[Path | None, typer.Option(help="Check a settings file and say what it changes.")] = None,
) -> None:
    """Write an example settings file, or check one."""
    from steadyhand.settings_file import changes, load_settings
    from steadyhand.settings_file import example as example_text

    if check is not None:
        for line in changes(load_settings(check)) or ["all keys at their defaults"]:
            typer.echo(line)
    elif example:
        typer.echo(example_text(), nl=False)
    else:
        raise typer.BadParameter("say --example to write a settings file, or --check FILE to check one")
