"""Who is unique in a population by what a record shows: counted by hand before and after, and never silently safe."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from command_line import call, write_jsonl
from sfumato.abstract.detector import Detector
from sfumato.attacks.population_files import LISTED, read_population
from sfumato.attacks.population_values import ages_of
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.population import (
    ABSENT,
    AFTER,
    BEFORE,
    BELOW,
    CHANCE,
    MEDIAN,
    SHOWN,
    THIN,
    UNIQUE,
    PopulationStudy,
)
from sfumato.report.page import advice, headline, page
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

TABLE = """age,sex,place,count
0-49,m,Leeds,100
50-69,m,Leeds,40
50-69,f,Leeds,200
50-69,m,Gothenburg,60
70-79,f,Gothenburg,10
"""
FACTS = {
    "release": {"name": "out.jsonl", "records": 4, "sha256": "a" * 64},
    "original": {"name": "in.jsonl", "records": 4},
    "missing": 0, "strays": 0, "version": "0", "seed": 0,
}  # fmt: skip
WORDS = {
    "AGE": r"\d\d-year-old|\d0-\d9", "LOCATION": r"Leeds|Gothenburg|Tinyville|England", "PERSON": r"Mabey",
    "DATE": r"3 May 1950|60s", "OCCUPATION": r"nurse",
}  # fmt: skip


@dataclass(frozen=True)
class Plain(Detector):
    """Marks a few words."""

    description = "a few words"
    unprotected = "all others"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        found = [
            sorted((m.start(), m.end(), label) for label, word in WORDS.items() for m in re.finditer(word, text.text))
            for text in documents
        ]
        return [tuple(Span(*each) for each in own) for own in found]


def study(tmp_path: Path, fields: tuple[str, ...] = (), table: str = TABLE, **more: Any) -> PopulationStudy:
    path = tmp_path / "people.csv"
    path.write_text(table, encoding="utf-8")
    return PopulationStudy(read_population(path), fields, detector=Plain(), **more)


def of_fields(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any] | None]) -> Pairs:
    names = [str(number) for number in range(len(before))]
    released = [None if fields is None else "text" for fields in after]
    return Pairs(names, ["text"] * len(before), released, fields=before, released_fields=after)


def of_texts(before: Sequence[str], after: Sequence[str | None], owners: Sequence[int] = ()) -> Pairs:
    fields: list[dict[str, Any]] = [{} for _ in before]
    names = [str(number) for number in range(len(before))]
    return Pairs(names, before, after, fields=fields, released_fields=[{} for _ in before], owners=owners)


def value(result: Study, name: str, side: str) -> float:
    figure = result.figure(name, of=side)
    assert figure is not None
    assert figure.estimate.low <= figure.estimate.value <= figure.estimate.high
    return figure.estimate.value


BEFORE_FIELDS: list[dict[str, Any]] = [
    {"age": "75", "sex": "f", "place": "Gothenburg"},  # 10 women in ten years: 1
    {"age": 60, "sex": "m", "place": "Leeds"},  # 40 men in twenty years: 2
    {"age": 60, "sex": "f", "place": "Leeds"},  # 200 women in twenty years: 10
    {"age": 60, "sex": "f", "place": "Tinyville"},  # not in the table
]
AFTER_FIELDS: list[dict[str, Any] | None] = [
    {"age": "70-79", "sex": "f", "place": "*"},  # 10
    {"sex": "m", "place": "Leeds"},  # 140
    {"age": "[AGE]", "sex": None, "place": "Leeds"},  # 340
    {"place": "England"},  # 340
]


def test_the_figures_are_those_counted_by_hand(tmp_path: Path) -> None:
    result = study(tmp_path, ("age", "sex", "place")).run(of_fields(BEFORE_FIELDS, AFTER_FIELDS))
    found = {
        name: (value(result, name, BEFORE), value(result, name, AFTER)) for name in (UNIQUE, BELOW, ABSENT, MEDIAN)
    }
    assert found == {UNIQUE: (0.5, 0.0), BELOW: (0.75, 0.0), ABSENT: (0.25, 0.0), MEDIAN: (1.5, 240.0)}
    assert value(result, CHANCE, BEFORE) == pytest.approx((1 + 1 / 2 + 1 / 10 + 1) / 4)
    assert value(result, CHANCE, AFTER) == pytest.approx((1 / 10 + 1 / 140 + 2 / 340) / 4)
    assert (result.facts["lowest of original"], result.facts["lowest of release"]) == (0.0, 10.0)


def test_a_value_that_the_table_lacks_counts_as_unique_after_the_draw_too(tmp_path: Path) -> None:
    result = study(tmp_path, ("place",)).run(
        of_fields([{"place": "Leeds"}] * 2, [{"place": "Tinyville"}, {"place": "?!"}])
    )
    assert (value(result, UNIQUE, BEFORE), value(result, UNIQUE, AFTER)) == (0.0, 1.0)
    assert value(result, ABSENT, AFTER) == 1.0
    assert "100 % of people are unique" in headline([result])[0]
    assert "say it more coarsely" in " ".join(advice([result]))
    alone = study(tmp_path, ("place",)).run(of_fields([{"place": "Leeds"}], [{"place": "Tinyville"}]))
    assert "say it more coarsely" not in " ".join(advice([alone]))  # one person proves nothing


def test_a_record_that_is_not_released_counts_nowhere(tmp_path: Path) -> None:
    result = study(tmp_path, ("place",)).run(of_fields([{"place": "Tinyville"}, {"place": "Leeds"}], [None, {}]))
    assert value(result, UNIQUE, BEFORE) == value(result, UNIQUE, AFTER) == 0.0
    figure = result.figure(UNIQUE, of=AFTER)
    assert figure is not None
    assert figure.estimate.n == 1
    assert [left.what for left in result.skipped] == ["population of 1 records"]
    nothing = study(tmp_path, ("place",)).run(of_fields([{"place": "Leeds"}], [None]))
    assert not nothing.figures
    assert nothing.skipped


def test_texts_are_read_as_the_detector_marks_them(tmp_path: Path) -> None:
    before = [
        "Mabey is a 60-year-old man from Leeds.",
        "She is a nurse, in her 60s, born on 3 May 1950, of Tinyville.",
    ]
    after = ["[PERSON] is a 50-59 man from England.", "She is a [OCCUPATION] of [PLACE]."]
    result = study(tmp_path).run(of_texts(before, after))
    assert (value(result, UNIQUE, BEFORE), value(result, UNIQUE, AFTER)) == (0.5, 0.0)
    assert (value(result, MEDIAN, BEFORE), value(result, MEDIAN, AFTER)) == (1.0, 115.0)  # of 2 and 0, of 20 and 210
    left = {
        (figure.setting["attribute"], figure.setting["of"]): figure.setting["counted"]
        for figure in result.named(SHOWN)
    }
    assert left["occupation", BEFORE] == left["PERSON", BEFORE] == left["birth_year", BEFORE] == "no"
    assert left["age", BEFORE] == left["sex", AFTER] == left["place", AFTER] == "yes"
    assert ("PERSON", AFTER) not in left
    told = page([result], FACTS) + " ".join(headline([result]))
    assert "Left out, because the table has no such column" in told
    assert "occupation (0 %)" in told
    assert all(word not in told + json.dumps(result.as_json()) for word in ("Tinyville", "Mabey", "1950"))


def test_all_texts_of_a_person_count_together(tmp_path: Path) -> None:
    texts = ["He lives in Leeds.", "A 60-year-old man.", "She lives in Leeds."]
    alone = study(tmp_path).run(of_texts(texts, texts))
    together = study(tmp_path).run(of_texts(texts, texts, owners=[7, 7, 3]))
    assert alone.facts["lowest of release"] == 5.0  # of 40 and 60 men in twenty years
    assert together.facts["lowest of release"] == 2.0
    figure = together.figure(UNIQUE, of=AFTER)
    assert figure is not None
    assert figure.estimate.n == 2


def test_a_table_with_cells_of_few_people_is_said_to_mean_little(tmp_path: Path) -> None:
    thin = study(tmp_path, ("place",), "place,count\nLeeds,4\nGothenburg,900\n")
    result = thin.run(of_fields([{"place": "Leeds"}] * 3, [{"place": "Gothenburg"}, {"place": "Leeds"}, {}]))
    assert value(result, THIN, AFTER) == pytest.approx(2 / 3)
    assert "too small to mean much in 1 of its 2 cells" in page([result], FACTS)
    fine = study(tmp_path, ("place",), "place,count\nLeeds,400\n").run(of_fields([{"place": "Leeds"}], [{}]))
    assert "too small" not in page([fine], FACTS)


def test_many_people_alone_are_bad_news_with_a_way_out(tmp_path: Path) -> None:
    fields = [{"place": "Leeds", "age": 60}] * 30
    result = study(tmp_path, ("place", "age"), "age,place,count\n60,Leeds,1\n").run(of_fields(fields, fields))
    assert "100 % of people are unique" in headline([result])[0]
    assert advice([result])


def test_fields_that_nobody_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="has no column 'belief'"):
        study(tmp_path, ("belief",))
    with pytest.raises(InputError, match="No record of the original has the field 'age'"):
        study(tmp_path, ("age",)).run(of_fields([{"place": "Leeds"}], [{}]))


def test_a_plan_that_counts_nothing_is_refused(tmp_path: Path) -> None:
    assert not Plan().counts_a_population
    assert Plan(attacks=("population",)).counts_a_population
    assert Plan(population=LISTED).counts_a_population
    table = tmp_path / "people.csv"
    table.write_text(TABLE, encoding="utf-8")
    assert Plan(population=str(table)).setting["population"] == "people.csv"
    for options, says in (
        ({"population": "nowhere.csv"}, "There is no file nowhere.csv"),
        ({"population": LISTED, "attacks": ("linkage",)}, "add it to --attacks"),
        ({"population": LISTED, "one_to_one": False}, "leave out --population"),
        ({"population_fields": ("age",)}, "Name it with --population"),
        ({"population": LISTED, "population_k": 1}, "raise --population-k"),
    ):
        with pytest.raises(ConfigurationError, match=says):
            Plan(**options)  # type: ignore[arg-type]
    bench = Bench(Plan(population=str(table), population_fields=("belief",)), None)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="has no column 'belief'"):
        PopulationStudy.of(bench)


def test_the_command_counts_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    write_jsonl(Path("in.jsonl"), [{"id": str(n), "text": "x", **fields} for n, fields in enumerate(BEFORE_FIELDS)])
    write_jsonl(Path("out.jsonl"), [{"id": str(n), "text": "x", **fields} for n, fields in enumerate(AFTER_FIELDS)])
    asked = ("evaluate", "in.jsonl", "out.jsonl", "--id-field", "id", "--attacks", "population", "--metrics", "")
    named = ("--population", "people.csv", "--population-fields", "age,sex,place")
    told = call(*asked, "-o", "report", *named)
    assert "0 % of people are unique in people.csv" in told.out
    assert "by the originals it would be 50 %" in told.out
    results = json.loads(Path("report/results.json").read_text(encoding="utf-8"))["studies"][0]
    assert results["facts"]["lowest of release"] == 10.0
    assert "epsilon" not in json.dumps(results)
    Path("people.csv").write_text("age,sex,count\n60,m,5\n", encoding="utf-8")
    refused = call(*asked, "-o", "other", "--population", "people.csv")
    assert refused.code != 0
    assert "people.csv has no column 'place'" in refused.err


def test_a_text_is_read_in_its_own_language(tmp_path: Path) -> None:
    """A German age, and a sex that a German word beside the name says, count people as English ones do."""
    german = "Gestern kam die Patientin Mabey zu uns, die 60-69 ist und in Leeds wohnt."
    english = "Mabey, 60-69, lives in Leeds, where she works."
    told = [study(tmp_path).run(of_texts([text], ["[PERSON]"])) for text in (german, english)]
    assert value(told[0], MEDIAN, BEFORE) == value(told[1], MEDIAN, BEFORE)
    assert {of.setting["attribute"] for of in told[0].figures if of.name == SHOWN} >= {"age", "place", "sex"}
    assert ages_of("zweiundsechzig Jahre alt", "de") == ages_of("sixty-two years old") == (62, 62)
    assert ages_of("zweiundsechzig Jahre alt") is None
