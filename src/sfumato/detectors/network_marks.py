"""Which marks of the network say nothing: grammar, keys of forms, headings, everyday words and doubtful figures."""

from __future__ import annotations

from sfumato.detectors import forms
from sfumato.detectors.everyday import is_everyday, is_name
from sfumato.language.en.headings import may_be_heading
from sfumato.language.en.words import PARTICLES
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH, LANGUAGES
from sfumato.models.token_classifier.labels import KINDS, Mark
from sfumato.text.marks import Finding

_BY_ENGLISH = ("", ENGLISH.code)
"""The codes of texts in English, and of those that show no language."""
_DOUBTFUL, _FEW = 0.6, 2
"""The chance below which a figure in so few words, or a word for a column and a last name, is nothing: "Ward"."""


def other_language(code: str) -> Language | None:
    """Return the language of ``code`` if it is known and not English, whose rules have a room of their own."""
    return None if code == ENGLISH.code else LANGUAGES.get(code)


def says_nothing(mark: Mark, text: str, code: str) -> bool:
    """Return whether the words of a mark are grammar, or everyday words of another language than English."""
    words, behind = text[mark.start : mark.end], text[mark.end : mark.end + 3]
    if all(word in PARTICLES for word in words.split()):  # the network marks them by mistake
        return True
    language = other_language(code)
    if language is not None and words.lower() in language.small_words and not is_name(words, code):
        return True
    if language is not None and language.counts.duration(f"3 {words}") is not None:  # a unit of time: "Am Tag 3"
        return True
    if forms.is_key(words, language, KINDS[mark.kind], behind):
        return True
    if words == text.strip() and mark.likely < _DOUBTFUL and may_be_heading(words):
        return True
    return code not in _BY_ENGLISH and is_everyday(KINDS[mark.kind], mark.likely, words, code)


def is_doubtful_figure(text: str, finding: Finding) -> bool:
    """Return whether a mark is a figure that may count nothing, in a text of two words at most: "Category 2"."""
    is_figure = finding.label == "QUANTITY" and text[finding.start : finding.end].isdecimal()
    return is_figure and finding.score is not None and finding.score < _DOUBTFUL and len(text.split()) <= _FEW


def behind_title(text: str, mark: Mark, code: str) -> Mark:
    """Return ``mark``; one of a person in another language than English begins within no title."""
    if KINDS[mark.kind] != "PERSON":
        return mark
    return mark._replace(start=min(forms.behind_title(text, mark.start, other_language(code)), mark.end - 1))
