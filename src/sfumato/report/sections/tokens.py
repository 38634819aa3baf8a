"""What the study of tokens says."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.tokens import GUESSED
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """How many words a language model guesses."""
    found = Section("Can single words be guessed?")
    if study.figures:
        found.sentences.append(
            "A language model guesses words from the released words around them, and is right where it names the "
            "word of the original. What it guesses in the originals is how much language gives away by itself."
        )
        names = {(GUESSED, "originals"): "in originals", (GUESSED, "release"): "in the release"}
        shown = [names.get((one.name, str(one.setting["of"])), "of the replaced words") for one in study.figures]
        found.pictures.append((plots.bars(shown, [one.estimate for one in study.figures]), "Words guessed right"))
    return found
