"""Claims out of a parse: each says whom it is about, nothing of a text is lost, odd texts do no harm."""

from __future__ import annotations

import pytest

from sfumato.attacks.claims import ClauseSplitter

pytestmark = pytest.mark.models
pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def splitter() -> ClauseSplitter:
    return ClauseSplitter()


def test_clauses_become_claims_with_their_subject(splitter: ClauseSplitter) -> None:
    text = "Anna lives in Oslo and works as a nurse. She has a dog, which barks at night."
    [claims] = splitter.split([text])
    assert claims[:2] == ("Anna lives in Oslo", "Anna works as a nurse")
    assert any(claim.startswith("a dog barks") for claim in claims)


def test_what_the_parser_cuts_in_the_middle_is_joined(splitter: ClauseSplitter) -> None:
    [claims] = splitter.split(["His temperature is 38.5 C, pulse is 90/min, and blood pressure is 120/80 mm Hg."])
    assert claims == ("His temperature is 38.5 C", "pulse is 90/min", "blood pressure is 120/80 mm Hg")


@pytest.mark.parametrize("text", ["", " \n ", "...", "😀", "a", "[MASK] \x00 \ud800", "word " * 3000, "x" * 60_000])
def test_odd_texts_give_claims_or_none(splitter: ClauseSplitter, text: str) -> None:
    [claims] = splitter.split([text.encode("utf-8", "replace").decode()])
    assert all(claim.strip() for claim in claims)


def test_every_word_of_a_text_is_in_some_claim(splitter: ClauseSplitter) -> None:
    text = "When Maria arrived, the doctor who knew her said that she should rest and drink. Nobody else came."
    [claims] = splitter.split([text])
    there = set(" ".join(claims).replace(".", "").split())
    joined = {"and", "that", "who", "When"}  # words and signs that joined one claim to another
    assert {word.strip(".,") for word in text.split()} - joined <= there


def test_claims_do_not_depend_on_the_other_texts(splitter: ClauseSplitter) -> None:
    texts = ["Anna sleeps. Bob eats soup.", "", "The cat, which is old, runs."]
    assert splitter.split(texts) == [splitter.split([text])[0] for text in texts]
    assert splitter.split(texts * 2)[3:] == splitter.split(texts)
