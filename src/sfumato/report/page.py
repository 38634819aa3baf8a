"""``report.html``: the verdict, what to do about it, and the evidence, for readers who do not know the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from sfumato import registry
from sfumato.evaluation.results import Figure, Study
from sfumato.report import limits, plots
from sfumato.report.rendering import rendered
from sfumato.report.section import Said, Section, by_reason, plain_section
from sfumato.report.training import add_training, of_members, training_headline
from sfumato.report.verdict import Verdict

_KINDS = "Share of people found by one kind of value alone"


def page(
    studies: Sequence[Study], facts: Mapping[str, Any], texts: Mapping[str, tuple[str, str]] | None = None,
    verdict: Verdict | None = None, drawn: Mapping[str, Section] | None = None,
) -> str:  # fmt: skip
    """Return the whole page, self-contained.

    It opens with the ``verdict``: the limits that were set before, and what to do. Without one, it opens with what
    the studies can judge by themselves.

    ``texts`` gives original and released text by id: with it, the records that disclose most are shown, and the page
    warns that it holds private text. ``drawn`` are sections of studies that another page has drawn already.
    Raise :class:`~sfumato.errors.MissingExtraError` without jinja2 or matplotlib.
    """
    parts = ((drawn or {}).get(study.name) or _section(study) for study in _in_order(studies))
    sections = [part for part in parts if part.sentences or part.pictures]
    skipped = by_reason(dict.fromkeys((left.what, left.why) for study in studies for left in study.skipped))
    figures = [_row(study, figure) for study in studies for figure in study.figures]
    return rendered(
        "report.html.j2", facts=facts, sections=sections, skipped=skipped, figures=figures,
        said=judged(studies), advice=advice(studies) if verdict is None else verdict.advice,
        shown=_shown(studies, texts), **_opening(verdict),
    )  # fmt: skip


def sections_without_records(studies: Sequence[Study]) -> dict[str, Section]:
    """Return the sections of the studies that name no record, by study: one drawing serves the pages for everyone."""
    return {study.name: _section(study) for study in studies if not study.records}


def headline(studies: Sequence[Study]) -> list[str]:
    """Return what to know first, in whole sentences. Nothing is drawn for it."""
    return [said.sentence for said in judged(studies)]


def judged(studies: Sequence[Study]) -> list[Said]:
    """Return what to know first, each sentence with what its study can say of it: good news, bad news, or neither."""
    makers = [(getattr(_module(study), "headline", None), study) for study in _in_order(studies)]
    return [
        said
        for make, study in makers
        for said in (*(make(of_members(study)) if make is not None else ()), *training_headline(study))
    ]


def advice(studies: Sequence[Study]) -> list[str]:
    """Return what to do next, as far as the studies can say so."""
    makers = [(getattr(_module(study), "advice", None), study) for study in _in_order(studies)]
    return [sentence for make, study in makers if make is not None for sentence in make(of_members(study))]


def _opening(verdict: Verdict | None) -> dict[str, Any]:
    """Return what the template needs of a verdict."""
    if verdict is None:
        return {"verdict": None}
    names, estimates = [name for name, _ in verdict.kinds], [estimate for _, estimate in verdict.kinds]
    drawn = [(plots.bars(names, estimates, plots.RED), _KINDS)] if names else []
    return {"verdict": verdict, "limits": limits.rows(verdict.limits), "kinds": drawn}


def _in_order(studies: Sequence[Study]) -> list[Study]:
    by_name = {study.name: study for study in studies}
    return [by_name[name] for name in registry.studies() if name in by_name]


def _shown(studies: Sequence[Study], texts: Mapping[str, tuple[str, str]] | None) -> list[tuple[str, str, str]]:
    """Return id, original and release of the records that disclose most; none unless texts may be shown."""
    worst = [name for study in studies for name in study.records.get("worst", ())]
    return [(name, *texts[name]) for name in dict.fromkeys(worst) if name in texts] if texts else []


def _module(study: Study) -> Any:
    """Return the file of the study's name in report/sections/; None for a study of another package."""
    if study.name not in {**registry.STUDIES, **registry.METRICS}:
        return None
    return import_module(f"sfumato.report.sections.{study.name}")


def _section(study: Study) -> Section:
    module, own = _module(study), of_members(study)
    result: Section = plain_section(own) if module is None else module.section(own)
    add_training(result, study)
    return result


def _row(study: Study, figure: Figure) -> list[str]:
    setting = ", ".join(f"{key} {value}" for key, value in figure.setting.items())
    estimate = figure.estimate
    return [
        study.name,
        figure.name,
        setting,
        f"{estimate.value:.4g}",
        f"{estimate.low:.4g} to {estimate.high:.4g}",
        f"{estimate.n:,} {estimate.of}",
    ]
