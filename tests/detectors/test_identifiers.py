"""Identifiers: what patterns find, what is carried, and that nothing is lost at seams, logged, quoted or fetched."""

from __future__ import annotations

import logging
import pickle
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as package
from by_rule import ByRule
from sfumato.building.detectors import detector
from sfumato.detectors import identifier_finder, scripts
from sfumato.detectors.english import (
    codes,
    fields,
    formats,
    personal_attributes,
    repeat_mentions,
)
from sfumato.detectors.found import Found, united
from sfumato.detectors.identifiers import LEVELS, Identifiers
from sfumato.errors import ConfigurationError, InputError
from sfumato.models.token_classifier.calibration import Calibration
from sfumato.models.token_classifier.card import CARD
from sfumato.models.token_classifier.labels import marks_of
from sfumato.models.token_classifier.network import TokenClassifier
from sfumato.text.document import Document
from sfumato.text.marks import Spans

Finder = Callable[[str], Iterator[Found]]
SECRET = "Zebrafinch"


def found(finder: Finder, text: str) -> dict[str, str]:
    """Label by text of what the finder's union marks."""
    return {text[one.start : one.end]: one.label for one in united(finder(text))}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from("AB"), st.floats(0, 1))))
def test_a_union_covers_everything_and_has_the_surest_label(marks: list[tuple[int, int, str, float]]) -> None:
    every = [Found(start, start + length, label, score) for start, length, label, score in marks]
    union = united(every)
    Spans.checked(list(union), 50, "here")
    for one in every:
        holder = next(span for span in union if span.start <= one.start and one.end <= span.end)
        inside = [other for other in every if holder.start <= other.start < holder.end]
        assert holder.label in {other.label for other in inside if other.score == max(o.score for o in inside)}


@pytest.mark.parametrize(
    ("text", "marked", "label"),
    [
        ("born on 19 May 1990,", "19 May 1990", "DATE"),
        ("on May 19th, 1990", "May 19th, 1990", "DATE"),
        ("2001-02-03 was", "2001-02-03", "DATE"),
        ("on 4 and 5 June 2001", "4 and 5 June 2001", "DATE"),
        ("at 04:30 today", "04:30", "TIME"),
        ("a man aged 34, of", "aged 34", "AGE"),
        ("died at the age of ninety-one.", "at the age of ninety-one", "AGE"),
        ("at 10.1.2.3 now", "10.1.2.3", "IP_ADDRESS"),
        ("see www.example.org/a?b=c.", "www.example.org/a?b=c", "URL"),
        ("to bob@corp.local!", "bob@corp.local", "EMAIL_ADDRESS"),
    ],
)
def test_codes_dates_and_amounts(text: str, marked: str, label: str) -> None:
    assert found(codes.codes, text).get(marked) == label


def test_short_numbers_and_common_words_are_no_codes() -> None:
    assert found(codes.codes, "He had 2 of 3, and the 1st part. Rule 29 and section 4.2 may march.") == {}


def test_adjacent_addresses_are_all_found() -> None:
    text = "a@x.com,b@y.org;c@z.net<d@w.de>"
    assert [one for one, label in found(codes.codes, text).items() if label == "EMAIL_ADDRESS"] == [
        "a@x.com", "b@y.org", "c@z.net", "d@w.de",
    ]  # fmt: skip
    glued = "a@x.comb@y.org"
    assert glued in found(codes.codes, glued)


def named(text: str, *names: str, score: float = 0.95) -> list[Found]:
    """Persons at the first place of each of ``names`` in ``text``, as sure as a field of a form is of its name."""
    starts = [(text.index(name), name) for name in names]
    return [Found(start, start + len(name), "PERSON", score) for start, name in starts]


def test_a_name_is_carried_to_every_mention_and_its_parts() -> None:
    text = "Mr John Okafor came. OKAFOR's wife and Zoë Okafor-Lee saw John; okafor is a word here."
    carried = repeat_mentions.carried(text, repeat_mentions.parts_of(text, named(text, "Mr John Okafor")))
    assert {text[one.start : one.end] for one in carried} >= {"OKAFOR", "Okafor-Lee", "John"}
    composed, apart = "Mr Zoë Müller", "Zoe\u0308 Mu\u0308ller"
    both = f"{composed} and {apart}."
    assert both[len(composed) + 5 : -1] == apart
    first = named(both, composed)
    covered = united([*first, *repeat_mentions.carried(both, repeat_mentions.parts_of(both, first))])
    letters = [at for at in range(len(composed) + 5, len(both) - 1) if both[at].isalpha()]
    assert all(any(start <= at < end for start, end in covered.bounds) for at in letters)


@pytest.mark.parametrize(
    ("text", "name", "again"),
    [
        ("Ms O'Brien came. The O’Brien case.", "Ms O'Brien", ["O'Brien", "O’Brien"]),
        ("Ms O’Brien came. The o'brien case.", "Ms O’Brien", ["O’Brien", "o'brien"]),
        ("Ms Okafor\u2011Lee came. The Okafor-Lee case.", "Ms Okafor\u2011Lee", ["Okafor\u2011Lee", "Okafor-Lee"]),
        (
            "Mr Constable was admitted. Then Constable left; a constable stayed.",
            "Mr Constable",
            ["Constable", "Constable"],
        ),
        ("Ms Anna Major came. Then Major left a major pain.", "Ms Anna Major", ["Anna", "Major", "Major"]),
        ("Mr Lord came. Lord’s bag, my lord.", "Mr Lord", ["Lord", "Lord"]),
        ("Mrs Judge came. Judge left.", "Mrs Judge", ["Judge", "Judge"]),
        ("Ms Le came. Le left le bag.", "Ms Le", ["Le", "Le"]),
        ("Ben Okafor came. Ben left.", "Ben Okafor", ["Ben", "Okafor", "Ben"]),
        ("Mr Constable Okafor left. A Constable came.", "Mr Constable Okafor", ["Okafor"]),
        ("Judge Okafor left. The Judge came.", "Judge Okafor", ["Okafor"]),
    ],
)
def test_a_surname_is_carried_however_it_is_written_and_whatever_else_it_means(
    text: str, name: str, again: list[str]
) -> None:
    parts = repeat_mentions.parts_of(text, named(text, name))
    assert [text[one.start : one.end] for one in repeat_mentions.carried(text, parts)] == again


def test_a_first_name_that_no_list_has_goes_with_the_surname() -> None:
    text = "Rosalind Ashdown left, Prudence-May Ashdown too. Mrs Ashdown, Patient Ashdown and The Ashdown stayed."
    parts = repeat_mentions.parts_of(text, named(text, "Mrs Ashdown"))
    assert [text[one.start : one.end] for one in repeat_mentions.carried(text, parts)] == [
        "Rosalind Ashdown", "Prudence-May Ashdown", "Ashdown", "Ashdown", "Ashdown",
    ]  # fmt: skip


def test_a_common_word_that_only_the_network_calls_a_name_is_not_carried() -> None:
    text = "The Law said so. Law is long."
    assert list(repeat_mentions.carried(text, repeat_mentions.parts_of(text, named(text, "Law", score=0.85)))) == []
    assert list(repeat_mentions.carried(text, repeat_mentions.parts_of(text, named(text, "Law")))) != []


@pytest.mark.parametrize(
    ("text", "marked", "label"),
    [
        ("a Turkish national living", "Turkish national", "GROUP"),
        ("with acute bronchitis since", "acute bronchitis", "HEALTH"),
        ("boys has chickenpox now", "chickenpox", "HEALTH"),
        ("from psoriasis since", "psoriasis", "HEALTH"),
        ("one of Jehovah’s Witnesses", "Jehovah’s Witnesses", "GROUP"),
    ],
)
def test_attributes_of_people(text: str, marked: str, label: str) -> None:
    assert found(personal_attributes.attributes, text).get(marked) == label


FINDERS: tuple[Finder, ...] = (
    codes.codes, formats.formats, fields.fields, personal_attributes.attributes,
    lambda text: repeat_mentions.carried(text, {"quillfeather", "aa"}),
)  # fmt: skip
NASTY = ["a" * 20_000 + " a@b.co", "1" * 20_000, "1-" * 10_000, "A " * 10_000,
         "a@" * 10_000, "a." * 10_000, "Mr " * 7_000,
         "12 " * 7_000, "of the " * 3_000, "Court of " * 3_000, "(" * 20_000, "Aa-" * 7_000,
         "two " * 5_000, "A. " * 7_000, "1/" * 10_000, "id:" * 7_000, "." * 20_000, "one and " * 2_500]  # fmt: skip


@pytest.mark.parametrize("text", NASTY, ids=lambda text: f"{text[:9]!r}")
def test_a_line_of_twenty_thousand_characters_costs_little(text: str) -> None:
    started = time.process_time()
    for finder in FINDERS:
        for _ in finder(text):
            pass
    assert time.process_time() - started < 6


@settings(max_examples=30, deadline=None)
@given(st.text(st.sampled_from("Aaé\u0301\u200f\u202eש1@./- \n'’(")))
def test_rules_stay_inside_any_text(text: str) -> None:
    for finder in FINDERS:
        spans = united(finder(text))
        Spans.checked(list(spans), len(text), "here")


def test_a_number_of_more_than_four_parts_is_no_address_of_the_net() -> None:
    labels = {found.label for found in codes.codes("Call 03.93.92.16.85 today, from 10.0.0.7.")}
    assert "IP_ADDRESS" in labels
    assert not [one for one in codes.codes("Call 03.93.92.16.85 today.") if one.label == "IP_ADDRESS"]
    assert not [one for one in codes.codes("Version 1.2.3.40x") if one.label == "IP_ADDRESS"]


@pytest.mark.parametrize("options", [{"labels": "PERSON"}, {"labels": []}, {"strict": "hihg"}])
def test_odd_settings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Identifiers(**options)


def test_an_unknown_level_is_refused_with_the_known_ones() -> None:
    assert Identifiers().strict == "medium"
    with pytest.raises(ConfigurationError, match=r"strict is one of low, medium, high, not 'hihg'"):
        Identifiers(strict="hihg")


def test_the_registry_makes_it_with_options() -> None:
    assert detector("identifiers", options={"strict": "high"}) == Identifiers(strict="high")
    assert len({Identifiers(strict=level).setting for level in LEVELS}) == 3
    with pytest.raises(ConfigurationError, match="no option nothing"):
        detector("identifiers", options={"nothing": 1})
    with pytest.raises(ConfigurationError, match="no option threshold"):  # that of the detector presidio
        detector("identifiers", options={"threshold": 0.7})


def test_the_setting_names_the_card_which_names_the_weights() -> None:
    name, _, digest = TokenClassifier().id.partition("@")
    assert (name, digest) == ("identifiers", CARD[:16])
    assert TokenClassifier().id in Identifiers().setting


def surfaces(made: Identifiers, text: str) -> dict[str, str]:
    spans = made.detect([Document(text)])[0]
    return {text[one.start : one.end]: one.label for one in spans}


DIRECT = {
    "AB-1234567": "CODE", "anna.larsen@example.org": "EMAIL_ADDRESS", "https://example.org/a?b=c": "URL",
    "10.0.0.7": "IP_ADDRESS", "@annalarsen": "ACCOUNT", "AKIAIOSFODNN7EXAMPLE": "SECRET", "3 May 1990": "DATE",
    "1990-05-03": "DATE", "May 3, 1990": "DATE",
}  # fmt: skip


@pytest.mark.parametrize("strict", LEVELS)
def test_what_a_pattern_knows_passes_at_every_level(strict: str) -> None:
    for value, label in DIRECT.items():
        for text in (f"It says {value} here.", value, f"the Act of {value} on Courts", f"Law no. {value}"):
            spans = ByRule(strict=strict).detect([Document(text)])[0]
            assert any(text[one.start : one.end] == value and one.label == label for one in spans), (text, spans)


def test_a_surname_is_carried_to_the_other_fields_of_its_record() -> None:
    texts, fields = ("Later Thistlewood refused.", "Name: Kwame Thistlewood"), {"id": "1"}
    for others, found in ((fields, ["Thistlewood"]), ({"id": "2"}, [])):
        first, second = Document(texts[0], "1/a", others), Document(texts[1], "1/b", fields)
        spans, own = ByRule().detect([first, second])
        assert [first.text[start:end] for start, end in spans.bounds] == found
        assert [second.text[start:end] for start, end in own.bounds] == ["Kwame Thistlewood"]


def test_a_rule_that_takes_too_long_refuses_its_record_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(text: str) -> Iterator[Found]:
        if SECRET in text:
            raise TimeoutError(text)
        yield from ()

    monkeypatch.setitem(identifier_finder.RULES, "fields", lambda text, _: slow(text))
    with pytest.raises(InputError, match="took too long") as raised:
        ByRule().detect([Document("quick"), Document(SECRET)])
    assert raised.value.document == 1
    assert SECRET not in str(raised.value)
    assert raised.value.__context__ is None or SECRET not in str(raised.value.__cause__)


class _Failing:
    """A network that fails, and quotes what it was given."""

    def __init__(self, error: type[Exception]) -> None:
        self._error = error

    def answers(self, texts: Any) -> Any:
        raise self._error(str(texts))


@pytest.mark.parametrize("error", [MemoryError, ValueError, RuntimeError])
def test_a_network_that_fails_detects_nothing_and_quotes_nothing(error: type[Exception]) -> None:
    made = Identifiers()
    made._finder.__dict__["_network"] = _Failing(error)
    with pytest.raises(InputError, match="nothing was detected") as raised:
        made.detect([Document(SECRET)])
    assert SECRET not in f"{raised.value} {raised.value.__context__} {raised.value.__cause__}"


def test_documents_are_counted_in_the_batch_whatever_their_languages() -> None:
    """The numbers of a batch of several languages were those within one language."""
    texts = ["She was not well and they had to go there.", "Hän ei voinut hyvin ja heidän piti lähteä sinne."]
    made = Identifiers(language="auto")
    made._finder.__dict__["_network"] = _Failing(ValueError)
    with pytest.raises(InputError, match=r"failed in the documents 1 to 4 of the batch \(ValueError\)"):
        made.detect([Document(text, str(number)) for number, text in enumerate(texts * 2)])


def test_weights_that_are_refused_are_no_fault_of_the_text() -> None:
    made = Identifiers()
    made._finder.__dict__["_network"] = _Failing(ConfigurationError)
    with pytest.raises(ConfigurationError):
        made.detect([Document("Anna")])


WITHOUT_PATTERN = (
    ("application no. ", "12345/67", " of"), ("Passport: ", "AB1234567", "."), ("case ", "19/2021/ABC", ""),
    ("in ", "1987", ""), ("a ", "34", "-year-old man"), ("she turned ", "46", ""), ("is ", "82", " yrs old"),
    ("due ", "Wed", " or Sept."), ("since ", "noon", ""),
    ("the ", "bruneians", " here"), ("on flight ", "VL 0552", " from"), ("patent no. ", "EP 9 955 019", " concerns"),
    ("receipt ", "RR 055 019 771", ")"), ("Card ", "5500 1199 0", ". If"), ("card ending ", "0055", "."),
    ("seen ", "13/02", " by"), ("after ", "25/12", " she"), ("call ", "01223 555 018", ""), ("at ", "SW1A 2AA", ""),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Identifiers:
    """The detector with its network."""
    return Identifiers()


@pytest.mark.models
def test_a_score_is_a_calibrated_chance_and_no_mark_depends_on_it(
    whole: Identifiers, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [Document("John Okafor lives in Munich. Perhaps Ray asked Reading for the Swift report.")]
    every = whole.findings(texts)[0]
    network = whole._finder._network
    [answer] = network.answers([texts[0].text])
    likely = identifier_finder.POINTS["medium"].likely
    marks = {mark.start: mark for mark in marks_of(answer.pieces, answer.classes, answer.telling, likely)}
    calibration = network.card.calibration
    scored = [finding for finding in every if finding.finder == "network" and finding.start in marks]
    assert scored
    for finding in scored:
        mark = marks[finding.start]
        assert finding.score == pytest.approx(calibration.chance(mark.kind, mark.likely))
        assert finding.score != mark.likely
    monkeypatch.setitem(network.__dict__, "card", replace(network.card, calibration=Calibration()))
    raw = whole.findings(texts)[0]
    assert [one[:3] for one in raw] == [one[:3] for one in every]
    assert [one.score for one in raw] != [one.score for one in every]


@pytest.mark.models
class TestWithTheNetwork:
    """Patterns and the network."""

    def test_names_dates_places_and_addresses_are_marked(self, whole: Identifiers) -> None:
        text = "Mr John Okafor of Munich wrote to anna@example.org on 3 May 1990."
        made = surfaces(whole, text)
        assert made["anna@example.org"] == "EMAIL_ADDRESS"
        assert made["3 May 1990"] == "DATE"
        assert "Okafor" in " ".join(mark for mark, label in made.items() if label == "PERSON")

    def test_values_that_no_pattern_knows_are_marked(self, whole: Identifiers) -> None:
        """Patterns for them were dropped, because they added nothing on text that they were not written beside."""
        texts = [before + value + behind for before, value, behind in WITHOUT_PATTERN]
        missed = []
        for (before, value, _), spans in zip(WITHOUT_PATTERN, whole.detect([*map(Document, texts)]), strict=True):
            covered = {place for start, end in spans.bounds for place in range(start, end)}
            places = range(len(before), len(before) + len(value))
            if not all(place in covered for place, sign in zip(places, value, strict=True) if sign.isalnum()):
                missed.append(value)
        assert len(missed) < 0.15 * len(texts), missed

    def test_a_mark_of_the_network_has_its_probability(self, whole: Identifiers) -> None:
        """The mark that carries a name to other places hid the score of the name itself."""
        text = "Mr John Okafor lives in Munich. The okafors left."
        [findings] = whole.findings([Document(text)])
        by_text = {text[one.start : one.end]: one for one in findings}
        name = next(one for mark, one in by_text.items() if "Okafor" in mark)
        assert name.finder == "network"
        assert name.score is not None
        assert 0.5 < name.score <= 1
        assert {one.finder for mark, one in by_text.items() if "okafor" in mark} <= {"network", "rule:carried"}

    def test_nothing_is_fetched_and_nothing_warned_of(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(*given: Any, **more: Any) -> None:
            raise AssertionError("the network was asked")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        with caplog.at_level(logging.WARNING):
            made = surfaces(Identifiers(), "Mail anna@example.com or see www.example.org, Oslo.")
        assert made["anna@example.com"] == "EMAIL_ADDRESS"
        assert caplog.records == []

    def test_seams_lose_nothing(self, whole: Identifiers, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(identifier_finder, "_WINDOW", 400)
        monkeypatch.setattr(identifier_finder, "_OVERLAP", 80)
        draw = random.Random(1)
        filler = "the cat sat on the mat and looked at a small grey bird "
        text, wanted = "", []
        for number in range(60):
            text += filler[: draw.randrange(len(filler))] + " "
            name = f"Mr Ngozi Okonkwo{'abcdefghij'[number % 10]}"
            wanted.append((len(text) + 3, len(text) + len(name)))
            text += f"{name} came. "
        bounds = whole.detect([Document(text)])[0].bounds
        missed = [span for span in wanted if not any(first <= span[0] and span[1] <= last for first, last in bounds)]
        assert missed == []
        assert len(text) > 5 * 400

    def test_a_line_without_a_break_is_looked_at_to_its_end(self, whole: Identifiers) -> None:
        text = "x" * 50_000 + " Mr Kwame Okafor " + "y" * 50_000 + " bob@example.com"
        made = surfaces(whole, text)
        assert any("Okafor" in mark and label == "PERSON" for mark, label in made.items())
        assert any(mark.endswith("bob@example.com") for mark in made)

    def test_labels_can_be_chosen(self, whole: Identifiers) -> None:
        text = "Mr Kwame Okafor wrote to bob@example.com on 3 May 1990."
        assert set(surfaces(Identifiers(labels=("DATE",)), text).values()) == {"DATE"}
        assert "PERSON" in surfaces(whole, text).values()

    def test_a_higher_level_marks_no_less(self) -> None:
        text = "Mr Kwame Okafor, a nurse of Lagos, paid 300 euros at the Court of Appeal on 3 May 1990, then left."
        covered = []
        for strict in LEVELS:
            bounds = Identifiers(strict=strict).detect([Document(text)])[0].bounds
            covered.append({at for start, end in bounds for at in range(start, end) if text[at].isalnum()})
        assert covered[0] <= covered[1] <= covered[2]
        assert covered[0]

    def test_it_travels_to_other_processes(self, whole: Identifiers) -> None:
        whole.detect([Document("Anna")])
        copy = pickle.loads(pickle.dumps(whole))
        assert copy == whole
        assert "_finder" not in copy.__dict__

    def test_threads_find_what_one_finds(self) -> None:
        texts = [
            f"Mr Kwame Okafor{number} met Dr Anna Larsen in Oslo on {number} May 1990." for number in range(1, 9)
        ]
        alone = Identifiers().detect([Document(text) for text in texts])
        shared = Identifiers()
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lambda text: shared.detect([Document(text)])[0], texts)) == alone

    def test_a_label_that_is_never_given_is_refused(self, whole: Identifiers) -> None:
        known = {"PERSON", "DATE", "TIME", "CODE", "HEALTH", "ORGANIZATION", "PHONE_NUMBER", scripts.OTHER_SCRIPT}
        assert known <= whole.known_labels
        assert Identifiers(labels=("DATE",)).known_labels == {"DATE"}
        with pytest.raises(ConfigurationError, match=r"no label PERSN; did you mean PERSON\?"):
            Identifiers(labels=("PERSN", "DATE")).detect([Document("Anna")])
        with pytest.raises(ConfigurationError, match="'identifiers' gives no label PERSN; did you mean PERSON"):
            package.build("redaction", operators={"PERSN": "mask"})
        with pytest.raises(ConfigurationError, match=r"gives no label PERSON\. It gives DATE"):
            package.build("redaction", operators={"PERSON": "mask"}, detect_options={"labels": ["DATE"]})
        masked = package.build("redaction", operators={"PERSON": "mask", "*": "label"})
        assert "Okafor" not in masked.sanitize("Mr Kwame Okafor").text

    def test_every_label_of_a_find_is_known(self, whole: Identifiers) -> None:
        text = "Mr Okafor, 34 years old, nurse, paid 300 euros for three months at noon; login: d.quill, דוד."
        assert set(surfaces(whole, text).values()) <= whole.known_labels


@pytest.mark.models
def test_identifiers_are_found_without_the_largest_packages() -> None:
    program = (
        "import sys; from sfumato.building.detectors import detector; from sfumato import Document;"
        "[spans] = detector('identifiers').detect([Document('Mr Lee writes to anna@example.org.')]);"
        "assert len(spans); print(sorted({'torch', 'transformers', 'spacy', 'thinc', 'presidio_analyzer'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_what_is_known_of_the_parts_of_names_holds_for_all_texts_of_a_record() -> None:
    """A table of ten thousand names is one record: each of its texts is not read with all of them anew."""
    draw = random.Random(1)
    parts = {"".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(10_000)}
    texts = [f"{part.title()} came, and re_{part}.pdf" for part in sorted(parts)[:20]]
    alone = [list(repeat_mentions.carried(text, parts)) for text in texts]
    known = repeat_mentions.Known.of(parts)
    assert [list(repeat_mentions.carried(text, parts, known)) for text in texts] == alone
    assert all(len(found) == 2 for found in alone)
    begun = time.process_time()
    for text in texts * 500:
        assert list(repeat_mentions.carried(text, parts, known))
    assert time.process_time() - begun < 5
