"""The live account of a match on a terminal: which block, why, the force, restored or taken, placed, settling."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from planning.notes import Note, Phase
from planning.probe import ProbeReport, Verdict
from steadyhand.plot import force_plot

_MARKS = {
    Phase.WAITING: "[yellow]…[/yellow]",
    Phase.TURN_START: "[bold]●[/bold]",
    Phase.CHOSEN: "[cyan]→[/cyan]",
    Phase.RESTORED: "[yellow]↺[/yellow]",
    Phase.GIVEN_UP: "[yellow]![/yellow]",
    Phase.EXTRACTED: "[green]⇥[/green]",
    Phase.PLACED: "[green]▣[/green]",
    Phase.SETTLED: "[green]✓[/green]",
    Phase.COLLAPSE: "[red]✗[/red]",
}


class Account:
    """Prints each moment of a turn as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, note: Note) -> None:
        """Listen to a turn."""
        if note.phase is Phase.SETTLING:
            self._console.print(f"  settling, {note.text} s left", end="\r", style="dim", highlight=False)
        elif isinstance(note.detail, ProbeReport):
            self._probe(note, note.detail)
        elif note.phase is Phase.CHOSEN:
            self._say(note, f"{note.slot}: {note.text}")
        elif note.phase in _MARKS:
            self._say(note, note.text)

    def _say(self, note: Note, text: str) -> None:
        self._console.print(f" {_MARKS[note.phase]} {escape(text)}", highlight=False)

    def _probe(self, note: Note, probe: ProbeReport) -> None:
        colour = "green" if probe.verdict is Verdict.LOOSE else "yellow"
        bars = force_plot([sample.force_n for sample in probe.trace], probe.limit_n)
        self._console.print(
            f"   force 0 to {probe.limit_n:.2f} N [{colour}]│{bars}│[/{colour}]", highlight=False
        )
        self._console.print(f"   [{colour}]{escape(note.text)}[/{colour}]", highlight=False)
