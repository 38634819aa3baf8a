"""The plots of a report, as SVG text: small enough for a telephone, clear without explanation.

The SVG text that matplotlib writes is made part of a page: its colours, its font, and a title for screen readers.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from sfumato.errors import MissingExtraError
from sfumato.metrics.estimates import Estimate
from sfumato.report.labels import Label, write_labels

_SIZE = (3.8, 2.7)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 40  # characters of a name
BLUE, ORANGE, GREY, RED, RULE = "#4a86c5", "#cf7138", "#7e8b9b", "#cc5a50", "#d3dae3"
INK = "#17212d"
LINES = ("#0063a3", "#b34700", "#00734f", "#a6336d", "#7a5c00", "#2a7596", "#5b3a8e", "#7a4b2a")
_VARIABLES = {
    BLUE: "blue", ORANGE: "orange", GREY: "grey", RED: "red", RULE: "rule",
    **{color: f"line-{number}" for number, color in enumerate(LINES, 1)},
}  # fmt: skip
_COLORS = {
    **{color: f"var(--{name}, {color})" for color, name in _VARIABLES.items()}, INK: "currentColor",
    "#000000": "currentColor",
}  # fmt: skip
_TAG = re.compile(r"<[^>]*>")  # letters of a name are between tags, and stay as they are
_ROOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
    'fill="currentColor" stroke-linejoin="round" stroke-linecap="butt" '
)


@contextmanager
def _drawn(pictures: list[str], height: float = _SIZE[1], says: str = "", width: float = _SIZE[0]) -> Iterator[Any]:
    """Yield axes to draw in; the picture is then appended to ``pictures``. ``says`` are its figures in words."""
    try:
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("The report needs matplotlib; type: pip install 'sfumato[evaluate]'") from None
    look: Any = {
        "svg.fonttype": "none", "font.size": 9.2, "font.family": "sans-serif", "svg.hashsalt": "sfumato",
        "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",  # those of the page
        "text.parse_math": False, "text.usetex": False,  # names of fields are names, even with signs in them
    }  # fmt: skip
    with matplotlib.rc_context(look), warnings.catch_warnings():
        # The reader's own fonts are used, which may have signs that the fonts here lack.
        warnings.filterwarnings("ignore", "Glyph|Matplotlib currently does not support", UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        yield axes
        stream = io.StringIO()
        canvas.print_svg(stream, metadata={"Date": None, "Creator": None})  # savefig would draw it twice
    pictures.append(themed(stream.getvalue(), says))


def _named(name: str) -> str:
    """Return ``name`` as a plot can hold it: short, and without signs that are read as something else."""
    name = _UNPRINTABLE.sub("\ufffd", name)
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return f"\u200b{name}" if name.startswith("_") else name  # a legend leaves out what begins with "_"


def _rows(axes: Any, names: Sequence[str], left: float = 0.0) -> None:
    """Write each name above its row, the first at the top: a long one then takes no room from the bars."""
    for row, name in enumerate(reversed(names)):
        axes.text(left, row + 0.26, _named(name), va="bottom")
    axes.set(yticks=[], ylim=(-0.4, len(names) - 0.35))
    axes.spines["left"].set_visible(False)


def bars(names: Sequence[str], estimates: Sequence[Estimate], color: str = BLUE, line: float | None = None,
         line_name: str = "", most: float = 1.0) -> str:  # fmt: skip
    """Return horizontal bars with their intervals and numbers; a dashed line at ``line``."""
    pictures: list[str] = []
    with _drawn(
        pictures, 0.5 + 0.5 * len(names) + (0.25 if line is not None else 0), in_words(names, estimates)
    ) as axes:
        for row, estimate in enumerate(reversed(estimates)):
            axes.barh(row, estimate.value, color=color, height=0.42)
            axes.plot([estimate.low, estimate.high], [row, row], color=INK, linewidth=1.6, solid_capstyle="butt")
            axes.text(max(estimate.high, estimate.value) + 0.015 * most, row, f"{estimate.value:.2f}", va="center")
        if line is not None:
            axes.axvline(line, color=GREY, linestyle="--", linewidth=1.2, label=_named(line_name))
            axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        _rows(axes, names)
        axes.set(xlim=(0, 1.15 * most))
    return pictures[0]


def signed(names: Sequence[str], estimates: Sequence[Estimate]) -> str:
    """Return points with their intervals on both sides of a line at 0."""
    pictures: list[str] = []
    most = max(0.2, *(abs(edge) for estimate in estimates for edge in (estimate.low, estimate.high, estimate.value)))
    with _drawn(pictures, 0.5 + 0.5 * len(names), in_words(names, estimates)) as axes:
        axes.axvline(0, color=GREY, linestyle="--", linewidth=1.2)
        for row, estimate in enumerate(reversed(estimates)):
            axes.plot([estimate.low, estimate.high], [row, row], color=INK, linewidth=1.6, solid_capstyle="butt")
            axes.plot(estimate.value, row, "o", color=BLUE)
            axes.text(1.4 * most, row, f"{estimate.value:+.2f}", va="center", ha="right")
        _rows(axes, names, -1.1 * most)
        axes.set(xlim=(-1.1 * most, 1.4 * most))
    return pictures[0]


def curve(places: Sequence[float], estimates: Sequence[Estimate], x: str, y: str, chance: float | None = None) -> str:
    """Return a line with its band of intervals, from 0 to 1; a dashed line at ``chance``."""
    pictures: list[str] = []
    with _drawn(pictures, says=in_words([f"{place:g} {x}" for place in places], estimates)) as axes:
        axes.fill_between(
            places,
            [estimate.low for estimate in estimates],
            [estimate.high for estimate in estimates],
            color=BLUE,
            alpha=0.2,
        )
        axes.plot(places, [estimate.value for estimate in estimates], color=BLUE, marker="o")
        for position, estimate in zip(places, estimates, strict=True):
            axes.annotate(
                f"{estimate.value:.2f}", (position, estimate.value), (0, -14), textcoords="offset points", ha="center"
            )
        axes.margins(x=0.09)
        if chance is not None:
            axes.axhline(chance, color=GREY, linestyle="--", linewidth=1.2, label="guessing")
            axes.legend(frameon=False)
        axes.set(xlabel=_named(x), ylabel=_named(y), ylim=(-0.05, 1.08), xticks=list(places))
    return pictures[0]


def gap(lexical: Estimate, semantic: Estimate) -> str:
    """Return lexical and semantic distance; their difference, if the lexical one is larger, is a false sense of
    privacy.
    """
    pictures: list[str] = []
    marked = lexical.value > semantic.value + 0.005
    with _drawn(pictures, 2.1 if marked else 1.7, in_words(("by words", "by meaning"), (lexical, semantic))) as axes:
        for row, (estimate, color, name) in enumerate(
            ((semantic, ORANGE, "by meaning"), (lexical, BLUE, "by words"))
        ):
            axes.barh(row, estimate.value, color=color, height=0.5)
            axes.plot([estimate.low, estimate.high], [row, row], color=INK, linewidth=1.4)
            axes.text(max(estimate.high, estimate.value) + 0.015, row, f"{estimate.value:.2f}", va="center")
            axes.text(0, row + 0.3, name, va="bottom")
        if marked:
            axes.axvspan(semantic.value, lexical.value, color=RED, alpha=0.12)
            middle = (semantic.value + lexical.value) / 2
            axes.text(middle, -0.55, "false sense\nof privacy", ha="center", va="top", clip_on=False)
        axes.spines["left"].set_visible(False)
        bottom = -0.9 if marked else -0.4
        axes.set(yticks=[], xlim=(0, 1.15), ylim=(bottom, 1.65), xlabel="distance (1 = private)")
    return pictures[0]


def histogram(edges: Sequence[float], counts: Sequence[float], x: str, y: str) -> str:
    """Return bars of equal width, each from its edge on."""
    pictures: list[str] = []
    width = edges[1] - edges[0] if len(edges) > 1 else 1.0
    says = "; ".join(f"{x} from {edge:g}: {count:,.0f} {y}" for edge, count in zip(edges, counts, strict=True))
    with _drawn(pictures, says=says) as axes:
        axes.bar(edges, counts, width=0.92 * width, align="edge", color=BLUE)
        axes.set(xlabel=_named(x), ylabel=_named(y), xlim=(edges[0], edges[-1] + width))
    return pictures[0]


class Spot(NamedTuple):
    """A release in a plot of two measures, each with its interval; a spot that is among the ``best`` is ringed."""

    x: Estimate
    y: Estimate
    label: str
    best: bool = False


_MARKS = "osD^vP*X"


def frontier(lines: Sequence[tuple[str, Sequence[Spot]]], corners: Sequence[Spot], x: str, y: str) -> str:
    """Return a line for each method through its spots; the best ones ringed; ``corners`` in black, by their names."""
    pictures: list[str] = []
    says = "; ".join(_spoken(name, spot) for name, spots in [*lines, ("", corners)] for spot in spots)
    with _drawn(pictures, 3.5 + 0.2 * ((len(lines) + 2) // 2), says, width=4.6) as axes:
        axes.axhline(1, color=RULE, zorder=0)
        axes.axvline(1, color=RULE, zorder=0)
        labels, ways = [_label(spot, INK) for spot in corners], _intervals(corners)
        for number, (name, spots) in enumerate(lines):
            color, mark = LINES[number % len(LINES)], _MARKS[(number + number // len(LINES)) % len(_MARKS)]
            _spots(axes, spots, color, mark, name)
            labels += [_label(spot, color) for spot in spots]
            ways += [*_intervals(spots), *((_center(a), _center(b)) for a, b in pairwise(spots))]
        _spots(axes, corners, INK, "s", "", line=False)
        best = [spot for _, spots in lines for spot in spots if spot.best]
        if best:
            best_values = [spot.x.value for spot in best], [spot.y.value for spot in best]
            axes.plot(*best_values, "o", ms=13, mfc="none", mec=RED, mew=1.3, label="not beaten in both")
        low = min((spot.x.value for _, spots in [*lines, ("", corners)] for spot in spots), default=0.0)
        axes.set(xlabel=_named(x), ylabel=_named(y), ylim=(-0.12, 1.12), xlim=(min(low, 0.85) - 0.08, 1.06))
        if lines:
            axes.figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8.5)
        write_labels(axes, labels, ways)
    return pictures[0]


def _spoken(name: str, spot: Spot) -> str:
    """Return a spot in words: its method, its label if that is another, and both values."""
    called = " ".join(dict.fromkeys(filter(None, (name, spot.label))))
    return f"{called}: {spot.x.value:.2f} and {spot.y.value:.2f}{', not beaten in both' if spot.best else ''}"


def _center(spot: Spot) -> tuple[float, float]:
    return spot.x.value, spot.y.value


def _label(spot: Spot, color: str) -> Label:
    return Label(_named(spot.label), *_center(spot), color, spot.best)


def _intervals(spots: Sequence[Spot]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the lines of the intervals."""
    across = [((spot.x.low, spot.y.value), (spot.x.high, spot.y.value)) for spot in spots]
    return [*across, *(((spot.x.value, spot.y.low), (spot.x.value, spot.y.high)) for spot in spots)]


def _spots(axes: Any, spots: Sequence[Spot], color: str, mark: str, name: str, line: bool = True) -> None:
    xs, ys = [spot.x.value for spot in spots], [spot.y.value for spot in spots]
    axes.hlines(
        ys, [spot.x.low for spot in spots], [spot.x.high for spot in spots], color=color, linewidth=1, alpha=0.45
    )
    axes.vlines(
        xs, [spot.y.low for spot in spots], [spot.y.high for spot in spots], color=color, linewidth=1, alpha=0.45
    )
    label = _named(name) if name else None
    axes.plot(xs, ys, color=color, marker=mark, ms=5, linewidth=1.3 if line else 0, label=label)


def themed(picture: str, says: str = "") -> str:
    """Return ``picture`` in the colours and the font of the page around it; ``says`` are its figures in words.

    Styles become attributes, so that a page can forbid inline styles, and names of parts are of this picture alone.
    """
    picture = picture[picture.index("<svg") :]
    picture = re.sub(r"\s*<metadata>.*?</metadata>|\s*<style.*?</style>", "", picture, flags=re.DOTALL)
    sizes = re.search(r"viewBox=\"[^\"]*\"", picture)
    body = picture[picture.index(">") + 1 :].strip()
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', "".join(_TAG.findall(body))))
    own = hashlib.sha256(body.encode()).hexdigest()[:8]

    def changed(tag: re.Match[str]) -> str:
        text = re.sub(r'style="([^"]*)"', _attributes, tag[0])
        text = re.sub(r' id="([^"]*)"', lambda named: f' id="p{own}{named[1]}"' if named[1] in used else "", text)
        return re.sub(r'(href="#|url\(#)', rf"\g<1>p{own}", text)

    described = f"<desc>{_written(says)}</desc>" if says else ""
    return f"{_ROOT}{sizes[0] if sizes else ''}>{described}{_TAG.sub(changed, body)}"


def _attributes(style: re.Match[str]) -> str:
    pairs = [pair.partition(":") for pair in style[1].split(";") if pair.strip()]
    kept = [(name.strip(), value.strip()) for name, _, value in pairs if name.strip() != "font-family"]
    return " ".join(f'{name}="{_COLORS.get(value, value)}"' for name, value in kept)


def titled(picture: str, title: str) -> str:
    """Return ``picture`` with its ``title``, which a screen reader reads."""
    from markupsafe import Markup

    head, _, rest = picture.partition(">")
    return Markup(f"{head}><title>{_written(title)}</title>{rest}")


def _written(text: str) -> str:
    """Return ``text`` for a page, with a sign in place of what no page can hold."""
    return escape(re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]", "\ufffd", text))


def in_words(names: Sequence[object], estimates: Sequence[Estimate]) -> str:
    """Return the figures of a picture, for readers who do not see it."""
    return "; ".join(
        f"{name}: {estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"
        for name, estimate in zip(names, estimates, strict=True)
    )
