"""Pictures in a page: letters stay letters, colours are the page's, and no name of a part is that of another."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from sfumato.metrics.estimates import Estimate
from sfumato.report import plots
from sfumato.report.plots import themed, titled

pytest.importorskip("matplotlib")
HALF = Estimate(0.5, 0.4, 0.6, 9)
TRICK = 'style="fill: #4a86c5" id="a" <b> href="#x"'
SPOT = plots.Spot(HALF, HALF, "4", True)
PICTURES: dict[str, Callable[[], str]] = {
    "bars": lambda: plots.bars(["a", TRICK], [HALF, HALF], line=0.2, line_name="guess"),
    "signed": lambda: plots.signed(["a", TRICK], [HALF, HALF]),
    "curve": lambda: plots.curve([1, 2], [HALF, HALF], "k", "share", 0.1),
    "gap": lambda: plots.gap(HALF, Estimate(0.2, 0.1, 0.3, 9)),
    "histogram": lambda: plots.histogram([0.0, 0.5], [3.0, 4.0], "distance", "records"),
    "frontier": lambda: plots.frontier([("one", [SPOT])], [plots.Spot(HALF, HALF, "identity")], "x", "y"),
}


@cache
def drawn(name: str) -> str:
    """Return a picture, which is drawn once, and not while tests are collected."""
    return PICTURES[name]()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_text_in_the_colours_of_its_page(name: str) -> None:
    picture = drawn(name)
    tags = "".join(re.findall(r"<[^>]*>", picture))
    assert "<text" in tags
    assert "style" not in tags  # a page forbids inline styles
    assert "font-family" not in tags
    fixed = re.sub(r"var\(--[\w-]+, #\w{6}\)", "", tags)
    assert not re.findall(r'"#[0-9a-f]{6}"', fixed)  # every colour is a variable, or that of the text
    assert "<desc>" in picture
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', tags))
    assert used == set(re.findall(r' id="([^"]*)"', tags))


def test_names_are_shown_as_they_are() -> None:
    shown = [re.findall(r"<text[^>]*>([^<]*)</text>", picture) for picture in map(drawn, ("bars", "signed"))]
    assert all('style="fill: #4a86c5" id="a" &lt;b&gt; href="' in " ".join(texts) for texts in shown)
    assert "&lt;b&gt;" in drawn("bars").split("</desc>")[0]


def test_a_picture_with_styles_or_fixed_colours_is_changed() -> None:
    group = '<g id="a" style="fill: #4a86c5; font-family: X"/>'
    raw = f'<svg viewBox="0 0 1 1"><style>*{{}}</style>{group}<use href="#a"/></svg>'
    made = themed(raw, "a: 1 <b>")
    assert "style" not in made
    assert "font-family" not in made
    assert 'fill="var(--blue, #4a86c5)"' in made
    assert "<desc>a: 1 &lt;b&gt;</desc>" in made
    [name] = re.findall(r' id="([^"]*)"', made)
    assert f'href="#{name}"' in made
    assert name != "a"


def test_pictures_on_one_page_share_no_names() -> None:
    names = [set(re.findall(r'<[^>]* id="([^"]*)"', picture)) for picture in map(drawn, PICTURES)]
    assert sum(map(len, names)) == len(set().union(*names)) > 0


def test_a_title_is_read_first_and_escaped() -> None:
    made = str(titled(drawn("bars"), "<b> & more"))
    assert re.match(r'<svg [^>]*role="img"[^>]*><title>&lt;b&gt; &amp; more</title><desc>', made)
