"""No text that a policy treats is in an error, whatever is marked in it: all kinds that need no embeddings."""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.errors import SfumatoError
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness, SystemRandomness
from sfumato.text.document import Document

LABELS = ("DATE", "TIME", "DURATION", "AGE", "MONEY", "QUANTITY", "NUMBER", "CODE", "PHONE", "EMAIL", "URL", "IP")
POLICY = """
[find]
detect = ["given"]
[find.options]
field = "spans"
[fields]
subject = "who"
[[treat]]
kinds = ["DATE"]
mechanism = "{dates}"
epsilon = 0.1
[[treat]]
kinds = ["TIME"]
mechanism = "santext"
epsilon = 0.1
[[treat]]
kinds = ["DURATION", "AGE", "MONEY", "QUANTITY", "NUMBER"]
mechanism = "geometric"
epsilon = 0.5
consistency = "{consistency}"
form = "{form}"
[[treat]]
kinds = ["CODE", "PHONE", "EMAIL", "URL", "IP"]
mechanism = "independent"
consistency = "{consistency}"
[treat_others]
method = "{others}"
"""
HOSTILE = (
    *("9" * 400, "9" * 5000, "-" + "9" * 400, "1e400", "0x" + "f" * 200, "1/0", "30 February 2019", "31/31/2019"),
    *("00/00/0000", "9999-99-99", "-0001-01-01", "1 BC", "25:61", "24:00", "111 years", "-5 years old", "age of 1e9"),
    *("$-0.00", "$" + "1," * 300, "£1.2.3", "%", "100000%", "∞ km", "NaN", "inf", "½ kg", "٣ مايو ٢٠١٩"),
    *(
        "\u202e3 May 2019",
        "3\u200b May\u00ad 2019",
        "①② May",
        "५ वर्ष",
        "三月三日",
        "V\u0336",
        "\ud800",
        "\0",
        "{0}%s",
    ),
    *("twenty-" * 200 + "two", "the " * 500, "a@b@c", "(anna@example.org", "999.999.999.999", "::::::", "+" * 300),
    *(
        "Sept. 31, 19",
        "the 0th of May",
        "day-of-year",
        "2019-W54-9",
        "1 km 2 lb",
        "½⅓ h",
        "0",
        "-",
        "'s",
        "\n",
        "0.0",
    ),
)
texts = st.one_of(
    st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40), st.from_regex(r"[$£-]?[\d.,/: -]{1,30}")
)
numbers = st.from_regex(r"\A-?\d{1,60}([.,]\d{1,30})? ?(years|days|km|%|minutes|kg|January 2019|/05/2019)?\Z")


@cache
def sanitizer(dates: str, consistency: str, form: str, others: str) -> Engine:
    toml = POLICY.format(dates=dates, consistency=consistency, form=form, others=others)
    return build_policy(Policy.parse(toml))


BUILDS = (
    ("shift", "document", "keep", "label"),
    ("geometric", "subject", "public", "mask"),
)


def document(marks: list[tuple[str, str]], who: Any = "somebody") -> Document:
    """Return a document of marked texts between plain words."""
    text, spans = "", []
    for label, words in marks:
        spans.append({"start": len(text) + 3, "end": len(text) + 3 + len(words), "label": label})
        text += f"of {words} and "
    return Document(text, id="record", metadata={"spans": spans, "who": who})


def tried(made: Engine, made_of: Document, words: list[str]) -> None:
    """Sanitize; an error is one of sfumato's own, and neither it nor what it comes from holds a marked text."""
    for source in (SystemRandomness(), SeededRandomness(1)):
        try:
            [release] = made.sanitize_batch([made_of], source)
        except SfumatoError as error:
            said = f"{error} {error.__cause__ or ''}"
            assert not [word for word in words if len(word) > 2 and word in said]
            continue
        assert not [draws for draws in release.draws_by.values() if draws < 0]


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build[0])
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((*LABELS, "GIVEN", "?")), st.one_of(texts, numbers)), max_size=6))
def test_errors_hold_no_text(build: tuple[str, str, str, str], marks: list[tuple[str, str]]) -> None:
    tried(sanitizer(*build), document(marks), [words for _, words in marks])


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build[0])
@pytest.mark.parametrize("label", LABELS)
def test_hostile_texts_of_every_kind_are_released(build: tuple[str, str, str, str], label: str) -> None:
    """Nothing hostile is an error at all: what cannot be read is its public surrogate, and the text is gone."""
    made, start = sanitizer(*build), time.perf_counter()
    for words in HOSTILE:
        [release] = made.sanitize_batch([document([(label, words)])])
        if re.search(r"\w{4}", words):
            assert words not in release.text
    assert time.perf_counter() - start < 20.0


@pytest.mark.parametrize("who", [None, "", " ", 1.5, True, ["ZEBRAFINCH"], {"a": "ZEBRAFINCH"}], ids=repr)
def test_an_unnamed_person_is_refused_without_content(who: Any) -> None:
    made = sanitizer(*BUILDS[1])
    with pytest.raises(SfumatoError) as caught:
        made.sanitize_batch([document([("AGE", "ZEBRAFINCH 62")], who)])
    assert "ZEBRAFINCH" not in str(caught.value)
    assert "62" not in str(caught.value)
