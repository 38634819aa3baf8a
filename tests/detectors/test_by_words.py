"""Ages, times, feasts and occupations that words show inside a text, in other languages than English."""

from __future__ import annotations

import time

import pytest

from sfumato.detectors.by_words import by_words
from sfumato.language.languages import ENGLISH, LANGUAGES

SHOWN = [
    ("de", "Die Patientin, 84 Jahre alt, kam.", {"84 Jahre alt": "AGE"}),
    ("de", "Im Alter von drei Jahren", {"drei Jahren": "AGE"}),
    ("de", "gegen halb elf, um 13 uhr und um 17.30 Uhr", {"halb elf": "TIME", "13 uhr": "TIME", "17.30 Uhr": "TIME"}),
    ("de", "Zu Weihnachten und an Silvester 2019", {"Weihnachten": "DATE", "Silvester 2019": "DATE"}),
    ("de", "ist Dachdecker in Ulm", {"Dachdecker": "OCCUPATION"}),
    ("es", "de treinta y nueve años de edad", {"treinta y nueve años de edad": "AGE"}),
    ("es", "Paciente de 27 años, soltero", {"27 años": "AGE"}),
    ("es", "a las 8 de la tarde, en Navidad", {"8 de la tarde": "TIME", "Navidad": "DATE"}),
    ("fr", "âgé de 45 ans, plombier", {"45 ans": "AGE", "plombier": "OCCUPATION"}),
    ("fr", "à 14 h 30 ou vers dix heures et demie", {"14 h 30": "TIME", "dix heures et demie": "TIME"}),
    ("it", "alle 8 di sera, a Pasqua", {"8 di sera": "TIME", "Pasqua": "DATE"}),
    ("nl", "een vrouw van 57 jaar, om half elf, met Pasen", {"57 jaar": "AGE", "half elf": "TIME", "Pasen": "DATE"}),
    ("pt", "Bruno, 36 anos, vigilante", {"36 anos": "AGE", "vigilante": "OCCUPATION"}),
    ("pt", "umas 17h40, até às 2 da manhã, desde o Natal", {"17h40": "TIME", "2 da manhã": "TIME", "Natal": "DATE"}),
]
PLAIN = [
    ("de", "Seit 20 Jahren raucht er 3 h am Tag."),
    ("de", "Nach 3 h fieberfrei, 2,5 mg 1-0-1, Nikolaus Meier kam."),
    ("de", "Die Ärztin sprach mit dem Richter."),
    ("es", "una pena de tres años de prisión, hace 3 años; San Juan, Reyes García"),
    ("pt", "durante 20 anos, por 3 horas"),
    ("it", "da 20 anni; Paola Natale"),
    ("nl", "sinds 20 jaar, na 3 dagen"),
    ("fr", "depuis 20 ans, Noël Dupont"),
]


@pytest.mark.parametrize(("code", "text", "shown"), SHOWN)
def test_what_words_show_is_marked(code: str, text: str, shown: dict[str, str]) -> None:
    assert {text[own.start : own.end]: own.label for own in by_words(text, LANGUAGES[code])} == shown


@pytest.mark.parametrize(("code", "text"), PLAIN)
def test_lengths_of_time_names_and_staff_are_not(code: str, text: str) -> None:
    assert [text[own.start : own.end] for own in by_words(text, LANGUAGES[code])] == []


def test_english_has_rules_of_its_own() -> None:
    assert list(by_words("a woman of 57 years at Easter", None)) == []
    assert ENGLISH.counts.ages_in_text is None


def test_a_long_text_costs_little() -> None:
    text = "Die Patientin, 84 Jahre alt, kam zu Weihnachten um 17.30 Uhr. " * 500
    began = time.process_time()
    assert len(list(by_words(text, LANGUAGES["de"]))) == 1500
    assert time.process_time() - began < 3.0
