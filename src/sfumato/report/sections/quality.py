"""What the quality study says: the marks that a language model gives the texts."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.quality import ASPECTS, HIGHEST, ORIGINALS, OVERALL, RELEASE
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """Marks from 1 to 5, originals beside their release."""
    found = Section("How well does it read?")
    pairs = [(aspect, of) for aspect in (*ASPECTS, OVERALL) for of in (ORIGINALS, RELEASE)]
    shown = [(f"{aspect}, {of}", one) for aspect, of in pairs if (one := study.figure(aspect, of=of)) is not None]
    if shown:
        found.sentences.append("A language model marked texts from 1 (bad) to 5 (nothing to object to).")
        estimates = [one.estimate for _, one in shown]
        picture = plots.bars([name for name, _ in shown], estimates, plots.ORANGE, most=float(HIGHEST))
        found.pictures.append((picture, "Marks by a language model"))
    return found
