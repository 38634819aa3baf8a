"""Before which French words an article or a short word loses its vowel: "l'hôpital", and "le haricot"."""

from __future__ import annotations

import unicodedata

import regex

_WORD = regex.compile(r"[\p{L}\p{M}]+")
_SOUNDED = regex.compile(
    r"ha(?!bi|bl|ï|leine|ll?uc|rm|meçon|st)|he(?:n(?:n|ch)|rn|rs|rse|urt|in)|hé(?:r(?:os|iss|on)|r[eé]ss)|hi(?:bou|er|e|ss|t|p?pop)"
    r"|ho(?:bb|ch|cke|ll|n[gt]|r(?:de|s)|t(?:te|dog)|u|quet|m[ae]rd|n)|hu(?:bl|che|ée|gu|it|n$|pp|r[ld]|ss|tt)|hollan|hongr"
    r"|onz|oui|uhlan|ouistiti|ya|ye(?!u)|yi|yo(?!nne)|yu|un$"
)
"""Small words before which nothing is lost."""
_MUTE_NAMES = regex.compile(
    r"hé|hel|hen(?:r|n?i|$)|hermin|hervé|hi(?:l|pp)|ho(?:n[no]|r[ta])|hu(?:b|gue|go)|hy|haï|hô|habi|herm"
)
"""Names before which the vowel is lost; before other names with an H it is sounded, as most of them are foreign."""


def elides(words: str) -> bool:
    """Return whether a short word before ``words`` loses its vowel."""
    match = _WORD.match(words)
    if match is None:
        return False
    word = unicodedata.normalize("NFC", match.group())
    small = word.lower()
    if small[0] == "h":
        return bool(_MUTE_NAMES.match(small)) if word[0].isupper() else not _SOUNDED.match(small)
    if small[0] == "y":
        return (len(small) > 1 and small[1] not in "aeiouéèy") or small.startswith(("yeu", "yonne"))
    return small[0] in "aeiouàâäéèêëîïôöûüœæ" and not _SOUNDED.match(small)
