"""Marks of other languages begin behind a greeting, and end before the next key of a form and before a verb."""

from __future__ import annotations

import pytest

from sfumato.detectors.borders import within_borders
from sfumato.detectors.counted_marks import behind_dates
from sfumato.language.languages import LANGUAGES
from sfumato.text.marks import Finding


@pytest.mark.parametrize(
    ("code", "label", "text", "marked", "left"),
    [
        ("de", "PERSON", "Hallo Jens, danke", "Hallo Jens", "Jens"),
        ("de", "PERSON", "Gut. Moin Uwe!", "Moin Uwe", "Uwe"),
        ("de", "PERSON", "Liebe Anna", "Liebe Anna", "Anna"),
        ("de", "DATE", "Guten Morgen, Frau X", "Morgen", ""),
        ("de", "DATE", "Bis morgen, guten Morgen", "morgen", "morgen"),
        ("de", "LOCATION", "Schöne Grüße!", "Schöne Grüße", ""),
        ("de", "PERSON", "Herr Liebe kam", "Liebe", "Herr Liebe"),
        ("de", "PERSON", "Name: Liebe, Anna", "Liebe, Anna", "Liebe, Anna"),
        ("de", "PERSON", "Dr. Klein übernahm", "Klein übernahm", "Dr. Klein"),
        ("de", "PERSON", "Anna von der Heide", "Anna von der Heide", "Anna von der Heide"),
        ("de", "PERSON", "anna klein", "anna klein", "anna klein"),
        ("de", "LOCATION", "Linden-Str. 12\nPLZ: 53111", "Linden-Str. 12\nPLZ", "Linden-Str. 12"),
        ("de", "LOCATION", "Lindenweg 12\n53111 Bonn", "Lindenweg 12\n53111 Bonn", "Lindenweg 12\n53111 Bonn"),
        ("de", "LOCATION", "Linden-Str. 12\nTelefon: 1", "Linden-Str. 12\nTelefon", "Linden-Str. 12"),
        ("de", "PERSON", "Anna\nSchmidt dazu: Ja", "Anna\nSchmidt", "Anna\nSchmidt"),
        ("es", "PERSON", "con Juan\nQuxvil y dijo: sí", "Juan\nQuxvil", "Juan\nQuxvil"),
        ("es", "LOCATION", "en Nueva\nPonferrada: allí", "Nueva\nPonferrada", "Nueva\nPonferrada"),
        ("de", "DATE", "15.4. Am Tag", "Am", ""),
        ("nl", "PERSON", "Groetjes, Fleur", "Groetjes, Fleur", "Fleur"),
        ("nl", "PERSON", "Bakker, Anna\nStraat: Dam 1", "Bakker, Anna\nStraat", "Bakker, Anna"),
        ("nl", "OCCUPATION", "bakker\nTelefoon: 030", "bakker\nTelefoon", "bakker"),
        ("es", "PERSON", "oiga, el Juan", "el Juan", "Juan"),
        ("es", "ORGANIZATION", "a la Carmen y a Juan", "Carmen y a", "Carmen"),
        ("de", "ORGANIZATION", "Siemens und andere", "Siemens und", "Siemens"),
        ("es", "ORGANIZATION", "la Casa de los niños", "Casa de los niños", "Casa de los niños"),
        ("de", "DATE", "in 2 Wochen bei Dr. X", "2 Wochen bei", "2 Wochen"),
        ("de", "DATE", "62 Jahre, Lehrerin", "Jahre", ""),
        ("de", "DATE", "am Montag", "Montag", "Montag"),
        ("de", "PERSON", "Ihre Tochter Sabine kam", "Ihre Tochter Sabine", "Sabine"),
        ("de", "PERSON", "Die Zeugin Monika Kern", "Zeugin Monika Kern", "Monika Kern"),
        ("de", "PERSON", "bei seiner Freundin Lena", "Freundin Lena", "Lena"),
        ("de", "PERSON", "Name: Herbst Peter", "Herbst Peter", "Herbst Peter"),
        ("de", "TIME", "um 5 zu Anna", "um 5 zu", "5"),
        ("de", "PERSON", "Frau Monika Kern", "Frau Monika Kern", "Frau Monika Kern"),
        ("de", "PERSON", "Angela Merkel", "Angela Merkel", "Angela Merkel"),
        ("es", "TIME", "en 2 semanas", "2", "2 semanas"),
        ("de", "DATE", "in 3 Tagen", "3", "3 Tagen"),
        ("de", "DATE", "am 3 in Bonn", "3", "3"),
        ("es", "PERSON", "Hola Marta", "Hola Marta", "Marta"),
        ("es", "PERSON", "de la Fuente", "de la Fuente", "de la Fuente"),
        ("sv", "PERSON", "Hej Anna", "Hej Anna", "Hej Anna"),
    ],
)
def test_a_mark_holds_a_value_alone(code: str, label: str, text: str, marked: str, left: str) -> None:
    start = text.index(marked)
    found = within_borders(text, [Finding(start, start + len(marked), label)], LANGUAGES.get(code))
    assert [text[own.start : own.end] for own in found] == ([left] if left else [])


def test_two_institutions_side_by_side_are_one() -> None:
    text = "La Audiencia Provincial de Lugo y el Banco"
    marks = [Finding(0, 12, "ORGANIZATION"), Finding(13, 31, "ORGANIZATION"), Finding(37, 42, "ORGANIZATION")]
    found = within_borders(text, marks, LANGUAGES["es"])
    assert [text[own.start : own.end] for own in found] == ["Audiencia Provincial de Lugo", "Banco"]


def test_an_institution_and_its_town_are_one() -> None:
    text = "bij de Politie Utrecht, later Anna Utrecht"
    marks = [Finding(4, 14, "ORGANIZATION"), Finding(15, 22, "LOCATION")]
    marks += [Finding(30, 34, "PERSON"), Finding(35, 42, "LOCATION")]
    found = within_borders(text, marks, LANGUAGES["nl"])
    assert [text[own.start : own.end] for own in found] == ["Politie Utrecht", "Anna", "Utrecht"]


@pytest.mark.parametrize(
    ("code", "text", "words", "label"),
    [
        ("de", "Die Patientin ist 84 Jahre alt.", "84 Jahre", "AGE"),
        ("de", "Frau Lindner (91 Jahre) kam.", "91 Jahre", "AGE"),
        ("de", "Sie raucht seit 20 Jahren nicht.", "20 Jahren", "DURATION"),
        ("de", "Kontrolle nach 2 Wochen.", "2 Wochen", "DURATION"),
        ("pt", "A mãe, 84 anos, faleceu.", "84 anos", "AGE"),
        ("pt", "Trabalhou durante 20 anos.", "20 anos", "DURATION"),
        ("fr", "Sa mère, 84 ans, est venue.", "84 ans", "AGE"),
    ],
)
def test_a_number_of_years_is_an_age_unless_a_word_says_that_they_last(
    code: str, text: str, words: str, label: str
) -> None:
    start = text.index(words)
    [own] = within_borders(text, [Finding(start, start + len(words), "DATE")], LANGUAGES[code])
    assert (text[own.start : own.end], own.label) == (words, label)


def test_the_number_of_an_item_is_no_date() -> None:
    text = "Foi ouvido. 1. No dia 4 comprou."
    assert within_borders(text, [Finding(12, 13, "DATE")], LANGUAGES["pt"]) == []
    assert within_borders("Vem a 1. Pois.", [Finding(6, 7, "DATE")], LANGUAGES["pt"]) != []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("am 7. August durch", []),
        ("am 7. August vom Haus St. Anna", [("Haus St. Anna", "ORGANIZATION")]),
        ("am 7. August 12 34", [("12 34", "DATE")]),
        ("am 7. August in fulda", [("in fulda", "DATE")]),
    ],
)
def test_what_follows_a_date_is_no_part_of_it(text: str, rest: list[tuple[str, str]]) -> None:
    found = [Finding(3, 12, "DATE"), Finding(12, len(text), "DATE")]
    date, *others = behind_dates(text, found, LANGUAGES["de"])
    assert text[date.start : date.end] == "7. August"
    assert [(text[own.start : own.end], own.label) for own in others] == rest
    assert behind_dates(text, found, None) == found
