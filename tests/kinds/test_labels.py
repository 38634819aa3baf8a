"""Labels of every detector have kinds, and a label that mixes kinds is resolved by the readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.told_labels import counts_for_people, for_people
from sfumato.detectors import disclosures, identifier_finder, identifiers, scripts
from sfumato.detectors.english import codes, formats, personal_attributes
from sfumato.detectors.presidio.detector import Presidio
from sfumato.detectors.rules import LISTED
from sfumato.kinds.codes import Code, Email, Ip, Phone, Url
from sfumato.kinds.labels import candidates, is_listed, resolve
from sfumato.kinds.people.person import Person
from sfumato.kinds.phrases.group import Group
from sfumato.kinds.phrases.health import Health
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.phrases.word import Word
from sfumato.kinds.places.place import Place

_NAMES = (
    "PERSON PLACE ORGANIZATION OCCUPATION GROUP DATE TIME DURATION AGE MONEY QUANTITY NUMBER CODE PHONE EMAIL URL IP "
    "HEALTH WORD"
)
NAMES = frozenset(_NAMES.split())
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Person(),
        Place(),
        Organization(),
        Occupation(),
        Group(),
        Code(),
        Phone(),
        Email(),
        Url(),
        Ip(),
        Health(),
    )
}
KINDS["WORD"] = Word()

OF_SPACY = (
    "CARDINAL DATE EVENT FAC GPE LANGUAGE LAW LOC MONEY NORP ORDINAL ORG PERCENT PERSON PRODUCT QUANTITY TIME "
    "WORK_OF_ART"
)
OF_PRESIDIO = (
    "CREDIT_CARD CRYPTO DATE_TIME EMAIL_ADDRESS IBAN_CODE IP_ADDRESS LOCATION MAC_ADDRESS MEDICAL_LICENSE NRP "
    "ORGANIZATION PERSON PHONE_NUMBER UK_NHS URL US_BANK_NUMBER US_DRIVER_LICENSE US_ITIN US_PASSPORT US_SSN"
)
OF_TAB = "PERSON CODE LOC ORG DEM DATETIME QUANTITY MISC"
OF_SYNTH = (
    "PERSON STREET_ADDRESS GPE ORGANIZATION CREDIT_CARD DATE_TIME TITLE PHONE_NUMBER AGE NRP EMAIL_ADDRESS ZIP_CODE "
    "DOMAIN_NAME IBAN_CODE US_SSN IP_ADDRESS US_DRIVER_LICENSE"
)
EXAMPLES = Path(__file__).parents[2] / "examples" / "records.jsonl"


def _ours() -> set[str]:
    """Return the labels of our rules and of the network, taken from where they are given."""
    rules: list[Any] = [codes.rules(), formats.rules(), personal_attributes.rules()]
    by_rule = {str(rule[0]) for listed in rules for rule in listed}
    kinds = {kind.upper() for kind in (*disclosures.KINDS, disclosures.OTHER)}
    learned = {*identifier_finder.LABELS.values(), *(finer for finer, _ in identifier_finder._FINER.values())}
    return {*by_rule, *kinds, *learned, scripts.OTHER_SCRIPT, LISTED, "GIVEN", "NP", "WORD", "ACCOUNT", "SECRET"}


@pytest.mark.parametrize("label", sorted({*_ours(), *f"{OF_SPACY} {OF_PRESIDIO} {OF_TAB} {OF_SYNTH}".split()}))
def test_every_label_of_a_detector_has_a_row(label: str) -> None:
    assert is_listed(label)
    assert set(candidates(label)) <= NAMES


def test_every_label_of_the_example_records_has_a_row() -> None:
    records = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    labels = {span["label"] for record in records for span in record["spans"]}
    assert labels
    assert all(map(is_listed, labels))


def test_every_label_that_the_detector_of_identifiers_knows_has_a_row() -> None:
    assert all(map(is_listed, identifiers.Identifiers().known_labels))


@pytest.mark.models
def test_every_label_that_the_detector_of_presidio_knows_has_a_row() -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("presidio_analyzer")
    assert all(map(is_listed, Presidio().known_labels))


def test_every_kind_is_the_kind_of_its_own_name() -> None:
    for name in NAMES - {"QUANTITY"}:
        assert candidates(name)[-1] == name
    assert candidates("QUANTITY")[-1] == "NUMBER"  # "ten plots of land" becomes a number, not an amount of a unit


@pytest.mark.parametrize("label", ["email address", "Email-Address", " EMAIL_ADDRESS ", "email/address"])
def test_case_hyphens_and_blanks_make_no_difference(label: str) -> None:
    assert candidates(label) == ("EMAIL",)


def test_an_unknown_label_is_a_word() -> None:
    assert not is_listed("SOMETHING_NEW")
    assert candidates("SOMETHING_NEW") == candidates("") == ("WORD",)
    assert resolve("SOMETHING_NEW", "anna@example.org", KINDS) == "WORD"


@pytest.mark.parametrize(
    ("label", "text", "kind"),
    [
        ("DEM", "night porter", "OCCUPATION"),
        ("DEM", "retired tram driver", "OCCUPATION"),
        ("DEM", "Spanish", "GROUP"),
        ("DEM", "German", "GROUP"),
        ("DEM", "sciatica", "HEALTH"),
        ("DEM", "United Kingdom", "PLACE"),
        ("DEM", "runs a nail salon", "WORD"),
        ("MISC", "www.example.org", "URL"),
        ("MISC", "no. 703", "CODE"),
        ("MISC", "Professor Plumb", "PERSON"),
        ("MISC", "Second World War", "WORD"),
        ("MISC", "nice", "WORD"),
        ("NRP", "Catholic", "GROUP"),
        ("NRP", "France", "PLACE"),
        ("NRP", "Ruritanian", "GROUP"),
        ("CODE", "MRN 0048-2217", "CODE"),
        ("CODE", "07700 900142", "PHONE"),
        ("CODE", "anna.larsen@example.org", "EMAIL"),
        ("ID", "192.0.2.7", "IP"),
        ("LOC", "Halloway Park Hotel", "ORGANIZATION"),
        ("LOC", "Oslo", "PLACE"),
        ("LOC", "12 High Street", "PLACE"),
        ("FAC", "Swansea Prison", "ORGANIZATION"),
        ("NAME", "Desmond Achebe", "PERSON"),
        ("NAME", "Reindeer Husbandry Act", "WORD"),
        ("PERSON", "62", "PERSON"),
        ("US_SSN", "555-0114", "CODE"),
        ("TITLE", "Mr.", "WORD"),
        ("WORD", "Oslo", "WORD"),
    ],
)
def test_the_readers_decide_where_a_label_mixes_kinds(label: str, text: str, kind: str) -> None:
    assert resolve(label, text, KINDS) == kind


class _Whole(Kind):
    """A kind that reads what consists of digits, as those of numbers do. It has no other way to know its texts."""

    grains = ("whole",)

    def vocabulary(self, grain: str) -> Vocabulary:
        raise NotImplementedError

    def read(self, text: str) -> Reading | None:
        return self.surrogate if text.isdigit() else None

    def write(self, value: str, form: Form) -> str:
        return value

    @property
    def surrogate(self) -> Reading:
        return Reading("1", Form("whole"))

    def public_form(self, grain: str) -> Form:
        return Form("whole")


def test_a_kind_without_a_test_of_its_own_has_what_it_reads() -> None:
    kinds = {**KINDS, "AGE": _Whole(), "NUMBER": _Whole()}
    assert resolve("DEM", "62", kinds) == "AGE"
    assert resolve("CARDINAL", "62", kinds) == "NUMBER"
    assert resolve("CARDINAL", "dozens", kinds) == "NUMBER"
    assert resolve("DATE", "62", kinds) == "AGE"
    assert resolve("DATE", "when the war began", kinds) == "DATE"


def test_a_kind_that_is_not_at_hand_is_passed_over() -> None:
    assert resolve("DEM", "night porter", {"WORD": Word()}) == "WORD"
    assert resolve("DEM", "night porter", {}) == "WORD"


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "9" * 400, "x" * 10**6, "א\u202eב"])
def test_odd_texts_have_a_kind(text: str) -> None:
    for label in f"{OF_SPACY} {OF_TAB}".split():
        assert resolve(label, text, KINDS) in NAMES


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("LOCATION", "PLACE"), ("PHONE_NUMBER", "PHONE"), ("ACCOUNT", "CODE"), ("QUANTITY", "QUANTITY"),
        ("PERSON", "PERSON"), ("LISTED", "LISTED"), ("MISC", "MISC"), ("ward", "ward"), ("GPE", "PLACE"),
    ],
)  # fmt: skip
def test_people_are_told_kinds_in_place_of_labels(label: str, told: str) -> None:
    assert for_people(label) == told
    assert counts_for_people({label: 2, told: 1}) == ({told: 3} if label != told else {told: 1})
