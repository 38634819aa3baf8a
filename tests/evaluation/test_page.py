"""The page: every study drawn, nothing loaded from elsewhere, readable on a desk and on a telephone."""

from __future__ import annotations

import re
from typing import Any

import pytest

import browsing
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.answers import BEYOND, CHANCE, RIGHT
from sfumato.evaluation.studies.tokens import CHANGE, NDD, PSEUDO, SIMILARITY
from sfumato.metrics.estimates import Estimate, nothing

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
FACTS = {
    "release": {"name": "<safe>.jsonl", "records": 240, "sha256": "a" * 64},
    "original": {"name": "records.jsonl", "records": 241},
    "missing": 2, "strays": 1, "version": "0", "seed": 5,
}  # fmt: skip


def estimate(value: float) -> Estimate:
    return Estimate(value, max(0.0, value - 0.03), min(1.0, value + 0.03), 200)


def studies() -> list[Study]:
    rates = [("bm25", "merged", "first", 3), ("bm25", "merged", "random", 3), ("bm25", "merged", "last", 3),
             *(("bm25", "merged", "random", k) for k in (1, 2, 4, 5)), ("bm25", "majority", "random", 3)]  # fmt: skip
    figures = [
        Figure("linkage rate", estimate(0.2 * k), {"linker": linker, "query": query, "knowledge": kind, "k": k})
        for linker, query, kind, k in rates
    ]
    figures += [Figure("claims not supported", estimate(0.3)), Figure("claims' words not found", estimate(0.7))]
    histogram = {f"{n / 10:.1f}": float(n) for n in range(10)}
    found = {"worst": {"<id>": 0.01}, "distances": histogram}
    people = [
        Figure(name, estimate(0.7), {"field": "age", "role": "target", "classifier": "tfidf", "attacker": attacker})
        for attacker in ("on originals", "static", "adaptive")
        for name in ("accuracy", "advantage over the most common label")
    ]
    divergence = [Figure(name, estimate(0.4)) for name in (NDD, SIMILARITY)]
    divergence += [Figure(PSEUDO, Estimate(25.0, 20.0, 31.0, 90), {"of": of}) for of in ("originals", "release")]
    divergence += [Figure(CHANGE, Estimate(-3.5, -4.0, -3.0, 90))]
    answered = [Figure(RIGHT, estimate(0.6), {"of": of, "by": "m"}) for of in ("nothing", "originals", "release")]
    answered += [
        Figure(BEYOND, Estimate(0.1, -0.1, 0.3, 90), {"of": "release", "by": "m"}),
        Figure(CHANCE, estimate(0.25)),
    ]
    return [
        Study("linkage", figures, [Skipped("something", "a reason <b>")], found),
        Study("tokens", [Figure("masked words guessed", estimate(0.2), {"of": "release"})]),
        Study("attributes", people),
        Study("utility", [Figure("BLEU", estimate(1.0)), Figure("ROUGE-L", nothing())]),
        Study("divergence", divergence, facts={"records without a kept word": 4}),
        Study("answers", answered),
    ]


def page_of(*given: Study) -> str:
    from sfumato.report.page import page

    return page(given, FACTS)


@pytest.fixture(scope="module")
def whole_page() -> str:
    """The page of all studies, which takes a while to draw."""
    return page_of(*studies())


def test_the_page_holds_every_study_and_escapes_what_it_shows(whole_page: str) -> None:
    page = whole_page
    assert page.count("<figure><figcaption>") == page.count("</svg></figure>") == 10
    assert "By m, the release adds +0.10 (-0.10 to +0.30) to what nothing gives." in page
    assert "false sense" in page
    assert "&lt;safe&gt;.jsonl" in page
    assert "a reason &lt;b&gt;" in page
    assert "<id>" not in page
    assert "2 originals have no released record" in page
    assert "changes by -3.5 (-4.0 to -3.0)" in page
    assert "In 4 of the records no word was kept" in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)  # nothing is loaded
    assert "<script" not in page


def test_a_page_without_studies_and_one_that_measured_nothing() -> None:
    assert "<svg" not in page_of()
    left = [Skipped("linkage", "the release holds no records")]
    assert page_of(Study("linkage", skipped=left)).count("no records") == 1
    assert page_of(Study("linkage", skipped=left * 2), Study("tokens", skipped=left)).count("no records") == 1


def test_the_gap_is_marked_only_where_there_is_one() -> None:
    from sfumato.report import plots

    assert "false sense" in plots.gap(estimate(0.7), estimate(0.3))
    assert "false sense" not in plots.gap(estimate(0.3), estimate(0.7))


def test_a_browser_draws_it_without_complaint(browser: Any, whole_page: str) -> None:
    with browsing.opened(browser, whole_page) as (page, events):
        for look in browsing.looks(page):
            widths = page.eval_on_selector_all("figure svg", "all => all.map(svg => Math.round(svg.clientWidth))")
            assert len(widths) == whole_page.count("<figure><figcaption>")
            assert min(widths) >= 300, look  # wide enough for its letters
            assert browsing.overflow(page) == 0, look  # nothing has to be scrolled sideways
            assert browsing.faint(page) == [], look
        assert events == []


def test_the_headline_draws_nothing(monkeypatch: Any) -> None:
    from sfumato.report import plots
    from sfumato.report.page import headline

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a plot was drawn")

    lines = headline(studies())
    assert any("finds that person's record" in line for line in lines)
    monkeypatch.setattr(plots, "_drawn", refuse)
    assert headline(studies()) == lines
    with pytest.raises(AssertionError, match="a plot was drawn"):
        page_of(*studies())
