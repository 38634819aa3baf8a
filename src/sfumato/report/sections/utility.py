"""What the study of utility says."""

from __future__ import annotations

import math

from sfumato.evaluation.results import Study
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """How near the released texts are to the originals."""
    found = Section("What is it still good for?")
    shown = [one for one in study.figures if not math.isnan(one.estimate.value)]
    if shown:
        found.sentences.append("How near the released texts are to the originals: 1 is the same, 0 nothing of it.")
        picture = plots.bars([one.name for one in shown], [one.estimate for one in shown], plots.ORANGE)
        found.pictures.append((picture, "Nearness to the originals"))
    return found
