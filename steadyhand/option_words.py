"""What each value of each option means, in the words of people, English and German.

The values come from the table in `planning.editions`; a sentence stands here for each of them. `{}` takes the
value itself where it is a number.
"""

from __future__ import annotations

from typing import Literal

Language = Literal["en", "de"]

# option, then value (None: any value that is not listed): English, German
OPTION_WORDS: dict[str, dict[object, tuple[str, str]]] = {
    "blocks": {
        54: (
            "The tower has 54 blocks: 18 layers of three, each at right angles to the one below.",
            "Der Turm hat 54 Steine: 18 Lagen zu dreien, jede quer zu der darunter.",
        ),
        45: (
            "The tower has 45 blocks: 15 layers of three, each at right angles to the one below.",
            "Der Turm hat 45 Steine: 15 Lagen zu dreien, jede quer zu der darunter.",
        ),
    },
    "source_layers": {
        "below-highest-complete": (
            "Take a block from any layer below the highest complete one.",
            "Nimm einen Stein aus einer Lage unterhalb der höchsten vollständigen.",
        ),
        "below-top-two": (
            "Take a block from any layer below the highest complete one, but never from the two topmost.",
            "Nimm einen Stein aus einer Lage unterhalb der höchsten vollständigen; die beiden obersten Lagen "
            "sind immer tabu.",
        ),
    },
    "settle_s": {
        None: (
            "With timed settling the turn ends {} s after the hands have left the tower.",
            "Bei Wartezeit nach der Uhr ist der Zug {} s nach dem Loslassen zu Ende.",
        ),
    },
    "settling": {
        "timed": (
            "The clock ends the turn, or the next player's first touch after the release.",
            "Die Uhr beendet den Zug, oder nach dem Loslassen die erste Berührung durch die nächste Person.",
        ),
        "visible": (
            "The turn is over only when everybody sees the tower stand still; nobody touches it before.",
            "Der Zug ist erst zu Ende, wenn alle sehen, dass der Turm steht; vorher berührt ihn niemand.",
        ),
    },
    "testing": {
        "free": (
            "Blocks may be tested: touched, pushed a little, and put back.",
            "Steine dürfen geprüft werden: berührt, ein wenig geschoben und zurückgesetzt.",
        ),
        "none": (
            "There is no testing: a block once moved must be taken.",
            "Geprüft wird nicht: Ein einmal bewegter Stein muss genommen werden.",
        ),
    },
    "retest": {
        "free": (
            "A block that was put back may be tested again.",
            "Ein zurückgesetzter Stein darf noch einmal geprüft werden.",
        ),
        "once": (
            "A block that was put back may not be tested again in that turn; it may be taken outright.",
            "Ein zurückgesetzter Stein darf im selben Zug nicht noch einmal geprüft werden; ihn gleich "
            "zu nehmen ist erlaubt.",
        ),
    },
    "restore_hand": {
        "any": (
            "Put a tested block back with either hand.",
            "Setze einen geprüften Stein mit einer beliebigen Hand zurück.",
        ),
        "same": (
            "Put a tested block back with the hand that moved it.",
            "Setze einen geprüften Stein mit der Hand zurück, die ihn bewegt hat.",
        ),
    },
    "hands": {
        "one": (
            "One hand at a time touches the tower; you may change hands in between.",
            "Immer nur eine Hand berührt den Turm; dazwischen darfst du die Hand wechseln.",
        ),
        "two": (
            "Both hands may touch the tower, but nothing may steady it.",
            "Beide Hände dürfen den Turm berühren, aber nichts darf ihn stützen.",
        ),
        "off-hand": (
            "Each player uses one chosen hand only, for testing, taking, putting back and placing.",
            "Jede Person spielt nur mit ihrer gewählten Hand: prüfen, nehmen, zurücksetzen und auflegen.",
        ),
    },
    "off_hands": {
        None: (
            "Which hand each player chose for the other-hand tower.",
            "Welche Hand jede Person für den Turm mit der anderen Hand gewählt hat.",
        ),
    },
    "turn_limit_s": {
        None: ("A turn has no time limit.", "Ein Zug hat keine Zeitgrenze."),
        "limit": (
            "From your first touch you have {} s until your hands leave the tower.",
            "Von der ersten Berührung an hast du {} s, bis deine Hände den Turm verlassen.",
        ),
    },
    "dropped_block": {
        "retrieve": (
            "If only the block you are moving falls, pick it up and go on.",
            "Fällt nur der Stein, den du bewegst, heb ihn auf und spiel weiter.",
        ),
        "loses": (
            "Whoever drops the block being moved loses.",
            "Wer den bewegten Stein fallen lässt, verliert.",
        ),
    },
    "fallen_block": {
        "ends": (
            "If any other block falls, the game is over even if the tower stands.",
            "Fällt ein anderer Stein, ist das Spiel aus, auch wenn der Turm steht.",
        ),
        "continue": (
            "If another block falls and the tower stands, play goes on without that block.",
            "Fällt ein anderer Stein und der Turm steht, geht es ohne diesen Stein weiter.",
        ),
    },
    "align_top": {
        True: (
            "You may gently straighten the blocks of the top layer.",
            "Die Steine der obersten Lage darfst du behutsam gerade rücken.",
        ),
        False: (
            "Blocks on top stay as they were placed; they are not straightened.",
            "Oben liegende Steine bleiben, wie sie liegen; sie werden nicht gerade gerückt.",
        ),
    },
    "reverse_on_layer": {
        True: (
            "The direction of play turns round after each completed top layer.",
            "Nach jeder vollendeten obersten Lage dreht sich die Spielrichtung um.",
        ),
        False: ("Play passes to the left.", "Es geht links herum weiter."),
    },
    "prompts": {
        None: ("No block is marked with a prompt.", "Kein Stein ist mit einer Aufgabe markiert."),
        "marked": (
            "Some blocks are marked: who places one carries out its prompt before the next player begins.",
            "Einige Steine sind markiert: Wer einen auflegt, erfüllt seine Aufgabe, bevor die nächste Person "
            "beginnt.",
        ),
    },
    "materials": {
        None: ("The blocks are all alike.", "Alle Steine sind gleich."),
        "given": (
            "Each block is of wood, brick or metal.",
            "Jeder Stein ist aus Holz, Ziegel oder Metall.",
        ),
    },
}


def option_words(name: str, value: object, language: Language) -> str:
    """Say what it means that the option has this value."""
    words = OPTION_WORDS[name]
    english, german = words[value] if _listed(value) and value in words else words[_kind(name, value)]
    return (english if language == "en" else german).format(value)


def _listed(value: object) -> bool:
    return isinstance(value, (str, int, float))


def _kind(name: str, value: object) -> object:
    """Return the key for a value that stands for many others."""
    kinds = {"turn_limit_s": "limit", "prompts": "marked", "materials": "given"}
    return kinds.get(name) if value else None
