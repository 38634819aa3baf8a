"""The section of the study of canaries."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.canaries import CHANCE, CONDITIONS, EXPOSURE, NAMES, RECOVERED, nothing_learned
from sfumato.report import plots
from sfumato.report.section import Said, Section, percent

_SURPRISING = 0.05


def section(study: Study) -> Section:
    """Return how far planted secrets are exposed, or how many planted names are named again."""
    result = Section("Are planted canaries found again?")
    exposed = [figure for figure in study.figures if figure.name == EXPOSURE]
    if exposed:
        result.sentences.append(
            "Made-up secrets were planted in the records. An attacker orders each among others that it might have "
            "been; the exposure in bits says how far ahead it is. The line is its mean if nothing was learned."
        )
        names = [" ".join(filter(None, (str(figure.setting["score"]), _planted(figure)))) for figure in exposed]
        most = max(log2(int(figure.setting["among"])) for figure in exposed)
        nothing = max(nothing_learned(int(figure.setting["among"])) for figure in exposed)
        what = "Exposure of canaries in bits, by what the attacker has"
        result.add_bars(what, names, exposed, plots.RED, nothing, "nothing learned", most)
    result.sentences += (said.sentence for said in headline(study))
    return result


def headline(study: Study) -> Iterator[Said]:
    """Yield what was found of the canaries, and whether chance explains it."""
    recovered, names, conditions = map(study.figure, (RECOVERED, NAMES, CONDITIONS))
    for figure in study.figures:
        if figure.name == EXPOSURE and "planted" not in figure.setting:
            chance = float(figure.setting[CHANCE])
            could = chance > _SURPRISING and not (recovered is not None and recovered.estimate.value > 0.0)
            said = "which chance could explain" if could else "which chance does not explain"
            nothing = nothing_learned(int(figure.setting["among"]))
            yield Said(
                f"The exposure of planted canaries by {figure.setting['score']} is {figure.estimate.value:.1f} bits "
                f"(by chance: {nothing:.1f}; p = {chance:.2g}), {said}.",
                None if could else False,
            )
    if recovered is not None:
        yield Said(
            f"{percent(recovered.estimate)} of {recovered.estimate.n:,} planted canaries are recovered whole.",
            False if recovered.estimate.value > 0.0 else None,
        )
    if names is not None and names.estimate.n:
        yield Said(
            f"Of the {names.estimate.n:,} most frequent names of the list, {percent(names.estimate)} were planted "
            f"(by chance: {percent(float(names.setting[CHANCE]))})."
        )
        if conditions is not None and conditions.estimate.n:
            yield Said(
                f"Of {conditions.estimate.n:,} texts with a planted name, {percent(conditions.estimate)} state that "
                "person's condition."
            )
    elif names is not None:
        yield Said("No name of the list, planted or not, is in the synthetic records.")


def _planted(figure: Figure) -> str:
    return f"(planted {figure.setting['planted']} times)" if "planted" in figure.setting else ""
