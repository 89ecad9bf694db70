"""Whatever the lines are: a verdict or a refusal that names its line, never another exception."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any, get_args

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from planning.events import Face, Hand
from planning.referee import fold, judge
from planning.refusals import RefusalError
from planning.violations import RULES
from steadyhand.explaining import explain

PLAYERS = ["Ana", "Ben", "Cem"]
LINES = [
    '{"type":"game","edition":"fortnite","players":["Ana","Ben","Cem"],"tower":"111*4",'
    '"options":{"materials":"wbm*4","prompts":{"2.2":"sing"},"turn_limit_s":30,"fallen_block":"continue"}}',
    '{"t":0,"type":"spin","player":"Ana","stack":1,"material":"b","climb":2}',
    '{"t":1,"type":"move","player":"Ana","hand":"left","block":"2.2","mm":4.5}',
    '{"t":2,"type":"shift","blocks":["2.1","2.3"]}',
    '{"t":3,"type":"restore","player":"Ana","hand":"left","block":"2.1"}',
    '{"t":3,"type":"restore","player":"Ana","hand":"left","block":"2.3"}',
    '{"t":4,"type":"extract","player":"Ana","hand":"left","block":"2.2","force_n":0.8}',
    '{"t":5,"type":"place","player":"Ana","hand":"left","slot":"5.1","axis":"x"}',
    '{"t":6,"type":"release","player":"Ana"}',
    '{"t":7,"type":"climb","player":"Ana","slot":"2.1","face":"+x"}',
    '{"t":8,"type":"release","player":"Ana"}',
    '{"t":9,"type":"touch","player":"Ben","hand":"right","block":"1.1"}',
    '{"t":10,"type":"peg_down","player":"Ben","peg_of":"Ana","slot":"1.1","face":"+x"}',
    '{"t":11,"type":"fall","blocks":["4.1"]}',
    '{"t":12,"type":"collapse"}',
]
RECORD = "\n".join(LINES).encode() + b"\n"


def judged(lines: list[bytes]) -> None:
    """Judge lines; the only exception allowed is a refusal that names one of them."""
    refusal = refusal_of(lines)
    if refusal is None:
        json.dumps(judge(lines), allow_nan=False)
        return
    assert refusal.line is not None
    assert 1 <= refusal.line <= max(len(lines), 1)
    assert str(refusal).startswith(f"line {refusal.line}: expected ")
    assert len(str(refusal)) < 1500


def refusal_of(lines: Sequence[bytes | str]) -> RefusalError | None:
    try:
        fold(lines)
    except RefusalError as refusal:
        return refusal
    return None


many = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(st.binary(max_size=400))
@example(b"")
@example(b"\n\n")
@example(b"\xef\xbb\xbf" + RECORD)
@example(RECORD.replace(b"\n", b"\r\n"))
@example(RECORD.replace(b"\n", b"\r"))
@example(b"[" * 200_000)
@example(b'{"t":' * 50_000)
@example(
    b'{"type":"game","edition":"classic","players":["A"],"options":{},"tower":"111*99999999999999999999"}'
)
@example(b'{"type":"game","edition":"classic","players":["A"],"options":{"settle_s":' + b"9" * 5000 + b"}}")
def test_bytes_get_a_verdict_or_a_refusal(data: bytes) -> None:
    judged(data.split(b"\n"))
    judged([LINES[0].encode(), *data.split(b"\n")])


@many
@given(st.data())
def test_mutated_records_get_a_verdict_or_a_refusal(data: st.DataObject) -> None:
    record = bytearray(RECORD)
    for _ in range(data.draw(st.integers(1, 6))):
        k = data.draw(st.integers(0, len(record)))
        n = data.draw(st.integers(0, 8))
        record[k : k + n] = data.draw(
            st.binary(max_size=8) | st.sampled_from([b'"', b"}", b"\\", b"\n", b"1", b"null"])
        )
    judged(bytes(record).split(b"\n"))


@many
@given(st.lists(st.sampled_from(LINES), max_size=30), st.randoms(use_true_random=False))
def test_lines_in_any_order_get_a_verdict_or_a_refusal(lines: list[str], rng: random.Random) -> None:
    judged([LINES[0].encode(), *(line.encode() for line in lines)])
    shuffled = LINES[1:]
    rng.shuffle(shuffled)
    timed = [json.dumps(json.loads(line) | {"t": k}) for k, line in enumerate(shuffled)]
    judged([LINES[0].encode(), *(line.encode() for line in timed)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@many
@given(st.data())
def test_any_value_in_any_key_gets_a_verdict_or_a_refusal(data: st.DataObject) -> None:
    lines: list[dict[str, Any]] = [json.loads(line) for line in LINES]
    number = data.draw(st.integers(0, len(lines) - 1))
    key = data.draw(st.sampled_from(sorted(lines[number])))
    lines[number][key] = data.draw(json_values)
    judged(
        [json.dumps(line, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "replace") for line in lines]
    )


slots = st.builds("{}.{}".format, st.integers(1, 7), st.integers(1, 4))
KEYS: dict[str, st.SearchStrategy[Any]] = {
    "player": st.sampled_from(PLAYERS),
    "hand": st.sampled_from(get_args(Hand)),
    "block": slots,
    "slot": slots,
    "axis": st.sampled_from("xy"),
    "mm": st.sampled_from([-3, 4.5]),
    "count": st.integers(0, 3),
    "with": st.just("knee"),
    "by": st.just("cat"),
    "stack": st.integers(0, 2),
    "material": st.sampled_from("wbm"),
    "climb": st.integers(1, 3),
    "face": st.sampled_from(get_args(Face)),
    "peg_of": st.sampled_from(PLAYERS),
    "what": st.just("stack"),
    "blocks": st.lists(slots, min_size=1, max_size=3, unique=True),
}
KINDS = [
    *(
        "touch",
        "move",
        "shift",
        "restore",
        "extract",
        "drop",
        "place",
        "release",
        "align",
        "relocate",
        "hands",
    ),
    *("brace", "fall", "settled", "prompt_done", "spin", "climb", "peg_down", "skip", "clock"),
]


@st.composite
def wild_events(draw: st.DrawFn) -> list[str]:
    """Draw well-formed events of a game in which nobody cares for the rules."""
    t, lines = 0.0, []
    for kind in draw(st.lists(st.sampled_from(KINDS), max_size=40)):
        t += draw(st.sampled_from([0, 1, 12]))
        event = {key: draw(value) for key, value in KEYS.items()}
        lines.append(json.dumps(event | {"t": t, "type": kind}))
    return lines


@many
@given(wild_events(), st.sampled_from(["fortnite", "classic"]))
def test_wild_play_conserves_blocks_and_names_known_rules_only(events: list[str], edition: str) -> None:
    opening = json.dumps(json.loads(LINES[0]) | {"edition": edition})
    kept, fallen = [opening], 0
    game = fold(kept)
    for event in events:
        refusal = refusal_of([*kept, event])
        if refusal is not None:
            assert refusal.line == len(kept) + 1
            continue
        after = fold([*kept, event])
        if json.loads(event)["type"] == "fall" and game.outcome is None:
            fallen += game.tower.n_blocks - after.tower.n_blocks
        kept.append(event)
        game = after
        assert game.tower.n_blocks + len(game.in_hand) + fallen == 12
        assert {violation.rule for violation in game.violations} <= set(RULES)
        assert game.legal == () or (game.player_in_turn is not None and not game.in_hand)
        assert set(game.legal) <= set(game.tower.blocks())
        assert game.must_place or game.in_hand == () or game.outcome is not None
    assert explain(game).count("\n") >= len(game.violations)
