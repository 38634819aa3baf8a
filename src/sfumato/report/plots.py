"""The plots of a report, as SVG text: small enough for a telephone, read without explanation."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sfumato.errors import MissingExtraError
from sfumato.metrics.estimates import Estimate

BLUE, ORANGE, GREY, RED = "#2b6cb0", "#c05621", "#718096", "#b7352d"
_SIZE = (4.6, 3.0)


@contextmanager
def _drawn(found: list[str], height: float = _SIZE[1]) -> Iterator[Any]:
    """Axes to draw in; the picture is appended to ``found``."""
    try:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("The report needs matplotlib; type: pip install 'sfumato[evaluate]'") from None
    look: Any = {"svg.fonttype": "none", "font.size": 9.5, "font.family": "sans-serif", "svg.hashsalt": "sfumato"}
    with matplotlib.rc_context(look):
        figure = Figure(figsize=(_SIZE[0], height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        yield axes
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    picture = stream.getvalue()
    found.append(picture[picture.index("<svg") :])


def bars(names: Sequence[str], estimates: Sequence[Estimate], color: str = BLUE, line: float | None = None,
         line_name: str = "", most: float = 1.0) -> str:  # fmt: skip
    """Horizontal bars with their intervals and numbers; a dashed line at ``line``."""
    found: list[str] = []
    with _drawn(found, 0.9 + 0.42 * len(names)) as axes:
        for at, one in enumerate(reversed(estimates)):
            axes.barh(at, one.value, color=color, height=0.62, alpha=0.85)
            axes.plot([one.low, one.high], [at, at], color="#1a202c", linewidth=1.4, solid_capstyle="butt")
            axes.text(max(one.high, one.value) + 0.015 * most, at, f"{one.value:.2f}", va="center")
        if line is not None:
            axes.axvline(line, color=GREY, linestyle="--", linewidth=1.2, label=line_name)
            axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        axes.set(yticks=range(len(names)), yticklabels=list(reversed(names)), xlim=(0, 1.15 * most))
        axes.tick_params(axis="y", length=0)
    return found[0]


def curve(places: Sequence[float], estimates: Sequence[Estimate], x: str, y: str, chance: float | None = None) -> str:
    """A line with its band of intervals, from 0 to 1; a dashed line where chance is."""
    found: list[str] = []
    with _drawn(found) as axes:
        axes.fill_between(
            places, [one.low for one in estimates], [one.high for one in estimates], color=BLUE, alpha=0.2
        )
        axes.plot(places, [one.value for one in estimates], color=BLUE, marker="o")
        for place, one in zip(places, estimates, strict=True):
            axes.annotate(f"{one.value:.2f}", (place, one.value), (0, -14), textcoords="offset points", ha="center")
        if chance is not None:
            axes.axhline(chance, color=GREY, linestyle="--", linewidth=1.2, label="guessing")
            axes.legend(frameon=False)
        axes.set(xlabel=x, ylabel=y, ylim=(-0.05, 1.08), xticks=list(places))
    return found[0]


def gap(lexical: Estimate, semantic: Estimate) -> str:
    """Lexical beside semantic distance; what the lexical one is larger by is a false sense of privacy."""
    found: list[str] = []
    with _drawn(found, 2.2) as axes:
        for at, (one, color, name) in enumerate(((semantic, ORANGE, "by meaning"), (lexical, BLUE, "by words"))):
            axes.barh(at, one.value, color=color, height=0.5, alpha=0.85)
            axes.plot([one.low, one.high], [at, at], color="#1a202c", linewidth=1.4)
            axes.text(max(one.high, one.value) + 0.015, at, f"{one.value:.2f}", va="center")
            axes.text(0.01, at + 0.33, name)
        if lexical.value > semantic.value + 0.005:
            axes.axvspan(semantic.value, lexical.value, color=RED, alpha=0.12)
            middle = (semantic.value + lexical.value) / 2
            axes.text(middle, -0.55, "false sense\nof privacy", ha="center", va="top", color=RED, clip_on=False)
        axes.set(yticks=[], xlim=(0, 1.12), ylim=(-0.9, 1.6), xlabel="distance (1 = private)")
    return found[0]


def histogram(edges: Sequence[float], counts: Sequence[float], x: str, y: str) -> str:
    """Bars of equal width, from each edge on."""
    found: list[str] = []
    width = edges[1] - edges[0] if len(edges) > 1 else 1.0
    with _drawn(found) as axes:
        axes.bar(edges, counts, width=0.92 * width, align="edge", color=BLUE, alpha=0.85)
        axes.set(xlabel=x, ylabel=y, xlim=(edges[0], edges[-1] + width))
    return found[0]
