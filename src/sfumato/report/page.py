"""``report.html``: what the results say, in sentences, plots and tables, for somebody who was not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module, resources
from typing import Any

from sfumato import registry
from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Study
from sfumato.report.section import Section, plain_section


def page(
    studies: Sequence[Study], facts: Mapping[str, Any], texts: Mapping[str, tuple[str, str]] | None = None
) -> str:
    """The whole page, self-contained.

    ``texts`` gives original and released text by id: with it, the records that tell most are shown, and the page says
    that it holds private text.
    """
    try:
        from jinja2 import Environment
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    sections = _sections(studies)
    skipped = list(dict.fromkeys((one.what, one.why) for study in studies for one in study.skipped))
    template = (resources.files("sfumato") / "data" / "report.html.j2").read_text(encoding="utf-8")
    figures = [_row(study, one) for study in studies for one in study.figures]
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template).render(
        facts=facts, sections=[one for one in sections if one.sentences or one.pictures], skipped=skipped,
        headline=[line for one in sections for line in one.headline], figures=figures, shown=_shown(studies, texts),
    )  # fmt: skip


def headline(studies: Sequence[Study]) -> list[str]:
    """What to know first, in whole sentences."""
    return [line for one in _sections(studies) for line in one.headline]


def _sections(studies: Sequence[Study]) -> list[Section]:
    by_name = {study.name: study for study in studies}
    return [_section(by_name[name]) for name in registry.studies() if name in by_name]


def _shown(studies: Sequence[Study], texts: Mapping[str, tuple[str, str]] | None) -> list[tuple[str, str, str]]:
    """Id, original and release of the records that tell most; none unless texts may be shown."""
    worst = [name for study in studies for name in study.records.get("worst", ())]
    return [(name, *texts[name]) for name in dict.fromkeys(worst) if name in texts] if texts else []


def _section(study: Study) -> Section:
    """The section of a study: by the file of its name in report/sections/, by a plain table for other packages."""
    if study.name not in {**registry.STUDIES, **registry.METRICS}:
        return plain_section(study)
    made: Section = import_module(f"sfumato.report.sections.{study.name}").section(study)
    return made


def _row(study: Study, one: Figure) -> list[str]:
    setting = ", ".join(f"{key} {value}" for key, value in one.setting.items())
    e = one.estimate
    return [study.name, one.name, setting, f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}", f"{e.n:,} {e.of}"]
