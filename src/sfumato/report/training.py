"""What training tells, in the section of any study that was run on members and on people held out of training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.member_gap import DIFFERENCE, HELD_OUT, INTERVAL, MEMBERS, PEOPLE
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table

_PUBLIC = frozenset({PEOPLE, INTERVAL})


def of_members(study: Study) -> Study:
    """Return the ``study`` without what was measured of people held out, and without differences."""
    kept = [figure for figure in study.figures if figure.setting.get(PEOPLE) not in (HELD_OUT, DIFFERENCE)]
    return replace(study, figures=kept)


def add_training(section: Section, study: Study) -> None:
    """Add the differences of members and people held out to the ``section``, where there are some."""
    apart = _differences(study)
    if not apart:
        return
    section.sentences.append(
        "The same was measured of people whose records were held out of training. Whatever is found of them is found "
        "without any training on them, so the difference is what training tells. An interval that contains 0 shows "
        "no difference in this sample; it does not prove that there is none."
    )
    if shares := [figure for figure in apart if max(abs(figure.estimate.low), abs(figure.estimate.high)) <= 1.5]:
        picture = plots.signed([_name(figure) for figure in shares], [figure.estimate for figure in shares])
        section.pictures.append(
            (picture, "Members minus people held out of training: 0 is what training should tell")
        )
    rows = [[_name(figure), *(_value(study, figure, people) for people in (MEMBERS, HELD_OUT, DIFFERENCE)),
             str(figure.setting[INTERVAL])] for figure in apart]  # fmt: skip
    section.tables.append(Table("What training tells", ["figure", MEMBERS, HELD_OUT, "difference", "interval"], rows))


def training_headline(study: Study) -> Iterator[Said]:
    """Yield what the first difference of the study says."""
    for figure in _differences(study)[:1]:
        estimate = figure.estimate
        yield Said(
            f"Training and {_name(figure)}: members {_value(study, figure, MEMBERS)}, people held out "
            f"{_value(study, figure, HELD_OUT)}; the difference is {estimate.value:.2g} ({estimate.low:.2g} to "
            f"{estimate.high:.2g}), {_said(figure)}.",
            False if _discloses(figure) else None,
        )


def _differences(study: Study) -> Sequence[Figure]:
    return [figure for figure in study.figures if figure.setting.get(PEOPLE) == DIFFERENCE]


def _said(figure: Figure) -> str:
    if str(figure.setting[INTERVAL]).startswith("contains"):
        return "an interval that contains 0, so nothing is shown"
    return "an interval without 0"


def _discloses(figure: Figure) -> bool:
    """Return whether the whole interval lies where training discloses something."""
    if figure.private == "low":
        return figure.estimate.low > 0
    return figure.private == "high" and figure.estimate.high < 0


def _value(study: Study, figure: Figure, people: str) -> str:
    setting = {key: value for key, value in figure.setting.items() if key not in _PUBLIC}
    own = study.figure(figure.name, **setting, **{PEOPLE: people})
    return "–" if own is None else f"{own.estimate.value:.3g}"


def _name(figure: Figure) -> str:
    numbers = [f"{value} {key}" for key, value in figure.setting.items() if isinstance(value, int) and key == "words"]
    fields = [f"“{figure.setting['field']}” by {figure.setting['classifier']}"] if "field" in figure.setting else []
    return ", ".join([figure.name, *numbers, *fields])
