"""What a pipeline takes for a name: drugs, diseases ("atopic eczema"), workers ("lorry driver")."""

from __future__ import annotations

from functools import lru_cache

from sfumato.detectors.english import names
from sfumato.kinds.phrases.health import Health
from sfumato.kinds.phrases.phrase import Phrase
from sfumato.language.en.people import WORKERS

_MISTAKEN = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "NAME"})
_MOST_WORDS = 3


def label_of(text: str, label: str) -> str:
    """Return "HEALTH" if ``label`` is that of a name and a public list has ``text`` as a disease or a drug.

    "OCCUPATION" if all of it is in small letters and ends with a listed word for a worker. A word that is also on a
    list of names keeps its label, and so does one that merely ends as drugs do ("Ranvir").
    """
    if label not in _MISTAKEN:
        return label
    words = text.split()
    if label == "PERSON" and text.islower() and words[-1] in WORKERS and not any(map(names.is_listed, words[:-1])):
        return "OCCUPATION"
    return "HEALTH" if _is_listed(text) else label


@lru_cache(maxsize=1 << 12)
def _is_listed(text: str) -> bool:
    """Return whether a list has ``text``, perhaps behind words in small letters: "atopic eczema"."""
    words = text.split()
    if any(map(names.is_listed, words)):
        return False
    before = next((number for number, word in enumerate(words) if not word.islower()), len(words) - 1)
    return any(_listed(" ".join(words[number:])) for number in range(min(before, _MOST_WORDS) + 1))


def _listed(phrase: str) -> bool:
    # the kind itself recognises the stems of families of drugs, too
    return Phrase.recognises(Health(), phrase)
