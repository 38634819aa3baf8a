"""The section of the quality study: the marks that a language model gives the texts."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.quality import ASPECTS, HIGHEST, ORIGINALS, OVERALL, RELEASE
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """Return marks from 1 to 5, for originals and release."""
    result = Section("How well does it read?")
    pairs = [(aspect, of) for aspect in (*ASPECTS, OVERALL) for of in (ORIGINALS, RELEASE)]
    shown = [
        (f"{aspect}, {of}", figure) for aspect, of in pairs if (figure := study.figure(aspect, of=of)) is not None
    ]
    if shown:
        result.sentences.append("A language model marked texts from 1 (bad) to 5 (nothing to object to).")
        names, figures = zip(*shown, strict=True)
        result.add_bars("Marks by a language model", names, figures, plots.ORANGE, most=float(HIGHEST))
    return result
