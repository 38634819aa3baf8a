"""Contexts x formats x cases: what a form, a chat or a log writes, by the whole detector and by its patterns alone.

The large grid, with a held-out half, is ``benchmarks/identifiers_grid.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType

import pytest

import sfumato
from by_rule import ByRule
from sfumato.detectors.english import codes, fields, formats, repeat_mentions
from sfumato.detectors.found import Found
from sfumato.detectors.identifiers import Identifiers
from sfumato.heuristics._surrogate import surrogate
from sfumato.text.document import Document
from sfumato.text.marks import Layout, Spans, marked_records
from sfumato.text.occurrences import Occurrences

FLOOR, BY_RULE = 0.95, 0.8
"""The least share of values that are covered, of the whole grid and of the part that patterns find alone."""
CASES: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower)
NAMES = ("Doris Quillfeather", "Ferelith Oakshottle", "Ngozi Umberlow")
CONTEXTS = (
    "Name: {}", "Full name - {}", "Next of kin: {}", "Consultant: {}", "GP = {}", "Tenant\t{}", "Referred by {}",
    "Name of patient    {}", "<td>Name</td><td>{}</td>", "<surname>{}</surname>", '<input name="surname" value="{}">',
    '{{"patient_name": "{}"}}', "{{'lastName': '{}'}}", '{{\\"name\\": \\"{}\\"}}', "**Name:** {}",
    "Patient name:\n{}\n",
)  # fmt: skip
"""Fields of a form, whose values patterns find."""
PROSE = (
    "{};41;F", "<td>{}</td>", "Hi {},", "Dear {},", "Regards,\n{}", "Spoke to {} at length.", "He is called {}.",
    "{} phoned again.", "{}'s file", "Mr {} left.", "| {} | 41 |",
)  # fmt: skip
VALUES = (
    "03 APR 1979", "3 Apr 79", "3 Apr '79", "03-Apr-1979", "Apr 3 1979", "3rd of April 1979", "03 04 1979",
    "3 / 4 / 1979",
    "51.5007, -0.1246", "51°30'26\"N 0°7'39\"W", "51.5007° N, 0.1246° W", "lat 51.5007 lon -0.1246",
    "N51.5007 W0.1246",
    "SW1A 1AA", "K1A 0B1", "14 Harbour Lane", "221b Station Road", "ABC/2021/77", "X-7781-Q", "LX19 ZKP",
    "AB 12 34 56 C",
    "00:1A:2B:3C:4D:5E", "2001:db8::7", "555 0187", "555.0187 ext 4", "+1.555.010.2233", "+49 (0)30 901820",
    "doris [at] example [dot] org", "doris(at)example(dot)org", "doris at example dot org", "doris @ example . org",
    "41F",
    "41 y/o",
)  # fmt: skip
AROUND = ("Seen: {} again.", '"value": "{}"', "<td>{}</td>")
HIDDEN = (
    ("user=jdoe action=login", "jdoe"), ("login: d.quill", "d.quill"), ("logged in as adm-jdoe", "adm-jdoe"),
    ("password: hunter2", "hunter2"), ("pwd=Tr0ub4dor&3", "Tr0ub4dor&3"), ("api_key = 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
    ("my password is letmein", "letmein"), ('{"token": "s3cr3t!"}', "s3cr3t!"), ("PASSWORD=correcthorse",
    "correcthorse"),
    ("Authorization: Bearer abc.DEF-9", "abc.DEF-9"), ("use AKIAIOSFODNN7EXAMPLE now", "AKIAIOSFODNN7EXAMPLE"),
    ("postgres://quill:pa55@db/x", "quill:pa55"), ("Age: 41", "41"), ('"age": 7', "7"), ("Hi Will,", "Will"),
    ("NAME: WILL READING", "WILL READING"), ("PATIENT: QUILLFEATHER, DORIS", "QUILLFEATHER, DORIS"),
)  # fmt: skip
CLEAN = (
    "Name: not given", "name: unknown", "patient: stable and comfortable", "contact: see the notice board",
    "Hi there,",
    "Dear customer,", "Hi team,", "Nobody called.", "It is called a fuse.", "Password: required", "password is wrong",
    '{"password": null, "user": null}', "user: error", '{"name": "colour"}', "| apples | many |",
    "<b>Note:</b> wash hands",
    "May I borrow it?", "Will you come?", "good at maths dot com", "a state-of-the-art room", "the key is lost",
    "Patient:\nReport of today\n",
    "assigned to a court",
)  # fmt: skip


def grid(*, prose: bool) -> Iterator[tuple[str, str]]:
    for contexts, values in ((CONTEXTS, NAMES), (AROUND, VALUES), (PROSE if prose else (), NAMES)):
        for context in contexts:
            for value in values:
                for case in CASES:
                    yield case(context.format(value)), case(value)
    yield from (hidden for hidden in HIDDEN if prose or "Hi" not in hidden[0])


def marked(made: Identifiers) -> dict[str, Spans]:
    """What is marked in each text of the grid."""
    texts = list(dict.fromkeys(text for text, _ in grid(prose=True)))
    return dict(zip(texts, made.detect([Document(text) for text in texts]), strict=True))


marked_once = cache(marked)


def share_covered(found: Mapping[str, Spans], *, prose: bool) -> float:
    """Share of the grid of which every letter and digit of the value is marked."""
    every = list(grid(prose=prose))
    assert len(every) > 400
    covered = 0
    for text, private in every:
        spans = found[text]
        start = text.index(private)
        places = [index for index in range(start, start + len(private)) if text[index].isalnum()]
        covered += all(any(first <= index < last for first, last in spans.bounds) for index in places)
    return covered / len(every)


@pytest.mark.models
def test_contexts_formats_and_cases_are_covered() -> None:
    assert share_covered(marked_once(Identifiers()), prose=True) >= FLOOR
    assert share_covered(marked_once(ByRule()), prose=True) < FLOOR  # so that it notices a network that is missing


@pytest.mark.models
def test_fields_and_formats_are_covered() -> None:
    assert share_covered(marked_once(Identifiers()), prose=False) >= FLOOR


def test_patterns_alone_cover_most_fields_and_formats() -> None:
    assert share_covered(marked_once(ByRule()), prose=False) >= BY_RULE


@pytest.mark.parametrize("module", [fields, formats])
def test_the_floor_notices_a_finder_that_is_missing(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, module.__name__.rpartition(".")[2], lambda *_: iter(()))
    assert share_covered(marked(ByRule()), prose=False) < BY_RULE


@pytest.mark.models
def test_no_mark_begins_or_ends_with_white_space() -> None:
    for text, spans in marked_once(Identifiers()).items():
        marks = [text[start:end] for start, end in spans.bounds]
        assert marks == [mark.strip() for mark in marks]


@pytest.mark.parametrize("text", CLEAN)
def test_patterns_mark_nothing_in_forms_that_hold_nobody(text: str) -> None:
    assert ByRule().detect([Document(text)])[0].bounds == []


@pytest.mark.models
def test_most_forms_that_hold_nobody_stay() -> None:
    spans = Identifiers().detect([Document(text) for text in CLEAN])
    assert sum(bool(own.bounds) for own in spans) <= len(CLEAN) / 2


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("{} phoned. Then quillfeather said no.", "Quillfeather", "[PERSON] phoned. Then [PERSON] said no."),
        ("{} has the login quillfeather_j", "Quillfeather", "[PERSON] has the login [PERSON]"),
        ("{} sent quillfeather.pdf", "Quillfeather", "[PERSON] sent [PERSON].pdf"),
        ("{} and the Quillfeathers", "Quillfeather", "[PERSON] and the [PERSON]"),
        ("{}: jquillfeather, DorisQuillfeather", "Quillfeather", "[PERSON]: [PERSON], [PERSON]"),
        ("She left\nask doris", "doris quillfeather", "She left\nask [PERSON]"),
        ("{} left, and smith was sorry", "Smith", "[PERSON] left, and [PERSON] was sorry"),
        ("{},\nmark the page. Thanks, MARK", "Mark", "[PERSON],\nmark the page. Thanks, [PERSON]"),
        ("{} was reading; Reading said so", "Reading", "[PERSON] was reading; [PERSON] said so"),
        ("{} left. He will come. Will is ill", "Will", "[PERSON] left. He will come. [PERSON] is ill"),
    ],
)
def test_a_found_name_goes_everywhere_and_everyday_words_stay(text: str, name: str, left: str) -> None:
    editor = sfumato.build("redaction", operator="label")
    object.__setattr__(editor, "detector", ByRule())
    assert editor.sanitize(f"Surname: {name}\n{text.format(name)}").text == f"Surname: [PERSON]\n{left}"


def test_a_surrogate_of_a_password_shows_nothing_of_its_shape() -> None:
    made = surrogate("a1", "SECRET", 3, "en_US")
    assert made is not None
    assert len(made) > 2


RUNS = (
    "(", "[", ")", "{", "<", "\"", "'", ".", ",", "!", "?", "-", "_", "/", "\\", "@", "#", "*", "=", "+", "&", "%",
    "$", "|",
    "~", ":", ";", "…", "—", "’", "1", "A", "a", " ", "\t", "\n", "é", "9.", "A.", "@a", "(a", "-a", "'s", "1-",
    "1/", "1:", "a_",
    "a=", "A: ", "Name: ", "Name ", "Mr ", "Aa ", "12 ", "of ", "<a>", "[at]", "a at ", "I. ", "x=1&", "1°",
    "1.234 ", "+1 ",
    "hi ", "eyJ", "1 a ",
)  # fmt: skip
FINDERS: tuple[Callable[[str], Iterator[Found]], ...] = (
    codes.codes, formats.formats, fields.fields,
    lambda text: repeat_mentions.carried(text, {"quillfeather", "doris"}),
)  # fmt: skip


def seconds(step: Callable[[], object]) -> float:
    """CPU seconds of a step."""
    started = time.process_time()
    step()
    return time.process_time() - started


def grows_like_the_text(step: Callable[[str], object], unit: str, length: int) -> bool:
    """Whether four times the text costs less than nine times as much, or next to nothing, the less of two each."""
    short, long = (unit * length)[:length], (unit * length * 4)[: length * 4]
    spent = seconds(lambda: step(long))
    if spent < 0.25:
        return True
    most = max(0.25, 9 * min(seconds(lambda: step(short)) for _ in range(2)))
    return spent < most or seconds(lambda: step(long)) < most


def test_the_measure_of_growth_notices_a_square() -> None:
    def square(text: str) -> int:
        return sum(text[index:].count("((") for index in range(len(text)))

    assert not grows_like_the_text(square, "(", 14_000)  # long enough for a quick processor


@pytest.mark.parametrize("unit", RUNS, ids=repr)
def test_rules_and_engine_cost_no_more_than_the_text(unit: str) -> None:
    def every(text: str) -> None:
        for finder in FINDERS:
            for _ in finder(text):
                pass
        marked_records([Document(text)], [Layout(text, [(0, 1)], ["X"])])[0].everywhere()
        list(Occurrences(["(a) b", "anna lee", "1", "a"], loose=True).find(text))

    assert grows_like_the_text(every, unit, 3_000)


@pytest.mark.models
class TestWithModels:
    """With spaCy's tokenizer."""

    @pytest.mark.parametrize("unit", ["(", "]", "'", ",", "=", "$", "—", "’", "'s", "a(", "🙂"])
    def test_a_run_of_punctuation_costs_no_more_than_its_length(self, unit: str) -> None:
        pytest.importorskip("spacy")
        from sfumato.detectors.tagger import DEFAULT_PIPELINE
        from sfumato.models.spacy.pipelines import load_pipeline

        nlp = load_pipeline(DEFAULT_PIPELINE)

        def words(text: str) -> None:
            with nlp.memory_zone():
                assert nlp.make_doc(text).text == text

        assert grows_like_the_text(words, unit, 2_500)

    def test_words_are_cut_as_before_around_a_long_run(self) -> None:
        pytest.importorskip("spacy")
        from sfumato.detectors.tagger import DEFAULT_PIPELINE
        from sfumato.models.spacy.pipelines import load_pipeline

        tokenizer = load_pipeline(DEFAULT_PIPELINE).tokenizer
        for text in (
            "x" * 300 + " Mr Lee",
            "a  " + "x" * 300 + "  b\n" + "y" * 250,
            "Mr Lee (" + "x" * 300 + ") left",
        ):
            pieces, whole = tokenizer(text), tokenizer.__dict__["_tokenizer"](text)
            assert [(word.text, word.whitespace_) for word in pieces] == [(w.text, w.whitespace_) for w in whole]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: my dog rex 77\nnext", "my dog rex 77"),
        ("  Password = purple horse battery", "purple horse battery"),
        ("password=S3cr3t-Blue!", "S3cr3t-Blue!"),
        ("Password: reset by the desk", None),
        ("password: none so far", None),
        ("She forgot her password: it was long ago that she had one", None),
    ],
)
def test_a_password_of_several_words_is_one(text: str, secret: str | None) -> None:
    found = [text[one.start : one.end] for one in fields.fields(text) if one.label == "SECRET"]
    assert (found == []) if secret is None else (secret in found)
