"""What a browser sees of a page: it fetches nothing, fits every window, can be read in light and dark, and prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import browsing
from report_verdicts import FACTS, HOSTILE, studies, verdict
from sfumato.report.page import page

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
A4 = (595, 842)
_HEADINGS = "[...document.querySelectorAll('h1, h2, h3, h4')].map(one => [Number(one.tagName[1]), one.textContent])"
_HIDDEN = "[...document.querySelectorAll('details > :not(summary)')].filter(one => !one.checkVisibility()).length"
_CUT = "[...document.querySelectorAll('figure')].filter(f => getComputedStyle(f).breakInside !== 'avoid').length"
_UNNAMED = """[...document.querySelectorAll('svg')].filter(svg => svg.getAttribute('aria-hidden') !== 'true' &&
  (svg.getAttribute('role') !== 'img' || !svg.querySelector('title')?.textContent.trim()
   || !svg.querySelector('text')?.textContent.trim())).length"""
_IDS = """[[...document.querySelectorAll('[id]')].map(one => one.id),
  [...document.querySelectorAll('[aria-labelledby]')].map(one => one.getAttribute('aria-labelledby'))]"""


@cache
def judged() -> str:
    return page(studies(), FACTS, {"r1Ana": ("before", "after")}, verdict())


@cache
def unjudged() -> str:
    return page(studies(), FACTS, {"r1Ana": ("before", "after")})


@pytest.mark.parametrize("whole", [judged, unjudged])
def test_it_fits_every_window_and_can_be_read(browser: Any, whole: Callable[[], str]) -> None:
    with browsing.opened(browser, whole()) as (seen, events):
        for look in browsing.looks(seen):
            assert browsing.overflow(seen) == 0, look
            assert browsing.faint(seen) == [], look
            assert browsing.overflow(seen) == 0, look  # with everything opened
        assert events == []


def test_what_does_not_fit_or_cannot_be_read_is_seen(browser: Any) -> None:
    with browsing.opened(browser, '<meta name="viewport"><p style="width: 500px">x', 360) as (seen, _):
        assert browsing.overflow(seen) > 0
    with browsing.opened(browser, judged().replace("--quiet: #4b5868", "--quiet: #9aa6b4"), 360) as (_, complaints):
        assert any("Content Security Policy" in line for line in complaints)  # another style is not applied at all
    for ground, color, clear in (("#fff", "#999", "#555"), ("#17202a", "#4b5868", "#ccc")):
        text = f'<body style="background: {ground}"><p style="color: {color}">x</p><b style="color: {clear}">y</b>'
        with browsing.opened(browser, text) as (seen, _):
            assert [where for _, where in browsing.faint(seen)] == ["P.null"]
    drawn = '<svg><text x="5" y="20" style="fill: #aaa">z</text></svg>'
    with browsing.opened(browser, drawn) as (seen, _):
        assert len(browsing.faint(seen)) == 1


def test_nothing_is_fetched_even_if_something_asks_for_it(browser: Any) -> None:
    asking = '<img src="/other.png"><script>fetch("/told")</script>'
    with browsing.opened(browser, asking) as (seen, events):
        seen.wait_for_timeout(200)
        assert {event.rsplit("/", 1)[-1] for event in events} >= {"other.png", "told"}
    with browsing.opened(browser, judged().replace("</body>", f"{asking}</body>")) as (seen, events):
        seen.wait_for_timeout(200)
        assert not [event for event in events if event.startswith("http")]
        assert len([event for event in events if "Content Security Policy" in event]) >= 2


def test_it_prints_on_a4_with_everything_open_and_nothing_cut(browser: Any) -> None:
    with browsing.opened(browser, judged(), dark=True) as (seen, _):
        assert set(browsing.sheets(seen)) == {A4}
        assert seen.evaluate(_HIDDEN) > 0
        seen.emulate_media(media="print")
        assert seen.evaluate(_HIDDEN) == 0
        assert seen.evaluate(_CUT) == 0
        assert browsing.faint(seen) == []
        assert seen.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert not seen.is_visible("nav")


def test_a_page_that_prints_badly_is_seen(browser: Any) -> None:
    text = "<style>@page { size: A5 }</style><details><p>x</details><figure>y</figure>"
    with browsing.opened(browser, text) as (seen, _):
        assert set(browsing.sheets(seen)) != {A4}
        seen.emulate_media(media="print")
        assert seen.evaluate(_HIDDEN) == 1
        assert seen.evaluate(_CUT) == 1


def test_the_verdict_is_the_first_heading_and_a_screen_reader_finds_its_way(browser: Any) -> None:
    with browsing.opened(browser, judged()) as (seen, _):
        headings = seen.evaluate(_HEADINGS)
        assert headings[0] == [1, verdict().title]
        levels = [level for level, _ in headings]
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert [seen.locator(mark).count() for mark in ("main", "nav[aria-label]", "html[lang=en]")] == [1, 1, 1]
        ids, labels = seen.evaluate(_IDS)
        assert len(ids) == len(set(ids))
        assert set(labels) <= set(ids)
        assert seen.evaluate(_UNNAMED) == 0
        seen.keyboard.press("Tab")
        assert seen.evaluate("document.activeElement.className") == "skip"
        assert seen.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    with browsing.opened(browser, "<svg role='img'><title>x</title></svg><svg><text>y</text></svg>") as (seen, _):
        assert seen.evaluate(_UNNAMED) == 2


def test_names_without_end_do_not_widen_it(browser: Any) -> None:
    long = "x" * 300
    facts = {**FACTS, "release": {**FACTS["release"], "name": long}}  # type: ignore[dict-item]
    texts = {f"r1{long}": (long, long)}
    for opening in (verdict(long), None):
        with browsing.opened(browser, page(studies(long), facts, texts, opening)) as (seen, _):
            for look in browsing.looks(seen):
                seen.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
                assert browsing.overflow(seen) == 0, look


def test_hostile_names_are_text(browser: Any) -> None:
    texts = {f"r1{HOSTILE}": (f"before {HOSTILE}", f"after {HOSTILE}")}
    facts = {**FACTS, "release": {**FACTS["release"], "name": HOSTILE}}  # type: ignore[dict-item]
    for whole in (page(studies(HOSTILE), facts, texts, verdict(HOSTILE)), page(studies(HOSTILE), facts, texts)):
        assert "<img" not in whole
        with browsing.opened(browser, whole) as (seen, events):
            assert seen.locator("img").count() == 0
            assert HOSTILE in seen.title()
            assert events == []
