"""Spanish articles, and the words that are made of a preposition and an article: "el", "del", "en la"."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.language.patterns import one_of

FORMS: Mapping[str, tuple[str, str]] = {
    "el": ("el", "la"),
    "del": ("del", "de la"),
    "al": ("al", "a la"),
    "en_el": ("en el", "en la"),
    "por_el": ("por el", "por la"),
    "este": ("este", "esta"),
}
"""By the form before a man's word, those before it and before a woman's word."""

IN_TEXT: Mapping[str, str] = {base: one_of("|".join(forms)) for base, forms in FORMS.items()}
"""Patterns for these forms."""
