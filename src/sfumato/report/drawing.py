"""The SVG text that matplotlib writes, made part of a page: its colours, its font, and a title for screen readers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from html import escape

from sfumato.metrics.estimates import Estimate

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
    head, _, rest = picture.partition(">")
    return _safe(f"{head}><title>{_written(title)}</title>{rest}")


def _written(text: str) -> str:
    """Return ``text`` for a page, with a sign in place of what no page can hold."""
    return escape(re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]", "\ufffd", text))


def _safe(text: str) -> str:
    from markupsafe import Markup

    return Markup(text)


def in_words(names: Sequence[object], estimates: Sequence[Estimate]) -> str:
    """Return the figures of a picture, for readers who do not see it."""
    return "; ".join(
        f"{name}: {estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"
        for name, estimate in zip(names, estimates, strict=True)
    )
