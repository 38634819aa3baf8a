"""English words that say whether a person is a woman or a man."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.language.en.people import TITLES
from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import any_of

_WORDS = lists_of("en", "relatives")


def _said_by(pronouns: str, people: str, workers: str, titles: frozenset[str]) -> re.Pattern[str]:
    words = (*words_of(pronouns), *words_of(people), *words_of(workers), *titles)
    return re.compile(rf"(?<![\w\[<])(?:{any_of(words)})(?![\w\]>])", re.IGNORECASE)


SEXES: Mapping[str, re.Pattern[str]] = {
    "female": _said_by("she her hers herself", _WORDS["female"], _WORDS["women_workers"], TITLES.women),
    "male": _said_by("he him his himself", _WORDS["male"], _WORDS["men_workers"], TITLES.men),
}
"""What a text that speaks of one says, by the sex."""
NAMES_OF_SEXES: Mapping[str, str] = {
    **dict.fromkeys(("f", "female", "females", "woman", "women", "girl", "girls"), "female"),
    **dict.fromkeys(("m", "male", "males", "man", "men", "boy", "boys"), "male"),
}
"""The sex by its names in a table, in small letters."""
EVERYBODY = frozenset(
    ("total", "all", "both", "any", "everybody", "everyone", "all ages", "both sexes", "all persons")
)
"""What the row of a sum has in the place of a value, in small letters."""
