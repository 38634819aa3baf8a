"""The tables of A False Sense of Privacy: what is counted, what is put beside the paper, and what is not claimed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sfumato.evaluation.results import Figure, Study
from sfumato.metrics.estimates import Estimate

BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import disclosure_tables
    import linkage_cases
    import linkage_tables
    import reproduction
finally:
    sys.path.remove(BENCHMARKS)

NARROW, WIDE = (0.09, 0.11), (0.0, 0.9)


def test_an_order_is_claimed_only_where_the_interval_has_a_sign() -> None:
    low, high = Estimate(0.1, *NARROW, 50), Estimate(0.2, 0.19, 0.21, 50)
    assert linkage_tables.verdict(high, low).startswith("yes (+0.100")
    assert linkage_tables.verdict(low, high).startswith("no, the other way round (-0.100")
    assert linkage_tables.verdict(high, Estimate(0.1, *WIDE, 50)).startswith("not told apart")
    assert linkage_tables.verdict(low, low).startswith("not told apart")


def test_only_rows_of_the_same_kind_are_put_beside_the_paper() -> None:
    assert linkage_tables.beside("MedQA", linkage_cases.CUSTEXT) is None  # the paper's DP rows are synthetic records
    for data, releases in linkage_cases.RELEASES.items():
        unchanged, *others = (linkage_tables.beside(data, release) for release in releases)
        assert unchanged is not None
        assert unchanged.name == "No Sanitization"
        assert {row.name for row in others if row is not None} == {"Azure AI PII tool"}
    assert linkage_tables.pair(None, Estimate(0.5, 0.4, 0.6, 9)) == "– / 0.500 (0.400 to 0.600)"


def test_mauve_is_turned_round_with_its_interval() -> None:
    away = disclosure_tables.away(Estimate(0.9, 0.7, 1.0, 40))
    assert (round(away.value, 9), away.low, round(away.high, 9)) == (0.1, 0.0, 0.3)


def test_leaks_are_counted_and_not_averaged() -> None:
    figures = [
        Figure("claims leaked by category", Estimate(0.75, 0.5, 0.9, 8, "claims"), {"category": "Age"}),
        Figure("leakage by category", Estimate(0.4, 0.3, 0.5, 8, "claims"), {"category": "Age"}),
        Figure("claims leaked by category", Estimate(0.0, 0.0, 0.5, 5, "claims"), {"category": "Pet"}),
    ]
    kept = {"study": Study("linkage", figures).as_json()}
    told = disclosure_tables._leaks({("MedQA", "a release"): kept}, "MedQA")
    assert "| Age | 6 / 8 (50% to 90%) |" in told
    assert "| Pet | 0 / 5 (0% to 50%) |" in told
    assert "| all of these | 6 / 13 |" in told


def test_a_kept_study_without_a_figure_is_one_sentence() -> None:
    with pytest.raises(SystemExit, match="has no figure 'linkage rate'; remove the folder"):
        linkage_tables.of({"study": Study("linkage").as_json()}, "linkage rate")


def test_claims_are_reworded_by_synonyms_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    known: Any = lambda: {"rose": ["grew", "went"], "river": ["stream"]}  # noqa: E731
    monkeypatch.setattr(linkage_cases, "synonyms", known)
    [first, second] = linkage_cases.reworded(["The river rose 3 feet.", "Nobody paid."])
    assert first in ("The stream grew 3 feet.", "The stream went 3 feet.")
    assert second == "Nobody paid."
    assert linkage_cases.reworded(["The river rose 3 feet."]) == [first]


def test_every_section_is_known_to_the_script_that_plays_all() -> None:
    source = (Path(BENCHMARKS) / "reproduction_linkage.py").read_text(encoding="utf-8")
    names = {"linkage", "disclosure", *(f"linkage-{name}" for name in ("linkers", "known"))}
    names |= {f"disclosure-{name}" for name in ("measures", "reworded", "kinds")}
    assert set(reproduction._WRITES.findall(source)) == names
