"""The sections of the studies of synthetic records: copies, membership and canaries."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.canaries import CHANCE, CONDITIONS, EXPOSURE, NAMES, RECOVERED, nothing_learned
from sfumato.evaluation.studies.copies import COPIED, NEAREST, RUN
from sfumato.evaluation.studies.membership import AREA, FALSE_ALARMS, HITS, INTERVAL
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, percent


def copies_section(study: Study) -> Section:
    """Return which share of the records is copied, word by word, and how near the nearest synthetic record is."""
    result = Section("Are records copied?")
    copied = study.named(COPIED)
    run, near = study.figure(RUN), study.figure(NEAREST)
    if run is not None:
        result.sentences.append(
            "The longest run of words that a record shares with some synthetic record is "
            f"{run.estimate.value:.1f} words on average. Usual phrases are shared without any copying."
        )
    if copied:
        names = [f"{figure.setting['words']} words in a row or more" for figure in copied]
        what = "Share of the records of which so much is in a synthetic one"
        result.add_bars(what, names, copied, plots.RED)
    if near is not None:
        result.sentences.append(f"The nearest synthetic record has a cosine of {near.estimate.value:.2f} on average.")
    if worst := study.records.get("worst"):
        rows = [[name, f"{value:.0f}"] for name, value in worst.items()]
        result.tables.append(Table("The records with the longest runs, by id", ["record", "words in a row"], rows))
    return result


def membership_section(study: Study) -> Section:
    """Return how well members are told from people held out, by each score."""
    result = Section("Can members be told from other people?")
    areas, hits = (study.named(name) for name in (AREA, HITS))
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


def membership_headline(study: Study) -> Iterator[Said]:
    """Yield the score that tells most, and the one that recognises most members, if that is not by chance."""
    areas = study.named(AREA)
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


_SURPRISING = 0.05


def canaries_section(study: Study) -> Section:
    """Return how far planted secrets are exposed, or how many planted names are named again."""
    result = Section("Are planted canaries found again?")
    exposed = study.named(EXPOSURE)
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
    result.sentences += (said.sentence for said in canaries_headline(study))
    return result


def canaries_headline(study: Study) -> Iterator[Said]:
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
