"""The stream of a Robotiq FT300: packets of 16 bytes, a hundred a second.

`20 4E`, then Fx, Fy, Fz (newtons x 100) and Mx, My, Mz (newton metres x 1000) as little-endian 16-bit numbers, then a
Modbus CRC of what is before it. Writing 0x0200 into register 410 of slave 9 starts it, a row of 0xFF ends it (the
maker's manual and example program).
"""

from __future__ import annotations

import struct

from hardware.force_lines import RawSample
from robot.errors import BadInputError

BAUD = 19200
AXES = ("fx", "fy", "fz")
START = bytes.fromhex("09 10 01 9A 00 01 02 02 00 CD CA")
STARTED = bytes.fromhex("09 10 01 9A 00 01")  # how the sensor's answer to that begins
STOP = b"\xff" * 50
_HEAD = b"\x20\x4e"
_SIZE = 16
_PER_N, _PER_NM = 100.0, 1000.0
_KEPT = 24


def modbus_crc(data: bytes) -> int:
    """CRC-16 of Modbus: polynomial 0xA001 reflected, from 0xFFFF (Modbus over serial line, 6.2.2)."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc


def packet(forces_n: tuple[float, float, float], torques_nm: tuple[float, float, float]) -> bytes:
    """One packet, each number held to what 16 bits can tell."""
    numbers = [f * _PER_N for f in forces_n] + [m * _PER_NM for m in torques_nm]
    held = [max(-32768, min(32767, round(number))) for number in numbers]
    body = _HEAD + struct.pack("<6h", *held)
    return body + modbus_crc(body).to_bytes(2, "little")


class Ft300Decoder:
    """Implements `hardware.force_lines.Decoder` for one axis, in newtons."""

    def __init__(self, axis: str) -> None:
        if axis not in AXES:
            raise BadInputError(f"axis {axis!r} is not known: choose one of {', '.join(AXES)}")
        self._at = 2 + 2 * AXES.index(axis)
        self.unread, self.puzzling = 0, b""
        self.reset()

    def reset(self) -> None:
        """Forget the packet begun."""
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[RawSample]:
        """The samples of the packets that these bytes complete; a wrong CRC makes none."""
        self._buffer += data
        samples: list[RawSample] = []
        while self._seek() and len(self._buffer) >= _SIZE:
            whole = bytes(self._buffer[:_SIZE])
            if modbus_crc(whole[:-2]) == int.from_bytes(whole[-2:], "little"):
                (number,) = struct.unpack_from("<h", whole, self._at)
                samples.append(RawSample(number / _PER_N))
                del self._buffer[:_SIZE]
            else:
                self._pass_over(1)
        return samples

    def _seek(self) -> bool:
        """Pass over what comes before the next head; whether there is one."""
        at = self._buffer.find(_HEAD)
        if at < 0:  # a head's first byte may be the last that has come
            at = len(self._buffer) - self._buffer.endswith(_HEAD[:1])
        if at > 0:
            self._pass_over(at)
        return self._buffer.startswith(_HEAD)

    def _pass_over(self, count: int) -> None:
        self.unread += count
        self.puzzling = bytes(self._buffer[: min(count, _KEPT)])
        del self._buffer[:count]
