from __future__ import annotations

import dataclasses

import pytest

from planning import editions
from planning.editions import EDITIONS, OPTIONS
from planning.refusals import MalformedError
from planning.violations import RULES
from steadyhand import rules_text as module
from steadyhand.option_words import OPTION_WORDS, Language, option_words
from steadyhand.rules_text import LANGUAGES, rules_text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_value_of_every_option_has_a_sentence(option: editions.Option, language: Language) -> None:
    for value in (*option.values, option.classic, option.rulebook, option.fortnite):
        assert option_words(option.name, value, language).endswith(".")


def test_no_sentence_stands_for_a_value_that_the_table_does_not_know() -> None:
    assert set(OPTION_WORDS) == {option.name for option in OPTIONS}
    for option in OPTIONS:
        if option.values:
            assert set(OPTION_WORDS[option.name]) == set(option.values)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(("k", "language"), [(0, "en"), (1, "de")])
def test_rules_tell_each_option_of_the_edition_as_the_table_has_it(
    edition: str, k: int, language: str
) -> None:
    text = rules_text(edition, language)
    for option in OPTIONS:
        if option.name == "off_hands":
            continue
        value = option.default(edition)  # type: ignore[arg-type]
        if option.name == "materials" and edition == "fortnite":
            value = "given"
        assert option_words(option.name, value, LANGUAGES[k]) in text
        assert f"\n- {option.name}: " in text


def test_rules_change_with_the_table_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tuple(
        dataclasses.replace(option, classic=7) if option.name == "settle_s" else option for option in OPTIONS
    )
    assert "the turn ends 10 s after" in rules_text()
    for place in (editions, module):
        monkeypatch.setattr(place, "OPTIONS", changed)
    assert "the turn ends 7 s after" in rules_text()
    assert "settle_s: 7;" in rules_text()


def test_a_groups_own_options_stand_in_their_place() -> None:
    text = rules_text(
        "classic", "en", {"turn_limit_s": 45, "prompts": {"5.2": "sing"}, "settling": "visible"}
    )
    assert "you have 45 s until your hands leave the tower" in text
    assert "Some blocks are marked" in text
    assert "s after the hands have left" not in text
    assert 'prompts: {"5.2": "sing"}; a prompt for any slot' in text
    with pytest.raises(MalformedError, match="option `settling`"):
        rules_text("classic", "en", {"settling": "sometimes"})


def test_only_the_fortnite_edition_speaks_of_pegs() -> None:
    for language, word in (("en", "peg"), ("de", "Figur")):
        assert word in rules_text("fortnite", language)
        assert word not in rules_text("classic", language)
        assert word not in rules_text("rulebook", language)


def test_rules_name_the_breaches_that_a_verdict_may_name() -> None:
    text = rules_text("fortnite", "de")
    assert "\n- hands: one; two, off-hand\n" in text
    assert "\n- align_top: true; false\n" in text
    assert [rule for rule in RULES if f"\n- {rule}: " not in text] == []
