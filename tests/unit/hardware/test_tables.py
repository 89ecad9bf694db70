"""Control tables, and values in and out of bytes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.registers import TWOS_COMPLEMENT, Register
from hardware.tables import STS3215, TABLES, XL330, XL430, XM430, table_of
from robot.errors import BadInputError, DeviceError

MODELS = sorted(TABLES)


@pytest.mark.parametrize("model", MODELS)
def test_registers_do_not_overlap(model: int) -> None:
    ends = 0
    for register in sorted(table_of(model).registers.values(), key=lambda register: register.address):
        assert register.address >= ends, register.name
        ends = register.end


@pytest.mark.parametrize("model", MODELS)
def test_a_factory_value_and_every_limit_fit_their_register(model: int) -> None:
    for register in table_of(model).registers.values():
        for count in (register.initial, register.low, register.high):
            assert register.decode(register.encode(count)) == count, register.name


@given(st.integers(1, 4), st.data())
def test_twos_complement_and_plain_numbers_round_trip(size: int, data: st.DataObject) -> None:
    signed = Register("a", 0, size, TWOS_COMPLEMENT)
    count = data.draw(st.integers(-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1))
    assert signed.decode(signed.encode(count)) == count


@given(st.sampled_from([10, 11, 15]), st.data())
def test_sign_and_magnitude_round_trips(bit: int, data: st.DataObject) -> None:
    register = Register("a", 0, 2, bit)
    count = data.draw(st.integers(-(1 << bit) + 1, (1 << bit) - 1))
    assert register.decode(register.encode(count)) == count


def test_minus_one_of_an_sts_current_is_minus_one() -> None:
    current = table_of(STS3215)["present_current"]
    assert current.decode((32769).to_bytes(2, "little")) == -1
    assert current.encode(-1) == bytes([1, 0x80])


@pytest.mark.parametrize(("sign", "count"), [(None, -1), (None, 256), (TWOS_COMPLEMENT, 128), (7, 128)])
def test_what_does_not_fit_is_refused(sign: int | None, count: int) -> None:
    with pytest.raises(BadInputError, match=f"{count} does not fit"):
        Register("a", 0, 1, sign).encode(count)


def test_too_few_bytes_are_no_number() -> None:
    with pytest.raises(BadInputError, match="3 bytes, it has 4"):
        table_of(XM430)["goal_position"].decode(bytes(3))


def test_counts_are_si_units() -> None:
    table = table_of(XM430)
    assert table["present_current"].unit * -100 == pytest.approx(-0.269)
    assert table["present_velocity"].unit * 100 == pytest.approx(100 * 0.229 * 2 * math.pi / 60)
    assert table["present_position"].unit * 3072 == pytest.approx(1.5 * math.pi)
    assert table["present_position"].to_counts(1.5 * math.pi) == 3072


def test_an_xl430_has_a_load_where_others_have_a_current() -> None:
    table = table_of(XL430)
    assert table["present_load"].address == table_of(XL330)["present_current"].address
    for name in ("present_current", "goal_current", "current_limit"):
        assert name not in table
        with pytest.raises(DeviceError, match=rf"XL430-W250 \(model 1060\) has no register '{name}'"):
            table[name]
    assert 0 not in table.modes
    assert 5 not in table.modes


def test_an_unknown_model_is_told_with_the_known_ones() -> None:
    with pytest.raises(DeviceError, match=r"model 12; known are .*XM430-W350 \(1020\)"):
        table_of(12)
