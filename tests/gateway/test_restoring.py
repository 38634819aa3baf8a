"""However a text is cut, its pieces restore to what the whole text restores to, and nothing waits without need."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.gateway.restoring import JSON, PLAIN, Counts, Names, Restorer

ANNA, EMAIL = "PERSON_1A2B3C4D", "EMAIL_00FF00FF"
KNOWN = {ANNA: 'Anna "Änne" Müller', EMAIL: "anna@example.org", "DATE_OF_BIRTH_12345678": "1 May\n1970"}
NAMES = Names(KNOWN)
PIECES = [
    *(ANNA, EMAIL, "DATE_OF_BIRTH_12345678", ANNA.lower(), "Person_1a2b3c4d", "PERSON\\_1A2B3C4D"),
    *("PERSON&#95;1A2B3C4D", "&#80;ERSON_1A2B3C4D", "PERSON 1A2B3C4D", "PERSON_99999999", f"{ANNA}s", f"x{ANNA}"),
    *(f"{ANNA}_", f"**{ANNA}**", "PERSON_", "PERSON", "P", "_", " ", ", ", "\n", "person", "a", "&", "\\", "ER"),
    *("%5f", "#", "-", "1A2B3C4D", "é", "漢", "\u200b"),
]


def cut(text: str, places: list[int], kind: str = PLAIN, names: Names = NAMES) -> tuple[str, int]:
    """The restored text, and how many pseudonyms it held."""
    counts = Counts()
    restorer = Restorer(names, kind, counts)
    edges = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    said = [restorer.feed(text[first:last]) for first, last in pairwise(edges)]
    return "".join([*said, restorer.end()]), counts.restored


def whole(text: str, kind: str = PLAIN, names: Names = NAMES) -> tuple[str, int]:
    return cut(text, [], kind, names)


@settings(max_examples=250)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.lists(st.integers(0, 400), max_size=40))
@example([ANNA], [3])
@example(["PERSON", "_", "1A2B3C4D", "_", "a"], list(range(40)))
def test_a_cut_changes_nothing(pieces: list[str], places: list[int]) -> None:
    text = "".join(pieces)
    assert cut(text, places) == whole(text)
    assert cut(text, list(range(len(text)))) == whole(text)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.lists(st.integers(0, 800), max_size=40), st.data())
def test_a_cut_of_json_in_any_escapes_changes_nothing(
    pieces: list[str], places: list[int], data: st.DataObject
) -> None:
    plain = "".join(pieces)
    escaped = data.draw(st.lists(st.booleans(), min_size=len(plain), max_size=len(plain)))
    text = "".join(
        json.dumps(sign)[1:-1] if not hard or ord(sign) > 0xFFFF else f"\\u{ord(sign):04x}"
        for sign, hard in zip(plain, escaped, strict=True)
    )
    assert cut(text, places, JSON) == whole(text, JSON)
    assert cut(text, list(range(len(text))), JSON) == whole(text, JSON)


@pytest.mark.parametrize("kind", [PLAIN, JSON])
def test_a_pseudonym_cut_at_every_place_is_restored(kind: str) -> None:
    text = f"Dear {ANNA}, {EMAIL}."
    want = (
        f"Dear {KNOWN[ANNA]}, {KNOWN[EMAIL]}." if kind == PLAIN else f'Dear Anna \\"Änne\\" Müller, {KNOWN[EMAIL]}.'
    )
    for place in range(len(text)):
        assert cut(text, [place], kind)[0] == want
    if kind == JSON:
        assert json.loads(f'"{want}"') == f"Dear {KNOWN[ANNA]}, {KNOWN[EMAIL]}."


def test_only_the_beginning_of_a_known_pseudonym_waits() -> None:
    restorer = Restorer(NAMES, PLAIN, Counts())
    assert restorer.feed("Hello world, this is ") == "Hello world, this is "
    assert restorer.feed("text for a P") == "text for a "
    assert restorer.feed("arty") == "Party"
    assert restorer.feed(" PERSON_9") == " PERSON_9"
    assert restorer.feed(f" {ANNA}") == " "
    assert restorer.feed(".") == f"{KNOWN[ANNA]}."
    assert restorer.feed("PERSON_1A2B") == ""
    assert restorer.end() == "PERSON_1A2B"


def test_what_is_unknown_or_doubtful_is_counted_and_stays() -> None:
    text = f"PERSON_99999999 and Person 1A2B3C4D and {ANNA.title()}"
    counts = Counts()
    said = NAMES.restored(text, PLAIN, counts)
    assert said == f"PERSON_99999999 and Person 1A2B3C4D and {KNOWN[ANNA]}"
    assert (counts.restored, counts.unknown, counts.doubtful) == (1, 1, 1)


def test_realistic_pseudonyms_are_whole_words() -> None:
    names = Names({"Maria Keller": "Anna Müller", "Jo": "Al"})
    text = "Maria Keller, Jo and Jon met Maria Kellerman."
    assert whole(text, PLAIN, names)[0] == "Anna Müller, Al and Jon met Maria Kellerman."
    for place in range(len(text)):
        assert cut(text, [place], PLAIN, names)[0] == whole(text, PLAIN, names)[0]
    assert cut(text, list(range(len(text))), PLAIN, names)[0] == whole(text, PLAIN, names)[0]


def test_without_pseudonyms_nothing_waits() -> None:
    restorer = Restorer(Names({}), PLAIN, Counts())
    assert restorer.feed("PERSON_1A2B3C4D") == "PERSON_1A2B3C4D"
