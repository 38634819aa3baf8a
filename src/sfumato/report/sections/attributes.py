"""The section of the study of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.attacks.attribute_inference import BEFORE, TRANSFERRED
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies._extraction import EXTRACTED, LOST
from sfumato.evaluation.studies.attributes import (
    ACCURACY,
    ADVANTAGE,
    DISTRIBUTION,
    GAIN,
    PEARSON,
)
from sfumato.report import plots
from sfumato.report.section import Said, Section, percent


def attributes_section(study: Study) -> Section:
    """Return what classifiers guess about people, and how useful the release is."""
    result = Section("What can be guessed about people?")
    rates = study.named(ACCURACY, PEARSON)
    if rates:
        result.sentences.append(
            "A classifier learns from other people's texts and guesses each record's label. Static: it learned from "
            "originals. Adaptive: it learned from texts released in the same way. For a task, the figures show how "
            "well a classifier works that learned from the release."
        )
    for role in ("target", "task"):
        own = [figure for figure in rates if figure.setting["role"] == role]
        result.pictures += [
            _picture(study, name, own) for name in dict.fromkeys(figure.setting["field"] for figure in own)
        ]
    result.pictures += _others(study)
    result.sentences += _lost(study)
    return result


_APART = " Records are not paired, so it may have learned from copies of what it read, which makes this too little."


def _lost(study: Study) -> Iterator[str]:
    """Yield what each task loses where its classifier learns from the release, in points of F1 or of r."""
    for figure in study.named(LOST):
        points, low, high = (100 * end for end in (figure.estimate.value, figure.estimate.low, figure.estimate.high))
        apart = _APART if "records" in figure.setting else ""
        yield (
            f"“{figure.setting['field']}”: learning from the release in place of the originals costs "
            f"{figure.setting['classifier']} {points:.1f} points ({low:.1f} to {high:.1f}).{apart}"
        )


def _picture(study: Study, name: object, figures: Sequence[Figure]) -> tuple[str, str]:
    """Return bars for one field, by attacker and classifier, with a caption."""
    own = [figure for figure in figures if figure.setting["field"] == name]
    names = [f"{_attacker(figure)}, {figure.setting['classifier']}" for figure in own]
    role = "task" if own[0].setting["role"] == "task" else "inference"
    if own[0].name == PEARSON:
        picture = plots.bars(names, [figure.estimate for figure in own])
        return picture, f"{role} of “{name}”: correlation of guessed and true numbers"
    share = _majority(study, str(name))
    picture = plots.bars(
        names, [figure.estimate for figure in own], line=share, line_name="always the most common label"
    )
    return picture, f"{role} of “{name}”: share guessed right"


def _attacker(figure: Figure) -> str:
    return "release to originals" if figure.setting["attacker"] == TRANSFERRED else str(figure.setting["attacker"])


def _others(study: Study) -> Iterator[tuple[str, str]]:
    """Yield relative gains, and how far distributions of labels are kept, as pictures with captions."""
    if read := study.named(EXTRACTED):
        names = [f"{figure.setting['field']}, {_attacker(figure)}" for figure in read]
        picture = plots.bars(names, [figure.estimate for figure in read])
        yield picture, "Values extracted from texts: F1 of whole values"
    if gains := study.named(GAIN):
        picture = plots.signed([_gain(figure) for figure in gains], [figure.estimate for figure in gains])
        yield picture, "Relative gain: share of the task kept, less the share of the inference kept"
    if kept := study.named(DISTRIBUTION):
        picture = plots.signed([_spread(figure) for figure in kept], [figure.estimate for figure in kept])
        yield picture, "Distribution of labels kept: 1 is the same, 0 as far off as all labels equally often"


def _spread(figure: Figure) -> str:
    how = figure.setting
    by = f", {how['attacker']}, {how['classifier']}" if "classifier" in how else ""
    return f"{how['field']}, {how['of']}{by}"


def _gain(figure: Figure) -> str:
    how = figure.setting
    return f"{how['task']} – {how['target']}, {how['attacker']}, {how['classifier']}"


def attributes_headline(study: Study) -> Iterator[Said]:
    """Yield how often the best classifier guesses each target right, from the release and from the originals."""
    for target in _targets(study):
        own = study.fitting(ACCURACY, role="target", field=target)
        after = [figure.estimate.value for figure in own if figure.setting["attacker"] != BEFORE]
        before = [figure.estimate.value for figure in own if figure.setting["attacker"] == BEFORE]
        if after and before:
            yield Said(
                f"“{target}” is guessed right for {percent(max(after))} of records; from the originals it would be "
                f"{percent(max(before))}.",
                _holds(study, target),
            )


def attributes_advice(study: Study) -> Iterator[str]:
    """Yield which targets to protect, if classifiers guess them better than by always saying the same."""
    guessed = [f"“{target}”" for target in _targets(study) if _holds(study, target) is False]
    if guessed:
        yield f"If nobody may learn {', '.join(guessed)} from a text, treat the kinds of values that disclose it."


def _targets(study: Study) -> list[str]:
    return list(dict.fromkeys(str(figure.setting["field"]) for figure in study.fitting(ACCURACY, role="target")))


def _holds(study: Study, target: str) -> bool | None:
    """Return whether every attacker is at most as good as always naming the most common label; None: undecided."""
    above = [
        figure.estimate for figure in study.figures
        if figure.name == ADVANTAGE and figure.setting["field"] == target and figure.setting["attacker"] != BEFORE
    ]  # fmt: skip
    if any(estimate.low > 0 for estimate in above):
        return False
    return True if above and all(estimate.high <= 0 for estimate in above) else None


def _majority(study: Study, name: str) -> float | None:
    right = study.figure(ACCURACY, field=name, attacker=BEFORE)
    above = study.figure(ADVANTAGE, field=name, attacker=BEFORE)
    return right.estimate.value - above.estimate.value if right and above else None
