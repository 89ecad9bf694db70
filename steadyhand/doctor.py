"""`steadyhand doctor`: what is connected, what it measures, what is wrong and how to mend it. It moves nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from steadyhand.bundle import write_bundle
from steadyhand.doctor_machine import machine_chapter
from steadyhand.files import RUNS
from steadyhand.findings import Chapter, Level, exit_code
from steadyhand.settings import Settings
from steadyhand.settings_file import load_settings

_MARKS = {Level.WELL: "✓", Level.NOTE: "·", Level.WRONG: "!", Level.FAULT: "✗"}
_VERDICTS = {0: "all is well", 1: "something is wrong: see !", 3: "a device is at fault: see ✗"}


@dataclass(frozen=True)
class Request:
    """The options of `doctor`, as given."""

    settings: Path | None
    json: bool = False
    bundle: Path | None = None
    pictures: bool = False


def run(request: Request, out: TextIO) -> int:
    """Examine, tell, and return the exit code.

    Raises:
        BadInputError: The settings cannot be used, or the bundle not be written.
    """
    settings = load_settings(request.settings)
    chapters = list(examine(settings, Path() if request.settings is None else request.settings.parent))
    report = as_json(chapters)
    text = "\n".join([*in_words(chapters), ""])
    out.write(json.dumps(report, indent=2) + "\n" if request.json else text)
    if request.bundle is not None:
        write_bundle(request.bundle, request.settings, report, text, RUNS, pictures=request.pictures)
        if not request.json:
            out.write(f"\n{request.bundle}: for a bug report; look into it before you send it\n")
    return exit_code(chapters)


def examine(settings: Settings, folder: Path) -> Iterator[Chapter]:
    """Every part of the table of these settings, and the machine.

    Args:
        settings: What should be there.
        folder: Where the settings file lies.

    Raises:
        BadInputError: The settings name something that cannot be used.
    """
    yield machine_chapter(RUNS)
    arm = force = None
    if settings.arm.port:
        from steadyhand.doctor_arm import arm_chapter

        arm = arm_chapter(settings)
        yield arm
    if settings.force.port:
        from steadyhand.doctor_force import force_chapter

        force = force_chapter(settings, folder)
        yield force
    yield from _stops(settings, arm, force)
    if settings.cameras:
        from steadyhand.doctor_cameras import camera_chapters

        yield from camera_chapters(settings, folder)


def _stops(settings: Settings, arm: Chapter | None, force: Chapter | None) -> Iterator[Chapter]:
    from steadyhand.doctor_stop import pedal_chapter, stopping_chapter
    from steadyhand.last_push import last_push

    if arm is not None or settings.stop.port:
        yield pedal_chapter(settings)
    if arm is not None and force is not None:
        chapter = stopping_chapter(settings, arm, force, last_push(RUNS))
        if chapter is not None:
            yield chapter


def as_json(chapters: list[Chapter]) -> dict[str, object]:
    """The whole report as one object."""
    code = exit_code(chapters)
    return {
        "well": code == 0,
        "parts": [{"part": c.part, "where": c.where, "measured": c.measured} for c in chapters],
        "findings": [
            {"part": c.part, "level": f.level.value, "what": f.what, "remedy": f.remedy or None}
            for c in chapters
            for f in c.findings
        ],
    }


def in_words(chapters: list[Chapter]) -> Iterator[str]:
    """The report for people, line by line."""
    for chapter in chapters:
        yield f"{chapter.part}  {chapter.where}".rstrip()
        for finding in chapter.findings:
            yield f"  {_MARKS[finding.level]} {finding.what}"
            if finding.remedy:
                yield f"      → {finding.remedy}"
    yield _VERDICTS[exit_code(chapters)]
