"""The languages that the program knows, by their codes."""

from __future__ import annotations

from sfumato.errors import ConfigurationError
from sfumato.language.de import German
from sfumato.language.en import English
from sfumato.language.es import Spanish
from sfumato.language.fr import French
from sfumato.language.it import Italian
from sfumato.language.language import Language
from sfumato.language.nl import Dutch
from sfumato.language.pt import Portuguese

ENGLISH = English()
_OTHERS = (German, Spanish, French, Italian, Dutch, Portuguese)
LANGUAGES: dict[str, Language] = {
    language.code: language for language in (ENGLISH, *(language() for language in _OTHERS))
}


def language_of(code: str, every: str = "") -> Language:
    """Return the language of ``code``.

    Raise ConfigurationError if the program does not know it, which also names the word for ``every`` language, where
    one may be given.
    """
    language = LANGUAGES.get(code)
    if language is None:
        further = f"; {every} knows all of them" if every else ""
        raise ConfigurationError(
            f"The language {code!r} is not known; the languages are {', '.join(LANGUAGES)}{further}."
        )
    return language
