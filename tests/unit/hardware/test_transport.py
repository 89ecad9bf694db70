"""A serial port: opened for one program alone, with deadlines, and its faults told."""

from __future__ import annotations

import os
import time
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hardware.bus import BusError
from hardware.port_names import port_named, ports_there
from hardware.transport import Port


class Far:
    """The other end of a pseudo-terminal."""

    def __init__(self) -> None:
        self.end, self._near = os.openpty()
        tty.setraw(self._near)
        self.path = os.ttyname(self._near)

    def hang_up(self) -> None:
        with suppress(OSError):
            os.close(self.end)
            os.close(self._near)


@pytest.fixture
def far() -> Iterator[Far]:
    far = Far()
    yield far
    far.hang_up()


def test_bytes_go_both_ways(far: Far) -> None:
    with Port(far.path) as port:
        port.write(b"there")
        assert os.read(far.end, 100) == b"there"
        os.write(far.end, b"and back")
        assert port.read(8, port.now_s() + 5) == b"and back"
        os.write(far.end, b"waiting")
        assert port.read(1, port.now_s() + 5) == b"w"
        assert port.read_waiting() == b"aiting"
        assert port.read_waiting() == b""


def test_a_read_ends_at_its_deadline_with_what_came(far: Far) -> None:
    with Port(far.path) as port:
        os.write(far.end, b"ab")
        begun = time.monotonic()
        assert port.read(5, begun + 0.02) == b"ab"
        assert 0.02 <= time.monotonic() - begun < 2


def test_a_packet_that_nobody_takes_is_told_in_time(far: Far) -> None:
    with Port(far.path, write_s=0.05) as port, pytest.raises(BusError, match="did not take a packet"):
        port.write(bytes(1_000_000))


def test_flushed_bytes_are_gone(far: Far) -> None:
    with Port(far.path) as port:
        os.write(far.end, b"old")
        port.flush_input()
        os.write(far.end, b"new")
        assert port.read(3, port.now_s() + 5) == b"new"


def test_a_second_program_is_kept_out_until_the_first_closes(far: Far) -> None:
    with (
        Port(far.path),
        pytest.raises(BusError, match=rf"port '{far.path}' .*another program has it: end that"),
    ):
        Port(far.path).open()
    with Port(far.path) as port:
        port.write(b"mine now")


def test_a_hang_up_is_an_error_that_names_the_port_in_every_call(far: Far) -> None:
    port = Port(far.path)
    port.open()
    far.hang_up()
    for call in (
        lambda: port.read(1, port.now_s() + 1),
        lambda: port.write(b"x"),
        port.read_waiting,
        port.flush_input,
        lambda: port.read(1, port.now_s() + 1),
    ):
        with pytest.raises(BusError, match=rf"port '{far.path}' .*unplugged or has hung up; check its cable"):
            call()
    port.close()
    port.close()
    with pytest.raises(BusError, match="is not open: open it again"):
        port.write(b"x")


def test_a_port_that_is_not_there_is_told_with_those_that_are(tmp_path: Path, far: Far) -> None:
    folder = tmp_path / "by-id"
    folder.mkdir()
    (folder / "usb-U2D2-if00").symlink_to(far.path)
    with pytest.raises(
        BusError, match=r"port 'usb-U2D3' cannot be opened.*there: .*by-id/usb-U2D2-if00\. Plug"
    ):
        Port("usb-U2D3", stable_names=tmp_path).open()


def test_what_is_no_serial_port_and_no_address_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(BusError, match="cannot be opened"):
        Port(str(path)).open()
    with pytest.raises(BusError, match="cannot be opened"):
        Port("nonsense://here").open()


def test_an_address_is_opened_by_its_kind() -> None:
    with Port("loop://") as port:
        port.write(b"round")
        assert port.read(5, port.now_s() + 5) == b"round"
        assert port.latency_ms() is None


def test_a_stable_name_finds_its_port_wherever_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "by-id").mkdir()
    link = tmp_path / "by-id" / "usb-U2D2"
    link.symlink_to("/dev/null")
    assert port_named("usb-U2D2", tmp_path) == str(link)
    assert port_named("/dev/ttyUSB0", tmp_path) == "/dev/ttyUSB0"
    assert port_named("other", tmp_path) == "other"
    assert ports_there(tmp_path) == [str(link)]


def test_a_port_can_be_opened_again_where_its_name_leads_now(tmp_path: Path) -> None:
    (tmp_path / "by-id").mkdir()
    link = tmp_path / "by-id" / "usb-U2D2"
    first, second = Far(), Far()
    link.symlink_to(first.path)
    port = Port("usb-U2D2", stable_names=tmp_path)
    port.open()
    first.hang_up()
    with pytest.raises(BusError):
        port.write(b"x")
    port.close()
    link.unlink()
    link.symlink_to(second.path)
    with port:
        port.write(b"again")
        assert os.read(second.end, 10) == b"again"
    second.hang_up()
