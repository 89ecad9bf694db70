"""Records in shorthand: `2 extract Ana right 5.2` stands for the line of JSON that says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from planning.referee import Game, fold

Verdict = dict[str, Any]
MATERIALS = "wbm*15"

_WORDS: dict[str, tuple[str, ...]] = {
    "touch": ("player", "hand", "block"),
    "move": ("player", "hand", "block", "mm"),
    "restore": ("player", "hand", "block"),
    "extract": ("player", "hand", "block"),
    "drop": ("player",),
    "place": ("player", "hand", "slot", "axis"),
    "release": ("player",),
    "relocate": ("player", "hand", "block", "slot"),
    "hands": ("player", "count"),
    "brace": ("player", "with"),
    "bump": ("by",),
    "concede": ("player",),
    "catch": ("player",),
    "prompt_done": ("player",),
    "spin": ("player", "stack", "material", "climb"),
    "climb": ("player", "slot", "face"),
    "peg_down": ("player", "peg_of", "slot", "face"),
    "skip": ("player", "what"),
}
_NUMBERS = ("mm", "count", "stack", "climb")


def written(shorthand: str) -> str:
    """Write the line that the shorthand stands for; a line of JSON stands for itself."""
    if shorthand.startswith("{"):
        return shorthand
    t, kind, *words = shorthand.split()
    event: dict[str, object] = {"t": float(t), "type": kind}
    if kind in ("shift", "fall", "align"):
        n = 2 if kind == "align" else 0
        event |= dict(zip(("player", "hand"), words[:n], strict=False)) | {"blocks": words[n:]}
    else:
        event |= dict(zip(_WORDS.get(kind, ()), words, strict=True))
    for key in _NUMBERS:
        if key in event:
            event[key] = json.loads(str(event[key]))
    if event.get("slot") == "null":
        event["slot"] = None
    return json.dumps(event)


def opened(**line: object) -> str:
    """Write a first line: classic, Ana and Ben, unless told otherwise."""
    first: dict[str, object] = {
        "type": "game",
        "edition": "classic",
        "players": ["Ana", "Ben"],
        "options": {},
    }
    first |= line
    if first["edition"] == "fortnite" and "tower" not in line:
        first["options"] = {"materials": MATERIALS, **dict(first["options"])}  # type: ignore[call-overload]
    return json.dumps(first)


@pytest.fixture
def played() -> Callable[..., Game]:
    """Fold a record in shorthand into its game."""

    def fold_shorthand(*events: str, **line: object) -> Game:
        return fold([opened(**line), *map(written, events)])

    return fold_shorthand


@pytest.fixture
def judged(played: Callable[..., Game]) -> Callable[..., Verdict]:
    """Judge a record in shorthand."""

    def judge_shorthand(*events: str, **line: object) -> Verdict:
        return played(*events, **line).verdict()

    return judge_shorthand


@pytest.fixture
def broken(played: Callable[..., Game]) -> Callable[..., list[str]]:
    """Return what a record in shorthand breaks, as `player rule @t`."""

    def list_breaches(*events: str, **line: object) -> list[str]:
        return [f"{v.player} {v.rule} @{v.t_s:g}" for v in played(*events, **line).violations]

    return list_breaches


@pytest.fixture
def turn() -> Callable[..., list[str]]:
    """A whole turn in shorthand, from the first touch at `t` to the release at `t` + 6."""

    def events(t: float, player: str, block: str, slot: str) -> list[str]:
        axis = "x" if int(slot.split(".", maxsplit=1)[0]) % 2 else "y"
        return [
            f"{t} touch {player} right {block}",
            f"{t + 2} extract {player} right {block}",
            f"{t + 5} place {player} right {slot} {axis}",
            f"{t + 6} release {player}",
        ]

    return events
