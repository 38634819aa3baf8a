"""What the study of utility says."""

from __future__ import annotations

import math

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.utility import PERPLEXITY, WORD_PERPLEXITY
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """How near the released texts are to the originals, and how well a language model expects them."""
    found = Section("What is it still good for?")
    real = [one for one in study.figures if not math.isnan(one.estimate.value)]
    shown = [one for one in real if one.name not in (PERPLEXITY, WORD_PERPLEXITY)]
    if shown:
        found.sentences.append("How near the released texts are to the originals: 1 is the same, 0 nothing of it.")
        picture = plots.bars([one.name for one in shown], [one.estimate for one in shown], plots.ORANGE)
        found.pictures.append((picture, "Nearness to the originals"))
    if read := [one for one in real if one.name == WORD_PERPLEXITY]:
        most = 1.1 * max(one.estimate.high for one in read)
        names = [str(one.setting["of"]) for one in read]
        picture = plots.bars(names, [one.estimate for one in read], plots.ORANGE, most=most)
        found.pictures.append((picture, "Perplexity per word under a causal model: lower reads more like usual text"))
    return found
