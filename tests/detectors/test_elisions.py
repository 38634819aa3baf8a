"""Marks do not hold the elided articles of French and Italian, nor the contracted ones of Portuguese."""

from __future__ import annotations

import pytest

from sfumato.detectors.elisions import without_elisions
from sfumato.language.languages import LANGUAGES
from sfumato.text.marks import Finding


@pytest.mark.parametrize(
    ("code", "text", "marked", "left"),
    [
        ("it", "presso l'Ospedale Maggiore", "l'Ospedale Maggiore", "Ospedale Maggiore"),
        ("it", "DELL’OSPEDALE MAGGIORE", "DELL’OSPEDALE MAGGIORE", "OSPEDALE MAGGIORE"),
        ("it", "nato a Torino l'8 marzo", "Torino l", "Torino"),
        ("it", "nato a Torino l'8 marzo", "Torino l'", "Torino"),
        ("fr", "vu d'Arras l’autre jour", "d'Arras l", "Arras"),
        ("fr", "M. D'Artagnan", "Artagnan", "Artagnan"),
        ("fr", "chez L.", "L", "L"),
        ("de", "bei l'Oréal", "l'Oréal", "l'Oréal"),
        ("pt", "vive na Guarda", "na Guarda", "Guarda"),
        ("pt", "na UTI do Hospital", "UTI do", "UTI"),
        ("pt", "NO PORTO", "NO PORTO", "NO PORTO"),
    ],
)
def test_an_elided_word_is_cut(code: str, text: str, marked: str, left: str) -> None:
    start = text.index(marked)
    [finding] = without_elisions(text, [Finding(start, start + len(marked), "PLACE")], LANGUAGES[code])
    assert text[finding.start : finding.end] == left
