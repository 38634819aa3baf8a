"""Lists of words and phrases: how they are written down, and those that come as files in ``data/language``."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

_FOLDER = resources.files("sfumato") / "data" / "language"


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of ``text``."""
    return tuple(text.split())


def phrases_of(text: str) -> tuple[str, ...]:
    """Return the phrases of ``text``, which commas and line breaks part."""
    return tuple(phrase.strip() for line in text.split("\n") for phrase in line.split(",") if phrase.strip())


def digest_of_lists(code: str, *names: str) -> str:
    """Return the SHA-256 of those of the files ``names`` that the language ``code`` has."""
    files = [path for name in names if (path := _FOLDER / code / f"{name}.toml").is_file()]
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()


@cache
def lists_of(code: str, name: str) -> Mapping[str, Any]:
    """Return the lists of the file ``name`` of the language ``code``."""
    return tomllib.loads((_FOLDER / code / f"{name}.toml").read_text(encoding="utf-8"))
