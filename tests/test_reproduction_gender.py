"""Gender from reviews: what the script of the DP-MLM paper's Tables 3 and 4 tells of its figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import gender_page
    import reproduction_gender
finally:
    sys.path.remove(BENCHMARKS)


def test_reviews_are_by_women_and_men_in_turns_and_a_file_without_fields_is_refused(tmp_path: Path) -> None:
    (tmp_path / "trustpilot").mkdir()
    path = tmp_path / "trustpilot" / "english_train.csv"
    lines = [f"{'word ' * (8 + number)}end,{'FM'[number % 2]}" for number in range(8)]
    path.write_text("\n".join(["text,gender", *lines]), encoding="utf-8")
    some = reproduction_gender.reviews(4, tmp_path)
    assert [person["gender"] for person in some] == ["F", "M", "F", "M"]
    assert all(len(person["text"].split()) >= 10 for person in some)
    path.write_text("text,age\nabc,4\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no fields text and gender"):
        reproduction_gender.reviews(4, tmp_path)


def test_every_budget_of_the_papers_tables_has_a_row() -> None:
    rows = {(arm.name, arm.epsilon) for arm in reproduction_gender.arms()}
    assert set(gender_page.PAPER) - {("originals", 0.0)} <= rows


def test_gains_of_reviews_are_counted_by_their_intervals() -> None:
    own = {column: [0.5, 0.4, 0.6] for column in gender_page.MEASURES}
    figures = {
        "cosine": 0.5,
        "embeddings": own | {"gain static": [0.1, 0.05, 0.2], "gain adaptive": [-0.1, -0.2, -0.05]},
    }
    rows = [("originals", 0.0, figures), ("dp-mlm", 10.0, figures), ("santext", 4.0, figures)]
    told = gender_page.verdict(rows, "embeddings")
    assert told.startswith("Of 4 relative gains by embeddings, 2 have an interval above 0 and 2 one below")
    assert "lies in 1 of the 2 intervals" in told
    assert "97.3 / 50.0 (40.0 to 60.0)" in gender_page.tabulated(rows, "embeddings")
