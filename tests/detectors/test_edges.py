"""Marks end where a person would end them, and what is trimmed is never a letter or digit that tells something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.english.codes import codes
from sfumato.detectors.english.formats import formats
from sfumato.detectors.english.trim_spans import apart, trimmed, whole_words
from sfumato.detectors.found import Found
from sfumato.detectors.scripts import OTHER_SCRIPT
from sfumato.text.marks import Finding, Spans


def trim(text: str, mark: str, label: str) -> str:
    start = text.index(mark)
    [made] = trimmed(text, [Finding(start, start + len(mark), label, 0.7, "rule:people")])
    assert made[2:5] == (label, 0.7, "rule:people")
    return text[made.start : made.end]


@pytest.mark.parametrize(
    ("text", "mark", "label", "left"),
    [
        ("(a@example.org, 555-010-2233), who", "555-010-2233)", "PHONE_NUMBER", "555-010-2233"),
        ("te 's-Gravenhage woont", "s-Gravenhage", "LOCATION", "'s-Gravenhage"),
        ("'s-Gravenhage", "s-Gravenhage", "LOCATION", "'s-Gravenhage"),
        ("volgens ’t Hooft was", "’t Hooft", "PERSON", "’t Hooft"),
        ("it's Tuesday", "s Tuesday", "PERSON", "s Tuesday"),
        ("call (212) 555-0147 now", "(212) 555-0147", "PHONE_NUMBER", "(212) 555-0147"),
        ("see (https://example.org/a_(b)) now", "https://example.org/a_(b))", "URL", "https://example.org/a_(b)"),
        ("at https://example.org/a/ now", "https://example.org/a/", "URL", "https://example.org/a/"),
        ("“Patronat” said", "“Patronat”", "ORGANIZATION", "Patronat"),
        ('"Anna said', '"Anna', "PERSON", "Anna"),
        ("the Land Code (Jordabalken) of", "Land Code (Jordabalken", "ORGANIZATION", "Land Code (Jordabalken)"),
        ("in Oslo, and", "Oslo,", "LOCATION", "Oslo"),
        ("by Blue Sky Ltd. today", "Blue Sky Ltd.", "ORGANIZATION", "Blue Sky Ltd."),
        ("at 9 p.m. today", "9 p.m.", "TIME", "9 p.m."),
        ("Ms J. left", "Ms J.", "PERSON", "Ms J."),
        ("the Ministry of Justice. It", "Ministry of Justice.", "ORGANIZATION", "Ministry of Justice"),
        ("Anna’s bag", "Anna’s", "PERSON", "Anna"),
        ("the Joneses' bag", "Joneses'", "PERSON", "Joneses"),
        ("two years’ work", "two years’", "DURATION", "two years’"),
        ("in The Hague, they", "The Hague", "LOCATION", "Hague"),
        ("on the 3 May 1990 he", "on the 3 May 1990", "DATE", "3 May 1990"),
        ("in 1992 he", "in 1992", "DATE", "1992"),
        ("A. Lee came", "A. Lee", "PERSON", "A. Lee"),
        ("group A came", "A", "CODE", "A"),
        ("user=jdoe logged", "user=jdoe", "PERSON", "jdoe"),
        ("email: a@b.co", "email: a@b.co", "EMAIL_ADDRESS", "a@b.co"),
        ("to a@b.example.com. The", "a@b.example.com.", "EMAIL_ADDRESS", "a@b.example.com"),
        ("at www.b.com. The", "www.b.com.", "URL", "www.b.com"),
        ("Smith: John", "Smith: John", "PERSON", "Smith: John"),
        ("https://a.b", "https://a.b", "URL", "https://a.b"),
        ("is -5 °C", "-5 °C", "QUANTITY", "-5 °C"),
        ("paid $5.50, then", "$5.50,", "MONEY", "$5.50"),
        ("(“Иван”)", "(“Иван", OTHER_SCRIPT, "(“Иван"),
        ("pw (tr0ub!=) ok", "(tr0ub!=", "SECRET", "(tr0ub!="),
        ("so ??? it", "???", "NAME", "???"),
        ("An Nguyen left", "An Nguyen", "PERSON", "An Nguyen"),
        ("then A Rahman left", "A Rahman", "PERSON", "A Rahman"),
        ("The Kian Gie left", "The Kian Gie", "PERSON", "The Kian Gie"),
        ("the Kian Gie left", "the Kian Gie", "PERSON", "Kian Gie"),
        ("The applicant left", "The applicant", "PERSON", "applicant"),
        ("user: id:4711x", "id:4711x", "ACCOUNT", "id:4711x"),
        ("pw id:4711x", "id:4711x", "SECRET", "id:4711x"),
    ],
)
def test_marks_end_where_a_person_ends_them(text: str, mark: str, label: str, left: str) -> None:
    assert trim(text, mark, label) == left


LETTERS = st.text(st.sampled_from("aB1é ()[]“”\"'’.,:;=-the in"), min_size=1, max_size=40)


@given(LETTERS, st.data())
def test_no_letter_is_lost_but_of_grammar_keys_and_endings(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    label = data.draw(st.sampled_from(["PERSON", "CODE", "DATE", "URL", "ORGANIZATION", "EMAIL_ADDRESS"]))
    [(first, last, *_)] = trimmed(text, [Finding(start, end, label)])
    assert start <= first < last <= end + 1
    lost = (text[start:first] + "|" + text[last:end]).lower()
    for word in ("the", "in", "at", "a", "'s", "’s"):
        lost = lost.replace(word, " ")
    assert not any(character.isalnum() for character in lost)


@pytest.mark.parametrize(
    ("text", "mark", "whole"),
    [
        ("It was US$0.", "$0", "US$0"),
        ("It costs $999 now", "999", "$999"),
        ("It costs $ 999 now", "999", "$ 999"),
        ("It costs 999 € now", "999", "999 €"),
        ("It costs 999zł now", "999", "999zł"),
        ("It costs £999 € now", "999", "£999"),
        ("It costs $999 € now", "$999", "$999"),
        ("a loft 999 fts", "999", "999"),
        ("999", "999", "999"),
    ],
)
def test_the_mark_of_an_amount_holds_the_sign_of_its_currency(text: str, mark: str, whole: str) -> None:
    start = text.index(mark)
    [made] = whole_words(text, [Found(start, start + len(mark), "MONEY", 0.7)])
    assert text[made.start : made.end] == whole


def test_spans_stay_sorted_and_disjoint() -> None:
    text = "the Land Code (Jordabalken) of"
    marks = [Finding(4, 13, "A"), Finding(14, 26, "ORGANIZATION"), Finding(26, 27, "B")]
    Spans.checked(list(Spans.of(trimmed(text, marks))), len(text), "here")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Ankara. The Turkish Government", ["Ankara", "The Turkish Government"]),
        ("Sir John Major. See Elm Street", ["Sir John Major", "See Elm Street"]),
        ("Oslo. Bergen Hospital", ["Oslo", "Bergen Hospital"]),
        ("Univ. Hospital", ["Univ. Hospital"]),
        ("Yahoo! Inc", ["Yahoo! Inc"]),
        ("Oslo! In Bergen? On", ["Oslo", "In Bergen"]),
        ("St. Helens", ["St. Helens"]),
        ("J. Will Smith", ["J. Will Smith"]),
        ("Dr. May", ["Dr. May"]),
        ("Mr A. The", ["Mr A. The"]),
        ("Maj. A Novak", ["Maj. A Novak"]),
        ("Smith. On", ["Smith"]),
        ("Anna Moss. DO", ["Anna Moss", "DO"]),
        ("Li Chen. ME", ["Li Chen", "ME"]),
    ],
)
def test_a_mark_does_not_run_over_the_end_of_a_sentence(text: str, parts: list[str]) -> None:
    found = list(apart(text, [Found(0, len(text), "PERSON", 0.9)]))
    assert [text[one.start : one.end] for one in found] == parts
    assert {one.label for one in found} == {"PERSON"}


@pytest.mark.parametrize("title", ["Prof.", "Dr.", "Insp."])
def test_an_initial_without_a_stop_behind_a_title_is_no_article(title: str) -> None:
    text = f"Seen by {title} A Novak today"
    [made] = apart(text, [Found(8, len(text) - 6, "PERSON", 0.95)])
    assert text[made.start : made.end] == f"{title} A Novak"


@pytest.mark.parametrize(
    ("text", "mark", "label", "whole"),
    [
        ("the DHKP-C met", "DHKP", "ORGANIZATION", "DHKP-C"),
        ("a Greek-Cypriot village", "Cypriot", "GROUP", "Greek-Cypriot"),
        ("cervico-brachial neuralgia", "brachial neuralgia", "HEALTH", "cervico-brachial neuralgia"),
        ("an Oslo-based firm", "Oslo", "LOCATION", "Oslo"),
        ("A Rahman signed", "Rahman", "PERSON", "A Rahman"),
        ("by An Nguyen", "Nguyen", "PERSON", "An Nguyen"),
        ("USA Rahman", "Rahman", "PERSON", "Rahman"),
        ("a Rahman", "Rahman", "PERSON", "Rahman"),
        ("A Rahman Ltd", "Rahman Ltd", "ORGANIZATION", "Rahman Ltd"),
        ("pre-Oslo times", "Oslo", "LOCATION", "Oslo"),
    ],
)
def test_a_mark_takes_the_rest_of_a_compound_name(text: str, mark: str, label: str, whole: str) -> None:
    start = text.index(mark)
    [made] = whole_words(text, [Found(start, start + len(mark), label, 0.7)])
    assert text[made.start : made.end] == whole


@pytest.mark.parametrize(
    ("text", "label", "parts"),
    [
        ("1 September, next Tuesday, October 15, 2013", "DATE", ["1 September", "Tuesday, October 15, 2013"]),
        ("12 May 2020, then 14 May 2020", "DATE", ["12 May 2020", "14 May 2020"]),
        ("12 May 2020 to 14 May 2020", "DATE", ["12 May 2020 to 14 May 2020"]),
        ("1 to 3 May 2020", "DATE", ["1 to 3 May 2020"]),
        ("Monday 5 May 2020", "DATE", ["Monday 5 May 2020"]),
        ("5 May the flood 6 May", "DATE", ["5 May the flood 6 May"]),  # a word between would be lost
        ('Anna Berg "Nan', "PERSON", ["Anna Berg ", "Nan"]),
        ('Anna "Nan" Berg', "PERSON", ['Anna "Nan" Berg']),
        ("Dr Berg\n\nANNA HOLM", "PERSON", ["Dr Berg", "ANNA HOLM"]),
        ("Anna\nHolm", "PERSON", ["Anna\nHolm"]),
    ],
)
def test_a_mark_holds_one_value(text: str, label: str, parts: list[str]) -> None:
    spans = apart(text, [Found(0, len(text), label, 0.9)])
    assert [text[span.start : span.end] for span in spans] == parts


def test_two_numbers_of_which_neither_is_a_month_are_a_code_and_no_date() -> None:
    for text in ("94-39-64", "82-70-70", "52-13-12"):
        assert {span.label for span in formats(text)} == {"CODE"}
    for text in ("31-12-99", "12/31/99", "99-12-31", "1.2.2020"):
        assert "DATE" in {span.label for span in formats(text)}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("due on the 17th.", "the 17th"),
        ("from the 1st to the 3rd, please", "the 3rd"),
        ("It came the 22nd and", "the 22nd"),
        ("on the 2nd floor", None),
        ("in the 19th century", None),
        ("the 101st time", None),
    ],
)
def test_a_day_of_the_month_alone_is_a_date_and_a_rank_is_none(text: str, day: str | None) -> None:
    found = {text[span.start : span.end] for span in codes(text) if span.label == "DATE"}
    assert (day in found) if day else not found
