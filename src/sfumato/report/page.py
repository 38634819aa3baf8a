"""``report.html``: the results in sentences, plots and tables, for readers who do not know the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module, resources
from typing import Any

from sfumato import registry
from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Study
from sfumato.report.section import Section, by_reason, plain_section
from sfumato.report.training import add_training, of_members, training_headline
from sfumato.report.verdict import Verdict


def page(
    studies: Sequence[Study], facts: Mapping[str, Any], texts: Mapping[str, tuple[str, str]] | None = None,
    verdict: Verdict | None = None,
) -> str:  # fmt: skip
    """Return the whole page, self-contained. A ``verdict`` comes first.

    ``texts`` gives original and released text by id: with it, the records that disclose most are shown, and the page
    warns that it holds private text. Raise :class:`~sfumato.errors.MissingExtraError` without jinja2 or matplotlib.
    """
    try:
        from jinja2 import Environment
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    sections = _sections(studies)
    skipped = by_reason(dict.fromkeys((left.what, left.why) for study in studies for left in study.skipped))
    template = (resources.files("sfumato") / "data" / "report.html.j2").read_text(encoding="utf-8")
    figures = [_row(study, figure) for study in studies for figure in study.figures]
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template).render(
        facts=facts, sections=[part for part in sections if part.sentences or part.pictures], skipped=skipped,
        headline=headline(studies), figures=figures, shown=_shown(studies, texts), verdict=verdict,
    )  # fmt: skip


def headline(studies: Sequence[Study]) -> list[str]:
    """Return what to know first, in whole sentences. Nothing is drawn for it."""
    makers = [(getattr(_module(study), "headline", None), study) for study in _in_order(studies)]
    return [
        line
        for make, study in makers
        for line in (*(make(of_members(study)) if make is not None else ()), *training_headline(study))
    ]


def _sections(studies: Sequence[Study]) -> list[Section]:
    return [_section(study) for study in _in_order(studies)]


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
