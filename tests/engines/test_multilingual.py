"""A sanitizer over several languages treats each record whole in its language, and refuses or labels the others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from command_line import write_jsonl
from releasing import release_file
from sfumato.abstract.detector import SAME_MARKS, Detector
from sfumato.building.detectors import finder_of
from sfumato.building.policies import build_policy
from sfumato.detectors.languages import another
from sfumato.detectors.set_languages import SetLanguages
from sfumato.detectors.words import Words
from sfumato.engines.engine import Engine
from sfumato.engines.in_languages import EACH_LANGUAGE, SAME_LANGUAGE, InLanguages
from sfumato.engines.languages import Multilingual
from sfumato.errors import ConfigurationError, InputError
from sfumato.language.recognising import recognised
from sfumato.policy.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.job import RunOptions
from sfumato.release.kept_marks import watched
from sfumato.run.policy_checks import checked
from sfumato.text.document import Document
from sfumato.text.marks import Spans

POLICY = """
[find]
detect = ["list:marks.txt"]
language = "en de fr"
[[treat]]
kinds = ["DATE"]
mechanism = "shift"
epsilon = 1.0
within = "30 days"
[[treat]]
kinds = ["PERSON"]
mechanism = "independent"
consistency = "document"
"""
TEXTS = (
    "The nurse saw Anna Berg on 3 May 2019 and she was well.",
    "Die Schwester hat am 3. Oktober 1990 mit Anna Berg in der Klinik gesprochen.",
    "Elle a vu Anna Berg le 3 mai 2019 et tout allait bien pour elle.",
    "Anna Berg 3/5/2019",
)
DOCUMENTS = [Document(text, str(number)) for number, text in enumerate(TEXTS)]
PIN = PinnedRandomness(bytes(range(32)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "marks.txt").write_text(
        "Anna Berg\n/\\d+\\.? \\p{L}+ \\d{4}/\n/\\d+/\\d+/\\d{4}/\n", encoding="utf-8"
    )
    return tmp_path


def built(folder: Path, others: str = "label") -> Multilingual:
    policy = Policy.parse(POLICY.replace('"en de fr"', f'"en de fr"\nother_languages = "{others}"'), folder)
    made = build_policy(policy)
    assert isinstance(made, Multilingual)
    return made


@pytest.fixture
def sanitizer(folder: Path) -> Multilingual:
    return built(folder)


def test_each_record_is_treated_in_its_language(sanitizer: Multilingual) -> None:
    assert sanitizer.languages(DOCUMENTS) == ["en", "de", "fr", ""]
    releases = sanitizer.sanitize_batch(DOCUMENTS, PIN)
    assert all("Berg" not in release.text for release in releases)
    assert [bool(release.draws_by) for release in releases] == [True, True, True, False]
    assert "." in releases[1].text.split(" mit ")[0]  # "am 15. November 1990"
    assert releases[3].text == "[LISTED] [LISTED]"


def test_a_record_is_released_as_it_is_alone(sanitizer: Multilingual) -> None:
    together = sanitizer.sanitize_batch(DOCUMENTS, PIN)
    pairs = zip(sanitizer.engines.values(), DOCUMENTS[:3], strict=True)
    alone = [engine.sanitize_batch([own], PIN)[0] for engine, own in pairs]
    assert [release.text for release in together[:3]] == [release.text for release in alone]
    assert [release.text for release in sanitizer.sanitize_batch(DOCUMENTS[::-1], PIN)][::-1] == [
        release.text for release in together
    ]


def test_marks_plans_and_records_come_in_the_order_of_the_documents(sanitizer: Multilingual) -> None:
    releases, marks = sanitizer.sanitize_marked(DOCUMENTS, PIN)
    assert marks is not None
    assert marks.counts.tolist() == [2, 2, 2, 2]
    assert [len(record.texts) for record in sanitizer.records(DOCUMENTS)] == [2, 2, 2, 2]
    assert [record.first for record in sanitizer.records(DOCUMENTS)] == [0, 1, 2, 3]
    planned = [{each.treatment: each.count for each in row} for row in sanitizer.planned(DOCUMENTS)]
    assert planned == [dict(release.draws_by) for release in releases]


def test_a_record_in_no_language_is_refused_by_its_number(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        built(folder, "refuse").sanitize_batch(DOCUMENTS, PIN)
    assert caught.value.document == 3
    assert "Anna" not in str(caught.value)
    [empty] = built(folder, "refuse").sanitize_batch([Document("  - ", "4")], PIN)
    assert empty.text == "  - "


@dataclass(frozen=True)
class Broken(Detector):
    """Reads no text that holds a certain word."""

    description, unprotected = "nothing", "all"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        for number, document in enumerate(documents):
            if "Klinik" in document.text:
                raise InputError("it is not read", number)
        return [Spans.of([]) for _ in documents]


def test_a_record_that_cannot_be_read_is_named_by_its_number_among_all(sanitizer: Multilingual) -> None:
    broken = sanitizer.with_parts(detector=Broken())
    for ask in (broken.records, broken.planned, broken.sanitize_batch):
        with pytest.raises(InputError) as caught:
            ask(DOCUMENTS)
        assert caught.value.document == 1


def test_a_ledger_compares_the_marks_of_every_language(sanitizer: Multilingual) -> None:
    noting, marks = watched(sanitizer)
    assert isinstance(noting, Multilingual)
    assert noting.setting == sanitizer.setting
    noting.planned(DOCUMENTS)
    planned = [marks.taken([own]) for own in DOCUMENTS]
    noting.sanitize_batch(DOCUMENTS, PIN)
    assert planned == [marks.taken([own]) for own in DOCUMENTS]
    assert len({*planned, marks.taken(DOCUMENTS[:1])}) == 5


def test_the_guarantee_is_about_records_in_one_language(sanitizer: Multilingual) -> None:
    for treatment in sanitizer.treatments:
        if treatment.guarantee is not None:
            assert SAME_LANGUAGE in treatment.guarantee.adjacency
    assert sanitizer.statement_fields()["languages"] == ["en", "de", "fr"]
    assert any("language of each record" in line for line in sanitizer.visible)


def test_a_person_is_drawn_for_in_each_language_and_the_guarantee_says_so(folder: Path) -> None:
    by_person = f'{POLICY}[fields]\ntext = ["text"]\nsubject = "who"\n[randomness]\nscope = "subject"\n'
    made = build_policy(Policy.parse(by_person, folder))
    dates, *_ = made.treatments
    assert dates.guarantee is not None
    assert dates.guarantee.unit == "all dates of a subject together, in one language"
    assert EACH_LANGUAGE in dates.guarantee.assumes
    assert dates.draws_of_person(9) == 3
    assert dates.described()["moves_together"] == "all dates of a subject in one language"
    documents = [replace(own, metadata={"who": "p"}) for own in DOCUMENTS[:3]]
    shared = [draws.shared for row in made.planned(documents) for draws in row if draws.treatment == "DATE"]
    assert len({*shared}) == 3


def test_many_draws_cost_what_they_cost_in_the_weakest_language(tmp_path: Path) -> None:
    policy = '[find]\nlanguage = "en de fr"\n[[treat]]\nkinds = ["GROUP"]\nmechanism = "custext"\nepsilon = 4.0\n'
    made, _ = checked(Policy.parse(policy, tmp_path))
    [groups] = [own for own in made.treatments if isinstance(own, InLanguages)]
    alone = [own.cost(100) for own in groups.own.values()]
    together = groups.cost(100)
    assert together is not None
    assert together.renyi == max(cost.renyi or 0.0 for cost in alone if cost is not None)
    assert len({cost.renyi for cost in alone if cost is not None}) > 1


def test_a_month_decides_no_language() -> None:
    words = "{} was seen and {} he was not well"
    assert {recognised([words.format("mars", month)]) for month in ("mai", "August", "maggio", "May")} == {"en"}


def test_a_record_of_two_fields_goes_whole_to_one_engine(sanitizer: Multilingual) -> None:
    """A field that is too short to show a language is treated in that of its record."""
    record = {"id": "4"}
    alone = Document("Anna Berg 3. Oktober 1990", "4")
    fields = [Document(alone.text, "4 a", record), Document(TEXTS[1], "4 b", record)]
    assert sanitizer.languages([alone]) == [""]
    assert sanitizer.languages([*fields, DOCUMENTS[0]]) == ["de", "de", "en"]
    released = [release.text for release in sanitizer.sanitize_batch(fields, PIN)]
    assert released == [release.text for release in sanitizer.engines["de"].sanitize_batch(fields, PIN)]
    assert "[" not in released[0]


@pytest.mark.parametrize("language", ["xx", "en xx", "EN", ""])
def test_a_policy_refuses_a_language_that_is_not_known(folder: Path, language: str) -> None:
    what = (
        "language is a line of text"
        if not language
        else "is not known; the languages are en, de.*; auto knows all of them"
    )
    with pytest.raises(ConfigurationError, match=what):
        Policy.parse(POLICY.replace('"en de fr"', f'"{language}"'), folder)


def of_one(folder: Path, others: str = "label", language: str = "de") -> Engine:
    policy = Policy.parse(POLICY.replace('"en de fr"', f'"{language}"\nother_languages = "{others}"'), folder)
    made = build_policy(policy)
    assert isinstance(made, Engine)
    return made


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[2], "Анна Берг живет в Москве 3/5/2019"])
def test_where_one_language_is_set_a_record_in_another_is_refused(folder: Path, text: str) -> None:
    """The setting was read with several languages alone, and a list of marks looks at no language itself."""
    refusing = of_one(folder, "refuse")
    for ask in (refusing.sanitize_batch, refusing.planned, refusing.detector.mark, refusing.detector.findings):
        with pytest.raises(InputError, match="show another language than German") as caught:
            ask([DOCUMENTS[1], Document(text, "x")])
        assert caught.value.document == 1
        assert not {"Anna", "Анна", "Berg"} & set(str(caught.value).split())
    assert "absence of a record discloses" in refusing.detector.unprotected


def test_where_one_language_is_set_a_record_that_shows_none_counts_as_one_of_it(folder: Path) -> None:
    refusing, warning = of_one(folder, "refuse"), of_one(folder)
    short = [DOCUMENTS[1], DOCUMENTS[3], Document("安娜", "5"), Document("Anna Berg, ok", "6")]
    assert len(refusing.sanitize_batch(short, PIN)) == 4
    assert warning.detector.cautions(short) == {}
    [(sentence, count)] = warning.detector.cautions(DOCUMENTS).items()
    assert count == 2
    assert sentence.startswith("in another language than German")
    assert len(warning.sanitize_batch(DOCUMENTS, PIN)) == 4
    assert refusing.setting != warning.setting


def test_a_refusal_by_every_word_is_a_part_of_what_a_guarantee_compares(folder: Path) -> None:
    words = SetLanguages(Words(), ("de",))
    assert (words.adjacency, words.reads_content) == (Words().adjacency, False)
    refusing = SetLanguages(Words(), ("de",), refuses=True)
    assert (refusing.adjacency, refusing.reads_content) == (SAME_MARKS, True)


@pytest.mark.models
def test_a_record_in_another_language_is_one_caution_of_all_detectors() -> None:
    made = finder_of(Policy.parse('[find]\nlanguage = "de"\n[treat_others]\nmethod = "label"\n'))
    assert sorted(made.cautions(DOCUMENTS).values()) == [2]


def test_a_statement_counts_the_records_in_another_language_than_is_set(folder: Path) -> None:
    """It held nothing of them, and of no other caution of the detector."""
    path = write_jsonl(folder / "in.jsonl", [{"text": text} for text in TEXTS])
    for made, about, count in ((of_one(folder), "in another language than German", 2), (built(folder), None, 0)):
        release_file(made, path, folder / "out.jsonl", RunOptions(overwrite=True))
        stated = json.loads((folder / "out.jsonl.privacy.json").read_text())
        cautions = stated["detector"].get("cautions", {})
        assert list(cautions.values()) == [count] * bool(count)
        assert all(sentence.startswith(str(about)) for sentence in cautions)
        assert any("detector is unsure of" in line for line in stated["visible"]) == bool(count)
        assert "Anna" not in json.dumps(stated)


def test_a_record_in_none_of_several_languages_is_counted(sanitizer: Multilingual, folder: Path) -> None:
    spanish = Document("Anna Berg estaba bien y se fue a su casa con el marido y los niños.", "5")
    assert sanitizer.detector.cautions(DOCUMENTS) == {}
    [(sentence, count)] = sanitizer.detector.cautions([*DOCUMENTS, spanish]).items()
    assert (sentence, count) == (another(["en", "de", "fr"]), 1)
    with pytest.raises(InputError, match="none of the languages"):
        built(folder, "refuse").sanitize_batch([spanish], PIN)
