"""The comparison of players as a picture: blocks added by each, against what perfect knowledge could add."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from steadyhand.bench.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".svg", ".png", ".pdf")
_INK = "#1f4e79"


def encoded(summary: Summary, title: str, ending: str) -> bytes:
    """The picture as a file of the format that the ending names."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "steadyhand"}):
        figure = Figure(figsize=(8.0, 1.6 + 0.55 * len(summary.solo)), layout="constrained")
        FigureCanvasAgg(figure)
        _draw(figure.add_subplot(), summary, title)
        out = io.BytesIO()
        dated = {"Date": None} if ending.lower() == ".svg" else None
        figure.savefig(out, format=ending.lower().lstrip("."), metadata=dated)
    return out.getvalue()


def _draw(axes: Axes, summary: Summary, title: str) -> None:
    solos = summary.solo[::-1]  # the first on top
    axes.boxplot(
        [solo.added for solo in solos],
        orientation="horizontal",
        widths=0.5,
        whis=(10, 90),
        showfliers=False,
        medianprops={"color": _INK},
    )
    for place, solo in enumerate(solos, start=1):
        mean, (low, high) = solo.mean
        axes.errorbar(mean, place, xerr=[[mean - low], [high - mean]], fmt="o", color=_INK, capsize=4)
    for limit_n, most in summary.bounds.items():
        axes.axvline(most, color="#999999", linestyle=":")
        axes.text(most, len(solos) + 0.55, f"{limit_n:g} N", ha="center", va="bottom", fontsize=8)
    axes.set_yticks(range(1, len(solos) + 1), [solo.name for solo in solos])
    axes.set_xlabel("blocks added (mean with 95 %, box 25 to 75 %, whiskers 10 to 90 %; dotted: loads known)")
    axes.set_title(title, pad=18)
