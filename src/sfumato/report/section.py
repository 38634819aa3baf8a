"""A section of a report (a heading, sentences, pictures with captions, a table), and pages from their templates.

All pages have one look, no script, and a policy with which a browser fetches nothing.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, NamedTuple

from sfumato.errors import MissingExtraError
from sfumato.evaluation.results import Figure, Study
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots
from sfumato.report.plots import titled
from sfumato.text.sentences import capitalised

_DATA = resources.files("sfumato") / "data"


@dataclass
class Table:
    """A table that opens with a click on its title."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Section:
    """A section of the page: ``pictures`` are SVG texts with their captions."""

    title: str
    sentences: list[str] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def add_bars(
        self, caption: str, names: Sequence[str], figures: Sequence[Figure], color: str = plots.BLUE,
        line: float | None = None, line_name: str = "", most: float = 1.0,
    ) -> None:  # fmt: skip
        """Add a picture of ``figures`` as bars with their intervals; a dashed line at ``line``."""
        picture = plots.bars(names, [figure.estimate for figure in figures], color, line, line_name, most)
        self.pictures.append((picture, caption))


class Said(NamedTuple):
    """A sentence of what to know first, and whether it is good news.

    ``holds`` is False if the study shows, against a public threshold such as guessing, that an attacker succeeds.
    It is True if the study shows that an attacker does not, and None if it shows neither.
    """

    sentence: str
    holds: bool | None = None


def plain_section(study: Study) -> Section:
    """Return the section of a study that brings none of its own: its figures in a table, each with its interval."""
    section = Section(capitalised(study.name))
    if study.figures:
        section.sentences.append(
            f"{len(study.figures)} figures of a study of another package, each with its interval."
        )
        rows = [figure_row(figure) for figure in study.figures]
        section.tables.append(Table(study.name, ("figure", "how", "value", "interval", "of"), rows))
    return section


def figure_row(figure: Figure) -> list[str]:
    """Return the name of ``figure``, how it was measured, its value, its interval and its sample, for a table.

    A sample of 0 is one whose size is not told.
    """
    setting = ", ".join(f"{key} {value}" for key, value in figure.setting.items())
    estimate = figure.estimate
    interval = f"{estimate.low:.4g} to {estimate.high:.4g}"
    of = f"{estimate.n:,} {estimate.of}" if estimate.n else estimate.of
    return [figure.name, setting, f"{estimate.value:.4g}", interval, of]


def percent(value: float | Estimate) -> str:
    """Return a share as a percentage: ``0.421`` as "42 %"."""
    return f"{100 * (value.value if isinstance(value, Estimate) else value):.0f} %"


def by_reason(skipped: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what was not measured and why, with one entry for all parts of a measure that share a reason.

    The parts are named behind the measure: "tokens named, PHONE" and "tokens named, URL" become "tokens named, PHONE,
    URL".
    """
    parts: dict[tuple[str, str], list[str]] = {}
    for what, why in skipped:
        measure, _, part = what.partition(", ")
        parts.setdefault((measure, why), []).append(part)
    return [(", ".join([measure, *filter(None, own)]), why) for (measure, why), own in parts.items()]


def rendered(template: str, **content: Any) -> str:
    """Return the page that ``template`` makes of ``content``, which is escaped.

    Raise :class:`~sfumato.errors.MissingExtraError` without jinja2.
    """
    try:
        from jinja2 import Environment, FunctionLoader
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    pages = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_text))
    pages.filters["titled"] = titled
    style = _text("page.css")
    pages.globals.update(style=style, rules=_rules(style))
    return pages.get_template(template).render(**content)


def _text(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")


def _rules(style: str) -> str:
    """Return the content security policy: this style, and nothing else."""
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
