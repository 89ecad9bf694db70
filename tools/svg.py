"""A line drawing as SVG: boxes, lines, arrows, words and dimensions, y down. For the pictures in docs."""

from __future__ import annotations

from html import escape
from pathlib import Path

STYLE = """text{font:12px sans-serif;fill:#222}.small{font-size:10px;fill:#555}.head{font-weight:bold}
.box{fill:#f4f1ea;stroke:#333;stroke-width:1.2}.solid{fill:#d9d2c3;stroke:#333;stroke-width:0.8}
.line{stroke:#333;stroke-width:1.4;fill:none}.thin{stroke:#888;stroke-width:0.7;fill:none}
.power{stroke:#b03020;stroke-width:2.2;fill:none}.data{stroke:#2060a0;stroke-width:2.2;fill:none}"""


class Drawing:
    """What is drawn, in the order of drawing."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._parts: list[str] = []
        self._size, self._title = (width, height), title

    def rect(self, x: float, y: float, width: float, height: float, kind: str = "box") -> None:
        """A box."""
        self._parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str = "box") -> None:
        """A circle."""
        self._parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')

    def path(self, points: list[tuple[float, float]], kind: str = "line") -> None:
        """A line through points."""
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline class="{kind}" points="{joined}"/>')

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Words on a line."""
        self._parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words, quote=False)}</text>'
        )

    def block(self, x: float, y: float, width: float, height: float, head: str, *lines: str) -> None:
        """A box with a heading and lines below it."""
        self.rect(x, y, width, height)
        self.text(x + 8, y + 17, head, "head")
        for k, line in enumerate(lines):
            self.text(x + 8, y + 34 + 14 * k, line, "small")

    def across(self, x0: float, x1: float, y: float, words: str) -> None:
        """A dimension along x, its words above the middle."""
        self.path([(x0, y), (x1, y)], "thin")
        for x in (x0, x1):
            self.path([(x, y - 4), (x, y + 4)], "thin")
        self.text((x0 + x1) / 2, y - 4, words, "small", "middle")

    def up(self, y0: float, y1: float, x: float, words: str) -> None:
        """A dimension along y, its words to the right of the middle."""
        self.path([(x, y0), (x, y1)], "thin")
        for y in (y0, y1):
            self.path([(x - 4, y), (x + 4, y)], "thin")
        self.text(x + 5, (y0 + y1) / 2 + 4, words, "small")

    def write(self, path: Path) -> None:
        """Write the file."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
            f"<title>{escape(self._title)}</title><style>{STYLE}</style>"
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>'
        )
        path.write_text("\n".join([head, *self._parts, "</svg>", ""]), encoding="utf-8")
