"""Which game `steadyhand play` plays: a new one by its options, or one whose record broke off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from planning.editions import options_of, read_edition
from planning.game import Game
from planning.opening import Opening
from robot.errors import BadInputError
from steadyhand import wiring
from steadyhand.journal import broken_off
from steadyhand.policies import OURS, check_policy
from steadyhand.settings import Settings


@dataclass(frozen=True)
class Request:
    """The options of `play`, as given; no players or policies where none were named."""

    settings: Path | None
    players: Sequence[str] | None
    policies: Sequence[str]
    edition: str | None
    options: Sequence[str]
    turns: int | None
    seed: int
    blockset: str | None
    tower: str | None
    record: Path | None
    resume: Path | None
    truth: Path | None
    strip: Path | None
    view: bool
    json: bool
    wire: bool = False
    faults: Sequence[str] = ()


def is_person(player: str) -> bool:
    """Whether a player is a person: the robot's names begin with Robot."""
    return not player.startswith("Robot")


def who_decides(request: Request, everybody: Sequence[str]) -> dict[str, str]:
    """The policy of each robot player, by name.

    Raises:
        BadInputError: A policy is not known, or there are neither one nor as many as robots.
    """
    players = [player for player in everybody if not is_person(player)]
    names = request.policies or (OURS,)
    for name in names:
        check_policy(name)
    if len(names) not in (1, len(players)):
        raise BadInputError(
            f"--policy names {len(names)} for {len(players)} robots ({', '.join(players)}): name one for all, or one "
            f"each in the same order"
        )
    each = [names[0]] * len(players) if len(names) == 1 else names
    return dict(zip(players, each, strict=True))


def the_game(request: Request, settings: Settings) -> Game:
    """Where the game stands that is to be played; nothing is written yet.

    Raises:
        BadInputError: The options or the record cannot be used, or the robot cannot play that.
    """
    game = _resumed(request.resume, request) if request.resume else Game.start(_opening(request, settings))
    _check_robot_can(game.opening)
    return game


def _opening(request: Request, settings: Settings) -> Opening:
    """The first line of a new record, checked by the rules."""
    edition = read_edition(settings.edition if request.edition is None else request.edition)
    options = dict(_option(text) for text in request.options)
    tower = wiring.checked_tower(request.tower, options_of(edition, options).blocks)
    return Opening.of(request.players or ("Robot",), edition, options, tower=str(tower))


def _resumed(path: Path, request: Request) -> Game:
    """The game that is gone on with; its record says what else options would say."""
    said = {
        "--players": request.players, "--edition": request.edition, "--option": request.options,
        "--tower": request.tower, "--record": request.record,
    }  # fmt: skip
    wrong = [name for name, value in said.items() if value]
    if wrong:
        raise BadInputError(
            f"--resume {path}: the record says what {', '.join(wrong)} would say; leave that out, or begin a new record"
        )
    game = broken_off(path)
    if game.outcome is not None:
        raise BadInputError(
            f"--resume {path}: that game has ended by {game.outcome.reason}; begin a new record"
        )
    return game


def _check_robot_can(opening: Opening) -> None:
    if opening.edition == "fortnite":
        raise BadInputError("edition fortnite: the robot has no spinner yet; choose classic or rulebook")
    if opening.options.testing == "none":
        raise BadInputError(
            "option testing = none: the robot tests blocks before it takes one, and puts back what it does not take; "
            "choose testing=free"
        )


def _option(text: str) -> tuple[str, object]:
    """KEY=VALUE; the value as JSON where it is that, else as it stands."""
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInputError(f"option {text!r}: expected KEY=VALUE, such as settle_s=5")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value
