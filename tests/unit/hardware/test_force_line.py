from __future__ import annotations

import threading
from pathlib import Path

from hardware.force_line import ForceLine
from hardware.transport import Port


class Echo:
    """Sends what it was told, and what a test has it say."""

    def __init__(self) -> None:
        self.told, self.says = b"", b""

    def take(self, data: bytes) -> None:
        self.told += data

    def due(self) -> bytes:
        said, self.says = self.says, b""
        return said


def test_what_is_sent_can_be_read_when_pump_returns() -> None:
    device = Echo()
    line = ForceLine(device)
    with Port(line.path) as port:
        for k in range(500):
            device.says = b"%d,84000\r\n" % k
            line.pump()
            assert port.read_waiting() == b"%d,84000\r\n" % k
    line.close()


def test_what_the_program_writes_reaches_the_device() -> None:
    device = Echo()
    line = ForceLine(device)
    with Port(line.path) as port:
        port.write(b"start")
        for _ in range(1000):
            line.pump()
    line.close()
    assert device.told == b"start"


def test_reader_that_does_not_read_blocks_nothing() -> None:
    device = Echo()
    line = ForceLine(device)
    for _ in range(3000):
        device.says = b"x" * 100
        line.pump()
    line.close()


def test_link_leads_to_the_terminal_while_it_is_there(tmp_path: Path) -> None:
    link = tmp_path / "force"
    link.symlink_to("/nowhere")
    line = ForceLine(Echo(), link)
    assert link.readlink() == Path(line.path)
    line.close()
    line.close()
    assert not link.is_symlink()


def test_it_is_served_in_real_time_until_told_to_end() -> None:
    device, done = Echo(), threading.Event()
    line = ForceLine(device)
    thread = threading.Thread(target=line.serve, args=(done,))
    with Port(line.path) as port:
        thread.start()
        device.says = b"here"
        assert port.read(4, port.now_s() + 5.0) == b"here"
    done.set()
    thread.join()
    line.close()
