"""Kinds of numbers and times in every language that lists describe: what is read is written again, in every form."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds import test_silent_forms as silent

from kind_contract import ODD, check_any_text, check_writing, forms_of
from numbers_in_languages import CHANGED, KEPT, UNREADABLE
from sfumato.abstract.kind import Kind
from sfumato.heuristics import _generalise as generalising
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.duration import Duration
from sfumato.kinds.dates.time import Time
from sfumato.kinds.numbers import money, number, quantity
from sfumato.kinds.numbers.money import Money
from sfumato.kinds.numbers.number import Number
from sfumato.kinds.numbers.quantity import Quantity
from sfumato.language.languages import LANGUAGES
from sfumato.language.listed_clock import ListedClock
from sfumato.language.listed_counts import ListedCounts
from sfumato.language.spelling import Spelled
from texts_of_patterns import texts_of

CODES = tuple(code for code in LANGUAGES if code != "en")
KINDS = {kind.name: kind for kind in (Number, Money, Quantity, Age, Duration, Time)}
OF_ENGLISH = {"titles", "long words short, as newspapers do"}
EVERY = [(name, code) for name in KINDS for code in CODES]
ODD_HERE = (
    *("un'", "d'", "l'", "'", "-", "ein" * 60, "un " * 60, "mil " * 50, "e " * 90, "vor " * 49, "de " * 60, "y"),
    *("3 Woche\u017f", "drei\u00dfig Jahre", "3 an\u0303os", "\u0130 Jahr", "3 \u212a", "3 j\u00c4hrig"),
    *("eine Million Million", "mil mil", "ein ein", "zwei Millionen Millionen Euro", "24:00 Uhr", "13 Uhr 99"),
    *("de de de un un", "\u2032", "1.2.3", "1,2,3", "1 2 3", "12 34", "1.23,4", "9" * 40 + " Jahre", "0,00 \u20ac"),
)


def kind_of(name: str, code: str) -> Kind:
    return KINDS[name](language=code)


def rows(table: dict[str, dict[str, dict[str, str]]]) -> Iterator[tuple[str, str, str, str]]:
    for name, texts_by_code in table.items():
        for code, texts in texts_by_code.items():
            yield from ((name, code, text, expected) for text, expected in texts.items())


def texts(name: str, code: str) -> list[str]:
    return [*KEPT[name][code], *CHANGED[name][code]]


@pytest.mark.parametrize(("name", "code", "text", "said"), list(rows(KEPT)))
def test_a_text_is_read_and_written_again(name: str, code: str, text: str, said: str) -> None:
    kind = kind_of(name, code)
    reading = kind.read(text)
    assert reading is not None
    assert f"{reading.value} {reading.form.grain.split(',')[0]}" == said
    assert kind.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("name", "code", "text", "written"), list(rows(CHANGED)))
def test_what_only_some_values_show_is_not_kept(name: str, code: str, text: str, written: str) -> None:
    kind = kind_of(name, code)
    reading = kind.read(text)
    assert reading is not None
    assert kind.write(reading.value, reading.form) == written
    assert kind.read(written) == reading


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_texts_in_every_language(name: str, code: str) -> None:
    assert len(KEPT[name][code]) >= 3
    assert all(kind_of(name, code).read(text) is None for text in UNREADABLE[name])


@pytest.mark.parametrize(("name", "code"), EVERY)
def test_every_form_holds_every_value_of_its_grain(name: str, code: str) -> None:
    """Every value of small domains, and values spread over the large ones."""
    kind = kind_of(name, code)
    for form in forms_of(kind, texts(name, code)):
        tokens = kind.vocabulary(form.grain).tokens
        for value in tokens if len(tokens) <= 200 else (*tokens[:30], *tokens[:: len(tokens) // 40], tokens[-1]):
            check_writing(kind, value, form)


@pytest.mark.parametrize(("name", "code"), EVERY)
def test_a_manner_of_writing_brings_one_form_whatever_the_value(name: str, code: str) -> None:
    """Two manners are of English: its small words in titles, and how long a word is that newspapers shorten."""
    kind = kind_of(name, code)
    manners = {each: silent.MANNERS[each] for each in silent.MANNERS.keys() - OF_ENGLISH}
    for form in forms_of(kind, texts(name, code)):
        written = {value: kind.write(value, form) for value in silent._values(kind, form.grain, 20)}
        read = silent._Reader(kind)
        told = [each for each, manner in manners.items() if len(silent._brought(read, form, manner, written)) > 1]
        assert not told, form


@pytest.mark.parametrize(("name", "code"), EVERY)
def test_odd_texts(name: str, code: str) -> None:
    kind = kind_of(name, code)
    start = time.perf_counter()
    for text in (*ODD, *ODD_HERE):
        check_any_text(kind, text)
    assert time.perf_counter() - start < 5.0


def matching(name: str, code: str) -> list[str]:
    """Texts that the shapes of a kind match, sensible or not."""
    counts, clock = ListedCounts(code, LANGUAGES[code].numbers), ListedClock(code)
    shapes = {
        "DURATION": lambda: counts.duration_shapes,
        "AGE": lambda: (*counts.age_shapes, *(shape for _, _, shape in counts.decade_shapes)),
        "TIME": lambda: clock.shapes,
        "MONEY": lambda: money.shapes(code),
        "QUANTITY": lambda: quantity.shapes(code),
        "NUMBER": lambda: number.shapes(code),
    }
    return texts_of(shapes[name]())


@pytest.mark.parametrize(("name", "code"), EVERY)
def test_any_text_that_a_shape_matches_is_unreadable_or_can_be_written(name: str, code: str) -> None:
    kind = kind_of(name, code)
    for text in matching(name, code):
        check_any_text(kind, text)


@pytest.mark.parametrize("code", CODES)
@given(number=st.integers(0, 10**12), case=st.sampled_from(("words", "Words", "WORDS")))
def test_numbers_in_words(code: str, number: int, case: str) -> None:
    spelling = LANGUAGES[code].numbers.spelling
    assert isinstance(spelling, Spelled)
    for noun in ("", *spelling.genders):
        text = spelling.write(number, case, noun)
        assert spelling.read(text) == (number, case), text
    assert spelling.read(spelling.write(number, "words").replace("-", " ")) == (number, "words")


@pytest.mark.parametrize(
    ("before", "text", "placed"),
    [
        ("Sie kam vor ", "2 Jahren", "1 Jahr; 2 Jahren"),
        ("Sie kam vor etwa ", "zwei Tagen", "einem Tag; zwei Tagen"),
        ("Seit ", "einer Woche", "einer Woche; zwei Wochen"),
        ("Sie blieb ", "zwei Tage", "einen Tag; zwei Tage"),
        ("Sie blieb ", "eine Woche", "eine Woche; zwei Wochen"),
        ("In den ", "letzten 3 Monaten", "letzten 1 Monat; letzten 2 Monaten"),
    ],
)
def test_a_duration_in_german_has_the_case_that_the_text_before_it_asks_for(
    before: str, text: str, placed: str
) -> None:
    kind = Duration(language="de")
    reading = kind.read(text)
    assert reading is not None
    form = kind.placed(reading, before, " zurück").form
    assert "; ".join(kind.write(value, form) for value in "12") == placed


def test_a_dot_is_no_decimal_sign_where_a_comma_is_one() -> None:
    german, english = Number(language="de"), Number()
    values = [(kind.read(text) or kind.surrogate).value for text in ("1.234", "1,234") for kind in (german, english)]
    assert values == ["1234", "1.234", "1.234", "1234"]


@pytest.mark.parametrize(
    ("rule", "text", "made"),
    [
        (generalising.rounded, "EUR 4.325,50", "EUR 4.000"),
        (generalising.rounded, "0,034 mg", "0,03 mg"),
        (generalising.rounded, "38 Wochen", "40 Wochen"),
        (generalising.rounded, "38 Smith", None),
        (generalising.rounded, "EUR 20 (zwanzig Euro)", None),
        (generalising.age_band, "45-jährige", "40-49"),
        (generalising.age_band, "93 Jahre alt", "90 oder älter"),
        (generalising.age_band, "6 Monate alt", None),
    ],
)
def test_numbers_and_ages_are_generalised_as_the_language_writes_them(
    rule: Callable[..., str | None], text: str, made: str | None
) -> None:
    assert rule(text, language=LANGUAGES["de"]) == made
