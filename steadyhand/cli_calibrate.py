"""The `calibrate` commands: lenses, where cameras stand, the joints, the force sensor, and the sheets to print."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from steadyhand.calibrating import BoardOptions

calibrate = typer.Typer(
    help="Measure lenses, places of cameras, joints and force; nothing is written that does not pass its check.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Kind = Annotated[str, typer.Option("--board", help="charuco or chessboard.")]
Squares = Annotated[str, typer.Option(help="Squares along and across, not corners.")]
SquareMm = Annotated[float, typer.Option("--square-mm", help="Side of a square, as measured.")]
MarkerMm = Annotated[float, typer.Option("--marker-mm", help="Side of a marker's black square, as measured.")]
Dictionary = Annotated[str, typer.Option(help="OpenCV's name of the board's markers.")]
Legacy = Annotated[bool, typer.Option("--legacy", help="A charuco board as OpenCV made it before 4.6.")]
MatName = Annotated[str | None, typer.Option("--mat", help="The printed mat: a3 or a4.")]
CameraName = Annotated[str, typer.Option("--name", help="The camera's name in the file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
YamlFile = Annotated[Path | None, typer.Option("--output", "-o", help="The camera file to write (YAML).")]
JsonFile = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write (JSON).")]
SheetFile = Annotated[Path, typer.Option("--output", "-o", help="The sheet to write (PDF or PNG).")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="Settings file (TOML): the arm.")]
Recording = Annotated[Path, typer.Argument(help="Postures and what was seen (JSON Lines).")]
CameraOfPictures = Annotated[
    Path | None, typer.Option("--camera", help="Camera file of the recording's pictures.")
]
_KIND, _SQUARES, _SQUARE_MM, _MARKER_MM, _DICTIONARY = "charuco", "8x6", 30.0, 22.0, "DICT_5X5_50"


def _board(
    kind: str, squares: str, square_mm: float, marker_mm: float, dictionary: str, legacy: bool
) -> BoardOptions:
    from steadyhand.calibrating import BoardOptions

    return BoardOptions(kind, squares, square_mm, marker_mm, dictionary, legacy)


@calibrate.command(epilog="Example: steadyhand calibrate camera left/*.png --square-mm 29.9 -o left.yaml")
def camera(  # noqa: PLR0913, PLR0917 - one parameter an option
    images: Annotated[list[Path], typer.Argument(help="Pictures of a board by one camera.", metavar="IMAGE")],
    board: Kind = _KIND,
    squares: Squares = _SQUARES,
    square_mm: SquareMm = _SQUARE_MM,
    marker_mm: MarkerMm = _MARKER_MM,
    dictionary: Dictionary = _DICTIONARY,
    legacy: Legacy = False,
    mat: MatName = None,
    name: CameraName = "camera",
    limit_mm: Annotated[float, typer.Option(min=0, help="Held-out error that is still good.")] = 0.5,
    output: YamlFile = None,
    json: Json = False,
) -> None:
    """Find a camera's lens from pictures of a board; --mat has the file say the mat that tells where it stands."""
    from steadyhand.calibrating_camera import Request, run

    printed = _board(board, squares, square_mm, marker_mm, dictionary, legacy)
    raise typer.Exit(run(Request(tuple(images), printed, mat, name, limit_mm, output, json), sys.stdout))


@calibrate.command(
    epilog="Example: steadyhand calibrate pose left.png --camera left.yaml --mat a3 -o left.yaml"
)
def pose(
    image: Annotated[Path, typer.Argument(help="A picture of the mat with nothing on it.", metavar="IMAGE")],
    camera: Annotated[Path, typer.Option(help="The camera's file: its lens.")],
    mat: MatName = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The camera's name in the file.", show_default="as it was")
    ] = None,
    limit_mm: Annotated[float, typer.Option(min=0, help="Held-out error that is still good.")] = 1.0,
    output: YamlFile = None,
    json: Json = False,
) -> None:
    """Find where a camera stands from a picture of the marker mat, and write it into its file."""
    from steadyhand.calibrating_pose import Request, run

    raise typer.Exit(run(Request(image, camera, mat, name, limit_mm, output, json), sys.stdout))


@calibrate.command(epilog="Example: steadyhand calibrate mat --paper a3 -o mat.pdf")
def mat(
    output: SheetFile,
    paper: Annotated[str, typer.Option(help="a4 or a3.")] = "a3",
) -> None:
    """Write the marker mat that lies under the tower, to print at 100 %."""
    from steadyhand import sheets
    from steadyhand.calibrating import need_paper

    sheets.write(sheets.mat_sheet(need_paper(paper)), output)


@calibrate.command(epilog="Example: steadyhand calibrate board --paper a4 -o board.pdf")
def board(
    output: SheetFile,
    board: Kind = _KIND,
    squares: Squares = _SQUARES,
    square_mm: SquareMm = _SQUARE_MM,
    marker_mm: MarkerMm = _MARKER_MM,
    dictionary: Dictionary = _DICTIONARY,
    paper: Annotated[str, typer.Option(help="a4 or a3.")] = "a4",
) -> None:
    """Write the board that lenses are calibrated by, to print at 100 %."""
    from steadyhand import sheets
    from steadyhand.calibrating import need_paper

    printed = _board(board, squares, square_mm, marker_mm, dictionary, False).board()
    sheets.write(sheets.board_sheet(printed, need_paper(paper)), output)


@calibrate.command(
    name="hand-eye",
    epilog="Example: steadyhand calibrate hand-eye postures.jsonl --eye table --camera left.yaml -o left-hand-eye.json",
)
def hand_eye(  # noqa: PLR0913, PLR0917 - one parameter an option
    recording: Recording,
    eye: Annotated[
        str, typer.Option(help="hand: the camera is on the hand; table: it stands beside the arm.")
    ],
    camera: CameraOfPictures = None,
    board: Kind = _KIND,
    squares: Squares = _SQUARES,
    square_mm: SquareMm = _SQUARE_MM,
    marker_mm: MarkerMm = _MARKER_MM,
    dictionary: Dictionary = _DICTIONARY,
    settings: SettingsFile = None,
    limit_mm: Annotated[float, typer.Option(min=0, help="Held-out error that is still good.")] = 3.0,
    limit_deg: Annotated[float, typer.Option(min=0, help="Held-out error that is still good.")] = 1.0,
    output: JsonFile = None,
    json: Json = False,
) -> None:
    """Find where a camera is on the arm, or beside it, from a recording of postures."""
    from steadyhand import calibrating_arm

    printed = _board(board, squares, square_mm, marker_mm, dictionary, False)
    request = calibrating_arm.Request(recording, printed, camera, settings, limit_mm, output, json)
    raise typer.Exit(calibrating_arm.hand_eye(request, eye, limit_deg, sys.stdout))


@calibrate.command(
    epilog="Example: steadyhand calibrate joints -o joints.json; "
    "steadyhand calibrate joints touched.jsonl --joints shoulder,elbow -o joints.json"
)
def joints(  # noqa: PLR0913, PLR0917 - one parameter an option
    recording: Annotated[
        Path | None,
        typer.Argument(
            help="Postures and what was seen (JSON Lines).",
            show_default="the arm shows its finger to the cameras",
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option("--joints", help="Names, split by commas.", show_default="those that can be told"),
    ] = None,
    loose_base: Annotated[
        bool, typer.Option("--loose-base", help="Touched points: find where the base stands, too.")
    ] = False,
    camera: CameraOfPictures = None,
    board: Kind = _KIND,
    squares: Squares = _SQUARES,
    square_mm: SquareMm = _SQUARE_MM,
    marker_mm: MarkerMm = _MARKER_MM,
    dictionary: Dictionary = _DICTIONARY,
    settings: SettingsFile = None,
    postures: Annotated[
        int, typer.Option(min=1, max=200, help="Without a recording: how many the arm shows.")
    ] = 24,
    seed: Annotated[
        int, typer.Option(help="Without a recording: of the simulated arm, and of the postures.")
    ] = 1,
    tower: Annotated[
        str | None, typer.Option(help="Without a recording: what stands there.", show_default="a full tower")
    ] = None,
    limit_mm: Annotated[float, typer.Option(min=0, help="Held-out error that is still good.")] = 2.0,
    output: JsonFile = None,
    json: Json = False,
) -> None:
    """Find how far each joint's zero is off: touching known points, showing a board, or showing the finger."""
    from steadyhand import calibrating_joints
    from steadyhand.calibrating_arm import Request

    printed = _board(board, squares, square_mm, marker_mm, dictionary, False)
    asked = None if names is None else tuple(name.strip() for name in names.split(","))
    if recording is None:
        request = Request(Path(), printed, camera, settings, limit_mm, output, json)
        raise typer.Exit(calibrating_joints.show(request, asked, postures, seed, tower, sys.stdout))
    request = Request(recording, printed, camera, settings, limit_mm, output, json)
    raise typer.Exit(calibrating_joints.joints(request, asked, sys.stdout, loose_base=loose_base))


@calibrate.command(epilog="Example: steadyhand calibrate force --settings steadyhand.toml -o force.json")
def force(
    settings: Annotated[
        Path | None, typer.Option("--settings", help="Settings file (TOML): the sensor's port and format.")
    ] = None,
    port: Annotated[
        str | None, typer.Option("--port", help="The sensor's port.", show_default="force.port")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.2, max=60, help="How long each weighing takes.")] = 3.0,
    limit_n: Annotated[float, typer.Option(min=0, help="Error that is still good; 2 % are, too.")] = 0.03,
    output: JsonFile = None,
    json: Json = False,
) -> None:
    """Find a force sensor's newtons from known masses, guided step by step, and test them on one kept back."""
    from robot.clock import WallClock
    from steadyhand import calibrating_force, table_force
    from steadyhand.settings_file import load_settings

    wire = load_settings(settings).force
    if port is not None:
        wire = wire.model_copy(update={"port": port})
    request = calibrating_force.Request(seconds, limit_n, output, json)
    stream = table_force.stream_of(wire, WallClock())
    raise typer.Exit(
        calibrating_force.run(request, stream, sys.stdin, lambda line: typer.echo(line, err=True), sys.stdout)
    )
