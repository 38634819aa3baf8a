"""Clinical notes: shorthand that is no date, codes that are written apart, and a list that holds no name."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.detectors.allowing import Allowed
from sfumato.detectors.english import codes, names, trim_spans
from sfumato.detectors.found import Found
from sfumato.detectors.identifiers import Identifiers
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.language.lists import lists_of, words_of
from sfumato.text.document import Document

LIST = Path(sfumato.__file__).parent / "data" / "lists" / "clinical-terms.txt"
LABELS = ("PERSON", "ORGANIZATION", "LOCATION", "CODE", "DATE", "NAME")


@pytest.fixture(scope="module")
def shorthand() -> Allowed:
    return Allowed.from_file(LIST)


@pytest.mark.parametrize("text", ["PHQ-9", "6/36", "120/80", "3/52", "1st MTP", "+ve", "Nebs"])
def test_shorthand_stays_under_every_label(shorthand: Allowed, text: str) -> None:
    assert all(shorthand.allows(text, label) for label in LABELS)


def test_abbreviations_stay_where_no_person_was_marked(shorthand: Allowed) -> None:
    for text in ("ITU", "ENT", "U&E"):
        assert shorthand.allows(text, "ORGANIZATION")
        assert not shorthand.allows(text, "PERSON")
        assert not shorthand.allows(text, "NAME")


NAMES = "Ed,ED,Tia,TIA,Pip,Ana,Rice,Murphy,Weber,Ra,Pe,IDA,NG,ROS,SALT,Thomas test,Larsen 5/7"


@pytest.mark.parametrize("text", NAMES.split(","))
def test_what_may_be_a_person_never_stays_as_one(shorthand: Allowed, text: str) -> None:
    assert not shorthand.allows(text, "PERSON")


DATES = "13/02,30/06,28/10,9/12,550-118,0048-2217,14:05,31/12/2020,2/7,25/7,1/5,6/9,9/30,2nd"
NUMBERS = "T 12/03/1981,K 07700 900 123,Na 943 476 5919"


@pytest.mark.parametrize("text", [*DATES.split(","), *NUMBERS.split(",")])
def test_dates_and_codes_never_stay(shorthand: Allowed, text: str) -> None:
    assert not any(shorthand.allows(text, label) for label in LABELS)


def test_a_drug_that_was_taken_for_work_stays_and_no_work_does(shorthand: Allowed) -> None:
    """By the stems of international names: the label says that nobody took the word for a name."""
    drugs = words_of(lists_of("en", "health")["drugs"])
    assert all(shorthand.allows(drug, "OCCUPATION") for drug in ("mesalazine", "Irinotecan", "baricitinib"))
    assert sum(shorthand.allows(drug, "OCCUPATION") for drug in drugs) > 100
    assert not any(shorthand.allows("irinotecan", label) for label in LABELS)
    [stems] = [rule for rule in shorthand.rules if rule.label == "OCCUPATION"]
    made = Occupation().without_distances()
    jobs = {word for grain in made.grains for job in made.vocabulary(grain).tokens for word in job.split()}
    assert len(jobs) > 500
    assert not [job for job in jobs if stems.pattern is not None and stems.pattern.fullmatch(job)]


def test_no_entry_for_people_is_on_a_list_of_names() -> None:
    entries = [
        line for line in LIST.read_text(encoding="utf-8").split("\n") if line and line[0] != "/" and "\t" not in line
    ]
    listed = names.first_names() | names.last_names()
    assert not [entry for entry in entries if any(word.lower() in listed for word in entry.split())]
    assert {"weber", "murphy"} <= listed  # so the check can fail


def test_a_pattern_with_a_label_stays_under_that_label_alone(tmp_path: Path) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("ORGANIZATION\t/E[DR]/\n", encoding="utf-8")
    allowed = Allowed.from_file(path)
    assert allowed.allows("ED", "ORGANIZATION")
    assert not allowed.allows("ED", "PERSON")


@pytest.mark.parametrize(
    ("text", "label", "parts"),
    [
        ("AMB 550-118. Son", "ORGANIZATION", ["AMB 550-118", "Son"]),
        ("Ward 55. Gerald", "ORGANIZATION", ["Ward 55", "Gerald"]),
        ("St. Helens", "LOCATION", ["St. Helens"]),
    ],
)
def test_a_mark_ends_with_its_sentence_and_a_name_behind_it_stays_marked(
    text: str, label: str, parts: list[str]
) -> None:
    spans = trim_spans.apart(text, [Found(0, len(text), label, 0.7, "spacy")])
    assert [text[span.start : span.end] for span in spans] == parts


def test_an_occupation_behind_an_age_is_marked_with_the_words_before_it() -> None:
    text = "Anna Larsen, 62, Danish, long-distance lorry driver, came."
    [spans] = Identifiers().detect([Document(text)])
    assert any("lorry driver" in text[span.start : span.end] for span in spans if span.label == "OCCUPATION")


@pytest.mark.parametrize("text", ["BNP 1450 and CRP 120", "ISO 9001", "HRA 1998", "at GMT 1200", "PSA 4.05"])
def test_a_result_or_a_year_behind_capitals_is_no_code(text: str) -> None:
    assert not [span for span in codes.codes(text) if span.label == "CODE"]


def test_a_date_ends_with_its_month_and_not_with_the_next_sentence() -> None:
    for text, parts in (
        ("Thu 18 Jan. Wants", ["Thu 18 Jan", "Wants"]),
        ("18 Jan. Thu 19", ["18 Jan. Thu 19"]),
        ("3 Sept. Monday", ["3 Sept", "Monday"]),
    ):
        spans = trim_spans.apart(text, [Found(0, len(text), "DATE", 0.7, "spacy")])
        assert [text[span.start : span.end] for span in spans] == parts


@pytest.mark.parametrize("text", ["Boggy", "Cap refill"])
def test_findings_of_an_examination_stay(shorthand: Allowed, text: str) -> None:
    assert shorthand.allows(text, "PERSON")


@pytest.mark.parametrize("work", ["retired tram driver", "retired long-haul tanker driver", "tram driver"])
def test_an_occupation_has_one_mark(work: str) -> None:
    text = f"Marta Lindqvist, 58 y/o {work} from Gothenburg"
    [spans] = Identifiers().detect([Document(text)])
    marks = [text[span.start : span.end] for span in spans if span.label == "OCCUPATION"]
    assert len(marks) == 1
    assert marks[0].endswith("driver")
