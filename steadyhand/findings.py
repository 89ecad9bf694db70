"""What `doctor` finds: of each part what it measured, what is wrong, and how to mend it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from robot.errors import SteadyhandError


class Level(Enum):
    """How grave a finding is."""

    WELL = "well"
    NOTE = "note"  # nothing is wrong, but one may want to know
    WRONG = "wrong"  # it works badly, or will refuse to play
    FAULT = "fault"  # the device does not work, or is not there


@dataclass(frozen=True)
class Finding:
    """One thing that was found; what is wrong has a remedy.

    Attributes:
        level: How grave.
        what: With the value and what is allowed.
        remedy: What to do next; empty where there is nothing to mend.
    """

    level: Level
    what: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if self.level in (Level.WRONG, Level.FAULT) and not self.remedy:
            raise ValueError(f"a finding without a remedy: {self.what}")


@dataclass
class Chapter:
    """One part of the table.

    Attributes:
        part: Its name, such as `arm` or `camera left`.
        where: Its port or device; empty where it has none.
        measured: Values by name with its unit, for `--json`; what could not be measured is None.
        findings: In the order in which they were found.
    """

    part: str
    where: str = ""
    measured: dict[str, object] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def well(self, what: str) -> None:
        """Something is as it must be."""
        self.findings.append(Finding(Level.WELL, what))

    def note(self, what: str, remedy: str = "") -> None:
        """Something one may want to know."""
        self.findings.append(Finding(Level.NOTE, what, remedy))

    def wrong(self, what: str, remedy: str) -> None:
        """Something works badly."""
        self.findings.append(Finding(Level.WRONG, what, remedy))

    def fault(self, what: str, remedy: str) -> None:
        """Something does not work."""
        self.findings.append(Finding(Level.FAULT, what, remedy))

    def told(self, level: Level, message: SteadyhandError | str, otherwise: str) -> None:
        """A message of another part of the program, which ends by its own advice; `otherwise` where it gives none."""
        what, remedy = split_advice(str(message))
        self.findings.append(Finding(level, what, remedy or otherwise))


def split_advice(message: str) -> tuple[str, str]:
    """What a message says, and what it advises at its end; no advice where it has no second part."""
    sentence = re.match(r"^(.*)\. ([A-Z].*?)\.?$", message, re.DOTALL)
    found = sentence or re.match(r"^(.*): (.*?)\.?$", message, re.DOTALL)
    return (found[1], found[2]) if found else (message.rstrip("."), "")


def exit_code(chapters: list[Chapter]) -> int:
    """0 all well, 1 something is wrong, 3 a device is at fault."""
    levels = {finding.level for chapter in chapters for finding in chapter.findings}
    return 3 if Level.FAULT in levels else 1 if Level.WRONG in levels else 0
