from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.grbl import ROOM, Alarm, Began, Event, Flow, GrblDecoder, Message, Ok, Refused, Status

SAID = (
    b"\r\nGrbl 1.1f ['$' for help]\r\nok\r\n<Run|MPos:1.000,-2.500,3.000|Bf:14,127|FS:500,0>\r\nok\r\nerror:20\r\n"
    b"<Idle,Angle(ABCDXYZ):4.000,5.000,6.000,0.000,1.000,-2.000,3.000,Cartesian coordinate(XYZ RxRyRz):198.6,0,230,0,"
    b"0,0,Pump PWM:0,Valve PWM:0,Motion_MODE:1>\r\n[MSG:Reset to continue]\r\nALARM:3\r\n<Hold:0|MPos:0,0,0>\r\n"
)
EVENTS: list[Event] = [
    Began("Grbl 1.1f ['$' for help]"),
    Ok(),
    Status("Run", {"X": 1.0, "Y": -2.5, "Z": 3.0}),
    Ok(),
    Refused(20),
    Status("Idle", {"A": 4.0, "B": 5.0, "C": 6.0, "D": 0.0, "X": 1.0, "Y": -2.0, "Z": 3.0}),
    Message("[MSG:Reset to continue]"),
    Alarm(3),
    Status("Hold", {"X": 0.0, "Y": 0.0, "Z": 0.0}),
]


@given(st.lists(st.integers(0, len(SAID)), max_size=12))
def test_what_it_says_is_understood_in_any_portions(cuts: list[int]) -> None:
    decoder, ends = GrblDecoder(), sorted(cuts)
    portions = [SAID[a:b] for a, b in zip([0, *ends], [*ends, len(SAID)], strict=True)]
    assert [event for portion in portions for event in decoder.feed(portion)] == EVENTS


@pytest.mark.parametrize(
    "text",
    [
        "<Idle|MPos:1,2,>",
        "<Idle,Angle(ABCDXYZ):1,2,3>",
        "<|MPos:1,2,3>",
        "<>",
        "error:",
        "ALARM:x",
        "okay",
        "<Idle|MPos:1e999,0,0>",
    ],
)
def test_torn_line_tells_nothing(text: str) -> None:
    (event,) = GrblDecoder().feed(text.encode() + b"\n")
    assert isinstance(event, Message)


def test_ten_thousand_random_streams_raise_nothing_and_tell_finite_places() -> None:
    rng, decoder = np.random.default_rng(2), GrblDecoder()
    pieces = [
        b"ok\n",
        b"error:",
        b"ALARM:",
        b"<Idle|MPos:",
        b"1.5,",
        b"Angle(XYZ):",
        b">\r\n",
        b"\xff",
        b"\n",
        b"Grbl ",
        b"9",
    ]
    for k in range(10_000):
        size = int(rng.integers(1, 30))
        data = (
            rng.integers(0, 256, size, dtype=np.uint8).tobytes()
            if k % 2
            else b"".join(pieces[int(n)] for n in rng.integers(0, len(pieces), size))
        )
        for event in decoder.feed(data):
            if isinstance(event, Status):
                assert np.isfinite(list(event.at.values())).all()


def test_line_without_an_end_takes_no_room() -> None:
    decoder = GrblDecoder()
    for _ in range(100):
        assert decoder.feed(b"x" * 1000) == []
    assert decoder.feed(b"\nok\n") == [Ok()]


@given(st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=60))
def test_controller_never_has_more_bytes_than_it_has_room_for(steps: list[tuple[int, bool]]) -> None:
    flow, held = Flow(), list[int]()
    for size, answers in steps:
        line = "G" * size
        if flow.fits(line):
            held.append(len(flow.sends(line)))
        assert sum(held) <= ROOM
        if answers and held:
            held.pop(0)
            flow.heard(Ok() if size % 2 else Refused(20))
    assert flow.pending == len(held)


def test_reports_and_messages_acknowledge_nothing_and_a_new_start_forgets_all() -> None:
    flow = Flow()
    flow.sends("G1 X1 F100")
    for event in (Status("Run", {"X": 0.0}), Message("[MSG:]"), Alarm(1)):
        flow.heard(event)
    assert flow.pending == 1
    assert flow.alarm == Alarm(1)
    flow.heard(Began("Grbl 1.1f"))
    assert flow.pending == 0
