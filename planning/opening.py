"""The first line of a record: the edition, the players and their order, the tower, the options."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planning.editions import Edition, Options, options_of, read_edition
from planning.materials import read_materials
from planning.record import choice, read_name
from planning.refusals import MalformedError, Text
from planning.strict_json import read_object, write_object
from planning.tower import Tower

Side = str | tuple[str, ...]  # who wins or loses: a player, or a team's players

Teams = tuple[tuple[str, ...], tuple[str, ...]]

_FIRST_LINE = 'Such as {"type":"game","edition":"classic","players":["Ana","Robot"],"options":{}}'
_KEYS = ("type", "format", "edition", "players", "teams", "tower", "options")


@dataclass(frozen=True)
class Opening:
    """What the first line of a record says, checked; `given` are the options as they were written."""

    edition: Edition
    players: tuple[str, ...]
    tower: Tower
    options: Options
    given: Mapping[str, object] = field(default_factory=dict)
    teams: Teams | None = None
    further: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        players: Sequence[str],
        edition: str = "classic",
        options: Mapping[str, object] | None = None,
        tower: str | None = None,
        teams: Sequence[Sequence[str]] | None = None,
    ) -> Opening:
        """Open a game as the record's first line would, with the same checks."""
        written: dict[str, object] = {"type": "game", "edition": edition, "players": list(players)}
        written["options"] = dict(options or {})
        if tower is not None:
            written["tower"] = tower
        if teams is not None:
            written["teams"] = [list(team) for team in teams]
        return opening_of(written)

    def side_of(self, player: str) -> Side:
        """Return the player or, in a team game, the player's whole team."""
        return next((team for team in self.teams or () if player in team), player)


def read_opening(line: bytes | str) -> Opening:
    """Read the first line of a record."""
    return opening_of(read_object(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line))


def write_opening(opening: Opening) -> str:
    """Write the first line of a record, without the line feed."""
    written: dict[str, object] = {"type": "game", "format": 1, "edition": opening.edition}
    written["players"] = list(opening.players)
    if opening.teams is not None:
        written["teams"] = [list(team) for team in opening.teams]
    written |= {"tower": str(opening.tower), "options": dict(opening.given)}
    return write_object({**written, **opening.further})


def opening_of(written: Mapping[str, object]) -> Opening:
    """Make the opening of a JSON object that was read."""
    _read_key(written, "type", choice("game"))
    _read_key({"format": 1, **written}, "format", choice(1))
    edition: Edition = _read_key(written, "edition", read_edition)
    players: tuple[str, ...] = _read_key(written, "players", _read_players)
    given: Mapping[str, object] = _read_key(written, "options", _read_object)
    options = options_of(edition, given)
    tower = (
        _read_key(written, "tower", _read_tower) if "tower" in written else Tower.of_blocks(options.blocks)
    )
    teams = _read_teams(written["teams"], players) if "teams" in written else None
    _check_options(options, edition, players, tower)
    further = {key: value for key, value in written.items() if key not in _KEYS}
    return Opening(edition, players, tower, options, given, teams, further)


def _read_key(written: Mapping[str, object], key: str, read: Callable[[object], Any]) -> Any:
    if key not in written:
        raise MalformedError(
            f"`{key}` in the first line, which opens a tower", Text("no such key"), _FIRST_LINE
        )
    try:
        return read(written[key])
    except MalformedError as error:
        raise MalformedError(
            f"`{key}` to be {error.expected}", error.got, error.advice or _FIRST_LINE
        ) from None


def _read_players(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise MalformedError("a list of players in turn order, at least one", value)
    players = tuple(read_name(name) for name in value)
    if len(set(players)) < len(players):
        raise MalformedError("players of different names", value)
    return players


def _read_object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise MalformedError("an object {option: value}", value, "Write {} for the edition's own options")
    return value


def _read_tower(value: object) -> Tower:
    if not isinstance(value, str) or not value:
        raise MalformedError("tower text such as 111*18", value)
    return Tower.parse(value)


def _read_teams(value: object, players: tuple[str, ...]) -> Teams:
    teams = _two_teams(value)
    if teams is None:
        raise MalformedError("`teams` to be two equal lists of players", value)
    in_turn = [player for pair in zip(*teams, strict=True) for player in pair]
    if list(players) != in_turn:
        raise MalformedError(
            f"`players` in the order of these teams, {json.dumps(in_turn, ensure_ascii=False)}",
            list(players),
            "First of team 1, first of team 2, second of team 1 …",
        )
    return teams


def _two_teams(value: object) -> Teams | None:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(team, list) for team in value):
        return None
    first, second = value
    names = all(isinstance(name, str) for name in first + second)
    return (tuple(first), tuple(second)) if names and len(first) == len(second) else None


def _check_options(options: Options, edition: Edition, players: tuple[str, ...], tower: Tower) -> None:
    """Refuse options that do not fit these players or this tower."""
    hands = options.off_hands
    if (hands is None and options.hands == "off-hand") or (hands is not None and set(hands) != set(players)):
        raise MalformedError(
            f"option `off_hands` to name a hand for each of {', '.join(players)}, and nobody else", hands
        )
    for slot in options.prompts:
        if not tower.has(slot):
            raise MalformedError("option `prompts` to mark blocks of the tower", str(slot), f"It is {tower}")
    if options.materials is not None:
        read_materials(options.materials, tower)
    elif edition == "fortnite":
        raise MalformedError(
            "option `materials`, which the fortnite edition needs", Text("none"), "Such as wbm*15"
        )
