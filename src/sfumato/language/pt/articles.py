"""Portuguese articles, and the words that are made of a preposition and an article: "o", "do", "na"."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.language.patterns import one_of

FORMS: Mapping[str, tuple[str, str]] = {
    "o": ("o", "a"),
    "do": ("do", "da"),
    "no": ("no", "na"),
    "ao": ("ao", "à"),
    "pelo": ("pelo", "pela"),
    "este": ("este", "esta"),
    "neste": ("neste", "nesta"),
    "deste": ("deste", "desta"),
}
"""By the form before a man's word, those before it and before a woman's word."""

IN_TEXT: Mapping[str, str] = {base: one_of("|".join(forms)) for base, forms in FORMS.items()}
"""Patterns for these forms."""
