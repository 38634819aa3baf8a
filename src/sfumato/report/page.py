"""``report.html``: the verdict, what to do about it, and the evidence, for readers who do not know the evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from sfumato import registry
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.membership import DIFFERENCE, HELD_OUT, INTERVAL, MEMBERS, PEOPLE
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, by_reason, figure_row, plain_section, rendered
from sfumato.report.verdict import Verdict, limit_rows

_KINDS = "Share of people found by one kind of value alone"
_PUBLIC = frozenset({PEOPLE, INTERVAL})
_FILES = {
    "usefulness": ("utility", "quality", "answers", "purposes", "divergence", "surface", "tokens", "rounds"),
    "synthetic": ("copies", "membership", "canaries"),
}
"""The files in report/sections/ that draw several studies; every other study has a file of its name."""


def page(
    studies: Sequence[Study], facts: Mapping[str, Any], texts: Mapping[str, tuple[str, str]] | None = None,
    verdict: Verdict | None = None,
) -> str:  # fmt: skip
    """Return the whole page, self-contained.

    It opens with the ``verdict``: the limits that were set before, and what to do. Without one, it opens with what
    the studies can judge by themselves.

    ``texts`` gives original and released text by id: with it, the records that disclose most are shown, and the page
    warns that it holds private text.
    Raise :class:`~sfumato.errors.MissingExtraError` without jinja2 or matplotlib.
    """
    parts = (_section(study) for study in _in_order(studies))
    sections = [part for part in parts if part.sentences or part.pictures]
    skipped = by_reason(dict.fromkeys((left.what, left.why) for study in studies for left in study.skipped))
    figures = [[study.name, *figure_row(figure)] for study in studies for figure in study.figures]
    return rendered(
        "report.html.j2", facts=facts, sections=sections, skipped=skipped, figures=figures,
        said=judged(studies), advice=advice(studies) if verdict is None else verdict.advice,
        shown=_shown(studies, texts), **_opening(verdict),
    )  # fmt: skip


def headline(studies: Sequence[Study]) -> list[str]:
    """Return what to know first, in whole sentences. Nothing is drawn for it."""
    return [said.sentence for said in judged(studies)]


def judged(studies: Sequence[Study]) -> list[Said]:
    """Return what to know first, each sentence with what its study can say of it: good news, bad news, or neither."""
    return [said for study in _in_order(studies) for said in (*_told(study, "headline"), *_training_headline(study))]


def advice(studies: Sequence[Study]) -> list[str]:
    """Return what to do next, as far as the studies can say so."""
    return [sentence for study in _in_order(studies) for sentence in _told(study, "advice")]


def _opening(verdict: Verdict | None) -> dict[str, Any]:
    """Return what the template needs of a verdict."""
    if verdict is None:
        return {"verdict": None}
    names, estimates = [name for name, _ in verdict.kinds], [estimate for _, estimate in verdict.kinds]
    drawn = [(plots.bars(names, estimates, plots.RED), _KINDS)] if names else []
    return {"verdict": verdict, "limits": limit_rows(verdict.limits), "kinds": drawn}


def _in_order(studies: Sequence[Study]) -> list[Study]:
    by_name = {study.name: study for study in studies}
    return [by_name[name] for name in registry.studies() if name in by_name]


def _shown(studies: Sequence[Study], texts: Mapping[str, tuple[str, str]] | None) -> list[tuple[str, str, str]]:
    """Return id, original and release of the records that disclose most; none unless texts may be shown."""
    worst = [name for study in studies for name in study.records.get("worst", ())]
    return [(name, *texts[name]) for name in dict.fromkeys(worst) if name in texts] if texts else []


def _maker(study: Study, part: str) -> Any:
    """Return what makes a ``part`` of the page of ``study``, in report/sections/; None if nothing does."""
    if study.name not in {**registry.STUDIES, **registry.METRICS}:
        return None
    file = next((file for file, names in _FILES.items() if study.name in names), study.name)
    return getattr(import_module(f"sfumato.report.sections.{file}"), f"{study.name}_{part}", None)


def _told(study: Study, part: str) -> Iterable[Any]:
    make = _maker(study, part)
    return () if make is None else make(_of_members(study))


def _section(study: Study) -> Section:
    make = _maker(study, "section") or plain_section
    result: Section = make(_of_members(study))
    _add_training(result, study)
    return result


def _of_members(study: Study) -> Study:
    """Return the ``study`` without what was measured of people held out, and without differences."""
    kept = [figure for figure in study.figures if figure.setting.get(PEOPLE) not in (HELD_OUT, DIFFERENCE)]
    return replace(study, figures=kept)


def _add_training(section: Section, study: Study) -> None:
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


def _training_headline(study: Study) -> Iterator[Said]:
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
