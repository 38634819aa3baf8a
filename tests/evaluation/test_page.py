"""The page: every study drawn, nothing loaded from elsewhere, readable on a desk and on a telephone."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import escape
from pathlib import Path
from typing import Any

import pytest

from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.divergence import CHANGE, NDD, PSEUDO, SIMILARITY
from sfumato.metrics.estimates import Estimate, nothing

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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
    return [
        Study("linkage", figures, [Skipped("something", "a reason <b>")], found),
        Study("tokens", [Figure("masked words guessed", estimate(0.2), {"of": "release"})]),
        Study("attributes", people),
        Study("utility", [Figure("BLEU", estimate(1.0)), Figure("ROUGE-L", nothing())]),
        Study("divergence", divergence, facts={"records without a kept word": 4}),
    ]


def page_of(*given: Study) -> str:
    from sfumato.report.page import page

    return page(given, FACTS)


def test_the_page_holds_every_study_and_escapes_what_it_shows() -> None:
    page = page_of(*studies())
    assert page.count("<svg") == 9
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


def browsed(page: Path, width: int, *more: str) -> subprocess.CompletedProcess[bytes]:
    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    options = ["--headless", "--no-sandbox", *quiet, f"--window-size={width},3000", "--enable-logging=stderr"]
    command: list[Any] = [BROWSER, *options, f"--user-data-dir={page.parent / 'profile'}", *more, page.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True)


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_draws_it_without_complaint(tmp_path: Path, width: int) -> None:
    place = tmp_path / "report.html"
    sizes = "document.documentElement.scrollWidth, window.innerWidth"
    drawn = "...[...document.querySelectorAll('figure svg')].map(one => Math.round(one.clientWidth))"
    told = f"<script>console.log(['SIZES', {sizes}, {drawn}].join(' '))</script>"
    page = page_of(*studies()).replace("</body>", f"{told}</body>")
    # a frame, because no window of a browser is as narrow as a telephone
    frame = f'<iframe srcdoc="{escape(page)}" style="border: 0; width: {width}px; height: 3000px"></iframe>'
    place.write_text(f'<!doctype html><body style="margin: 0">{frame}</body>', encoding="utf-8")
    ran = browsed(place, 1280, "--hide-scrollbars", f"--screenshot={tmp_path / 'page.png'}")
    said = [line for line in ran.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
    assert len(said) == 1, said  # the sizes, and no complaint
    whole, there, *widths = (int(number) for number in re.findall(r"SIZES ([\d ]+)", said[0])[0].split())
    assert there == width
    assert len(widths) == 9
    assert min(widths) >= 300  # wide enough for its letters
    assert whole <= width  # nothing has to be scrolled sideways
    assert (tmp_path / "page.png").stat().st_size > 20_000


def test_the_headline_draws_nothing(monkeypatch: Any) -> None:
    from sfumato.report import plots
    from sfumato.report.page import headline

    def refuse(*_: Any) -> None:
        raise AssertionError("a plot was drawn")

    lines = headline(studies())
    assert any("finds that person's record" in line for line in lines)
    monkeypatch.setattr(plots, "_drawn", refuse)
    assert headline(studies()) == lines
    with pytest.raises(AssertionError, match="a plot was drawn"):
        page_of(*studies())
