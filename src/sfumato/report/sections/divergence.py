"""What the study of divergence says: how much of what stands around a change still fits it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.divergence import CHANGE, GONE, NDD, PSEUDO, SIMILARITY
from sfumato.report import plots
from sfumato.report.section import Section

_NAMES = {NDD: "change (0: none)", SIMILARITY: "cosine (1: the same)"}


def section(study: Study) -> Section:
    """Divergence and cosine of the same stretches, and pseudo-perplexity before and after."""
    found = Section("Does what was left still mean the same?")
    shown = [one for name in _NAMES for one in study.figures if one.name == name and _real(one.estimate.value)]
    if not shown:
        return found
    found.sentences += _sentences(study)
    picture = plots.bars([_NAMES[one.name] for one in shown], [one.estimate for one in shown], plots.ORANGE)
    found.pictures.append((picture, "Change of what is expected of the words that were left, beside the cosine"))
    read = [one for one in study.figures if one.name == PSEUDO and _real(one.estimate.high)]
    if read:
        most = 1.1 * max(one.estimate.high for one in read)
        names = [str(one.setting["of"]) for one in read]
        picture = plots.bars(names, [one.estimate for one in read], plots.ORANGE, most=most)
        found.pictures.append((picture, "Pseudo-perplexity of the same stretches: lower reads more like usual text"))
    return found


def _sentences(study: Study) -> Iterator[str]:
    yield (
        "Every word that was left is masked, in the original and in the release, and a masked model says which words "
        "it expects there. How far both answers are apart is the neighboring distribution divergence: 0 where the "
        "words around it say the same, 1 where they say something else altogether."
    )
    if gone := int(study.facts.get(GONE, 0)):
        yield f"Of {gone:,} of the records no word was left; they count as 1."
    change = study.figure(CHANGE)
    if change is not None and _real(change.estimate.value):
        e = change.estimate
        yield f"Pseudo-perplexity changes by {e.value:+.1f} ({e.low:+.1f} to {e.high:+.1f})."


def _real(value: float) -> bool:
    return math.isfinite(value)
