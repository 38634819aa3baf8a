"""What a page says first: each limit in words and on a scale, then advice; nothing private that was not asked for."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache

import pytest

from report_verdicts import FACTS, share, studies, verdict
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.canaries import CHANCE, EXPOSURE
from sfumato.evaluation.studies.guarantee import PERMITTED
from sfumato.evaluation.studies.membership import AREA, HITS
from sfumato.metrics.estimates import Estimate
from sfumato.report.page import advice, headline, judged, page
from sfumato.report.verdict import Limit, Verdict, limit_rows

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")


@cache
def usual() -> str:
    return page(studies(), FACTS, verdict=verdict())


@cache
def accepted() -> str:
    return page(studies(), FACTS, verdict=Verdict("Accepted", True))


def test_each_limit_is_told_in_words_and_drawn() -> None:
    whole = usual()
    titles = re.findall(r'<title id="limit-\d">([^<]*)</title>', whole)
    assert titles == [
        "People found Ana: at most 5 %; measured: 12 % (9 to 16 %) of 240; does not hold.",
        "Codes kept: at least 80 %; measured: 86 % (82 to 90 %) of 240; holds.",
        "Names left: at most 0.5 %; measured: 0 % (0 to 0.3 %) of 912; holds.",
        "Attributes inferred: at most 20 %; measured: not measured; does not hold.",
    ]
    assert re.findall(r'class="word">([^<]*)<', whole) == ["does not hold", "holds", "holds", "does not hold"]
    assert re.findall(r'<li class="(holds|fails)">', whole) == ["fails", "holds", "holds", "fails"]
    assert whole.count('class="point"') == 3


def test_the_scale_runs_from_edge_to_edge_and_marks_what_is_allowed() -> None:
    def row(value: float, limit: float, is_floor: bool) -> dict[str, object]:
        [drawn] = limit_rows([Limit("x", "y", limit, is_floor, share(value, value, value), True)])
        return drawn

    assert [row(value, 0.5, False)["value"] for value in (0.0, 0.25, 1.0, 1.7)] == [2, 26, 98, 98]
    most, least = row(0.1, 0.5, False), row(0.1, 0.5, True)
    assert (most["allowed"], most["allowed_width"]) == (2, 48)
    assert (least["allowed"], least["allowed_width"]) == (50, 48)
    [unknown] = limit_rows([Limit("x", "y", 0.5, False, Estimate(math.nan, math.nan, math.nan, 0), False)])
    assert unknown["value"] is None


def test_the_order_is_verdict_advice_kinds_records_notes_evidence() -> None:
    whole = usual()
    parts = ["By what people are found", "The records that are found again", "What has to be said of it"]
    expected = [verdict().title, "What to do about it", *parts, "<h2>The evidence</h2>\n<section"]
    places = [whole.index(title, whole.index("<body>")) for title in expected]
    assert places == sorted(places)
    assert "Treat these kinds of facts" not in whole  # the verdict's own advice, and no other
    bare = accepted()
    assert not [title for title in expected[1:5] if title in bare]
    assert 'class="card holds"' in bare


def test_texts_and_ids_are_shown_only_if_they_are_given() -> None:
    texts = {"r1Ana": ("the private original", "the release")}
    shown = page(studies(), FACTS, texts, verdict())
    assert "the private original" in shown
    assert "This page shows private text" in shown
    assert "the private original" not in usual()
    assert "shows private text" not in usual()
    assert "Only the owner" not in accepted()


def test_a_study_judges_only_against_a_public_threshold() -> None:
    def linkage(low: float, **facts: int) -> Study:
        rate = Figure("linkage rate", share(low + 0.05, low, low + 0.1), {"k": 3})
        return Study("linkage", [rate], facts=facts)

    def attributes(low: float, high: float) -> Study:
        how = {"role": "target", "field": "age", "attacker": "static"}
        right = [
            Figure("accuracy", share(0.5, 0.4, 0.6), {**how, "attacker": who}) for who in ("static", "on originals")
        ]
        above = Figure("advantage over the most common label", share(0.5 * (low + high), low, high), how)
        return Study("attributes", [*right, above])

    def only(study: Study) -> bool | None:
        [said] = judged([study])
        return said.holds

    assert only(linkage(0.1, candidates=240)) is False
    assert only(linkage(0.1, candidates=5)) is None
    assert only(linkage(0.1)) is None
    assert only(attributes(0.01, 0.2)) is False
    assert only(attributes(-0.1, 0.2)) is None
    assert only(attributes(-0.2, -0.1)) is True
    assert advice([linkage(0.1, candidates=240)])
    assert not advice([linkage(0.1, candidates=5)])
    assert advice([attributes(0.01, 0.2)])
    assert not advice([attributes(-0.2, -0.1)])


def test_without_a_verdict_the_judgements_of_the_studies_open_the_page() -> None:
    whole = page(studies(), FACTS)
    start, end = whole.index('<div class="opening">'), whole.index('id="evidence"')
    opening = whole[start:end]
    assert (
        opening.index("What does not hold") < opening.index("What to know first") < opening.index("What to do about")
    )
    assert "Treat these kinds of facts more strictly" in opening
    assert "What holds" not in opening
    assert 'class="card fails"' in opening
    assert all(isinstance(line, str) for line in headline(studies()))
    assert 'class="card plain"' in page([], FACTS)


def test_membership_and_canaries_are_bad_news_unless_chance_explains_them() -> None:
    def members(interval: str, hits: float) -> list[bool | None]:
        area = Figure(AREA, share(0.6, 0.55, 0.65), {"score": "loss", "interval": interval})
        told = Figure(HITS, share(hits + 0.05, hits, hits + 0.1), {"score": "loss"})
        return [said.holds for said in judged([Study("membership", [area, told])])]

    def canaries(chance: float) -> list[bool | None]:
        how = {"score": "loss", "among": 1000, CHANCE: chance}
        return [said.holds for said in judged([Study("canaries", [Figure(EXPOSURE, share(3, 2, 4), how)])])]

    assert members("without 0", 0.2) == [False, False]
    assert members("contains 0", 0.0) == [None]
    assert canaries(0.001) == [False]
    assert canaries(0.6) == [None]


def test_a_guarantee_that_permits_nearly_everything_is_bad_news() -> None:
    def permitted(value: float) -> list[Study]:
        return [Study("guarantee", [Figure(PERMITTED, share(value, value, value), {"vocabulary": "AGE"})])]

    assert [said.holds for said in judged(permitted(0.995))] == [False]
    assert advice(permitted(0.995))
    assert not judged(permitted(0.5))
    assert not advice(permitted(0.5))


def test_training_is_bad_news_if_the_whole_difference_discloses() -> None:
    def told(low: float, high: float, private: str | None) -> bool | None:
        how = {"people": "members minus held-out", "interval": "x"}
        figure = Figure("linkage rate", share(0.5 * (low + high), low, high), how, private)
        [said] = judged([Study("copies", [figure])])
        return said.holds

    assert told(0.1, 0.2, "low") is False
    assert told(-0.2, -0.1, "low") is None
    assert told(-0.2, -0.1, "high") is False
    assert told(-0.1, 0.2, "low") is None
    assert told(0.1, 0.2, None) is None


def test_a_list_that_is_cut_says_of_how_many() -> None:
    part = replace(verdict(), whom="Whom it holds.", found=1234)
    cut, whole = (page([], FACTS, verdict=told) for told in (part, replace(part, found=2)))
    assert "2 of 1,234 texts by id, the surest first" in cut
    assert "Whom it holds. Only the owner" in cut
    assert "<summary>2 texts by id" in whole
