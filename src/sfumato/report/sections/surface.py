"""What the usual measures say, beside the claims."""

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
    """Bars from 0 to 1: what looks private from outside."""
    found = Section("What would the usual measures say?")
    figures = [one for name in _NAMES for one in study.figures if one.name == name]
    shown = [one for one in figures if not math.isnan(one.estimate.value)]
    if shown:
        found.sentences.append(
            "These compare a record with its release from outside, without an attacker. They are often reported as "
            "privacy. Set them beside what an attacker learned above: a large distance and a large linkage rate at "
            "once mean that the text looks changed and still tells who it is about."
        )
        picture = plots.bars([_NAMES[one.name] for one in shown], [one.estimate for one in shown], plots.GREY)
        found.pictures.append((picture, "Distances and likeness, without an attacker"))
    return found
