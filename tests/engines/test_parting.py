"""Marks that no kind reads are joined, parted or none: every value has a mark of its own, and no word loses one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.building.policies import build_policy, parting_of
from sfumato.engines.parting import Mark, Parting
from sfumato.kinds.registry import kinds_of
from sfumato.language.en.words import PARTICLES
from sfumato.policy import Policy
from sfumato.text.document import Document
from short_lists import short_lists

POLICY = Policy.load("clinical")
PARTING = parting_of(POLICY, kinds_of(options=POLICY.kinds))
assert isinstance(PARTING, Parting)


@pytest.fixture
def shortened() -> Iterator[None]:
    """Short public lists while a whole policy is built: a mark is parted before a value of a list is looked up."""
    with short_lists():
        yield


def parted(text: str, *labels: str) -> list[tuple[str, str]]:
    """Return what is marked of ``text``, in which brackets mark texts of ``labels``, and the kind of each."""
    plain, marks, names = "", [], iter(labels)
    for piece in text.split("["):
        inside, bracket, rest = piece.partition("]")
        if bracket:
            label = next(names)
            marks.append(Mark(len(plain), len(plain) + len(inside), label, PARTING.kind_of(label, inside)))
        plain += inside + rest
    return [(plain[mark.start : mark.end], mark.kind) for mark in PARTING.parted(plain, marks)]


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ("[11 to 19 February. 64M]", "DATE", [("11 to 19 February", "DATE"), ("64M", "AGE")]),
        ("[Halloween 2019]", "DATE", [("Halloween", "DATE"), ("2019", "DATE")]),
        ("[half past nine on Christmas Eve 2020]", "DATE", [
            ("half past nine", "TIME"), ("on Christmas Eve", "DATE"), ("2020", "DATE"),
        ]),
        ("[2020 at half] past nine.", "DATE", [("2020", "DATE"), ("at half past nine", "TIME")]),
        ("[at ten] o'clock", "TIME", [("at ten o'clock", "TIME")]),
        ("[tonight 08:15 hrs]", "TIME", [("tonight", "DATE"), ("08:15 hrs", "TIME")]),
        ("[this morning, 1645]", "DATE", [("this morning", "DATE"), ("1645", "TIME")]),
        ("[1 September, next Tuesday, October 15, 2013]", "DATE", [
            ("1 September", "DATE"), ("Tuesday, October 15, 2013", "DATE"),
        ]),
        ("[Between August 1995] and", "DATE", [("August 1995", "DATE")]),
        ("[62F CKD5]", "AGE", [("62F", "AGE"), ("CKD5", "CODE")]),
        ("[sale 21 June]", "DATE", [("sale", "WORD"), ("21 June", "DATE")]),
        ("[Newcastle (Zedland)]", "LOCATION", [("Newcastle", "PLACE"), ("Zedland", "PLACE")]),
        ("[Ramadan]", "DATE", [("Ramadan", "DATE")]),
        ("[a Turkish national]", "GROUP", [("a Turkish national", "GROUP")]),
        ("[Next]", "ORGANIZATION", [("Next", "ORGANIZATION")]),
        ("[Till]", "LOCATION", [("Till", "PLACE")]),
        ("[Block A, Leeds]", "LOCATION", [("Block", "PLACE"), ("A", "PLACE"), ("Leeds", "PLACE")]),
        ("[31 February 2019]", "DATE", [("31 February 2019", "DATE")]),
        ("[3 May 1890]", "DATE", [("3 May 1890", "DATE")]),
        ("[Of]", "LOCATION", [("Of", "PLACE")]),
        ("[As]", "LOCATION", [("As", "PLACE")]),
        ("[An]", "PERSON", [("An", "PERSON")]),
        ("[The]", "PERSON", [("The", "PERSON")]),
        ("[his]", "OTHER", [("his", "WORD")]),
        ("[the]", "LISTED", [("the", "WORD")]),
        ("[the sale]", "LISTED", [("the sale", "WORD")]),
    ],
)  # fmt: skip
def test_a_mark_is_parted_into_what_is_read(text: str, label: str, expected: list[tuple[str, str]]) -> None:
    assert parted(text, label) == expected


def test_neighbours_are_one_where_that_is_read() -> None:
    place = "LOCATION"
    assert parted("in the [United] [Kingdom] and", place, place) == [("United Kingdom", "PLACE")]
    assert parted("[Leeds] [York]", place, place) == [("Leeds", "PLACE"), ("York", "PLACE")]
    assert parted("[United], [Kingdom]", place, place) == [("United", "PLACE"), ("Kingdom", "PLACE")]


_WORDS = st.sampled_from(
    [
        "11",
        "to",
        "19 February",
        "64M",
        "sale",
        "the",
        "2019",
        "Halloween",
        ",",
        ".",
        "at",
        "10:30",
        "Leeds",
        "Next",
        "A",
    ]
)


@given(st.lists(_WORDS, min_size=1, max_size=9).map(" ".join), st.sampled_from(["DATE", "TIME", "AGE", "LOCATION"]))
def test_no_word_but_a_particle_loses_its_mark(text: str, label: str) -> None:
    marks = PARTING.parted(text, [Mark(0, len(text), label, PARTING.kind_of(label, text))])
    bounds = [0, *(edge for mark in marks for edge in mark[:2]), len(text)]
    assert bounds == sorted(bounds)
    free = " ".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    assert PARTICLES.issuperset(re.findall(r"[^\W_]+", free))
    assert label != "LOCATION" or all(mark.kind == "PLACE" for mark in marks)


@pytest.mark.usefixtures("shortened")
def test_given_marks_are_not_parted() -> None:
    """Somebody chose their bounds."""
    assert build_policy(POLICY.with_changes({"find.detect": '["given"]'})).parting is None
    assert build_policy(POLICY).parting is not None


@pytest.mark.parametrize("detect", ["words", "content-words"])
def test_words_that_are_marked_one_by_one_keep_their_marks(detect: str) -> None:
    policy = Policy.load("research-words").with_changes({"find.detect": f'["{detect}"]'})
    assert parting_of(policy, kinds_of(options=policy.kinds)) is None


def test_every_word_is_replaced_where_words_are_detected() -> None:
    """By labels, as the laws over all words have no part in it."""
    labels = Policy.parse('[find]\ndetect = ["words"]\n[treat_others]\nmethod = "label"')
    policy = replace(Policy.load("research-words"), treat=labels.treat, treat_others=labels.treat_others)
    [record] = build_policy(policy).records([Document("An and Till met Anna at Next.")])
    assert record.texts == ["An", "and", "Till", "met", "Anna", "at", "Next"]


@pytest.mark.parametrize(
    ("label", "text"),
    [("DATE", "05 1971 03"), ("DATE", "Halloween Jones"), ("DATE", "3rd of Iyar 5779"), ("MONEY", "350 Barclays")],
)
def test_no_part_is_of_a_kind_that_the_policy_keeps(label: str, text: str) -> None:
    rule = """
    [find]
    detect = ["identifiers"]
    [[treat]]
    kinds = ["DATE", "MONEY", "PERSON", "PLACE", "AGE"]
    mechanism = "independent"
    [treat_others]
    method = "keep"
    """
    policy = Policy.parse(rule)
    parting = parting_of(policy, kinds_of(options=policy.kinds))
    assert parting is not None
    pairs = parting.pairs(text, [((0, len(text)), label)])
    assert not [pair for pair in pairs if policy.treatment_of(pair[1]).name == "keep"]


@pytest.mark.parametrize(
    ("code", "text", "parts"),
    [
        ("de", "Am August 1995", ["August 1995"]), ("fr", "Au août 1995", ["août 1995"]),
        ("es", "Antes agosto de 1995", ["agosto de 1995"]), ("it", "Agli agosto 1995", ["agosto 1995"]),
        ("nl", "Bij augustus 1995", ["augustus 1995"]), ("nl", "Dan augustus 1995", ["Dan", "augustus 1995"]),
        ("pt", "Ao agosto de 1995", ["agosto de 1995"]), ("de", "Klinik August 1995", ["Klinik", "August 1995"]),
    ],
)  # fmt: skip
def test_a_language_has_its_own_words_before_a_date_and_no_name_among_them(
    code: str, text: str, parts: list[str]
) -> None:
    """Only the words of English were known; the others became marks of words."""
    own = parting_of(POLICY, kinds_of(options=POLICY.kinds, language=code))
    assert own is not None
    marks = own.parted(text, [Mark(0, len(text), "DATE", "DATE")])
    assert [text[mark.start : mark.end] for mark in marks] == parts


def test_the_language_is_a_part_of_what_decides_keyed_draws() -> None:
    kinds = kinds_of(options=POLICY.kinds, language="de")
    german = parting_of(POLICY, kinds)
    assert german is not None
    assert repr(german) != repr(replace(german, code="fr")) != repr(replace(german, code="en"))
    assert repr(german) == repr(parting_of(POLICY, kinds))
