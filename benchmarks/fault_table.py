"""The tables of docs/faults.md, from what became of each cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.fault_cell import MAY_GO_ON, SAYS
from benchmarks.fault_game import DOINGS, PARTS
from steadyhand.faults import Kind

Row = dict[str, Any]
DOCS = Path(__file__).parents[1] / "docs" / "faults.md"
_BEGIN, _END = "<!-- begin: python -m benchmarks.faults -->", "<!-- end -->"
_LONGEST = 400


def tell(row: Row) -> None:
    """A cell on the terminal."""
    print(
        f"  {row['kind']}@{row['option']} ({row['part']}, {row['doing']}): {row['ended_by']}, still after "
        f"{row['still_s']:.2f} s, tool {row['tool_mm']:.1f} mm and {row['sank_mm']:.1f} mm later on, other blocks "
        f"{row['other_mm']:.2f} mm, {row['force_n']:.2f} N; {' '.join(row['events'])}",
        flush=True,
    )
    for name in ("said", "resumed", "wrong"):
        for text in [row[name]] if isinstance(row[name], str) else row[name]:
            print(f"      {name}: {text}", flush=True)


def write_docs(rows: Iterable[Row], told: str) -> None:
    """Put the tables between their marks; of a cell that was played twice, the last."""
    cells = {(row["kind"], row["part"], row["doing"]): row for row in rows}
    text = DOCS.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    tables = "\n".join([_BEGIN, "", *_lines(list(cells.values()), told), "", _END])
    DOCS.write_text(before + tables + after, encoding="utf-8")


def _lines(rows: Sequence[Row], told: str) -> list[str]:
    right = sum(not row["wrong"] for row in rows)
    ended = [row for row in rows if row["code"] == 3]
    return [
        f"`python -m benchmarks.faults`, {told}: {len(rows)} cells, {right} as they should be; {len(ended)} end the "
        "game.",
        f"No other block moved by more than {_most(rows, 'other_mm'):.2f} mm, the true force on a block was at most "
        f"{_most(rows, 'force_n'):.2f} N, and once still no arm sank by more than {_most(ended, 'sank_mm'):.1f} mm.",
        "",
        *_outcomes(rows),
        "",
        *_messages(rows),
        "",
        *_resumes(rows),
        *_wrong(rows),
    ]


def _most(rows: Sequence[Row], name: str) -> float:
    return float(max((row[name] for row in rows), default=0.0))


def _moments(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    found = {(row["part"], row["doing"]): row["option"] for row in rows}
    order = [(part, doing) for part in PARTS.values() for doing in DOINGS if (part, doing) in found]
    return [(part, doing, found[part, doing]) for part, doing in order]


def _outcomes(rows: Sequence[Row]) -> list[str]:
    columns, cells = _moments(rows), {(r["kind"], r["part"], r["doing"]): r for r in rows}
    lines = [
        "| fault | " + " | ".join(f"{part}, {doing}" for part, doing, _ in columns) + " |",
        "| --- |" + " --- |" * len(columns),
        "| `--fault KIND@` | " + " | ".join(f"`{option}`" for *_, option in columns) + " |",
    ]
    for kind in Kind:
        if any(row["kind"] == kind for row in rows):
            shown = [_shown(cells.get((str(kind), part, doing))) for part, doing, _ in columns]
            lines.append(f"| `{kind}` | {' | '.join(shown)} |")
    return lines


def _shown(row: Row | None) -> str:
    if row is None:
        return "not played"
    mark = " **wrong**" if row["wrong"] else ""
    return ("goes on" if row["code"] != 3 else f"still after {row['still_s']:.2f} s") + mark


def _messages(rows: Sequence[Row]) -> list[str]:
    lines = [
        "| fault | still after, at most | stated | what it said, for example |",
        "| --- | --- | --- | --- |",
    ]
    for kind in Kind:
        ended = [row for row in rows if row["kind"] == kind and row["code"] == 3]
        if ended:
            stated_s = (SAYS | MAY_GO_ON)[kind][-1]
            stated = f"{stated_s:g} s" if stated_s < float("inf") else ""
            lines.append(
                f"| `{kind}` | {_most(ended, 'still_s'):.2f} s | {stated} | {_plain(ended[0]['said'])} |"
            )
    return lines


def _plain(text: str) -> str:
    text = re.sub(r"/dev/pts/\d+", "/dev/pts/N", text).replace("|", "\\|")
    return text if len(text) < _LONGEST else f"{text[:_LONGEST]}…"


def _resumes(rows: Sequence[Row]) -> list[str]:
    lines = ["| fault | the record then | resumed |", "| --- | --- | --- |"]
    for part, doing, _ in _moments(rows):
        for row in rows:
            if (row["part"], row["doing"]) == (part, doing) and row["resumed"]:
                steps = "; ".join(_plain(step) for step in row["resumed"])
                lines.append(f"| `{row['kind']}`, {part}, {doing} | {' '.join(row['events'])} | {steps} |")
    return lines if len(lines) > 2 else []


def _wrong(rows: Sequence[Row]) -> list[str]:
    wrong = [
        f"- `{r['kind']}@{r['option']}`: {'; '.join(map(_plain, r['wrong']))}" for r in rows if r["wrong"]
    ]
    return ["", "Wrong:", "", *wrong] if wrong else []
