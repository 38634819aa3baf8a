"""The section of the study of membership."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.member_gap import INTERVAL
from sfumato.evaluation.studies.membership import AREA, FALSE_ALARMS, HITS
from sfumato.report import plots
from sfumato.report.section import Said, Section, percent


def section(study: Study) -> Section:
    """Return how well members are told from people held out, by each score."""
    result = Section("Can members be told from other people?")
    areas, hits = ([figure for figure in study.figures if figure.name == name] for name in (AREA, HITS))
    if areas:
        result.sentences.append(
            "An attacker who holds a person's whole record guesses whether it was used for training. An area under "
            "the curve of 0.5 is guessing, and 1 is certainty; an area below 0.5 tells as much as one above. One "
            "interval in twenty misses the truth by chance, and there is one for each score."
        )
        what = "Area under the curve, members against people held out"
        result.add_bars(what, _names(areas), areas, plots.RED, 0.5, "guessing")
    if hits:
        what = "Share of members recognised where 1 % of the others are mistaken for one"
        result.add_bars(what, _names(hits), hits, plots.RED, FALSE_ALARMS, "nothing learned")
    return result


def headline(study: Study) -> Iterator[Said]:
    """Yield the score that tells most, and the one that recognises most members, if that is not by chance."""
    areas = [figure for figure in study.figures if figure.name == AREA]
    if not areas:
        return
    best = max(areas, key=lambda figure: max(figure.estimate.low - 0.5, 0.5 - figure.estimate.high))
    by_chance = str(best.setting[INTERVAL]).startswith("contains")
    said = "which shows nothing" if by_chance else "which is not by chance"
    area = best.estimate
    yield Said(
        "Members are told from people held out of training with an area under the curve of "
        f"{area.value:.2f} ({area.low:.2f} to {area.high:.2f}) by {best.setting['score']}, {said}.",
        None if by_chance else False,
    )
    told = [figure for figure in study.figures if figure.name == HITS and figure.estimate.low > FALSE_ALARMS]
    if told:
        most = max(told, key=lambda figure: figure.estimate.low)
        yield Said(
            f"Where 1 % of the others are mistaken for a member, {percent(most.estimate)} of members are recognised "
            f"by {most.setting['score']}: a few records may be learned by heart.",
            holds=False,
        )


def _names(figures: list[Figure]) -> list[str]:
    return [str(figure.setting["score"]) for figure in figures]
