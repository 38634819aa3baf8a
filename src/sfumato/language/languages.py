"""The languages that the program knows, by their codes."""

from __future__ import annotations

from sfumato.errors import ConfigurationError
from sfumato.language.en import English
from sfumato.language.language import Language

ENGLISH = English()
LANGUAGES: dict[str, Language] = {ENGLISH.code: ENGLISH}


def language_of(code: str) -> Language:
    """Return the language of ``code``. Raise ConfigurationError if the program does not know it."""
    language = LANGUAGES.get(code)
    if language is None:
        raise ConfigurationError(f"The language {code!r} is not known; the languages are {', '.join(LANGUAGES)}.")
    return language
