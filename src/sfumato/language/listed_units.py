"""Units and money of a language that lists describe."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from sfumato.language.accents import any_accents
from sfumato.language.forms import keys_of
from sfumato.language.lists import lists_of, words_of
from sfumato.language.nouns import nouns_of
from sfumato.language.patterns import GAP, choice
from sfumato.language.spelling import Spelled, optional, phrase
from sfumato.language.units import Money, Units

_SYMBOLS_BESIDE = (
    r"(?:k|c|m)?m[²³23]?|km/h|ha|k?g|mg|µg|ml|mL|dl|mmHg|mmol|bpm|°\s?[CF]|kWh?|MB|GB|TB|%|g|[lL]|d[lL]|mol|mEq|m?IU"
    r"|kcal|k?J|k?Pa|[kMG]?Hz|US|A|C"
)
_SPELLED = (*range(1, 21), *range(30, 100, 10), 100, 1000)


def units_of(code: str) -> Units:
    """Return what numbers count in the language ``code``."""
    lists, spelled = lists_of(code, "units"), Spelled(lists_of(code, "numbers"))
    nouns = nouns_of(lists["nouns"])
    times = nouns_of({"": "\n".join(noun.partition(" ")[2] for noun in lists["time"].values())})
    words = [form for noun in (*nouns.nouns, *times.nouns) for form in noun[1:]]
    numbers = {spelled.write(number, "words", gender) for number in _SPELLED for gender in ("", *lists["nouns"])}
    return Units(
        nouns=nouns,
        share=phrase(lists["share"]),
        before=optional(lists["before"]),
        public=lists["public"],
        public_scaled=lists["public_scaled"],
        public_share="{number} %",
        beside="|".join((choice(map(re.escape, (*words, *words_of(lists["joined"])))), _SYMBOLS_BESIDE)),
        spelled=any_accents(choice(numbers)),
    )


def money_of(code: str) -> Money:
    """Return how amounts of money are written in the language ``code``."""
    lists = lists_of(code, "units")["money"]
    period = phrase(lists["periods"])
    rates = [rf"(?:{GAP})?{phrase(rate).replace('#', period)}" for rate in keys_of(lists["rate"])]
    names: Callable[[], object] = cache(lambda: nouns_of(lists["names"]))
    return Money(
        names=names,  # type: ignore[arg-type]
        before=optional(lists["before"]),
        after=rf"(?:{GAP}{phrase(lists['after'])})?",
        rate=rf"(?:{'|'.join(rates)})?",
        short_scale="(?!)",
        even="(?:,(?:--|-|–))?",
        public=lists["public"],
        public_scaled=lists["public_scaled"],
    )
