"""The section of the study of divergence: how far the words around a change still fit it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.divergence import CHANGE, GONE, NDD, PSEUDO, SIMILARITY
from sfumato.report import plots
from sfumato.report.section import Section

_NAMES = {NDD: "change (0: none)", SIMILARITY: "cosine (1: the same)"}


def section(study: Study) -> Section:
    """Return divergence and cosine of the same stretches, and pseudo-perplexity before and after."""
    result = Section("Do the kept words still mean the same?")
    shown = [
        figure for name in _NAMES for figure in study.figures if figure.name == name and _real(figure.estimate.value)
    ]
    if not shown:
        return result
    result.sentences += _sentences(study)
    what = "Change of a model's predictions of the kept words, and the cosine similarity"
    result.add_bars(what, [_NAMES[figure.name] for figure in shown], shown, plots.ORANGE)
    read = [figure for figure in study.figures if figure.name == PSEUDO and _real(figure.estimate.high)]
    if read:
        most = 1.1 * max(figure.estimate.high for figure in read)
        names = [str(figure.setting["of"]) for figure in read]
        what = "Pseudo-perplexity of the same stretches: lower reads more like usual text"
        result.add_bars(what, names, read, plots.ORANGE, most=most)
    return result


def _sentences(study: Study) -> Iterator[str]:
    yield (
        "Every kept word is masked, in the original and in the release, and a masked model predicts which words fit "
        "there. The neighboring distribution divergence is the distance between both predictions: 0 if the words "
        "around it mean the same, 1 if they mean something else altogether."
    )
    if gone := int(study.facts.get(GONE, 0)):
        yield f"In {gone:,} of the records no word was kept; they count as 1."
    change = study.figure(CHANGE)
    if change is not None and _real(change.estimate.value):
        e = change.estimate
        yield f"Pseudo-perplexity changes by {e.value:+.1f} ({e.low:+.1f} to {e.high:+.1f})."


def _real(value: float) -> bool:
    return math.isfinite(value)
