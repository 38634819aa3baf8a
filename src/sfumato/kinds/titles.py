"""Titles before a person's name: "Mr", "Dr.", "Frau", "Judge"."""

from __future__ import annotations

import re

from sfumato.kinds._lists import words_of

TITLES = words_of(
    """
    mr mrs ms miss mx messrs dr drs prof professor sir dame lady lord judge justice rev reverend capt captain col gen
    lt sgt sergeant hon herr frau mme mlle madame monsieur señor señora sr sra president officer inspector
    """
)
WOMAN, MAN = "woman", "man"
_OF_WOMEN = frozenset(words_of("mrs ms miss dame lady frau mme mlle madame señora sra"))
_OF_MEN = frozenset(words_of("mr sir lord herr monsieur señor sr"))
FRENCH = ("me", "m")
"""French titles that may be an initial or a word as well."""
_SPELLED = frozenset(
    f"{spelling}{stop}"
    for word in TITLES
    for spelling in (word, word.capitalize(), word.upper())
    for stop in ("", ".")
)
_TITLE = re.compile(r"\S+ (?=\S)")
_MOST = 3


def cut_title(text: str) -> tuple[str, str]:
    """Return the titles that ``text`` begins with ("" or "Prof. Dr."), in a listed spelling, and the rest."""
    title = ""
    for _ in range(_MOST):
        word = _TITLE.match(text)
        if word is None or word.group().strip() not in _SPELLED:
            break
        title, text = f"{title} {word.group().strip()}".strip(), text[word.end() :]
    return title, text


def gender_of(title: str) -> str | None:
    """Return whether ``title`` is that of a woman or of a man; None if it says neither or both."""
    words = {word.rstrip(".").lower() for word in title.split()}
    genders = [gender for gender, titles in ((WOMAN, _OF_WOMEN), (MAN, _OF_MEN)) if words & titles]
    return genders[0] if len(genders) == 1 else None
