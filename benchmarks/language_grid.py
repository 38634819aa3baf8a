"""Dates, amounts and addresses of six languages on a grid: are they marked, and does a kind read what is marked?

Usage: language_grid.py [--part kept] [--record]

The forms are those of public libraries, and no rule of sfumato was written beside them: dates and amounts by babel's
CLDR patterns, addresses by faker, each in sentences of this file. Half of the grid, by a hash of the value and its
sentence, was not looked at while rules were written (``kept``). A value counts as marked if marks cover every word of
it. It counts as read if its kind reads it in the language, so that a policy draws for it and not for a stand-in.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from babel.dates import format_date
from babel.numbers import format_currency, format_decimal
from detector import WORD
from faker import Faker
from recording import models, table, written

from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.kinds.registry import kinds_of
from sfumato.text.document import Document

LOCALES = {
    "de": ("de_DE", "de_AT"), "es": ("es_ES", "es_MX"), "fr": ("fr_FR", "fr_CH"), "it": ("it_IT",),
    "nl": ("nl_NL", "nl_BE"), "pt": ("pt_PT", "pt_BR"),
}  # fmt: skip
DATES = ("full", "long", "medium", "short", "dd.MM.y", "dd/MM/y", "d. MMMM", "d MMMM", "MMMM y", "y-MM-dd", "y")
CURRENCIES = {"de": "EUR", "es": "EUR", "fr": "EUR", "it": "EUR", "nl": "EUR", "pt": "EUR"}
SENTENCES = {
    "de": {
        "DATE": ("Die Aufnahme erfolgte am {}.", "Termin: {}", "Das Urteil vom {} ist rechtskräftig."),
        "MONEY": ("Die Rechnung beträgt {}.", "Er schuldet der Bank {} seit Jahren."),
        "PLACE": ("Sie wohnt in {}.", "Anschrift: {}", "Bitte senden Sie es an {}."),
    },
    "es": {
        "DATE": ("Fue ingresada el {}.", "Fecha: {}", "La sentencia de {} es firme."),
        "MONEY": ("La factura es de {}.", "Debe al banco {} desde hace años."),
        "PLACE": ("Vive en {}.", "Dirección: {}", "Envíelo a {}."),
    },
    "fr": {
        "DATE": ("Elle a été admise le {}.", "Date : {}", "Le jugement du {} est définitif."),
        "MONEY": ("La facture est de {}.", "Il doit {} à la banque depuis des années."),
        "PLACE": ("Elle habite {}.", "Adresse : {}", "Envoyez-le à {}."),
    },
    "it": {
        "DATE": ("È stata ricoverata il {}.", "Data: {}", "La sentenza del {} è definitiva."),
        "MONEY": ("La fattura è di {}.", "Deve alla banca {} da anni."),
        "PLACE": ("Abita in {}.", "Indirizzo: {}", "Lo spedisca a {}."),
    },
    "nl": {
        "DATE": ("Zij werd opgenomen op {}.", "Datum: {}", "Het vonnis van {} is definitief."),
        "MONEY": ("De rekening bedraagt {}.", "Hij is de bank al jaren {} schuldig."),
        "PLACE": ("Zij woont aan {}.", "Adres: {}", "Stuur het naar {}."),
    },
    "pt": {
        "DATE": ("Foi internada em {}.", "Data: {}", "A sentença de {} transitou em julgado."),
        "MONEY": ("A fatura é de {}.", "Deve ao banco {} há anos."),
        "PLACE": ("Vive em {}.", "Morada: {}", "Envie para {}."),
    },
}  # fmt: skip


class Cell(NamedTuple):
    """A value in its written form, in a sentence."""

    language: str
    kind: str
    value: str
    sentence: str

    @property
    def is_kept(self) -> bool:
        """Whether the cell is of the half that nothing was chosen by."""
        return hashlib.sha256(f"{self.value} {self.sentence}".encode()).digest()[0] % 2 == 1


def values(language: str, kind: str, rng: random.Random) -> Iterator[str]:
    """Written values of a kind: each form of it with a few values."""
    for locale in LOCALES[language]:
        if kind == "DATE":
            for pattern in DATES:
                for _ in range(3):
                    day = date(rng.randint(1940, 2025), rng.randint(1, 12), rng.randint(1, 28))
                    yield format_date(day, pattern, locale)
        elif kind == "MONEY":
            for _ in range(12):
                amount = round(10 ** rng.uniform(0.7, 6), rng.choice((0, 2)))
                yield format_currency(amount, CURRENCIES[language], locale=locale)
                yield f"{format_decimal(amount, locale=locale)} Euro"
        else:
            faker = Faker(locale)
            faker.seed_instance(rng.randint(0, 10**9))
            for _ in range(25):
                yield faker.address().replace("\n", ", ")


def cells(language: str) -> Iterator[Cell]:
    rng = random.Random(f"grid {language}")
    for kind, sentences in SENTENCES[language].items():
        for value in values(language, kind, rng):
            yield Cell(language, kind, value, rng.choice(sentences))


def report(part: str) -> tuple[str, list[Cell]]:
    rows: list[list[object]] = []
    missed: list[Cell] = []
    for language in LOCALES:
        own = [cell for cell in cells(language) if cell.is_kept is (part == "kept")]
        finder, kinds = IdentifierFinder(None, language, "medium"), kinds_of(language=language)
        texts = [cell.sentence.format(cell.value) for cell in own]
        found = finder.findings([Document(text, str(number)) for number, text in enumerate(texts)])
        counts: Counter[str] = Counter()
        for cell, text, marks in zip(own, texts, found, strict=True):
            start = cell.sentence.index("{}")
            covered = bytearray(len(text) + 1)
            for mark in marks:
                covered[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            is_marked = all(covered[word.start()] for word in WORD.finditer(text, start, start + len(cell.value)))
            is_read = kinds[cell.kind].read(cell.value) is not None
            counts[cell.kind] += 1
            counts[f"{cell.kind} marked"] += is_marked
            counts[f"{cell.kind} read"] += is_read
            if not (is_marked and is_read):
                missed.append(cell)
        for kind in SENTENCES[language]:
            shares = [f"{counts[f'{kind} {what}'] / counts[kind]:.3f}" for what in ("marked", "read")]
            rows.append([language, kind, counts[kind], *shares])
    return table(["language", "kind", "values", "marked", "read"], rows), missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("choose", "kept"), default="kept")
    parser.add_argument(
        "--missed", action="store_true", help="show what was missed of the half that may be looked at"
    )
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    told, missed = report(asked.part)
    written("language-grid", told, asked.record, used=models("others"))
    for cell in missed if asked.missed and asked.part == "choose" else ():
        print(cell.language, cell.kind, cell.sentence.format(cell.value), sep="\t")


if __name__ == "__main__":
    main()
