"""The rules of an edition as a person reads them before a game, written from the referee's own table."""

from __future__ import annotations

import json
from collections.abc import Mapping

from planning.editions import EDITIONS, OPTIONS, Edition, Option, Options, options_of, read_edition
from planning.violations import RULES
from robot.errors import BadInputError
from steadyhand.breach_words import rule_words
from steadyhand.option_words import Language, option_words

LANGUAGES: tuple[Language, ...] = ("en", "de")

# Chapters: heading (English, German), the options that are told there, and what every edition has in common.
_CHAPTERS: tuple[tuple[tuple[str, str], tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    (
        ("Before the game", "Vor dem Spiel"),
        ("blocks", "materials", "reverse_on_layer"),
        (("The builder of the tower begins.", "Wer den Turm gebaut hat, beginnt."),),
    ),
    (
        ("Taking a block", "Einen Stein nehmen"),
        ("source_layers", "hands", "testing", "retest", "restore_hand"),
        (
            (
                "Put what you displaced right before you touch another block.",
                "Richte, was du verschoben hast, bevor du einen anderen Stein berührst.",
            ),
            ("Do not brace the tower.", "Stütze den Turm nicht."),
        ),
    ),
    (
        ("Placing it", "Ihn auflegen"),
        ("align_top", "prompts"),
        (
            (
                "Set the block on the top layer; begin a new one, at right angles, only on a complete one.",
                "Leg den Stein auf die oberste Lage; eine neue beginnt quer, auf einer vollständigen.",
            ),
            (
                "A block that has left the tower never goes back into it.",
                "Ein Stein, der den Turm verlassen hat, kommt nicht wieder hinein.",
            ),
        ),
    ),
    (
        ("The end of the turn", "Das Ende des Zuges"),
        ("settle_s", "settling", "turn_limit_s"),
        (
            (
                "Until the turn is over, a fall is yours.",
                "Bis der Zug zu Ende ist, geht ein Einsturz auf dich.",
            ),
        ),
    ),
    (
        ("The end of the game", "Das Ende des Spiels"),
        ("dropped_block", "fallen_block"),
        (
            (
                "Whoever can neither put a block right nor move legally concedes.",
                "Wer weder zurücksetzen noch regelgerecht ziehen kann, gibt auf.",
            ),
            (
                "If somebody not in turn bumps the tower, build it anew: same opening player, no winner.",
                "Stößt jemand an, der nicht am Zug ist, wird neu gebaut: Es beginnt dieselbe Person, niemand "
                "gewinnt.",
            ),
        ),
    ),
)
_WINNING: dict[bool, tuple[tuple[str, str], ...]] = {
    False: (
        (
            "Whoever brings the tower down loses; the last player who completed a turn before wins.",
            "Wer den Turm zu Fall bringt, verliert; es gewinnt, wer davor zuletzt einen Zug vollendet hat.",
        ),
        (
            "If nobody had completed a turn, there is no winner. The loser builds the next tower.",
            "Hatte noch niemand einen Zug vollendet, gewinnt niemand. Wer verliert, baut den nächsten Turm.",
        ),
    ),
    True: (
        (
            "Spin first: it says how many blocks to stack (0 to 2), of which material, and how many layers "
            "your peg climbs (1 to 3), in any order.",
            "Drehe zuerst: Das sagt, wie viele Steine du legst (0 bis 2), aus welchem Material, und wie "
            "viele Lagen deine Figur klettert (1 bis 3), in beliebiger Reihenfolge.",
        ),
        (
            "A block with a peg is not taken: first move your own peg up, an opponent's down, same side.",
            "Ein Stein mit einer Figur wird nicht genommen: Setze zuerst deine hinauf, eine fremde auf "
            "derselben Seite hinab.",
        ),
        (
            "If the only movable block would bring the tower down, skip the stacking.",
            "Würde der einzige bewegliche Stein den Turm umwerfen, lass das Legen aus.",
        ),
        (
            "The first peg in a top hole wins; the others play on by the classic rules.",
            "Die erste Figur in einem obersten Loch gewinnt; die anderen spielen klassisch weiter.",
        ),
        (
            "If the tower falls before, who felled it is out and the highest other peg wins; after a tie "
            "you play again.",
            "Fällt der Turm vorher, scheidet aus, wer ihn umwarf, und die höchste andere Figur gewinnt; bei "
            "Gleichstand wird neu gespielt.",
        ),
    ),
}
_TITLE = ("Rules of the {} edition", "Regeln der Ausgabe {}")
_PEGS = ("Spinner, pegs and winning", "Drehscheibe, Figuren und Sieg")
_WINNER = ("Winning and losing", "Gewinnen und verlieren")
_CHOICES = ("What a group may choose instead (option: this edition; others)",
            "Was die Runde anders wählen kann (Option: diese Ausgabe; andere)")  # fmt: skip
_NAMES = ("What the referee calls a breach", "Wie der Schiedsrichter einen Verstoß nennt")


# Values that cannot be listed.
_ANY: dict[str, tuple[str, str]] = {
    "settle_s": ("any number of seconds", "beliebig viele Sekunden"),
    "off_hands": ("a hand for each player", "eine Hand für jede Person"),
    "turn_limit_s": ("any number of seconds", "beliebig viele Sekunden"),
    "prompts": ("a prompt for any slot", "eine Aufgabe für beliebige Plätze"),
    "materials": ("one letter a block", "ein Buchstabe je Stein"),
}


def rules_text(
    edition: str = "classic", language: str = "en", options: Mapping[str, object] | None = None
) -> str:
    """Write the rules of an edition, with a group's own options in their place if given."""
    played, spoken = _checked(edition, language)
    k = LANGUAGES.index(spoken)
    settings = options_of(played, options or {})
    lines = [_TITLE[k].format(played)]
    for heading, names, common in _CHAPTERS:
        told = [_told(name, settings, played, spoken) for name in names if not _is_idle(name, settings)]
        lines += _chapter(heading[k], told + [words[k] for words in common])
    fortnite = played == "fortnite"
    lines += _chapter((_PEGS if fortnite else _WINNER)[k], [words[k] for words in _WINNING[fortnite]])
    lines += _chapter(_CHOICES[k], [_choice(option, settings, k) for option in OPTIONS])
    rules = RULES if fortnite else RULES[: RULES.index("material")]
    lines += _chapter(_NAMES[k], [f"{rule}: {rule_words(rule, spoken)}" for rule in rules])
    return "\n".join(lines) + "\n"


def _checked(edition: str, language: str) -> tuple[Edition, Language]:
    if edition not in EDITIONS:
        raise BadInputError(f"no edition {edition!r}. There are {', '.join(EDITIONS)}; name one of them")
    for spoken in LANGUAGES:
        if spoken == language:
            return read_edition(edition), spoken
    raise BadInputError(
        f"no rules in language {language!r}. There are {', '.join(LANGUAGES)}; name one of them"
    )


def _chapter(heading: str, sentences: list[str]) -> list[str]:
    return ["", heading, *(f"- {sentence}" for sentence in sentences)]


def _told(name: str, settings: Options, played: Edition, spoken: Language) -> str:
    """Say what an option is set to; the Fortnite edition needs materials, whichever they are."""
    value = "given" if name == "materials" and played == "fortnite" else getattr(settings, name)
    return option_words(name, value, spoken)


def _is_idle(name: str, settings: Options) -> bool:
    """Tell whether another option makes this one meaningless: no clock ends a turn that is seen to end."""
    return name == "settle_s" and settings.settling == "visible"


def _choice(option: Option, settings: Options, k: int) -> str:
    value = getattr(settings, option.name)
    others = [_json(other) for other in option.values if other != value] or [_ANY[option.name][k]]
    return f"{option.name}: {_json(value)}; {', '.join(others)}"


def _json(value: object) -> str:
    """Write a value as a record's first line has it."""
    if isinstance(value, Mapping):
        value = {str(key): item for key, item in value.items()}
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
