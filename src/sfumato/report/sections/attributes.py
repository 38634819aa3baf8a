"""What the study of attributes says."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.evaluation.attributes import ACCURACY, ADVANTAGE, BEFORE
from sfumato.evaluation.results import Study
from sfumato.report import plots
from sfumato.report.section import Section, percent


def section(study: Study) -> Section:
    """What classifiers guess of people, and what the release is good for."""
    found = Section("What can be guessed about people?")
    figures = [one for one in study.figures if one.name == ACCURACY]
    if figures:
        found.sentences.append(
            "A classifier learns from other people's texts and guesses each record's label. Static: it learned from "
            "originals. Adaptive: it learned from texts released in the same way."
        )
    for name in dict.fromkeys(one.setting["field"] for one in figures):
        own = [one for one in figures if one.setting["field"] == name]
        share = _majority(study, str(name))
        names = [f"{one.setting['attacker']}, {one.setting['classifier']}" for one in own]
        role = "task" if own[0].setting["role"] == "task" else "inference"
        picture = plots.bars(names, [one.estimate for one in own], line=share, line_name="always the commonest label")
        found.pictures.append((picture, f"{role} of “{name}”: share guessed right"))
    found.headline += _headline(study)
    return found


def _headline(study: Study) -> Iterator[str]:
    """What the best classifier guesses of each target, after and before."""
    rates = [one for one in study.figures if one.name == ACCURACY and one.setting["role"] == "target"]
    for target in dict.fromkeys(one.setting["field"] for one in rates):
        own = [one for one in rates if one.setting["field"] == target]
        after = max((one.estimate for one in own if one.setting["attacker"] != BEFORE), key=lambda one: one.value)
        before = max((one.estimate for one in own if one.setting["attacker"] == BEFORE), key=lambda one: one.value)
        yield (
            f"“{target}” is guessed right for {percent(after)} of records; from the originals it would be "
            f"{percent(before)}."
        )


def _majority(study: Study, name: str) -> float | None:
    right = study.figure(ACCURACY, field=name, attacker=BEFORE)
    above = study.figure(ADVANTAGE, field=name, attacker=BEFORE)
    return right.estimate.value - above.estimate.value if right and above else None
