"""A GRBL controller in joint mode that is not there, with the habits that a driver has to bear; for tests.

Pure: what the host wrote goes in by `take`, what the controller says by now comes out of `due`, on the time of the
clock handed in. Acknowledgements come when a line is queued, reports are put between them, an error is repeated until
an empty line, a reset in motion loses its place.
"""

from __future__ import annotations

import re
from collections import deque

import numpy as np

from hardware.grbl import ROOM
from robot.frames import Array
from robot.ports import Clock

_LETTERS = "XYZABC"
_BLOCKS = 15
_BANNER = b"\r\nGrbl 1.1f ['$' for help]\r\n"
_DECEL_S = 0.6  # a feed hold takes its time
_REPORT_S = 0.03


class EmulatedGrbl:
    """The controller's end of the wire.

    Args:
        clock: Whose time it runs on.
        locked: Whether it wants homing first.

    Attributes:
        at_deg: Where its joints are (6,).
        lost: Whether it has lost its place.
        overrun: Bytes that came when there was no room for them.
        deaf: Whether it has ceased to answer.
    """

    def __init__(self, clock: Clock, *, locked: bool = False) -> None:
        self._clock = clock
        self.at_deg, self.lost, self.overrun, self.deaf = np.zeros(len(_LETTERS)), False, 0, False
        self.lines: list[str] = []
        self._alarm = locked
        self._error = 0
        self._rest = bytearray()
        self._moves: deque[tuple[Array, float]] = deque()
        self._out: deque[tuple[float, bytes]] = deque([(clock.now_s(), _BANNER)])
        self._then_s = clock.now_s()
        self._held_s: float | None = None

    def take(self, data: bytes) -> None:
        """What the host wrote; real-time bytes are heard before what is queued."""
        self._go_on()
        for byte in data:
            if byte in b"?!\x18~":
                self._real_time(byte)
            elif len(self._rest) >= ROOM:
                self.overrun += 1
            else:
                self._rest.append(byte)

    def due(self) -> bytes:
        """What it says until now that was not said yet."""
        self._go_on()
        now_s, said = self._clock.now_s(), bytearray()
        while self._out and self._out[0][0] <= now_s + 1e-9:
            said += self._out.popleft()[1]
        return b"" if self.deaf else bytes(said)

    @property
    def state(self) -> str:
        """What a report calls what it is doing."""
        if self._alarm:
            return "Alarm"
        if self._held_s is not None:
            return "Hold:0" if self._stood() else "Hold:1"
        return "Run" if self._moves else "Idle"

    def _real_time(self, byte: int) -> None:
        now_s = self._clock.now_s()
        if byte == ord("?"):
            angles = ",".join(f"{a:.3f}" for a in (*self.at_deg[3:], 0.0, *self.at_deg[:3]))
            text = f"<{self.state},Angle(ABCDXYZ):{angles},Pump PWM:0,Valve PWM:0,Motion_MODE:1>\r\n"
            self._out.append((now_s + _REPORT_S, text.encode()))
        elif byte == ord("!") and self._held_s is None and self._moves:
            self._held_s = now_s
        elif byte == ord("~"):
            self._held_s = None
        elif byte == 0x18:
            self._reset()

    def _reset(self) -> None:
        in_motion = bool(self._moves) and not (self._held_s is not None and self._stood())
        self._moves.clear()
        self._rest.clear()
        self._held_s, self._error = None, 0
        now_s = self._clock.now_s()
        if in_motion:
            self._alarm = self.lost = True
            self._out.append((now_s, b"ALARM:3\r\n"))
        self._out.append((now_s, _BANNER))

    def _go_on(self) -> None:
        """Move for the time that has passed, then take lines for which there is room."""
        now_s = self._clock.now_s()
        self._travel(now_s - self._then_s if not self._stood() else 0.0)
        self._then_s = now_s
        while b"\n" in self._rest and len(self._moves) < _BLOCKS:
            line, _, rest = bytes(self._rest).partition(b"\n")
            self._rest = bytearray(rest)
            self._say(self._done(line.decode("latin-1").strip()))

    def _stood(self) -> bool:
        return self._held_s is not None and self._clock.now_s() - self._held_s >= _DECEL_S

    def _travel(self, left_s: float) -> None:
        while left_s > 1e-9 and self._moves:
            goal, deg_s = self._moves[0]
            way = goal - self.at_deg
            needs_s = float(np.linalg.norm(way)) / deg_s
            if needs_s <= left_s:
                self.at_deg = goal
                self._moves.popleft()
            else:
                self.at_deg = self.at_deg + way * left_s / needs_s
            left_s -= needs_s

    def _say(self, text: str) -> None:
        self._out.append((self._clock.now_s(), text.encode() + b"\r\n"))

    def _done(self, line: str) -> str:
        self.lines.append(line)
        if line == "":
            self._error = 0
            return "ok"
        if line == "$X":
            self._alarm = False
            return "ok"
        if line.upper() == "$H":
            self._alarm = self.lost = False
            self.at_deg = np.zeros(len(_LETTERS))
            return "ok"
        if self._alarm:
            return "error:9"
        if self._error == 0 and not re.fullmatch(
            r"(M21|M3 ?S\d+|G90|G94|G1( [XYZABC]-?[\d.]+)+ F[\d.]+)", line
        ):
            self._error = 20
        if self._error:
            return f"error:{self._error}"
        if line.startswith("G1"):
            self._queue(line)
        return "ok"

    def _queue(self, line: str) -> None:
        goal = (self._moves[-1][0] if self._moves else self.at_deg).copy()
        for letter, number in re.findall(r"([XYZABC])(-?[\d.]+)", line):
            goal[_LETTERS.index(letter)] = float(number)
        self._moves.append((goal, float(re.findall(r"F([\d.]+)", line)[0]) / 60.0))
