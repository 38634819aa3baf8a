"""Identifiers: what rules and Presidio find, what is carried, and that nothing is lost at seams or fetched."""

from __future__ import annotations

import logging
import pickle
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as package
from by_rule import ByRule
from sfumato.building.detectors import detector
from sfumato.detectors import scripts
from sfumato.detectors.english import (
    codes,
    fields,
    formats,
    names_in_context,
    organisations,
    people,
    personal_attributes,
    repeat_mentions,
)
from sfumato.detectors.found import Found, united
from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.presidio.hide_imports import without
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document
from sfumato.text.marks import Spans

Finder = Callable[[str], Iterator[Found]]


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
        ("application no. 12345/67 of", "12345/67", "CODE"),
        ("Passport: AB1234567.", "AB1234567", "CODE"),
        ("case 19/2021/ABC", "19/2021/ABC", "CODE"),
        ("born on 19 May 1990,", "19 May 1990", "DATE"),
        ("on May 19th, 1990", "May 19th, 1990", "DATE"),
        ("2001-02-03 was", "2001-02-03", "DATE"),
        ("on 4 and 5 June 2001", "4 and 5 June 2001", "DATE"),
        ("in 1987", "1987", "DATE"),
        ("a 34-year-old man", "34-year-old", "AGE"),
        ("she turned 46", "46", "AGE"),
        ("about 120,000 euros", "about 120,000 euros", "MONEY"),
        ("TRL 1,579,135,521 (two)", "TRL 1,579,135,521 (two)", "MONEY"),
        ("some 50 metres away", "some 50 metres", "QUANTITY"),
        ("for three months", "three months", "DURATION"),
        ("for 3 hrs and 5 mins", "3 hrs and 5 mins", "DURATION"),
        ("is 82 yrs old", "82 yrs old", "AGE"),
        ("bed 12, he", "12", "CODE"),
        ("at 04:30 today", "04:30", "TIME"),
        ("ratio 120/80 or", "120/80", "CODE"),
        ("due Wed or Sept.", "Wed", "DATE"),
        ("since noon", "noon", "TIME"),
        ("at 10.1.2.3 now", "10.1.2.3", "IP_ADDRESS"),
        ("see www.example.org/a?b=c.", "www.example.org/a?b=c", "URL"),
        ("to bob@corp.local!", "bob@corp.local", "EMAIL_ADDRESS"),
    ],
)
def test_codes_dates_and_amounts(text: str, marked: str, label: str) -> None:
    assert found(codes.codes, text).get(marked) == label


def test_a_doctor_without_a_name_is_nobody() -> None:
    assert found(people.introduced, "the dr said so, and her husband left") == {}


def test_short_numbers_and_common_words_are_no_codes() -> None:
    assert found(codes.codes, "He had 2 of 3, and the 1st. Rule 29 and section 4.2 may march.") == {}


def test_adjacent_addresses_are_all_found() -> None:
    text = "a@x.com,b@y.org;c@z.net<d@w.de>"
    assert [one for one, label in found(codes.codes, text).items() if label == "EMAIL_ADDRESS"] == [
        "a@x.com", "b@y.org", "c@z.net", "d@w.de",
    ]  # fmt: skip
    glued = "a@x.comb@y.org"
    assert glued in found(codes.codes, glued)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("by Mr A. Demetriades, a lawyer", "Mr A. Demetriades"),
        ("saw Dr. Ludwig van der Berg there", "Dr. Ludwig van der Berg"),
        ("Patient: Anna Lee\nWard 3", "Anna Lee"),
        ("signed J.P. Morgan-Smith", "J.P. Morgan-Smith"),
        ("Judge O’Brien The court", "Judge O’Brien"),
        ("i know ms quinzia well", "ms quinzia"),
        ("told dr patel today", "dr patel"),
        ("nurse Oluwaseun Adeyemi gave it", "Oluwaseun Adeyemi"),
        ("Rosalind Ashdown, aged 45, was admitted", "Rosalind Ashdown"),
        ("seen: Rosalind May Ashdown 72-year-old", "Rosalind May Ashdown"),
        ("his wife, Annika, was told", "Annika"),
        ("he met Capt. Lee today", "Capt. Lee"),
    ],
)
def test_names_that_are_introduced(text: str, name: str) -> None:
    assert found(people.introduced, text).get(name) == "PERSON"


@pytest.mark.parametrize("text", ["He thanked the Major. See the list.", "They saw the Judge. Sadly it rained."])
def test_a_title_that_is_a_whole_word_ends_its_sentence(text: str) -> None:
    assert found(people.introduced, text) == {}


def test_a_name_is_carried_to_every_mention_and_its_parts() -> None:
    text = "Mr John Okafor came. OKAFOR's wife and Zoë Okafor-Lee saw John; okafor is a word here."
    carried = repeat_mentions.carried(text, repeat_mentions.parts_of(text, people.introduced(text)))
    assert {text[one.start : one.end] for one in carried} >= {"OKAFOR", "Okafor-Lee", "John"}
    composed, apart = "Mr Zoë Müller", "Zoe\u0308 Mu\u0308ller"
    both = f"{composed} and {apart}."
    assert both[len(composed) + 5 : -1] == apart
    parts = repeat_mentions.parts_of(both, people.introduced(both))
    covered = united([*people.introduced(both), *repeat_mentions.carried(both, parts)])
    letters = [at for at in range(len(composed) + 5, len(both) - 1) if both[at].isalpha()]
    assert all(any(start <= at < end for start, end in covered.bounds) for at in letters)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Ms O'Brien came. The O’Brien case.", ["O'Brien", "O’Brien"]),
        ("Ms O’Brien came. The o'brien case.", ["O’Brien", "o'brien"]),
        ("Ms Okafor\u2011Lee came. The Okafor-Lee case.", ["Okafor\u2011Lee", "Okafor-Lee"]),
        ("Mr Constable was admitted. Then Constable left; a constable stayed.", ["Constable", "Constable"]),
        ("Ms Anna Major came. Then Major left a major pain.", ["Anna", "Major", "Major"]),
        ("Mr Lord came. Lord’s bag, my lord.", ["Lord", "Lord"]),
        ("Mrs Judge came. Judge left.", ["Judge", "Judge"]),
        ("Ms Le came. Le left le bag.", ["Le", "Le"]),
        ("Ben Okafor came. Ben left.", ["Ben", "Okafor", "Ben"]),
        ("Mr Constable Okafor left. A Constable came.", ["Okafor"]),
        ("Judge Okafor left. The Judge came.", ["Okafor"]),
    ],
)
def test_a_surname_is_carried_however_it_is_written_and_whatever_else_it_means(text: str, again: list[str]) -> None:
    parts = repeat_mentions.parts_of(text, [*people.introduced(text), *people.listed(text)])
    assert [text[one.start : one.end] for one in repeat_mentions.carried(text, parts)] == again


def test_a_first_name_that_no_list_has_goes_with_the_surname() -> None:
    text = "Rosalind Ashdown left, Prudence-May Ashdown too. Mrs Ashdown, Patient Ashdown and The Ashdown stayed."
    carried = repeat_mentions.carried(text, repeat_mentions.parts_of(text, people.introduced(text)))
    assert [text[one.start : one.end] for one in carried] == [
        "Rosalind Ashdown", "Prudence-May Ashdown", "Ashdown", "Ashdown", "Ashdown",
    ]  # fmt: skip


def test_a_common_word_that_only_the_tagger_calls_a_name_is_not_carried() -> None:
    text = "The Law said so. Law is long."
    assert list(repeat_mentions.carried(text, repeat_mentions.parts_of(text, [Found(4, 7, "PERSON", 0.85)]))) == []
    assert list(repeat_mentions.carried(text, repeat_mentions.parts_of(text, [Found(4, 7, "PERSON", 0.95)]))) != []


@pytest.mark.parametrize(
    ("text", "marked", "label"),
    [
        ("a Turkish national living", "Turkish national", "GROUP"),
        ("the bruneians here", "bruneians", "GROUP"),
        ("he is a retired police officer.", "retired police officer", "OCCUPATION"),
        ("with acute bronchitis since", "acute bronchitis", "HEALTH"),
        ("boys has chickenpox now", "chickenpox", "HEALTH"),
        ("from psoriasis since", "psoriasis", "HEALTH"),
        ("she is divorced", "divorced", "FAMILY"),
        ("one of Jehovah’s Witnesses", "Jehovah’s Witnesses", "GROUP"),
    ],
)
def test_attributes_of_people(text: str, marked: str, label: str) -> None:
    assert found(personal_attributes.attributes, text).get(marked) == label


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("the Istanbul Assize Court held", "Istanbul Assize Court"),
        ("at Klagenfurt University.", "Klagenfurt University"),
        ("the Ministry of Defence", "Ministry of Defence"),
        ("by Blue Sky Trading Ltd.", "Blue Sky Trading Ltd."),
        ("Court of Appeal of Poznań", "Court of Appeal of Poznań"),
    ],
)
def test_organisations_by_their_kind(text: str, marked: str) -> None:
    assert found(organisations.organisations, text).get(marked) == "ORGANIZATION"


def test_a_doctor_is_no_street_without_the_number_of_a_house() -> None:
    assert found(organisations.organisations, "Call Dr Larsen") == {}
    assert "Elm Dr" in found(organisations.organisations, "at Elm Dr in town")
    assert "12 Elm Dr" in found(organisations.organisations, "at 12 Elm Dr Springfield")


def test_a_lane_needs_the_number_of_a_house() -> None:
    assert found(organisations.organisations, "at 27 Saltmarsh Row, in") == {"27 Saltmarsh Row": "LOCATION"}
    assert found(organisations.organisations, "a Third Row of seats") == {}


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("of Leeds BD8 7TT, or", "BD8 7TT"),
        ("at SW1A1AA.", "SW1A1AA"),
        ("in K1A 0B1 then", "K1A 0B1"),
        ("to Salt Lake City, UT. Then", "Salt Lake City, UT"),
        ("at 4 Station Road, Much Wenlock; seen", "4 Station Road, Much Wenlock"),
    ],
)
def test_places_of_an_address(text: str, marked: str) -> None:
    assert found(organisations.organisations, text).get(marked) == "LOCATION"
    assert found(organisations.organisations, "He took B12, and A4 3B; In, OR so.") == {}


def test_a_kind_alone_names_nothing() -> None:
    assert found(organisations.organisations, "The Court and the Government of the State.") == {}


FINDERS: tuple[Finder, ...] = (
    codes.codes, formats.formats, fields.fields, names_in_context.cued, people.introduced, people.listed,
    personal_attributes.attributes, organisations.organisations,
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


@pytest.mark.parametrize(
    "options",
    [{"labels": "PERSON"}, {"labels": []}, {"threshold": 2}, {"window": 100, "overlap": 60}, {"skip": "LAW"},
     {"recognizers": "nowhere.yaml"}],
)  # fmt: skip
def test_odd_settings_are_refused(options: dict[str, Any]) -> None:
    if "recognizers" in options:
        pytest.importorskip("presidio_analyzer")
        pytest.importorskip("spacy")
    with pytest.raises(ConfigurationError):
        Identifiers(**options).detect([Document("Anna")])


def test_without_presidio_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    monkeypatch.delitem(sys.modules, "sfumato.detectors.presidio.recognisers", raising=False)
    with pytest.raises(ImportError, match="presidio_analyzer"):
        Identifiers().detect([Document("Anna")])


def test_the_registry_makes_it_with_options() -> None:
    assert detector("identifiers", options={"threshold": 0.9}) == Identifiers(threshold=0.9)
    assert Identifiers(threshold=0.9).setting != Identifiers().setting
    with pytest.raises(ConfigurationError, match="no option nothing"):
        detector("identifiers", options={"nothing": 1})


@pytest.fixture(scope="module")
def whole() -> Identifiers:
    """The detector with its models."""
    pytest.importorskip("presidio_analyzer")
    pytest.importorskip("spacy")
    return Identifiers(window=400, overlap=60)


def surfaces(detector: Identifiers, text: str) -> dict[str, str]:
    spans = detector.detect([Document(text)])[0]
    return {text[one.start : one.end]: one.label for one in spans}


@pytest.mark.models
class TestWithModels:
    """With spaCy's pipeline and Presidio."""

    def test_presidio_checks_its_sums(self, whole: Identifiers) -> None:
        good, bad = "4012888888881881", "4012888888881882"
        assert surfaces(whole, f"card {good}")[good] == "CREDIT_CARD"
        assert surfaces(whole, f"card {bad}")[bad] == "CODE"
        assert surfaces(whole, "call +44 20 7946 0958 now")["+44 20 7946 0958"] == "PHONE_NUMBER"

    def test_marks_end_where_a_person_ends_them(self, whole: Identifiers) -> None:
        text = "Write to Anna Larsen (anna.larsen@example.org, 555-010-2233), who passed her annual review at night."
        made = surfaces(whole, text)
        assert {"anna.larsen@example.org", "555-010-2233"} <= made.keys()
        assert not {"annual", "her annual review", "night"} & made.keys()
        assert "web1" not in surfaces(whole, "Nov 13 04:12:01 web1 sshd[122]: session closed for user jdoe")

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("Meet Sir John Major. See Dr Patel at noon.", ["Sir John Major", "Dr Patel"]),
            ("Call Dr Larsen on 555-0100.", ["Dr Larsen"]),
            ("Call Anna Berg", ["Anna Berg"]),
            ("Email Anna Berg today. Tell Tom Okafor.", ["Anna Berg", "Tom Okafor"]),
            ("Greet Anna Berg", ["Anna Berg"]),
        ],
    )
    def test_a_name_keeps_to_itself(self, whole: Identifiers, text: str, names: list[str]) -> None:
        assert [mark for mark, label in surfaces(whole, text).items() if label == "PERSON"] == names

    def test_nothing_is_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*given: Any, **more: Any) -> None:
            raise AssertionError("the network was asked")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        made = surfaces(Identifiers(), "Mail anna@example.com or see example.org, Oslo.")
        assert made["anna@example.com"] == "EMAIL_ADDRESS"

    def test_seams_lose_nothing(self, whole: Identifiers) -> None:
        draw = random.Random(1)
        filler = "the cat sat on the mat and looked at a small grey bird "
        text = ""
        wanted = []
        for number in range(40):
            text += filler[: draw.randrange(len(filler))] + " "
            card = f"anna{number}@example.com"
            wanted.append((len(text), len(text) + len(card)))
            text += card + " "
        bounds = whole.detect([Document(text)])[0].bounds
        assert all(any(first <= start and end <= last for first, last in bounds) for start, end in wanted)
        assert len(text) > 2 * whole.window

    def test_a_line_without_a_break_is_looked_at_to_its_end(self, whole: Identifiers) -> None:
        text = "x" * 20_000 + " Mr Okafor " + "y" * 20_000 + " bob@example.com"
        made = surfaces(whole, text)
        assert made["Mr Okafor"] == "PERSON"
        assert "bob@example.com" in made

    def test_labels_can_be_chosen(self, whole: Identifiers) -> None:
        text = "Mr Okafor paid EUR 300 on 3 May 1990."
        chosen = Identifiers(labels=("MONEY",))
        chosen._finder.__dict__["_loaded"] = whole._finder._loaded
        assert set(surfaces(chosen, text).values()) == {"MONEY"}

    def test_it_travels_to_other_processes(self, whole: Identifiers) -> None:
        whole.detect([Document("Anna")])
        copy = pickle.loads(pickle.dumps(whole))
        assert copy == whole
        assert "_finder" not in copy.__dict__

    @pytest.mark.parametrize("quiet", ["not", "level", "disabled", "settings"])
    def test_a_pattern_that_is_skipped_is_an_error_without_text(
        self, whole: Identifiers, monkeypatch: pytest.MonkeyPatch, quiet: str
    ) -> None:
        """Presidio only logs it, and nobody's settings of the log may hide it."""
        from presidio_analyzer import Pattern, PatternRecognizer, pattern_recognizer

        _, patterns = whole._finder._loaded
        slow = PatternRecognizer("SLOW", patterns=[Pattern("slow", "(z+)+y", 0.5)], supported_language="en")
        monkeypatch.setattr(pattern_recognizer, "REGEX_TIMEOUT_SECONDS", 0.05)
        patterns._analyzer.registry.recognizers.append(slow)
        logger = logging.getLogger("presidio-analyzer")
        monkeypatch.setattr(logger, "disabled", quiet == "settings")
        monkeypatch.setattr(logger, "level", logging.CRITICAL if quiet == "level" else logging.WARNING)
        monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL if quiet == "disabled" else 0)
        try:
            with pytest.raises(InputError) as raised:
                whole.detect([Document("Zebrafinch " + "z" * 5000)])
        finally:
            patterns._analyzer.registry.recognizers.remove(slow)
        assert "SkippedPattern" in str(raised.value)
        assert "Zebrafinch" not in str(raised.value)

    def test_gating_changes_no_answer_of_presidio(self, whole: Identifiers) -> None:
        from presidio_analyzer.predefined_recognizers import PhoneRecognizer, UrlRecognizer

        from sfumato.detectors.presidio.recognisers import _Phones, _Urls

        text = "\n".join(
            ["Call (212) 555-0147 or 030 123456 ext. 5, not 12 May 2004; see example.org/a.b, \"http://x.de\"",
             "phone:+49 170 1234567.", "no numbers here", "v1.2.3 e.g. foo.bar.com"]
        )  # fmt: skip
        for gated, plain in ((_Phones, PhoneRecognizer), (_Urls, UrlRecognizer)):
            one, other = gated(), plain()
            entities = one.supported_entities
            theirs = {(r.start, r.end) for r in other.analyze(text, entities, None)}
            assert {(r.start, r.end) for r in one.analyze(text, entities, None)} == theirs
            assert theirs

    def test_gating_looks_far_enough_around_a_telephone_number(self) -> None:
        from presidio_analyzer.predefined_recognizers import PhoneRecognizer

        from sfumato.detectors.presidio.recognisers import _Phones

        parts = (
            "+44 20 7946 0958", " ext. 12", "x345", "(212) 555-0100", " and ", "\n", "no ", "abc", "5", " ", "12345",
            " - ", "030/123456", "€", "%", ";ext=99", "1-800-555-0199", "+1", "(", " / ", "0049 ", "89 636 48018",
            "415ー555ー2671", "415\u2060555\u00a02671", "\u00ad", "０３ー１２３４ー５６７８",
        )  # fmt: skip
        draw = random.Random(5)
        mixed = ["".join(draw.choices(parts, k=draw.randint(2, 9))) for _ in range(600)]
        # what stands before ends with an extension, which is no part of the number
        mixed += ["  ext. 12;ext=9989 636 4801812", "0049  ext. 12 / 030/123456(no ", ";ext=99;ext=991-800-555-0199"]
        mixed += ["+1 415 555 2671" + " " * 60 + "ext 1234", "tel 415ー555ー2671", "+81ー3ー1234ー5678"]
        gated, plain = _Phones(), PhoneRecognizer()
        seen = 0
        for text in mixed:
            found, theirs = (
                sorted((r.start, r.end) for r in one.analyze(text, ["PHONE_NUMBER"], None)) for one in (gated, plain)
            )
            assert found == theirs, text
            seen += len(theirs)
        assert seen > 200

    def test_long_words_with_dots_cost_little_and_are_addresses(self) -> None:
        from sfumato.detectors.presidio.recognisers import _DOTTED, _Urls

        started = time.process_time()
        entities = _Urls().supported_entities
        for text in ("a." * 10_000, "." * 20_000, "1." * 10_000):
            covered = {(r.start, r.end) for r in _Urls().analyze(text, entities, None)}
            assert covered == ({(0, len(text))} if text[0] == "a" else set())
        long = "见" * 600 + "example.org/a" + "见" * 600  # a script without spaces is no long word
        assert [long[r.start : r.end] for r in _Urls().analyze(long, entities, None)] == ["example.org/a"]
        assert time.process_time() - started < 6
        assert [one.group() for one in _DOTTED.finditer("a.b c . .d 1.2 x.1.y")] == ["a.b", ".d", "x.1.y"]

    def test_recognisers_come_from_a_file(self, tmp_path: Path) -> None:
        listed = tmp_path / "recognizers.yaml"
        listed.write_text(
            "supported_languages: [en]\nglobal_regex_flags: 26\nrecognizers:\n"
            "  - name: Badge\n    supported_languages: [en]\n    type: custom\n    supported_entity: BADGE\n"
            "    patterns:\n      - {name: badge, regex: 'zz[a-z]+', score: 0.9}\n",
            "utf-8",
        )
        own = Identifiers(recognizers=str(listed))
        assert surfaces(own, "my badge zzabc")["zzabc"] == "BADGE"
        assert "BADGE" in own.known_labels

    def test_a_label_that_is_never_given_is_refused(self, whole: Identifiers) -> None:
        assert {"PERSON", "DATE", "CODE", "HEALTH", "ORGANIZATION", "CREDIT_CARD"} <= whole.known_labels
        assert "DATE_TIME" not in whole.known_labels
        with pytest.raises(ConfigurationError, match=r"no label PERSN; did you mean PERSON\?"):
            Identifiers(labels=("PERSN", "DATE")).detect([Document("Anna")])
        assert Identifiers(labels=("DATE",)).known_labels == {"DATE"}
        with pytest.raises(ConfigurationError, match="'identifiers' gives no label PERSN; did you mean PERSON"):
            package.build("redaction", operators={"PERSN": "mask"})
        with pytest.raises(ConfigurationError, match=r"gives no label PERSON\. It gives DATE"):
            package.build("redaction", operators={"PERSON": "mask"}, detect_options={"labels": ["DATE"]})
        masked = package.build("redaction", operators={"PERSON": "mask", "*": "label"})
        assert masked.sanitize("Ms Lee").text == "*****"


def test_a_surname_is_carried_to_the_other_fields_of_its_record() -> None:
    texts, fields = ("Later Stone refused.", "Mr Kwame Stone came in."), {"id": "1"}
    for others, found in ((fields, ["Stone"]), ({"id": "2"}, [])):
        first, second = Document(texts[0], "1/a", others), Document(texts[1], "1/b", fields)
        spans, own = ByRule().detect([first, second])
        assert [first.text[start:end] for start, end in spans.bounds] == found
        assert [second.text[start:end] for start, end in own.bounds] == ["Mr Kwame Stone"]


def test_a_number_of_more_than_four_parts_is_no_address_of_the_net() -> None:
    labels = {found.label for found in codes.codes("Call 03.93.92.16.85 today, from 10.0.0.7.")}
    assert "IP_ADDRESS" in labels
    assert not [one for one in codes.codes("Call 03.93.92.16.85 today.") if one.label == "IP_ADDRESS"]
    assert not [one for one in codes.codes("Version 1.2.3.40x") if one.label == "IP_ADDRESS"]


def test_only_the_thread_that_asked_goes_without_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_heavy_package.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[object] = []

    def elsewhere() -> None:
        import a_heavy_package  # type: ignore[import-not-found]

        seen.append(a_heavy_package)

    before = list(sys.meta_path)
    with without("another_package", "a_heavy_package"):
        with pytest.raises(ImportError):
            import_module("a_heavy_package")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert len(seen) == 1
    assert sys.meta_path == before
    assert import_module("a_heavy_package") is seen[0]


@pytest.mark.models
def test_identifiers_are_found_without_the_largest_packages() -> None:
    assert alone().stdout.strip() == "[]"


@cache
def alone() -> subprocess.CompletedProcess[str]:
    """A process in which the detector finds something, and in which transformers is imported after that."""
    program = (
        "import sys; from sfumato.building.detectors import detector; from sfumato import Document;"
        "[spans] = detector('identifiers').detect([Document('Mr Lee writes to anna@example.org.')]);"
        "assert len(spans); print(sorted({'torch', 'transformers'} & set(sys.modules)), flush=True);"
        "import transformers"
    )
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)


@pytest.mark.models
def test_recognisers_of_other_languages_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("presidio_analyzer")
    with caplog.at_level(logging.WARNING):
        Identifiers().detect([Document("Mr Lee")])
    assert caplog.records == []


@pytest.mark.models
def test_the_detector_comes_without_what_only_one_recogniser_needs() -> None:
    pytest.importorskip("presidio_analyzer")
    assert (alone().stdout.strip(), alone().returncode) == ("[]", 0)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Patient דוד כהן, רחוב הרצל 12, תל אביב came.", ["דוד כהן, רחוב הרצל 12, תל אביב"]),
        ("on 5 مايو 2020 he", ["5 مايو 2020"]),
        ("小英 met Ann\n北京市 5月3日", ["小英", "北京市 5月3日"]),
        ("Аlice wrote", ["Аlice"]),  # a Cyrillic capital
        ("Ａｌｉｃｅ wrote", ["Ａｌｉｃｅ"]),
        ("𝐀𝐥𝐢𝐜𝐞 wrote", ["𝐀𝐥𝐢𝐜𝐞"]),
        ("étude in Đorđevićs Łódź, ʃaː, Ⅳ, ª", []),
        ("TNF-α, TNFα, NF-κB, Δt, 5 µg, 𝑝 < 0.05, kΩ, №5, ™, 😀", []),
        ("by ⼭⽥⼤⼈ and 〇〇 or ⠚⠕⠓⠝", ["⼭⽥⼤⼈", "〇〇", "⠚⠕⠓⠝"]),  # radicals, a figure, Braille: no letters
        ("Ⓐⓛⓘⓒⓔ or 🇯🇴🇭🇳 or ㋐㋑ or a\ue000b", ["Ⓐⓛⓘⓒⓔ", "🇯🇴🇭🇳", "㋐㋑", "a\ue000b"]),
        ("ᴀʟɪᴄᴇ or ˢᵐⁱᵗʰ or \u0391lice or Al𝐢ce", ["ᴀʟɪᴄᴇ", "ˢᵐⁱᵗʰ", "\u0391lice", "Al𝐢ce"]),
        ("\u0399\u0301\u03c9 and 𝐀̲𝐥̲", ["\u0399\u0301\u03c9", "𝐀̲𝐥̲"]),
        ("\u0410li\u200bce or И1van or Иван_petrov", ["\u0410li\u200bce", "И1van", "Иван_petrov"]),
        ("at רחוב הרצל, 12, (3) or", ["רחוב הרצל, 12, (3"]),
        ("12 345 דוד", ["12 345 דוד"]),
        ("(«Иван»), who", ["Иван"]),
        ("no letter: 12 + 34 = 46 €", []),
    ],
)
def test_words_that_no_english_pipeline_reads(text: str, marked: list[str]) -> None:
    assert [text[one.start : one.end] for one in scripts.unread(text, "en")] == marked


def test_a_pipeline_reads_the_scripts_of_its_language() -> None:
    text = "Иван Петров и דוד כהן"
    assert [text[one.start : one.end] for one in scripts.unread(text, "ru")] == ["דוד כהן"]
    assert list(scripts.unread("Ελένη", "el")) == []
    assert [one.label for one in scripts.unread("Ελένη", "de")] == [scripts.OTHER_SCRIPT]


@given(st.text(st.sampled_from("aéשД中αβ5 ,\ńー")))
def test_every_letter_of_another_script_is_marked(text: str) -> None:
    spans = [(one.start, one.end) for one in scripts.unread(text, "en")]
    for at, letter in enumerate(text):
        if letter in "שД中":
            assert any(start <= at < end for start, end in spans)


def test_looking_for_scripts_takes_no_longer_than_the_text() -> None:
    for text in (
        ("1, " * 13 + "д x ") * 3_000,
        "'" * 100_000 + "д" + "'" * 100_000,
        "д " + "5 " * 100_000,
        "5" * 100_000 + "д",
        ("д" + " " * 30) * 10_000,
        "é" * 300_000 + "д",
    ):
        started = time.process_time()
        assert len(list(scripts.unread(text, "en"))) >= 1
        assert time.process_time() - started < 5


@pytest.mark.models
def test_what_cannot_be_read_never_stays(whole: Identifiers) -> None:
    text = "Mr Lee and דוד כהן of تل أبيب."
    [spans] = whole.detect([Document(text)])
    assert {text[one.start : one.end] for one in spans} >= {"דוד כהן", "تل أبيب"}
    beside = "Patient иван петров 12 kg loss, 35 mg."
    [spans] = whole.detect([Document(beside)])
    labels = {beside[one.start : one.end]: one.label for one in spans}
    assert next(label for part, label in labels.items() if "иван" in part) == scripts.OTHER_SCRIPT  # no QUANTITY=keep
    assert scripts.OTHER_SCRIPT in whole.known_labels
