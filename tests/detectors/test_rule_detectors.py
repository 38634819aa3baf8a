"""Listed: what the list names is found whole; a bad list or a slow pattern is refused without a quotation."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.detectors import phrases
from sfumato.detectors.merging import merged
from sfumato.detectors.rules import Listed
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document
from sfumato.text.marks import Span


def found(lines: list[str], text: str) -> list[str]:
    spans = Listed.from_lines(lines).detect([Document(text, "7")])[0]
    return [text[start:end] for start, end in spans.bounds]


@pytest.mark.parametrize(
    ("entry", "text", "expected"),
    [
        (
            "Ann Lee",
            "ANN LEE, ann\n  lee; Ann-Lee ann_lee Annlee",
            ["ANN LEE", "ann\n  lee", "Ann-Lee", "ann_lee"],
        ),
        ("Smith", "Smith's SMITH smithy blacksmith smith2", ["Smith", "SMITH"]),
        ("Don", "Don's I don't DON’T Don 'tis", ["Don", "Don"]),
        ("O'Brien", "O’BRIEN and o'brien", ["O’BRIEN", "o'brien"]),
        ("J. Roe", "J. Roe, J Roe, j.roe", ["J. Roe", "J Roe", "j.roe"]),
        ("R&D", "R&D, r & d, R D", ["R&D", "r & d"]),
        ("C++", "C++ and C", ["C++"]),
        ("José", "JOSÉ jose\u0301 jose", ["JOSÉ", "jose\u0301"]),
        ("Smith", "Smi\u200bth S\u00admith", ["Smi\u200bth", "S\u00admith"]),
        ("STRASSE", "Straße", ["Straße"]),
        ("北京", "我在北京住", ["北京"]),
        ("김철수", "김철수가 왔다", ["김철수"]),
        ("12/05/1980", "12/05/1980 12.05.1980 112/05/1980", ["12/05/1980", "12.05.1980"]),
    ],
)
def test_phrases(entry: str, text: str, expected: list[str]) -> None:
    assert found([entry], text) == expected


def test_patterns_are_used_as_written() -> None:
    text = "AB123456 ab123456"
    assert found([r"/[A-Z]{2}\d{6}/"], text) == ["AB123456"]
    assert found([r"/[A-Z]{2}\d{6}/i"], text) == ["AB123456", "ab123456"]


def test_the_longest_entry_wins_and_overlaps_are_united() -> None:
    assert found(["New York", "York Times", "New York City"], "New York City") == ["New York City"]
    assert found(["New York", "York Times"], "the New York Times") == ["New York Times"]
    assert found(["北京", "京都"], "在北京都") == ["北京都"]
    assert found([r"/\d{3}-\d/", r"/\d-\d{4}/"], "123-4567") == ["123-4567"]


def test_labels() -> None:
    listed = Listed.from_lines(["WARD\tWard 7", "Lee", r"/\d{9}/"], label="X")
    text = "ward 7 Lee 123456789"
    assert [span.label for span in listed.detect([Document(text)])[0]] == ["WARD", "X", "X"]


spans = st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from("AB")).map(
    lambda drawn: Span(drawn[0], drawn[0] + drawn[1], drawn[2])
)


@given(st.lists(spans))
def test_merging_keeps_every_character_and_no_overlap(drawn: list[Span]) -> None:
    union = list(merged(drawn))
    before = {place for span in drawn for place in range(span.start, span.end)}
    after = [place for span in union for place in range(span.start, span.end)]
    assert sorted(before) == after
    starts = {span.start for span in drawn}
    assert all(span.start in starts for span in union)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=5), st.text(max_size=5))
def test_every_entry_is_found_where_it_stands_alone(entries: list[str], noise: str) -> None:
    for entry in entries:
        try:
            listed = Listed.from_lines([entry])
        except (InputError, ConfigurationError):
            continue
        if entry.strip().startswith("/") or "\t" in entry:
            continue
        phrase = entry.strip(" \r\n")
        text = f"{noise} ; {phrase} ; {noise}"
        assert len(listed.detect([Document(text)])[0]) >= 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/secret(/", "does not compile"),
        ("/(secret)?/", "empty string"),
        ("/secret|/", "empty string"),
        ("/a*/", "empty string"),
        ("/secret", "close the regular expression"),
        ("/secret/x", "close the regular expression"),
        ("???", "no letter or digit"),
        ("NAME\t", "no letter or digit"),
        ("two words\tsecret", "label"),
        ("\tsecret", "label"),
    ],
)
def test_a_bad_line_is_refused_with_file_and_line(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"fine\n\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=reason) as refused:
        Listed.from_file(path)
    assert f"{path}, line 3" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_a_list_that_protects_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n  \n")
    with pytest.raises(ConfigurationError, match="protect nothing"):
        Listed.from_file(path)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.txt"):
        Listed.from_file(tmp_path / "absent.txt")
    (tmp_path / "latin.txt").write_bytes("José".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        Listed.from_file(tmp_path / "latin.txt")


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_an_entry(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes("\ufeff/L[e]+/\r\nRoe\r\n".encode())
    listed = Listed.from_file(tmp_path / "list.txt")
    assert len(listed.detect([Document("Lee Roe")])[0]) == 2


def test_a_catastrophic_pattern_is_stopped_and_names_the_place_only() -> None:
    listed = Listed.from_lines(["/(x|x)*y/"], "my list", timeout=0.2)
    private = "x" * 60 + " y"
    begun = time.perf_counter()
    with pytest.raises(InputError, match=r"^Document 2 of the batch: .*my list, line 1") as refused:
        listed.detect([Document("", "r8"), Document(private, "r9")])
    assert time.perf_counter() - begun < 5
    assert "xx" not in str(refused.value)
    assert "r9" not in str(refused.value)


def test_a_match_of_nothing_is_an_error_not_silence() -> None:
    listed = Listed.from_lines(["/(?=secret)/"])
    with pytest.raises(ConfigurationError, match="empty piece") as refused:
        listed.detect([Document("a secret", "Ann")])
    assert "Ann" not in str(refused.value)
    assert len(listed.detect([Document("nothing", "1")])[0]) == 0


def test_listed_pickles_and_its_repr_hides_the_entries() -> None:
    listed = Listed.from_lines(["Ann Lee", r"/\d+/"], "names")
    again = pickle.loads(pickle.dumps(listed))
    assert again == listed
    document = Document("ann lee 7")
    assert list(again.detect([document])[0]) == list(listed.detect([document])[0])
    assert "Lee" not in repr(listed) + repr(listed.rules)
    assert listed != Listed.from_lines(["Ann Lee", r"/\d/"], "names")
    assert "2 entries" in listed.description


def test_thousands_of_entries_are_quick() -> None:
    entries = [f"name{n} family{n % 97}" for n in range(20_000)]
    text = " ".join(entries[::40]) + " plain words here" * 3000
    spent: list[float] = []
    while len(spent) < 5 and (not spent or spent[-1] >= 0.5):  # others may use the processor meanwhile
        listed = Listed.from_lines(entries)
        begun = time.process_time()
        assert len(listed.detect([Document(text)])[0]) == 500
        spent.append(time.process_time() - begun)
    assert min(spent) < 0.5


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=127)))
def test_the_quick_way_for_ascii_gives_the_same_words(text: str) -> None:
    bounds, folded = phrases._words(text)
    matches = list(phrases._WORD.finditer(text))
    assert bounds == [match.span() for match in matches]
    assert folded == [phrases._folded(match.group()) for match in matches]
