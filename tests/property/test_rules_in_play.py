"""Random legal play in every edition: what must hold in every position, whatever was played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planning.events import (
    Climb,
    Clock,
    Drop,
    Event,
    Extract,
    Fall,
    Move,
    Place,
    PromptDone,
    Release,
    Restore,
    Settled,
    Shift,
    Skip,
    Spin,
    Touch,
)
from planning.game import Game
from planning.opening import Opening, read_opening, write_opening
from planning.record import read_event, write_event
from planning.referee import fold
from planning.tower import Slot, Tower, axis_of

TOWERS = ["111*18", "111*15/110", "111*3/101/110/011/101/111*3/010", "111*4/101/111", "111/101/110"]
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "source_layers": st.sampled_from(["below-highest-complete", "below-top-two"]),
    "settle_s": st.sampled_from([0, 2.5, 10]),
    "settling": st.sampled_from(["timed", "visible"]),
    "testing": st.sampled_from(["free", "none"]),
    "retest": st.sampled_from(["free", "once"]),
    "restore_hand": st.sampled_from(["any", "same"]),
    "hands": st.sampled_from(["one", "two"]),
    "fallen_block": st.sampled_from(["ends", "continue"]),
    "reverse_on_layer": st.booleans(),
    "align_top": st.booleans(),
    "prompts": st.just({"1.1": "sing", "2.3": "dance"}),
}


@dataclass
class Table:
    """A game in progress, with everything that led to it."""

    opening: Opening
    game: Game
    rng: Any
    events: list[Event] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)
    t_s: float = 0.0
    n_fallen: int = 0

    def play(self, event: Event) -> None:
        self.game = self.game.apply(event)
        self.events.append(event)
        self.games.append(self.game)

    def now(self) -> float:
        self.t_s = round(self.t_s + self.rng.choice([0, 0.001, 0.5, 3]), 3)
        return self.t_s

    def act(self) -> None:
        """Play one legal action of those that the position offers."""
        game = self.game
        player = game.player_in_turn
        assert player is not None
        if game.owes_prompt:
            self.play(PromptDone(self.now(), game.owes_prompt))
        elif game.state == "settling":
            self.end_turn()
        elif game.in_hand:
            self.place(player)
        elif game.must_restore:
            self.restore_or_take(player)
        else:
            self.begin(player)

    def end_turn(self) -> None:
        game = self.game
        if game.options.settling == "visible":
            self.play(Settled(self.now()))
            return
        assert game.settles_at_s is not None
        self.t_s = max(game.settles_at_s, self.t_s)
        self.play(Clock(self.t_s))

    def place(self, player: str) -> None:
        if self.rng.random() < 0.2:
            self.play(Drop(self.now(), player))
        slot = self.rng.choice(self.game.free_top_slots)
        self.play(Place(self.now(), player, "right", slot, axis_of(slot.layer)))
        self.play(Release(self.now(), player))

    def restore_or_take(self, player: str) -> None:
        moved = [slot for slot in self.game.must_restore if slot in self.game.legal]
        if moved and (self.game.options.testing == "none" or self.rng.random() < 0.5):
            self.play(Extract(self.now(), player, "right", self.rng.choice(moved)))
            return
        self.play(Restore(self.now(), player, "right", self.rng.choice(self.game.must_restore)))

    def begin(self, player: str) -> None:
        game = self.game
        if game.must_spin:
            stack, climb = self.rng.choice([0, 1, 2]), self.rng.choice([1, 2, 3])
            self.play(Spin(self.now(), player, stack, self.rng.choice("wbm"), climb))
        elif game.must_climb and (not game.legal or self.rng.random() < 0.3):
            self.climb(player)
        elif game.legal:
            self.take_or_test(player)
        elif game.blocks_to_stack and game.spin is not None:
            self.play(Skip(self.now(), player, "stack"))
            self.play(Release(self.now(), player))
        else:
            raise StuckError

    def climb(self, player: str) -> None:
        assert self.game.spin is not None
        layer = min(self.game.height_of(player) + self.game.spin.climb, self.game.tower.n_layers)
        slots = [slot for slot in self.game.tower.blocks() if slot.layer == layer]
        climbs = [Climb(self.t_s, player, slot, face) for slot in slots for face in ("+x", "-x", "+y", "-y")]  # type: ignore[arg-type]
        free = [climb for climb in climbs if self.game.is_legal(climb)]
        if not free:
            raise StuckError
        self.play(self.rng.choice(free))
        self.play(Release(self.now(), player))

    def take_or_test(self, player: str) -> None:
        slot, chance = self.rng.choice(self.game.legal), self.rng.random()
        if chance < 0.3:
            self.play(Extract(self.now(), player, "right", slot))
        elif chance < 0.6:
            self.play(Move(self.now(), player, "right", slot, self.rng.choice([-4.5, 12])))
        elif chance < 0.7:
            self.play(Touch(self.now(), player, "right", slot))
        elif chance < 0.8:
            self.play(Touch(self.now(), player, "right", slot))
            self.play(Shift(self.now(), (slot,)))
        elif chance < 0.85 and self.game.options.fallen_block == "continue":
            self.play(Fall(self.now(), (slot,)))
            self.n_fallen += 1


class StuckError(Exception):
    """Nothing legal is left to do: a person would concede here."""


@st.composite
def tables(draw: st.DrawFn) -> Table:
    edition = draw(st.sampled_from(["classic", "rulebook", "fortnite"]))
    chosen = draw(st.sets(st.sampled_from(sorted(OPTIONS))))
    options = {name: draw(OPTIONS[name]) for name in sorted(chosen)}
    text = draw(st.sampled_from(TOWERS))
    if edition == "fortnite":
        options["materials"] = materials_of(Tower.parse(text))
    players = ["Ana", "Ben", "Cem", "Robot"][: draw(st.integers(1, 4))]
    teams = [players[0::2], players[1::2]] if len(players) == 4 and draw(st.booleans()) else None
    opening = Opening.of(players, edition, options, text, teams)
    table = Table(opening, Game.start(opening), draw(st.randoms(use_true_random=False)))
    for _ in range(draw(st.integers(0, 40))):
        try:
            table.act()
        except StuckError:
            break
    return table


def materials_of(tower: Tower) -> str:
    letters = [["-", "-", "-"] for _ in range(tower.n_layers)]
    for k, slot in enumerate(tower.blocks()):
        letters[slot.layer - 1][slot.position - 1] = "wbm"[k % 3]
    return "/".join("".join(layer) for layer in letters)


thorough = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@thorough
@given(tables())
def test_legal_play_breaks_no_rule(table: Table) -> None:
    assert list(table.game.violations) == []


@thorough
@given(tables())
def test_blocks_are_conserved(table: Table) -> None:
    game = table.game
    assert game.tower.n_blocks + len(game.in_hand) + table.n_fallen == table.opening.tower.n_blocks
    assert len(list(game.tower.blocks())) == game.tower.n_blocks


@thorough
@given(tables())
def test_text_forms_round_trip(table: Table) -> None:
    assert read_opening(write_opening(table.opening)) == table.opening
    for event in table.events:
        assert read_event(write_event(event)) == event
    for game in table.games:
        assert Tower.parse(str(game.tower)) == game.tower
        assert eval(repr(game.tower), {"Tower": Tower}) == game.tower


@thorough
@given(tables(), st.data())
def test_replaying_any_prefix_equals_folding_events_one_by_one(table: Table, data: st.DataObject) -> None:
    if not table.events:
        return
    n = data.draw(st.integers(1, len(table.events)))
    game = fold([write_opening(table.opening), *map(write_event, table.events[:n])])
    assert game == table.games[n - 1]
    assert game.verdict() == table.games[n - 1].verdict()


def takeable(game: Game, t_s: float) -> set[Slot]:
    """Ask for every block, one by one, whether taking it breaks a rule."""
    player = game.player_in_turn
    assert player is not None
    return {slot for slot in game.tower.blocks() if game.is_legal(Extract(t_s, player, "right", slot))}


@thorough
@given(tables())
def test_legal_is_exactly_what_can_be_taken_without_a_violation(table: Table) -> None:
    for n, game in enumerate(table.games):
        if game.player_in_turn is None or game.owes_prompt:  # whoever begins then breaks `prompt-open`
            continue
        legal, free = set(game.legal), takeable(game, game.t_s)
        assert list(game.legal) == sorted(legal)
        if game.state == "settling" or game.in_hand:  # the rulings empty `legal` then
            assert not legal
        else:
            assert legal <= free
            assert free - legal <= taken_out(table.events[: n + 1], game)


def taken_out(events: list[Event], game: Game) -> set[Slot]:
    """Tell which blocks the rulings keep out of `legal` although taking them breaks nothing."""
    shifted = {slot for event in events if isinstance(event, Shift) for slot in event.blocks} & set(
        game.must_restore
    )
    restored = (
        {event.block for event in events if isinstance(event, Restore)}
        if game.options.retest == "once"
        else set()
    )
    skipped = set(game.tower.blocks()) if game.spin is not None and not game.blocks_to_stack else set()
    return shifted | restored | skipped


@thorough
@given(tables())
def test_every_free_top_slot_takes_the_block_in_hand_without_a_violation(table: Table) -> None:
    for game in table.games:
        player = game.player_in_turn
        if player is None or not game.in_hand:
            assert game.free_top_slots == ()
            continue
        layers = range(1, game.tower.n_layers + 3)
        slots = [Slot(layer, position) for layer in layers for position in (1, 2, 3, 4)]
        places = [Place(game.t_s, player, "right", slot, axis_of(slot.layer)) for slot in slots]
        assert [place.slot for place in places if game.is_legal(place)] == list(game.free_top_slots)


@pytest.mark.parametrize("edition", ["classic", "rulebook", "fortnite"])
def test_random_play_reaches_the_depths_of_every_edition(edition: str) -> None:
    """The other tests prove nothing if play stops in the first turn."""
    import random

    options = {"materials": "wbm*15"} if edition == "fortnite" else {}
    opening = Opening.of(["Ana", "Ben"], edition, options)
    table = Table(opening, Game.start(opening), random.Random(3))
    for _ in range(200):
        table.act()
    assert table.game.completed_turns >= 10
    kinds = {event.kind for event in table.events}
    assert {"move", "restore", "extract", "drop", "place", "release", "shift", "clock"} <= kinds
    assert edition != "fortnite" or {"spin", "climb"} <= kinds
