from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hardware.emulated_force import BANNER, EmulatedForce
from hardware.force_formats import HX711
from hardware.stop import LinePedal
from robot.clock import ManualClock
from support import arduino

COUNTS = [84_000, -84_000, 0, -1, 8_388_607, -8_388_608, *range(-50_000, 50_000, 2_500)]


@pytest.fixture(scope="module")
def hx711(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return arduino.compiled("steadyhand_hx711", tmp_path_factory.mktemp("hx711"))


def test_sketch_writes_what_the_decoder_reads(hx711: Path) -> None:
    text, baud = arduino.said(hx711, "hx711", *map(str, COUNTS))
    assert baud == f"baud {HX711.baud}\n"
    samples = HX711.make().feed(text)
    assert [sample.value for sample in samples] == COUNTS
    stamps = np.array([sample.device_s for sample in samples])
    assert np.diff(stamps) == pytest.approx(0.0125, abs=0.0011)


def test_sketch_without_an_hx711_says_so_in_lines_that_are_no_samples(hx711: Path) -> None:
    text, _ = arduino.said(hx711, "hx711")
    assert b"# no sample from the HX711: check DT" in text
    assert HX711.make().feed(text) == []


def values(text: bytes) -> list[bytes]:
    """What stands behind the comma of each sample, the end of its line included."""
    lines = text.splitlines(keepends=True)
    return [line.split(b",")[1] for line in lines if not line.startswith(b"#")]


def test_emulated_sensor_writes_what_the_sketch_writes(hx711: Path) -> None:
    clock = ManualClock()
    device = EmulatedForce(lambda: 0.5, clock, delay_s=0.0)
    clock.sleep_until(0.5)
    emulated = device.due()
    decoder = HX711.make()
    counts = [str(int(sample.value)) for sample in decoder.feed(emulated)]
    real, _ = arduino.said(hx711, "hx711", *counts)
    assert emulated.startswith(BANNER)
    assert real.startswith(BANNER)
    assert values(real) == values(emulated)


def test_pedal_sketch_says_up_at_rest_and_down_while_somebody_treads(tmp_path: Path) -> None:
    program = arduino.compiled("steadyhand_pedal", tmp_path)
    text, baud = arduino.said(program, "pedal", "300", "700")
    assert baud == "baud 9600\n"
    lines = text.split()
    assert set(lines[:5]) == {b"up"}
    assert set(lines[8:12]) == {b"down"}
    assert lines[-1] == b"up"
    assert 15 < len(lines) < 25


def test_pedal_reads_what_its_sketch_writes(tmp_path: Path) -> None:
    program = arduino.compiled("steadyhand_pedal", tmp_path)

    class Port:
        name, waiting = "pedal", b""

        def read_waiting(self) -> bytes:
            came, self.waiting = self.waiting, b""
            return came

    port = Port()
    pedal = LinePedal(port, ManualClock())  # type: ignore[arg-type]
    port.waiting = arduino.said(program, "pedal")[0]
    pedal.start()
    port.waiting = arduino.said(program, "pedal")[0]
    assert pedal.asks() == ""
    port.waiting = arduino.said(program, "pedal", "300", "310")[0]
    assert pedal.asks() == "pedal", "a tread of ten milliseconds"
