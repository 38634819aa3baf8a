"""What numbers count in a language: units of measure, things, and money."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sfumato.language.lists import lists_of, words_of
from sfumato.language.nouns import Nouns

_SYMBOLS = sorted(words_of(lists_of("en", "units")["symbols"]), key=len, reverse=True)
SYMBOL = rf"(?-i:{'|'.join(map(re.escape, _SYMBOLS))})(?![A-Za-z0-9/])"
"""A pattern for the symbol of a unit, which all languages share; capitals matter."""

_OLD_CODES = "ATS BEF CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE ROL SIT SKK TRL YTL YUM ZMK"


@dataclass(frozen=True, eq=False)
class Units:
    """Units and things behind a number.

    Attributes:
        nouns: Their names.
        share: A pattern for "percent".
        before: A pattern for a word between the number and the name and the gap after it, or for nothing.
        public: The pattern of the public form.
        public_scaled: The same behind a word that makes figures larger.
        public_share: The same of a share.
        beside: A pattern for whole words that only say what the numbers beside them count.
        spelled: A pattern for a number in words beside figures.
    """

    nouns: Nouns
    share: str
    before: str
    public: str
    public_scaled: str
    public_share: str
    beside: str
    spelled: str


@dataclass(frozen=True, eq=False)
class Money:
    """Currencies beside a number.

    Attributes:
        names: Returns their names; the first call takes a moment.
        before: A pattern for a word between the number and the name, such as a country, or for nothing.
        after: The same behind the name.
        rate: A pattern for what an amount is paid for, "per hour", or for nothing.
        short_scale: A pattern for a sign behind figures that makes them larger: "k".
        public: The pattern of the public form.
        public_scaled: The same with figures that a word makes larger.
        even: A pattern for what stands for no cents behind figures, "50,-", or for nothing.
    """

    names: Callable[[], Nouns]
    before: str
    after: str
    rate: str
    short_scale: str
    public: str
    public_scaled: str
    even: str = ""


@lru_cache(maxsize=1)
def codes_of_currencies() -> frozenset[str]:
    """Return codes of three capitals: today's currencies (ISO 4217) and former ones that old files name."""
    import pycountry

    return frozenset(currency.alpha_3 for currency in pycountry.currencies) | frozenset(_OLD_CODES.split())


@lru_cache(maxsize=1)
def code_pattern() -> str:
    """Return a pattern for the code of a currency, in capitals."""
    return rf"(?-i:{'|'.join(sorted(codes_of_currencies()))})(?![A-Za-z])"
