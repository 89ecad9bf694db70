"""A device behind a pseudo-terminal: its name, its link, its pace, its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.bus import BusError
from hardware.emulated_bus import Answer
from hardware.pseudo_terminal import PseudoTerminal
from hardware.transport import Port
from robot.errors import DeviceError


def echo(data: bytes) -> Iterator[Answer]:
    yield Answer(1, data)


def test_a_device_answers_under_its_name_and_its_link(tmp_path: Path) -> None:
    link = tmp_path / "arm"
    with PseudoTerminal(echo, link) as terminal:
        for name in (terminal.path, str(link)):
            with Port(name) as port:
                port.write(b"hello")
                assert port.read(5, port.now_s() + 5) == b"hello"
    assert not link.is_symlink()


def test_a_device_that_hung_up_comes_back_under_another_name_and_the_same_link(tmp_path: Path) -> None:
    link = tmp_path / "arm"
    terminal = PseudoTerminal(echo, link)
    terminal.start()
    port = Port(str(link))
    port.open()
    terminal.close()
    with pytest.raises(BusError, match="hung up"):
        port.write(b"x")
    port.close()
    old, other = terminal.path, PseudoTerminal(echo)
    other.start()  # takes the name that became free
    terminal.start()
    assert terminal.path != old
    with port:
        port.write(b"again")
        assert port.read(5, port.now_s() + 5) == b"again"
    terminal.close()
    terminal.close()
    other.close()


def test_at_a_baud_rate_bytes_take_their_time() -> None:
    with PseudoTerminal(echo, baud=9600) as terminal, Port(terminal.path) as port:
        begun_s = port.now_s()
        port.write(bytes(24))
        assert port.read(24, begun_s + 5) == bytes(24)
        assert port.now_s() - begun_s >= 48 * 10 / 9600


def test_bytes_that_nobody_reads_are_lost_and_the_device_lives_on() -> None:
    def flood(_: bytes) -> Iterator[Answer]:
        yield from (Answer(1, bytes(4000)) for _ in range(50))

    with PseudoTerminal(flood) as terminal, Port(terminal.path) as port:
        port.write(b"x")
        while port.read(4000, port.now_s() + 0.05):
            pass
        port.write(b"x")
        assert port.read(1, port.now_s() + 5) == b"\x00"


def test_a_device_that_breaks_says_so_at_its_end() -> None:
    def broken(_: bytes) -> Iterator[Answer]:
        raise ZeroDivisionError("a bug")
        yield

    terminal = PseudoTerminal(broken)
    terminal.start()
    with Port(terminal.path) as port:
        port.write(b"x")
        port.read(1, port.now_s() + 0.1)
    with pytest.raises(DeviceError, match=r"emulated device at .*ended: ZeroDivisionError\('a bug'\)"):
        terminal.close()
