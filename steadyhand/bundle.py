"""What a bug report needs, in one zip: settings, versions, findings, the newest records and logs; pictures if asked."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from steadyhand.doctor_machine import versions
from steadyhand.files import need_place, write_whole
from steadyhand.last_push import LAST
from steadyhand.settings_file import changes, load_settings

GAMES = 3
MOST_BYTES = 5_000_000  # of one file
_TEXTS = (".jsonl", ".json", ".log", ".txt", ".toml", ".yaml", ".yml")
_PICTURES = (".png", ".jpg", ".jpeg")
_README = """What is in here: findings.json and findings.txt (steadyhand doctor), the settings as they were given and
what they change, the calibrations they name, versions of the libraries, and the newest {games} games of {runs}.
Records hold the players' names. Left out: {left_out}.
"""


def write_bundle(
    path: Path, settings: Path | None, report: dict[str, object], words: str, runs: Path, *, pictures: bool
) -> None:
    """Write the zip.

    Args:
        path: The file.
        settings: The settings file, or None.
        report: Findings, for programs.
        words: Findings, for people.
        runs: Where records are kept, a folder a game.
        pictures: Whether pictures of the games go in, too.

    Raises:
        BadInputError: It cannot be written.
    """
    need_place(path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        left_out = ["pictures (--pictures packs them)"] if not pictures else []
        for name, file in _files(settings, runs, pictures=pictures):
            if file.stat().st_size > MOST_BYTES:
                left_out.append(f"{name}, {file.stat().st_size / 1e6:.0f} MB")
            else:
                bundle.writestr(name, file.read_bytes())
        bundle.writestr("findings.json", json.dumps(report, indent=2))
        bundle.writestr("findings.txt", words)
        bundle.writestr("versions.json", json.dumps(versions(), indent=2))
        bundle.writestr("changes.txt", "\n".join(changes(load_settings(settings))))
        nothing = "nothing"
        bundle.writestr(
            "README.txt", _README.format(games=GAMES, runs=runs, left_out="; ".join(left_out) or nothing)
        )
    write_whole(path, packed.getvalue())


def _files(settings: Path | None, runs: Path, *, pictures: bool) -> Iterator[tuple[str, Path]]:
    """Name in the bundle, and file."""
    if settings is not None:
        yield "settings.toml", settings
        yield from _calibrations(settings)
    endings = _TEXTS + (_PICTURES if pictures else ())
    if (runs / LAST).is_file():
        yield f"runs/{LAST}", runs / LAST
    games = sorted((folder for folder in runs.glob("*") if folder.is_dir()), key=lambda f: f.stat().st_mtime)
    for folder in games[-GAMES:]:
        for file in sorted(folder.rglob("*")):
            if file.suffix.lower() in endings and file.is_file() and not file.is_symlink():
                yield f"runs/{folder.name}/{file.relative_to(folder)}", file


def _calibrations(settings: Path) -> Iterator[tuple[str, Path]]:
    read, folder = load_settings(settings), settings.parent
    named = [read.force.calibration, *(camera.calibration for camera in read.cameras.values())]
    for name in dict.fromkeys(name for name in named if name):
        if (folder / name).is_file():
            yield f"calibrations/{Path(name).name}", folder / name
