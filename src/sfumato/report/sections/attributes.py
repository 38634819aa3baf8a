"""What the study of attributes says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.attributes import (
    ACCURACY,
    ADVANTAGE,
    BEFORE,
    DISTRIBUTION,
    GAIN,
    PEARSON,
    TRANSFERRED,
)
from sfumato.report import plots
from sfumato.report.section import Section, percent


def section(study: Study) -> Section:
    """What classifiers guess of people, and what the release is good for."""
    found = Section("What can be guessed about people?")
    rates = [one for one in study.figures if one.name in (ACCURACY, PEARSON)]
    if rates:
        found.sentences.append(
            "A classifier learns from other people's texts and guesses each record's label. Static: it learned from "
            "originals. Adaptive: it learned from texts released in the same way. For a task: how well what is "
            "learned on the release works."
        )
    for role in ("target", "task"):
        own = [one for one in rates if one.setting["role"] == role]
        found.pictures += [_picture(study, name, own) for name in dict.fromkeys(one.setting["field"] for one in own)]
    found.pictures += _others(study)
    found.headline += _headline(study)
    return found


def _picture(study: Study, name: object, figures: Sequence[Figure]) -> tuple[str, str]:
    """Bars for one field, by who guesses and with which classifier."""
    own = [one for one in figures if one.setting["field"] == name]
    names = [f"{_attacker(one)}, {one.setting['classifier']}" for one in own]
    role = "task" if own[0].setting["role"] == "task" else "inference"
    if own[0].name == PEARSON:
        picture = plots.bars(names, [one.estimate for one in own])
        return picture, f"{role} of “{name}”: correlation of guessed and true numbers"
    share = _majority(study, str(name))
    picture = plots.bars(names, [one.estimate for one in own], line=share, line_name="always the commonest label")
    return picture, f"{role} of “{name}”: share guessed right"


def _attacker(one: Figure) -> str:
    return "release to originals" if one.setting["attacker"] == TRANSFERRED else str(one.setting["attacker"])


def _others(study: Study) -> Iterator[tuple[str, str]]:
    """Relative gains, and how far distributions of labels are kept."""
    if gains := [one for one in study.figures if one.name == GAIN]:
        picture = plots.signed([_gain(one) for one in gains], [one.estimate for one in gains])
        yield picture, "Relative gain: share of the task kept, less the share of the inference kept"
    if kept := [one for one in study.figures if one.name == DISTRIBUTION]:
        picture = plots.signed([_spread(one) for one in kept], [one.estimate for one in kept])
        yield picture, "Distribution of labels kept: 1 is the same, 0 as far off as all labels equally often"


def _spread(one: Figure) -> str:
    how = one.setting
    by = f", {how['attacker']}, {how['classifier']}" if "classifier" in how else ""
    return f"{how['field']}, {how['of']}{by}"


def _gain(one: Figure) -> str:
    how = one.setting
    return f"{how['task']} – {how['target']}, {how['attacker']}, {how['classifier']}"


def _headline(study: Study) -> Iterator[str]:
    """What the best classifier guesses of each target, after and before."""
    rates = [one for one in study.figures if one.name == ACCURACY and one.setting["role"] == "target"]
    for target in dict.fromkeys(one.setting["field"] for one in rates):
        own = [one for one in rates if one.setting["field"] == target]
        after = [one.estimate.value for one in own if one.setting["attacker"] != BEFORE]
        before = [one.estimate.value for one in own if one.setting["attacker"] == BEFORE]
        if after and before:
            yield (
                f"“{target}” is guessed right for {percent(max(after))} of records; from the originals it would be "
                f"{percent(max(before))}."
            )


def _majority(study: Study, name: str) -> float | None:
    right = study.figure(ACCURACY, field=name, attacker=BEFORE)
    above = study.figure(ADVANTAGE, field=name, attacker=BEFORE)
    return right.estimate.value - above.estimate.value if right and above else None
