"""The section of the study of tokens."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.tokens import GUESSED
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """Return how many words a language model guesses."""
    result = Section("Can single words be guessed?")
    if study.figures:
        result.sentences.append(
            "A language model guesses words from the released words around them, and is right if it names the "
            "word of the original. Its rate in the originals shows how much language discloses by itself."
        )
        names = {(GUESSED, "originals"): "in originals", (GUESSED, "release"): "in the release"}
        shown = [
            names.get((figure.name, str(figure.setting["of"])), "of the replaced words") for figure in study.figures
        ]
        result.add_bars("Words guessed right", shown, study.figures)
    return result
