"""Codes that hold a checksum, known by python-stdnum, and telephone numbers, known by phonenumbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import regex

from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import matches

_CHECKSUMS: tuple[tuple[str, str], ...] = (
    (r"(?<![\w.-])[A-Z]{2}\d{2}(?:[ ]?[A-Z\d]{4}){2,7}(?:[ ]?[A-Z\d]{1,3})?(?![\w-])", "iban"),
    (r"(?<![\w.-])(?:[XYZxyz][ -]?)?\d[\d.]{6,9}[ -]?[A-Za-z](?![\w-])", "es.nif"),
    (r"(?<![\w.-])[A-HJNP-SUVWa-hjnp-suvw][ -]?\d{7}[ -]?[A-J\da-j](?![\w-])", "es.cif"),
    (r"(?<![\w.-])\d{4}[ -]?\d{4}[ -]?\d\d[ -]?\d{10}(?![\w-])", "es.ccc"),
    (r"(?<![\w.-])[A-Za-z]{4}\d{6}[HMhm][A-Za-z]{5}[\dA-Za-z]\d(?![\w-])", "mx.curp"),
    (r"(?<![\w.-])\d\d-?\d{8}-?\d(?![\w-])", "ar.cuit"),
    (r"(?<![\w.-])\d{1,2}\.?\d{3}\.?\d{3}-[\dkK](?![\w-])", "cl.rut"),
    (r"(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-\d(?![\w-])", "co.nit"),
    (r"(?<![\w.-])[A-Za-z]{6}\d\d[A-Za-z]\d\d[A-Za-z]\d{3}[A-Za-z](?![\w-])", "it.codicefiscale"),
    (r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d\d(?![\w-])", "br.cpf"),
    (r"(?<![\w.-])\d{2}\.\d{3}\.\d{3}/\d{4}-\d\d(?![\w-])", "br.cnpj"),
    (r"(?<![\w.-])\d{8}[ ]?\d[ ]?[A-Z]{2}\d(?![\w-])", "pt.cc"),
    (r"(?<![\w.-])PT[ ]?\d{9}(?![\w-])", "pt.nif"),
    (r"(?<![\w.-])[12][ ]?\d\d[ ]?\d\d[ ]?(?:\d\d|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d\d(?![\w-])", "fr.nir"),
    (r"(?<![\w.-])\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}(?![\w-])", "de.idnr"),
)
"""Codes whose letters and digits hold a checksum, and the module of python-stdnum that knows it."""


@cache
def _checks() -> tuple[tuple[Any, Callable[[str], bool]], ...]:
    return tuple((regex.compile(shape), import_module(f"stdnum.{name}").is_valid) for shape, name in _CHECKSUMS)


def checked(text: str) -> Iterator[Found]:
    """Yield codes whose check digits are right."""
    for pattern, is_valid in _checks():
        for match in matches(pattern, text):
            if is_valid(match.group()):
                yield Found(match.start(), match.end(), "CODE", 0.95, "checksum")


_DIALLED = regex.compile(r"(?<![\w.,/])[+(]?\d(?:[ ()./\u00a0-]{0,2}\d){6,14}(?![\w/])")


def phones(text: str, countries: Iterable[str]) -> Iterator[Found]:
    """Yield telephone numbers of ``countries``, and international ones; the library is asked where digits are."""
    places = list(matches(_DIALLED, text))
    if not places:
        return
    import phonenumbers

    for match in places:
        for country in countries:
            try:
                number = phonenumbers.parse(match.group(), country)
            except phonenumbers.NumberParseException:
                continue
            if phonenumbers.is_valid_number(number):
                yield Found(match.start(), match.end(), "PHONE_NUMBER", 0.75, "phone")
                break
