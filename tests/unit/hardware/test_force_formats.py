from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import ft300
from hardware.force_formats import HX711, NAMES, force_format
from hardware.force_lines import Decoder, LineDecoder, RawSample, column_pattern, line_pattern
from robot.errors import BadInputError

FORMATS = [
    force_format(name, pattern=r"F=(?P<value>.*?)( t=(?P<us>.*))?", column=2, axis="fz") for name in NAMES
]


def values(decoder: Decoder, *portions: bytes) -> list[float]:
    return [sample.value for portion in portions for sample in decoder.feed(portion)]


@pytest.mark.parametrize(
    ("name", "line", "sample"),
    [
        ("hx711", b"1234,-84120\r\n", RawSample(-84120, 1.234)),
        ("number", b" 12.3\n", RawSample(12.3)),
        ("grams", b"12.30 g\r\n", RawSample(12.3)),
        ("newtons", b"-0.25N\n", RawSample(-0.25)),
        ("ms-number", b"1500\t8412\r\n", RawSample(8412, 1.5)),
        ("ms-number", b"1500,12.3\n", RawSample(12.3, 1.5)),
        ("pounds", b"Reading: 1.2 lbs calibration_factor: -7050.00\r\n", RawSample(1.2)),
        ("column", b"L -123 45\n", RawSample(-123)),
        ("pattern", b"F=7.5 t=2500000\n", RawSample(7.5, 2.5)),
        ("pattern", b"F=7.5\n", RawSample(7.5)),
    ],
)
def test_line_as_people_write_it_is_read(name: str, line: bytes, sample: RawSample) -> None:
    decoder = next(fmt for fmt in FORMATS if fmt.name == name).make()
    assert decoder.feed(b"torn\n" + line) == [sample]


def test_first_line_is_not_taken_for_whole() -> None:
    """What is left of `1234,84120` reads as a line of its own."""
    assert values(HX711.make(), b"34,84120\n1250,84133\n") == [84133]


def test_line_torn_by_a_gap_is_passed_over() -> None:
    decoder = HX711.make()
    assert values(decoder, b"\n1,100\n2,2") == [100]
    decoder.reset()
    assert values(decoder, b"00\n3,300\n") == [300]


def test_banner_and_garbage_are_counted_and_the_newest_is_kept_to_show() -> None:
    decoder = HX711.make()
    assert values(decoder, b"\nHX711 demo\n\xff\xfe\n1,5\nno scale found\n") == [5]
    assert (decoder.unread, decoder.puzzling) == (3, b"no scale found")


@pytest.mark.parametrize("line", [b"nan", b"inf", b"1e999", b"", b"-", b"0x10", b"1,2,3"])
def test_what_is_no_number_is_no_sample(line: bytes) -> None:
    anything = LineDecoder(line_pattern("(?P<value>.*)"))
    assert values(anything, b"\n" + line + b"\n") == []


def test_line_without_an_end_takes_no_room_and_the_next_one_is_read() -> None:
    decoder = HX711.make()
    assert values(decoder, b"\n", b"7" * 100_000, b"1,2\n3,4\n") == [4]


@given(st.lists(st.integers(-8_388_608, 8_388_607), min_size=1, max_size=20), st.data())
def test_lines_are_the_same_in_any_portions(counts: list[int], data: st.DataObject) -> None:
    text = b"\n" + b"".join(b"%d,%d\r\n" % (12 * k, count) for k, count in enumerate(counts))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    portions = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert values(HX711.make(), *portions) == counts


@given(
    st.lists(st.tuples(*[st.floats(-300, 300)] * 3), min_size=1, max_size=8),
    st.binary(max_size=12),
    st.data(),
)
def test_packets_of_the_ft300_are_found_among_garbage_in_any_portions(
    forces: list[tuple[float, float, float]], garbage: bytes, data: st.DataObject
) -> None:
    stream = b"".join(ft300.packet(f, (0.1, -0.2, 0.3)) + garbage for f in forces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    portions = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    read = values(ft300.Ft300Decoder("fy"), *portions)
    assert read == pytest.approx([f[1] for f in forces], abs=0.0051)


def test_damaged_packet_makes_no_sample() -> None:
    good = ft300.packet((1.0, 2.0, 3.0), (0.0, 0.0, 0.0))
    for at in range(len(good)):
        damaged = good[:at] + bytes([good[at] ^ 0x04]) + good[at + 1 :]
        decoder = ft300.Ft300Decoder("fz")
        assert values(decoder, damaged, good) == [3.0]
        assert decoder.unread > 0


def test_start_of_the_ft300_has_a_valid_crc() -> None:
    assert ft300.modbus_crc(ft300.START[:-2]).to_bytes(2, "little") == ft300.START[-2:]


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_ten_thousand_random_streams_raise_nothing_and_tell_finite_numbers(fmt: object) -> None:
    rng, alphabet = (
        np.random.default_rng(5),
        np.frombuffer(b"0123456789,,--..\r\n\n \tFgN=L \x20\x4e\xff", np.uint8),
    )
    decoder = fmt.make()  # type: ignore[attr-defined]
    for k in range(10_000):
        size = int(rng.integers(1, 60))
        noise = rng.integers(0, 256, size, dtype=np.uint8) if k % 2 else rng.choice(alphabet, size)
        samples = decoder.feed(noise.tobytes())
        assert all(np.isfinite(sample.value) for sample in samples)
        assert len(decoder.puzzling) < 100


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("hx712", {}, r"format 'hx712' is not known: choose one of hx711, .*ft300"),
        ("pattern", {"pattern": "(?P<value"}, r"pattern .*no regular expression .*an example is"),
        ("pattern", {"pattern": "[0-9]+"}, r"pattern .*names no group 'value'"),
        ("ft300", {"axis": "x"}, r"axis 'x' is not known: choose one of fx, fy, fz"),
    ],
)
def test_unusable_format_is_refused_with_what_is_allowed(name: str, more: dict[str, str], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        force_format(name, **more)  # type: ignore[arg-type]


def test_column_counts_from_one() -> None:
    assert values(LineDecoder(column_pattern(1)), b"\n4 5 6\n") == [4]
    assert values(LineDecoder(column_pattern(3)), b"\n4; 5; 6\n7 8\n") == [6]
