"""What the guarantee study says: the strongest attack on one draw beside what the guarantee permits."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.guarantee import BAYES, DRAWN, GUESSING, IN_CONTEXT, NAMED, PERMITTED
from sfumato.report import plots
from sfumato.report.section import Section, percent

_NAMES = {
    GUESSING: "without looking",
    BAYES: "by the strongest attacker",
    NAMED: "in this release",
    PERMITTED: "permitted by the guarantee",
}


def section(study: Study) -> Section:
    """Bars for each vocabulary: guessing, the strongest attacker, what the guarantee lets anybody reach."""
    found = Section("What does the guarantee permit?")
    if not study.figures:
        return found
    found.sentences.append(
        "One draw of the mechanism is attacked by somebody who knows the mechanism, all its settings and how often "
        "words are used, and names the word that most likely stood there. Nobody who knows nothing of the words "
        "around it can be right more often."
    )
    permitted = study.figure(PERMITTED)
    if permitted:
        found.sentences.append(
            "The last bar is the most that the promise alone would leave to any such attacker: the distance between "
            "the two is what this mechanism does better than it promises."
        )
    for name in dict.fromkeys(one.setting.get("vocabulary", "") for one in study.figures):
        own = [one for one in study.figures if one.setting.get("vocabulary", "") == name]
        counted = [one for one in study.figures if one.name == NAMED and one.setting["of"] in (DRAWN, IN_CONTEXT)]
        found.pictures += _picture(str(name), [*own, *counted]) if name else []
    if permitted and permitted.estimate.value >= 0.99:
        found.sentences.append(
            f"This guarantee permits {percent(permitted.estimate)}: as far as single words go it promises nothing "
            "that one could lean on, and only what the mechanism does beyond it protects."
        )
    return found


def _picture(name: str, figures: Sequence[Figure]) -> list[tuple[str, str]]:
    shown = [one for key in _NAMES for one in figures if one.name == key]
    if not shown:
        return []
    picture = plots.bars([_label(one) for one in shown], [one.estimate for one in shown])
    return [(picture, f"Words of the vocabulary {name} named right from one draw")]


def _label(one: Figure) -> str:
    reads = one.setting.get("of") == IN_CONTEXT
    return f"{_NAMES[one.name]}, reading around" if reads else _NAMES[one.name]
