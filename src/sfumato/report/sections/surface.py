"""The section of the usual measures, for comparison with the claims."""

from __future__ import annotations

import math

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.surface import EMBEDDING_AWAY, ENTITIES_GONE, MAUVE, ROUGE_AWAY
from sfumato.report import plots
from sfumato.report.section import Section

_NAMES = {
    ROUGE_AWAY: "distance by ROUGE-L",
    EMBEDDING_AWAY: "distance by embeddings",
    ENTITIES_GONE: "records without their entities",
    MAUVE: "MAUVE (likeness of the whole)",
}


def section(study: Study) -> Section:
    """Return bars from 0 to 1: what looks private from outside."""
    result = Section("What do common measures say?")
    figures = [figure for name in _NAMES for figure in study.figures if figure.name == name]
    shown = [figure for figure in figures if not math.isnan(figure.estimate.value)]
    if shown:
        result.sentences.append(
            "These compare a record with its release from outside, without an attacker. They are often reported as "
            "privacy. Compare them with what an attacker learned above: a large distance together with a large "
            "linkage rate means that the text looks changed and still identifies people."
        )
        names = [_NAMES[figure.name] for figure in shown]
        result.add_bars("Distances and likeness, without an attacker", names, shown, plots.GREY)
    return result
