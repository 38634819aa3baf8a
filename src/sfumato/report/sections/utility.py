"""The section of the study of utility."""

from __future__ import annotations

import math

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.utility import PERPLEXITY, WORD_PERPLEXITY
from sfumato.report import plots
from sfumato.report.section import Section


def section(study: Study) -> Section:
    """Return how close the released texts are to the originals, and how well a language model predicts them."""
    result = Section("How useful is the release?")
    real = [figure for figure in study.figures if not math.isnan(figure.estimate.value)]
    shown = [figure for figure in real if figure.name not in (PERPLEXITY, WORD_PERPLEXITY)]
    if shown:
        result.sentences.append(
            "How close the released texts are to the originals: 1 is the same, 0 is nothing in common."
        )
        result.add_bars("Closeness to the originals", [figure.name for figure in shown], shown, plots.ORANGE)
    if read := [figure for figure in real if figure.name == WORD_PERPLEXITY]:
        most = 1.1 * max(figure.estimate.high for figure in read)
        names = [str(figure.setting["of"]) for figure in read]
        what = "Perplexity per word under a causal model: lower reads more like usual text"
        result.add_bars(what, names, read, plots.ORANGE, most=most)
    return result
