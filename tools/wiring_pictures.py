"""Write the pictures of docs/wiring-a-real-arm.md: what is plugged into what, and where it stands on the table.

Run from the checkout: `.venv/bin/python tools/wiring_pictures.py`. The table is drawn by the default settings.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from svg import Drawing

sys.path.insert(0, str(Path(__file__).parents[1]))

from robot.mat import PAPERS_M, printed_mat
from sim.viewpoints import default_places
from steadyhand.settings import Settings

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SCALE = 300.0  # units of the table's drawing a metre
MIDDLE = (330.0, 300.0)


def wires() -> Drawing:
    """What is plugged into what: power red, data blue."""
    it = Drawing(760, 430, "Wiring of a real arm")
    it.block(
        20,
        130,
        150,
        120,
        "computer",
        "Linux, Python 3.11",
        "a USB port of its own",
        "for each device,",
        "no hub",
    )
    it.block(270, 20, 190, 62, "USB servo adapter", "U2D2 (Dynamixel, TTL)", "latency timer 1 ms")
    it.block(270, 120, 190, 62, "HX711 on an Arduino", "RATE pin to the supply:", "80 samples a second")
    it.block(270, 220, 190, 62, "stop pedal", "normally closed contact", "RTS to CTS, or a board")
    it.block(270, 320, 190, 62, "three cameras", "fixed focus, on clamps", "left, right, front")
    it.block(
        540,
        20,
        200,
        76,
        "arm: servos 1 to 9",
        "daisy chain from the base up",
        "2-3 and 4-5 are pairs",
        "12 V, 1 Mbit/s",
    )
    it.block(
        540, 140, 200, 62, "load cell in the finger", "500 g or 1 kg, four wires,", "twisted, off the motors'"
    )
    it.block(
        540,
        320,
        200,
        76,
        "12 V supply, 10 A",
        "through a switch within reach:",
        "it cuts the servos' power,",
        "and the arm sinks",
    )
    for k, (x, y) in enumerate(((190, 50), (210, 150), (210, 250), (190, 350))):
        begins = 160 + 25 * k
        it.path([(170, begins), (x, begins), (x, y), (270, y)], "data")
    it.path([(460, 50), (540, 50)], "data")
    it.path([(460, 150), (500, 150), (500, 170), (540, 170)], "data")
    it.path([(720, 320), (720, 260), (750, 260), (750, 60), (740, 60)], "power")
    it.text(540, 250, "power hub of the arm", "small")
    it.text(20, 400, "blue: data (USB, TTL, cell)   red: 12 V; never through the USB adapter", "small")
    return it


def table() -> Drawing:
    """The table from above, by the default settings; x to the right, y up, in millimetres."""
    settings = Settings()
    it = Drawing(760, 600, "The table from above")
    it.text(20, 24, "The table from above, in mm; the world's origin is the middle of the mat", "head")
    width, height = PAPERS_M["a3"]
    _box(it, 0.0, 0.0, height, width, 0.0, "thin")
    mat = printed_mat("a3")
    for x, y in mat.centres_m.values():
        _box(it, x, y, mat.marker_m, mat.marker_m, 0.0, "solid")
    tower = settings.tower
    at = tower.x_mm * 1e-3, tower.y_mm * 1e-3
    _box(it, *at, tower.plinth_width_mm * 1e-3, tower.plinth_width_mm * 1e-3, tower.yaw_deg, "box")
    _box(it, *at, 0.075, 0.075, tower.yaw_deg, "solid")
    base = settings.arm.x_mm * 1e-3, settings.arm.y_mm * 1e-3
    it.circle(*_on_page(*base), 0.06 * SCALE, "box")
    _label(it, base, f"arm's base, {settings.arm.x_mm:g}", (-52, 34))
    plinth = f"{tower.plinth_width_mm:g} wide, {tower.plinth_mm:g} high"
    words = f"tower turned {tower.yaw_deg:g} deg; plinth {plinth}"
    it.text(20, 560, words, "small")
    it.text(20, 576, "mat A3: its printed x points away from the arm", "small")
    for place in default_places():
        x, y, z = place.position_m
        it.circle(*_on_page(x, y), 7, "box")
        it.path([_on_page(x, y), _on_page(0.0, 0.0)], "thin")
        _label(
            it,
            (x, y),
            f"camera {place.name}: {x * 1e3:g}, {y * 1e3:g}, {z * 1e3:g} high",
            (-60, -14 if y >= 0 else 24),
        )
    x0, x1 = _on_page(*base)[0], MIDDLE[0]
    it.across(x0, x1, MIDDLE[1] + 118, f"{abs(settings.arm.x_mm):g}")
    it.text(*_on_page(0.45, -0.5), "the players sit here, or at the front", "small")
    return it


def _on_page(x: float, y: float) -> tuple[float, float]:
    return MIDDLE[0] + SCALE * x, MIDDLE[1] - SCALE * y


def _label(it: Drawing, at: tuple[float, float], words: str, off: tuple[float, float]) -> None:
    x, y = _on_page(*at)
    it.text(x + off[0], y + off[1], words, "small")


def _box(it: Drawing, x: float, y: float, width: float, height: float, deg: float, kind: str) -> None:
    """An upright box seen from above, turned about its middle."""
    c, s = math.cos(math.radians(deg)), math.sin(math.radians(deg))
    corners = [(width / 2 * a, height / 2 * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    points = [_on_page(x + c * u - s * v, y + s * u + c * v) for u, v in corners]
    it.path([*points, points[0]], kind)


if __name__ == "__main__":
    wires().write(FOLDER / "wiring.svg")
    table().write(FOLDER / "table.svg")
