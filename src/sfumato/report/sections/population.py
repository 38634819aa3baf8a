"""The section of the study of a population."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.population import (
    ABSENT,
    AFTER,
    BEFORE,
    BELOW,
    CHANCE,
    FEWEST,
    MEDIAN,
    OF,
    SHOWN,
    THIN,
    UNIQUE,
)
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, percent

_HARMLESS = 0.1


def population_section(study: Study) -> Section:
    """Return how many people share what records show, before and after, and what the figures leave out."""
    result = Section("How many people share what is shown?")
    unique = study.named(UNIQUE)
    if not unique:
        return result
    facts = study.facts
    result.sentences.append(
        f"An attacker looks up what a record shows of a person in a public table ({facts['table']}; "
        f"{facts['cells']:,} cells, {facts['people']:,.0f} people; {', '.join(facts['attributes'])}). The people who "
        "agree with all of it are the expected matches. A person with one match at most is unique. A value that the "
        "table lacks, or that cannot be read, matches nobody, so its person counts as unique."
    )
    result.sentences += [*_counted(study), *_left_out(study), *_thin(study)]
    for name in (UNIQUE, BELOW, ABSENT):
        figures = study.named(name)
        result.add_bars(
            f"People {_what(figures[0])}", [str(each.setting[OF]) for each in figures], figures, plots.RED
        )
    rows = [
        [str(each.setting["attribute"]), str(each.setting[OF]), percent(each.estimate), str(each.setting["counted"])]
        for each in study.named(SHOWN)
    ]
    result.tables.append(Table("Of how many people something is shown", ("what", "of", "people", "counted"), rows))
    return result


def population_headline(study: Study) -> Iterator[Said]:
    """Yield how many people are unique in the population, before and after, and what that leaves out."""
    before, after = study.figure(UNIQUE, of=BEFORE), study.figure(UNIQUE, of=AFTER)
    if before is None or after is None:
        return
    absent = study.figure(ABSENT, of=AFTER)
    lacking = f" ({percent(absent.estimate)} with a value that is not in the table)" if absent else ""
    left = "".join(f" {sentence}" for sentence in _left_out(study))
    yield Said(
        f"{percent(after.estimate)} of people are unique in {study.facts['table']} by what the release shows"
        f"{lacking}; by the originals it would be {percent(before.estimate)}.{left}",
        False if after.estimate.low > _HARMLESS else None,
    )


def population_advice(study: Study) -> Iterator[str]:
    """Yield which of the counted attributes to generalise, if many people are unique by the release."""
    after = study.figure(UNIQUE, of=AFTER)
    shown = [each for each in study.named(SHOWN) if each.setting[OF] == AFTER and each.setting["counted"] == "yes"]
    if after is not None and after.estimate.low > _HARMLESS and shown:
        most = max(shown, key=lambda each: each.estimate.value)
        yield (
            f"Many people stand alone by what the release shows, most often by {most.setting['attribute']}: say it "
            "more coarsely, or leave it out."
        )


def _counted(study: Study) -> Iterator[str]:
    """Yield the expected matches before and after."""
    for side in (BEFORE, AFTER):
        middle, chance = study.figure(MEDIAN, of=side), study.figure(CHANCE, of=side)
        if middle is not None and chance is not None:
            yield (
                f"By the {side}, the median is {middle.estimate.value:,.4g} expected matches "
                f"({middle.estimate.low:,.4g} to {middle.estimate.high:,.4g}){_fewest(study, side)}; picking one of "
                f"them at random finds the person in {percent(chance.estimate)} of cases."
            )


def _fewest(study: Study, side: str) -> str:
    """Return the fewest expected matches, which a page for readers does not have."""
    fewest = study.facts.get(f"{FEWEST} {side}")
    return "" if fewest is None else f", and the fewest are {fewest:,.4g}"


def _left_out(study: Study) -> Iterator[str]:
    """Yield what records show and the table does not have, which the figures say nothing about."""
    left: dict[str, dict[object, Figure]] = {}
    for each in study.named(SHOWN):
        if each.setting["counted"] == "no":
            left.setdefault(str(each.setting["attribute"]), {})[each.setting[OF]] = each
    if left:
        listed = ", ".join(f"{name} ({_of_release(sides)})" for name, sides in left.items())
        yield f"Left out, because the table has no such column: {listed} of people in the release."


def _of_release(sides: dict[object, Figure]) -> str:
    return percent(sides[AFTER].estimate) if AFTER in sides else percent(0.0)


def _thin(study: Study) -> Iterator[str]:
    """Yield where the table is too small to mean much."""
    facts, thin = study.facts, study.figure(THIN, of=AFTER)
    if thin is None or not (facts["thin cells"] or thin.estimate.value):
        return
    yield (
        f"The table is too small to mean much in {facts['thin cells']:,} of its {facts['cells']:,} cells, which have "
        f"fewer than 5 people: {percent(thin.estimate)} of people are counted in one of them by the release. Surveys "
        "round or swap such cells, so read these figures as a sign and not as a count."
    )


def _what(figure: Figure) -> str:
    return f"shared by fewer than {figure.setting['k']} people" if figure.name == BELOW else figure.name
