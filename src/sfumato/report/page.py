"""``report.html``: what the results say, in sentences, plots and tables, for somebody who was not there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from sfumato.errors import MissingExtraError
from sfumato.evaluation.attributes import ACCURACY, ADVANTAGE, BEFORE
from sfumato.evaluation.linkage import LEXICAL, RATE, SEMANTIC
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.tokens import GUESSED
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots


@dataclass
class Section:
    """A heading, sentences, pictures with captions, and one table."""

    title: str
    sentences: list[str] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    table: tuple[list[str], list[list[str]]] | None = None


def page(studies: Sequence[Study], facts: Mapping[str, Any]) -> str:
    """The whole page, self-contained."""
    try:
        from jinja2 import Environment
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    by_name = {study.name: study for study in studies}
    makers = {"linkage": _linkage, "tokens": _tokens, "attributes": _attributes, "utility": _utility}
    sections = [make(by_name[name]) for name, make in makers.items() if name in by_name]
    skipped = [(one.what, one.why) for study in studies for one in study.skipped]
    template = (resources.files("sfumato") / "data" / "report.html.j2").read_text(encoding="utf-8")
    figures = [_row(study, one) for study in studies for one in study.figures]
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template).render(
        facts=facts, sections=[one for one in sections if one.sentences or one.pictures], skipped=skipped,
        headline=_headline(by_name), figures=figures,
    )  # fmt: skip


def _headline(studies: Mapping[str, Study]) -> list[str]:
    """The three things to know, in whole sentences."""
    found = []
    if (study := studies.get("linkage")) and (rate := study.figure(RATE, linker="bm25", query="merged")):
        best = max((one for one in study.figures if one.name == RATE), key=lambda one: one.estimate.value)
        k = best.setting["k"]
        found.append(
            f"Somebody who knows {k} facts about a person finds that person's record among all others in "
            f"{_percent(best.estimate)} of cases ({rate.estimate.n:,} people tried)."
        )
    if study and (semantic := study.figure(SEMANTIC)):
        found.append(
            f"Of the facts they did not know, the record they find supports {_percent(_rest(semantic.estimate))} "
            "by meaning (partly supported ones count half)."
        )
    if (study := studies.get("attributes")) is not None:
        found += _guessed(study)
    return found


def _guessed(study: Study) -> Iterator[str]:
    """What the best classifier guesses of each target, after and before."""
    rates = [one for one in study.figures if one.name == ACCURACY and one.setting["role"] == "target"]
    for target in dict.fromkeys(one.setting["field"] for one in rates):
        own = [one for one in rates if one.setting["field"] == target]
        after = max((one.estimate for one in own if one.setting["attacker"] != BEFORE), key=lambda one: one.value)
        before = max((one.estimate for one in own if one.setting["attacker"] == BEFORE), key=lambda one: one.value)
        yield (
            f"“{target}” is guessed right for {_percent(after)} of records; from the originals it would be "
            f"{_percent(before)}."
        )


def _linkage(study: Study) -> Section:
    section = Section("Can a person be found again?")
    rates = [one for one in study.figures if one.name == RATE]
    if rates:
        section.sentences.append(
            "An attacker holds a few facts about one person and searches the release for the record that fits best. "
            "The bars and points say how often that is the person's own record; black lines are 95 % intervals."
        )
        section.pictures += [_by_number(rates), _by_kind(rates)]
    semantic, lexical = study.figure(SEMANTIC), study.figure(LEXICAL)
    if semantic and lexical:
        section.sentences.append(
            "Every fact that the attacker did not hold is then compared with the record they found. 1 means that "
            "nothing of it is there. Where the distance by words is larger than that by meaning, the words have gone "
            "and the meaning has stayed."
        )
        picture = plots.gap(lexical.estimate, semantic.estimate)
        section.pictures.append((picture, "What the record found tells beyond what was known"))
    if distances := study.records.get("distances"):
        edges = [float(edge) for edge in distances]
        picture = plots.histogram(edges, list(distances.values()), "distance by meaning", "records")
        section.pictures.append((picture, "Records by distance: those on the left tell nearly everything"))
    if worst := study.records.get("worst"):
        section.table = (["record", "distance by meaning"], [[name, f"{value:.2f}"] for name, value in worst.items()])
    return section


def _by_number(rates: Sequence[Figure]) -> tuple[str, str]:
    """The curve over how many facts are known, of the kind of knowledge that was tried with most numbers."""
    merged = [one for one in rates if (one.setting["linker"], one.setting["query"]) == ("bm25", "merged")]
    kinds = [one.setting["knowledge"] for one in merged]
    usual = max(kinds, key=kinds.count)
    by_k = sorted(
        {int(one.setting["k"]): one.estimate for one in merged if one.setting["knowledge"] == usual}.items()
    )
    chance = 1 / max(1, merged[0].estimate.n)
    picture = plots.curve([k for k, _ in by_k], [one for _, one in by_k], "facts known", "found again", chance)
    return picture, f"Found again by number of {usual} facts known"


def _by_kind(rates: Sequence[Figure]) -> tuple[str, str]:
    """Bars by what is known and how it is searched for, at the usual number of facts."""
    others = [one for one in rates if one.setting["k"] == rates[0].setting["k"]]
    names = [f"{one.setting['knowledge']}, {one.setting['linker']}, {one.setting['query']}" for one in others]
    picture = plots.bars(names, [one.estimate for one in others])
    return picture, f"Found again with {rates[0].setting['k']} facts, by which they are and how they are searched for"


def _tokens(study: Study) -> Section:
    section = Section("Can single words be guessed?")
    if study.figures:
        section.sentences.append(
            "A language model guesses words from the released words around them, and is right where it names the "
            "word of the original. What it guesses in the originals is how much language gives away by itself."
        )
        names = {(GUESSED, "originals"): "in originals", (GUESSED, "release"): "in the release"}
        shown = [names.get((one.name, str(one.setting["of"])), "of the replaced words") for one in study.figures]
        section.pictures.append((plots.bars(shown, [one.estimate for one in study.figures]), "Words guessed right"))
    return section


def _attributes(study: Study) -> Section:
    section = Section("What can be guessed about people?")
    figures = [one for one in study.figures if one.name == ACCURACY]
    if figures:
        section.sentences.append(
            "A classifier learns from other people's texts and guesses each record's label. Static: it learned from "
            "originals. Adaptive: it learned from texts released in the same way."
        )
    for name in dict.fromkeys(one.setting["field"] for one in figures):
        own = [one for one in figures if one.setting["field"] == name]
        share = _majority(study, str(name))
        names = [f"{one.setting['attacker']}, {one.setting['classifier']}" for one in own]
        role = "task" if own[0].setting["role"] == "task" else "inference"
        picture = plots.bars(names, [one.estimate for one in own], line=share, line_name="always the commonest label")
        section.pictures.append((picture, f"{role} of “{name}”: share guessed right"))
    return section


def _majority(study: Study, name: str) -> float | None:
    right = study.figure(ACCURACY, field=name, attacker=BEFORE)
    above = study.figure(ADVANTAGE, field=name, attacker=BEFORE)
    return right.estimate.value - above.estimate.value if right and above else None


def _utility(study: Study) -> Section:
    section = Section("What is it still good for?")
    shown = [one for one in study.figures if not math.isnan(one.estimate.value)]
    if shown:
        section.sentences.append("How near the released texts are to the originals: 1 is the same, 0 nothing of it.")
        picture = plots.bars([one.name for one in shown], [one.estimate for one in shown], plots.ORANGE)
        section.pictures.append((picture, "Nearness to the originals"))
    return section


def _row(study: Study, one: Figure) -> list[str]:
    setting = ", ".join(f"{key} {value}" for key, value in one.setting.items())
    e = one.estimate
    return [study.name, one.name, setting, f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}", f"{e.n:,} {e.of}"]


def _percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.0f} %"


def _rest(estimate: Estimate) -> Estimate:
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low, estimate.n, estimate.of)
