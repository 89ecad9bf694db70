"""Ten thousand streams of nonsense into each decoder: no error but ours, no hang, no number made up."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType

import pytest

from hardware import dynamixel, feetech
from hardware.bus import ServoError
from hardware.dynamixel_bus import DynamixelBus
from hardware.emulated_bus import Answer
from hardware.feetech_bus import FeetechBus
from hardware.packet_bus import PacketBus
from hardware.packets import Codec, Status
from hardware.tables import STS3215, XM430
from hardware.wire import Wire
from robot.clock import ManualClock
from support.wires import MemoryWire, emulated

STREAMS = 10_000
BUS_STREAMS = 1_500  # each is asked for three times
CODECS: dict[str, tuple[Codec, Callable[[Status], bytes]]] = {
    "dynamixel": (dynamixel.DynamixelCodec(), lambda s: dynamixel.encode_status(s.servo, s.error, s.data)),
    "feetech": (feetech.FeetechCodec(), lambda s: feetech.encode(s.servo, s.error, s.data)),
}
BUSES: dict[str, tuple[Callable[[Wire], PacketBus], int]] = {
    "dynamixel": (DynamixelBus, XM430),
    "feetech": (FeetechBus, STS3215),
}


def nonsense(rng: random.Random, packets: list[bytes]) -> bytes:
    """Bytes by chance, many of them headers, and packets cut, doubled and spoilt."""
    parts = []
    for _ in range(rng.randint(1, 6)):
        kind = rng.randrange(4)
        if kind == 0:
            parts.append(rng.randbytes(rng.randint(0, 40)))
        elif kind == 1:
            parts.append(
                bytes(rng.choice(b"\xff\xff\xff\xfd\x00\x01\x55\xfe") for _ in range(rng.randint(1, 30)))
            )
        else:
            packet = bytearray(rng.choice(packets))
            for _ in range(rng.randint(0, 3)):
                packet[rng.randrange(len(packet))] = rng.randrange(256)
            start = rng.choice([0, 0, rng.randrange(len(packet))])
            parts.append(bytes(packet[start : rng.choice([len(packet), rng.randint(start, len(packet))])]))
    return b"".join(parts)


@pytest.mark.parametrize("protocol", CODECS)
def test_a_decoder_ends_and_keeps_no_more_than_one_stream(protocol: str) -> None:
    codec, encode = CODECS[protocol]
    rng = random.Random(1)
    packets = [encode(Status(n, rng.choice([0, 0x80]), rng.randbytes(n))) for n in range(1, 12)]
    for _ in range(STREAMS):
        stream = nonsense(rng, packets)
        decoder = codec.decoder(12, rng.choice(packets))
        at = rng.randint(0, len(stream))
        came = decoder.feed(stream[:at]) + decoder.feed(stream[at:]) + decoder.finish()
        assert decoder.waiting == 0
        assert sum(len(encode(status)) for status in came) <= len(stream)


@pytest.mark.parametrize("protocol", [dynamixel, feetech])
def test_what_servos_hear_of_nonsense_ends_too(protocol: ModuleType) -> None:
    rng = random.Random(5)
    packets = [protocol.encode(n, n, rng.randbytes(n)) for n in range(1, 12)]
    for _ in range(STREAMS):
        stream = nonsense(rng, packets)
        told, rest = protocol.instructions(stream)
        assert sum(len(protocol.encode(it.servo, it.code, it.params)) for it in told) + len(rest) <= len(
            stream
        )
        assert stream.endswith(rest)


@pytest.mark.parametrize("protocol", CODECS)
def test_a_whole_answer_is_found_behind_any_nonsense(protocol: str) -> None:
    codec, encode = CODECS[protocol]
    rng = random.Random(2)
    packets = [encode(Status(n, 0, rng.randbytes(4))) for n in range(1, 8)]
    found = 0
    for _ in range(1000):
        status = Status(9, 0, rng.randbytes(4))
        decoder = codec.decoder(12, b"")
        came = decoder.feed(nonsense(rng, packets) + encode(status)) + decoder.finish()
        found += status in came

    assert found == 1000


@pytest.mark.parametrize("protocol", BUSES)
def test_a_bus_that_hears_nonsense_says_whose_answer_is_missing(protocol: str) -> None:
    kind, _ = BUSES[protocol]
    _, encode = CODECS[protocol]
    rng = random.Random(3)
    packets = [encode(Status(n, 0, rng.randbytes(n))) for n in range(1, 12) if n not in (2, 4)]
    for _ in range(BUS_STREAMS):
        wire = MemoryWire(lambda _: [Answer(1, nonsense(rng, packets))], ManualClock())
        bus = kind(wire)
        replies = bus.sync_read([2, 4], 100, 3)
        for servo, reply in replies.items():
            assert (reply.data is None) == (f"servo {servo} " in str(reply.problem))
        with pytest.raises(ServoError, match="servo 2 "):
            bus.read(2, 100, 3)


@pytest.mark.parametrize("protocol", BUSES)
def test_emulated_servos_survive_nonsense(protocol: str) -> None:
    _, model = BUSES[protocol]
    codec, _ = CODECS[protocol]
    rng = random.Random(4)
    told = [
        codec.ping(1),
        codec.read(1, 100, 4),
        codec.write(2, 60, bytes(6)),
        codec.sync_read([1, 2, 3], 40, 20),
        codec.sync_write(64, {1: b"\x01", 2: b"\x00"}),
    ]
    clock = ManualClock()
    bus = emulated(model, clock)
    for _ in range(2000):
        bus.answer(nonsense(rng, told))
        clock.sleep_until(clock.now_s() + 0.01)
