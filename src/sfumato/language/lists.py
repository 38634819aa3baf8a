"""Lists of words and phrases: how they are written down, and those that come as files in ``data/language``."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

_BETWEEN = re.compile(r"[,;\n]")
_FOLDER = resources.files("sfumato") / "data" / "language"


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of ``text``."""
    return tuple(text.split())


def phrases_of(text: str) -> tuple[str, ...]:
    """Return the phrases of ``text``, which commas, semicolons and line breaks part."""
    return tuple(phrase.strip() for phrase in _BETWEEN.split(text) if phrase.strip())


def pairs_of(text: str) -> dict[str, str]:
    """Return the phrases of ``text`` that are written "first=second" as a mapping."""
    return {first.strip(): second.strip() for first, _, second in (row.partition("=") for row in phrases_of(text))}


class WordEnds:
    """Words of a list in small letters, and ends of words: "-klinik" is the end of "augenklinik"."""

    def __init__(self, text: str) -> None:
        listed = words_of(text.casefold())
        self._words = frozenset(word for word in listed if not word.startswith("-"))
        self._ends = tuple(word[1:] for word in listed if word.startswith("-"))

    def has(self, word: str) -> bool:
        """Return whether ``word``, in small letters, is on the list, or ends as one of its ends."""
        return word in self._words or (bool(self._ends) and word.endswith(self._ends))

    def any_in(self, text: str) -> bool:
        """Return whether the list has a word of ``text``."""
        return any(map(self.has, text.casefold().split()))


def digest_of_lists(code: str, *names: str) -> str:
    """Return the SHA-256 of those of the files ``names`` that the language ``code`` has."""
    files = [path for name in names if (path := _FOLDER / code / f"{name}.toml").is_file()]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()


@cache
def has_lists(code: str, name: str) -> bool:
    """Return whether the language ``code`` has lists of this name."""
    return (_FOLDER / code / f"{name}.toml").is_file()


@cache
def lists_of(code: str, name: str) -> Mapping[str, Any]:
    """Return the lists of the file ``name`` of the language ``code``; none if it has no such file."""
    path = _FOLDER / code / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
