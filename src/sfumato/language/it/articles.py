"""Italian articles, and the words that are made of a preposition and an article: "il", "della", "nell'"."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.language.patterns import GAP

FORMS: Mapping[str, tuple[str, str, str]] = {
    "il": ("il ", "la ", "l'"),
    "del": ("del ", "della ", "dell'"),
    "al": ("al ", "alla ", "all'"),
    "dal": ("dal ", "dalla ", "dall'"),
    "nel": ("nel ", "nella ", "nell'"),
    "sul": ("sul ", "sulla ", "sull'"),
}
"""By the form before a man's word, those before it, before a woman's word, and before a vowel."""


def _pattern(forms: tuple[str, ...]) -> str:
    return "|".join(form.replace(" ", GAP).replace("'", f"['’](?:{GAP})?") for form in forms)


IN_TEXT: Mapping[str, str] = {base: _pattern(forms) for base, forms in FORMS.items()}
"""Patterns for these forms, each with the gap behind it."""
