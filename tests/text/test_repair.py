"""The repair after the draw: what it mends, what it leaves, and that it reads nothing but the release."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import time
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.language import patterns
from sfumato.language.en import articles
from sfumato.language.en.articles import READ, indefinite_article
from sfumato.language.patterns import SIGN
from sfumato.text import repair
from sfumato.text.document import Release
from sfumato.text.repair import Repair

repaired = Repair()


def release(marked: str) -> Release:
    """A release of ``marked``, in which outputs are in braces."""
    parts = re.split(r"[{}]", marked)
    return Release.joined("1", parts, ["X"] * (len(parts) // 2), len(parts) // 2)


def shown(found: Release) -> str:
    """The text with its outputs in braces."""
    return "".join(f"{{{part}}}" if number % 2 else part for number, part in enumerate(found.parts))


def mended(marked: str) -> str:
    return shown(repaired(release(marked)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A {8}-year-old girl.", "An {8}-year-old girl."),
        ("seen by a {engineer} and an {nurse}", "seen by an {engineer} and a {nurse}"),
        ("an {82}-year-old, a {28}-year-old", "an {82}-year-old, a {28}-year-old"),
        ("saw {a} elephant", "saw {an} elephant"),
        ("saw {a} {elephant}", "saw {an} {elephant}"),
        ("saw {a elephant} there", "saw {an elephant} there"),
        ('a "{hour}"', 'an "{hour}"'),
        ("an un{willing} user, a un{known} one", "an un{willing} user, an un{known} one"),
        ("He had {an} MRI. {an} user", "He had {an} MRI. {A} user"),
        ("ate a apple in {Oslo} with a axe", "ate a apple in {Oslo} with a axe"),  # no output touches them
        ("took a {herb}, took an {herb}", "took a {herb}, took an {herb}"),
    ],
)
def test_a_or_an(before: str, after: str) -> None:
    assert mended(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("in the {the Hague} court", "in {the Hague} court"),
        ("in a {The Hague} court", "in {The Hague} court"),
        ("a {the doctor}", "{The doctor}"),
        ("with {the} the hospital", "with {the} hospital"),
        ("with {in the} a hospital", "with {in the} hospital"),
        ("the the {the Hague}", "{The Hague}"),
        ("with the the {the} the {Hague}", "with {the} {Hague}"),
        ("with {the} {the}", "with {the} {the}"),  # no output becomes empty
        ("saw the the court of {Oslo}", "saw the the court of {Oslo}"),  # no output touches it
        ("in group A {the boy}", "in group A {the boy}"),
        ("at 9 a.m., {the boy}", "at 9 a.m., {the boy}"),
        ("at 9 a. {the boy}", "at 9 a. {The boy}"),
    ],
)
def test_doubled_articles(before: str, after: str) -> None:
    assert mended(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{nurse} here. {doctor} there", "{Nurse} here. {Doctor} there"),
        ("x\n{nurse}", "x\n{Nurse}"),
        ("The nurse, {doctor}", "The nurse, {doctor}"),
        ("{iPhone} x. {www.example.org} x. {anna@example.org} x. {mRNA}", None),
        ("{straße} x. {ßa}", "{Straße} x. {ßa}"),  # a capital of two letters would be another word
    ],
)
def test_capitals(before: str, after: str | None) -> None:
    assert mended(before) == (before if after is None else after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("to { Oslo } now", "to {Oslo} now"),
        ("to {Oslo }{ now}", "to {Oslo }{now}"),
        ("to {} now", "to {}now"),
        ("to  {Oslo}  now", "to  {Oslo}  now"),  # the layout of the text
        ("\n{ x}", "\n{ x}"),
        ("{Anna's}'s dog", "{Anna's} dog"),
        ("{Anna’s}’s’s dog", "{Anna’s} dog"),
        ("the {James'}'s dog", "the {James'} dog"),
        ("the {James}'s dog", "the {James}'s dog"),
        ("two {nurses}s left", "two {nurses} left"),
        ("two {nurse}s left", "two {nurse}s left"),
        ("two {nurses}sitting", "two {nurses}sitting"),
        ("two {nurses}s", "two {nurses}"),
        ("by {Acme Ltd.}. Then", "by {Acme Ltd.} Then"),
        ("by {Acme Ltd.}... Then", "by {Acme Ltd.}... Then"),
        ("no {No.}.5", "no {No.}.5"),
    ],
)
def test_edges(before: str, after: str) -> None:
    assert mended(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("paid ${€90} now", "paid {€90} now"),
        ("paid US$ {€90} now", "paid {€90} now"),
        ("paid {€90} € now", "paid {€90} now"),
        ("{90 kr}kr", "{90 kr}"),
        ("a ${€80} fee", "an {€80} fee"),
        ("paid 5 ${€90}", "paid 5 ${€90}"),  # of another amount
        ("paid {€90} $5", "paid {€90} $5"),
        ("so ${90} and {90} €", "so ${90} and {90} €"),  # it has none of its own
        ("Mr Ft{€90}, Mark {€90}", "Mr {€90}, Mark {€90}"),
        ("loft{€90}", "loft{€90}"),
        ("${£}", "${£}"),
        ("{£5}${£6}", "{£5}${£6}"),
        ("{£5} $ {£6}", "{£5} {£6}"),
    ],
)
def test_an_amount_has_one_sign(before: str, after: str) -> None:
    assert mended(before) == after


_AMOUNTS = st.lists(
    st.lists(
        st.sampled_from(["$", "US$", "£", "€", "kr", "zł", "0", "90", "1.5", " ", "paid", ",", "of"]), max_size=5
    ),
    min_size=1,
    max_size=7,
).map(lambda parts: ["".join(part) for part in parts])


@settings(max_examples=800)
@given(_AMOUNTS)
def test_the_signs_beside_an_amount_go_and_nothing_else(parts: list[str]) -> None:
    before = Release.joined("1", parts if len(parts) % 2 else parts[:-1], "X", 3)
    after = repaired(before)
    assert shown(repaired(after)) == shown(after)
    assert [part.strip().lower() for part in after.parts[1::2]] == [
        part.strip().lower() for part in before.parts[1::2]
    ]
    for old, new in zip(before.parts[::2], after.parts[::2], strict=True):
        assert re.sub(rf"{SIGN}|\s", "", new) == re.sub(rf"{SIGN}|\s", "", old)


@pytest.mark.parametrize(
    ("words", "article"),
    [
        *[(words, "an") for words in (
            "8", "80th", "88-year-old", "800", "8,000", "£8", "11", "18", "11,000", "18000", "1850 house", "11:30",
            "hour", "honest", "heir", "honour", "honorary", "apple", "MRI", "ECG", "NHS trust", "X-ray", "F", "mRNA",
            "eGFR", "AIDS", "unknown", "unimportant", "umbrella", "Yvonne", "Émile", "SSRI", "usher", "MRSA", "urn",
        )],
        *[(words, "a") for words in (
            "1", "7", "0", "110", "1,800", "108", "180", "university", "European", "one", "once", "UN envoy",
            "UK", "US", "user", "uniform", "unimodal", "Ukrainian", "urine", "uterus", "hotel", "horse", "yellow",
            "NATO", "NASA", "UNESCO", "UNICEF", "B", "T-shirt", "U-turn", "ewe", "SMART", "SIM card", "PERSON",
        )],
        *[(words, None) for words in ("", "herb", "08:00", "東京", "×", "\ud800")],
    ],
)  # fmt: skip
def test_the_article_of(words: str, article: str | None) -> None:
    assert indefinite_article(words) == article


@given(st.text(max_size=80))
def test_only_the_first_characters_decide_the_article(words: str) -> None:
    assert indefinite_article(words) == indefinite_article(words[:READ])


_PIECES = st.lists(
    st.sampled_from(
        [
            *("a", "an", "A", "An", "the", "The", " ", "  ", "\t", "\n", ".", ". ", "..", "'s", "’s", "s", "S", "'"),
            *("8", "11", "1", "elephant", "hour", "nurse", "UN", "MRI", "x", "ß", "(", '"', "-year-old", "É", "!"),
            *("@", "\u3000"),
        ]
    ),
    max_size=7,
).map("".join)  # fmt: skip
_RELEASES = st.lists(_PIECES, min_size=1, max_size=9).map(
    lambda parts: Release.joined("1", parts if len(parts) % 2 else parts[:-1], "X", 3)
)


@settings(max_examples=800)
@given(_RELEASES)
def test_a_second_repair_changes_nothing(before: Release) -> None:
    after = repaired(before)
    assert shown(repaired(after)) == shown(after)


_TOUCHES_START = re.compile(r"^(?:['’]s|s|\.|[ \t\u00a0]|\b(?:[Aa]n?|[Tt]he)\b)*")
_TOUCHES_END = re.compile(r"(?:\b(?:[Aa]n?|[Tt]he)\b|[ \t\u00a0\"“‘'(\[«])*\w*\Z")


def _core(gap: str) -> str:
    """What of a gap touches no output."""
    return _TOUCHES_END.sub("", _TOUCHES_START.sub("", gap))


@settings(max_examples=800)
@given(_RELEASES)
def test_only_words_that_touch_an_output_change(before: Release) -> None:
    after = repaired(before)
    assert (after.id, after.labels, after.draws, len(after.bounds)) == ("1", "X", 3, len(before.bounds))
    assert list(after.bounds) == sorted(after.bounds)
    assert [_core(gap) for gap in after.parts[::2]] == [_core(gap) for gap in before.parts[::2]]
    for old, new in zip(before.parts[1::2], after.parts[1::2], strict=True):
        assert bool(old) == bool(new)
        bare = re.sub(r"\b[Aa]n?\b", "a", old.strip()).casefold()
        assert re.sub(r"\b[Aa]n?\b", "a", new.strip()).casefold() == bare


def test_a_text_without_outputs_stays() -> None:
    before = Release("1", "a elephant the the  x..", array("q"), "X", 0)
    assert repaired(before) is before


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("{Ibarra}' notes", "{Ibarra}'s notes"),
        ("{Hall}’ notes", "{Hall}’s notes"),
        ("{Hughes}' notes", "{Hughes}' notes"),
        ("{Marx}' notes", "{Marx}' notes"),
        ("He said 'ask {Hall}' and left", "He said 'ask {Hall}' and left"),
        ("{Hall}'s notes", "{Hall}'s notes"),
        ("{8}' notes", "{8}' notes"),
        ("{Hall}'", "{Hall}'"),
    ],
)
def test_an_apostrophe_alone_needs_an_s_before_it(marked: str, expected: str) -> None:
    assert mended(marked) == expected
    assert mended(expected) == expected


def test_it_reads_nothing_but_the_release() -> None:
    """One argument, no state, no import that opens anything; another process says the same of the fields alone."""
    assert list(inspect.signature(repaired).parameters) == ["release"]
    allowed = {"re", "regex", "array", "bisect", "collections.abc", "dataclasses", "functools", "typing"}
    allowed |= {"unicodedata", "__future__", "sfumato.text.document", "sfumato.text.sentences"}
    allowed |= {f"sfumato.language.{name}" for name in ("language", "languages", "patterns")}
    for module in (repair, articles, patterns):
        nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
        assert {node.module for node in nodes if isinstance(node, ast.ImportFrom)} <= allowed
        assert {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names} <= allowed
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert not names & {"open", "globals", "Document", "Preview", "inspect", "sys", "os", "eval", "exec"}
        assert not [node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal)]
    before = release("A {8}-year-old of the {the Hague}. {nurse}s's {nurses}s")
    code = (
        "from sfumato.text.document import Release\nfrom sfumato.text.repair import Repair\n"
        f"found = Repair()(Release({before.id!r}, {before.text!r}, {list(before.bounds)!r}, 'X', 4))\n"
        "print([found.text, list(found.bounds)])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = repaired(before)
    assert ast.literal_eval(run.stdout) == [after.text, list(after.bounds)]


@pytest.mark.parametrize(
    "unit",
    ["a {elephant} ", "the the the ", "a" + " " * 50, "{the}", "{}", "{ x }", "x-", "'s'", "s{s}s", "a {} ", "8{8},"],
)
def test_it_takes_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        made = release(unit * size + "the {the end}")
        before = time.process_time()
        repaired(made)
        return time.process_time() - before

    most = 24 * min(seconds(4_000) for _ in range(3)) + 0.05
    assert any(seconds(32_000) < most for _ in range(3))  # 64 times, if it were quadratic
