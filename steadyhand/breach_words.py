"""What each rule says and what to do once it was broken, in the words of people, English and German."""

from __future__ import annotations

from planning.violations import Rule
from steadyhand.option_words import Language

# rule: what it says (English, German), the remedy (English, German)
BREACH_WORDS: dict[Rule, tuple[tuple[str, str], tuple[str, str]]] = {
    "turn-order": (
        ("Only the player in turn touches the tower.", "Nur wer am Zug ist, berührt den Turm."),
        ("Take your hands off; the player in turn goes on.", "Hände weg; wer am Zug ist, spielt weiter."),
    ),
    "source-layer": (
        ("A block comes from an open layer only.", "Ein Stein kommt nur aus einer freien Lage."),
        (
            "Set the block on top and play on; next time take one from an open layer.",
            "Leg den Stein oben auf und spiel weiter; nimm nächstes Mal einen aus einer freien Lage.",
        ),
    ),
    "one-hand": (
        ("One hand at a time touches the tower.", "Immer nur eine Hand berührt den Turm."),
        ("Take the extra hand away and go on.", "Nimm die zweite Hand weg und spiel weiter."),
    ),
    "off-hand": (
        ("Each player uses the chosen hand only.", "Jede Person spielt nur mit ihrer gewählten Hand."),
        ("Go on with the chosen hand.", "Spiel mit der gewählten Hand weiter."),
    ),
    "restore-first": (
        (
            "A displaced block is put right before another is touched, a shifted neighbour before placing.",
            "Ein verschobener Stein wird gerichtet, bevor ein anderer berührt wird, ein mitbewegter Nachbar "
            "vor dem Auflegen.",
        ),
        ("Put the displaced block right now.", "Richte den verschobenen Stein jetzt."),
    ),
    "restore-hand": (
        (
            "The hand that moved a block puts it back.",
            "Die Hand, die einen Stein bewegt hat, setzt ihn zurück.",
        ),
        (
            "Use the same hand next time; the block stays.",
            "Nimm nächstes Mal dieselbe Hand; der Stein bleibt.",
        ),
    ),
    "no-testing": (
        ("A block once moved must be taken.", "Ein einmal bewegter Stein muss genommen werden."),
        ("Choose by eye, and take what you move.", "Wähle mit den Augen und nimm, was du bewegst."),
    ),
    "retest": (
        (
            "A block that was put back is not tested again in that turn.",
            "Ein zurückgesetzter Stein wird im selben Zug nicht noch einmal geprüft.",
        ),
        (
            "Put it back and choose another, or take it outright.",
            "Setz ihn zurück und wähle einen anderen, oder nimm ihn gleich heraus.",
        ),
    ),
    "put-back": (
        (
            "An extracted block goes on top, never back into the tower.",
            "Ein herausgenommener Stein kommt oben auf den Turm, nie zurück hinein.",
        ),
        (
            "Take the same block out again and set it on top.",
            "Nimm denselben Stein wieder heraus und leg ihn oben auf.",
        ),
    ),
    "wrong-slot": (
        (
            "A block fills the top layer; a new layer begins only on a complete one.",
            "Ein Stein füllt die oberste Lage; eine neue beginnt erst auf einer vollständigen.",
        ),
        (
            "Set a block still in hand into a free top slot; a layer begun too early stands.",
            "Leg einen Stein, der noch in der Hand ist, an einen freien Platz oben; eine zu früh begonnene "
            "Lage bleibt stehen.",
        ),
    ),
    "wrong-axis": (
        ("Each layer lies at right angles to the one below.", "Jede Lage liegt quer zu der darunter."),
        (
            "The block stays; lay the next one the right way.",
            "Der Stein bleibt; leg den nächsten richtig herum.",
        ),
    ),
    "second-block": (
        (
            "No more blocks are taken than a turn allows.",
            "Es werden nicht mehr Steine genommen, als der Zug erlaubt.",
        ),
        ("Set it on top as well, and release.", "Leg auch diesen oben auf und lass los."),
    ),
    "relocate-top": (
        ("A block placed on top stays in its slot.", "Ein oben aufgelegter Stein bleibt an seinem Platz."),
        ("Leave placed blocks where they lie.", "Lass aufgelegte Steine liegen."),
    ),
    "align-top": (
        (
            "Placed blocks are not straightened, or only those of the top layer.",
            "Aufgelegte Steine werden nicht gerade gerückt, oder nur die der obersten Lage.",
        ),
        ("Leave them as they lie.", "Lass sie liegen, wie sie liegen."),
    ),
    "brace": (
        (
            "Nothing steadies the tower: no forearm, no body, no object.",
            "Nichts stützt den Turm: kein Unterarm, kein Körper, kein Gegenstand.",
        ),
        ("Take the support away and go on.", "Nimm die Stütze weg und spiel weiter."),
    ),
    "turn-limit": (
        ("A turn keeps its time limit.", "Ein Zug hält seine Zeitgrenze ein."),
        ("Finish the turn.", "Beende den Zug."),
    ),
    "prompt-open": (
        (
            "The prompt of a marked block is carried out before the next turn begins.",
            "Die Aufgabe eines markierten Steins wird erfüllt, bevor der nächste Zug beginnt.",
        ),
        ("Nothing is owed any more; play goes on.", "Nichts ist mehr offen; es geht weiter."),
    ),
    "material": (
        ("The block is of the material that was spun.", "Der Stein ist aus dem gedrehten Material."),
        ("Set it on top all the same.", "Leg ihn trotzdem oben auf."),
    ),
    "climb-count": (
        (
            "The peg climbs all the layers that were spun, at once.",
            "Die Figur klettert alle gedrehten Lagen auf einmal.",
        ),
        ("The peg stays; count the layers next time.", "Die Figur bleibt; zähle nächstes Mal die Lagen."),
    ),
    "peg-in-block": (
        (
            "A block with a peg is not taken, and a hole takes one peg only.",
            "Ein Stein mit einer Figur wird nicht genommen, und ein Loch fasst nur eine Figur.",
        ),
        (
            "First move the peg: your own up, an opponent's down.",
            "Setze zuerst die Figur um: deine eigene hinauf, eine fremde hinab.",
        ),
    ),
}


def rule_words(rule: Rule, language: Language) -> str:
    """Say what the rule is."""
    return BREACH_WORDS[rule][0][language == "de"]


def remedy_words(rule: Rule, language: Language) -> str:
    """Say what to do once the rule was broken."""
    return BREACH_WORDS[rule][1][language == "de"]
