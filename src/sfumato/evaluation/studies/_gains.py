"""What tasks gain over targets, and what they lose by a release, from the scores of the attribute study."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.attacks.attribute_inference import ADAPTIVE, BEFORE, STATIC, TRANSFERRED
from sfumato.evaluation.results import Figure, Setting
from sfumato.evaluation.studies._extraction import LOST, records_of
from sfumato.metrics.estimates import Resampled, less
from sfumato.metrics.guesses import relative_gain

GAIN = "relative gain"
Scores = dict[tuple[str, str, str, str], Resampled]
"""F1 (of numbers: Pearson's r) by field, role, classifier and attacker."""


def gains(scores: Scores) -> Iterator[Figure]:
    """Yield the relative gain of every task against every target, by the same classifier and attacker."""
    tasks = [key for key in scores if key[1] == "task" and key[3] == BEFORE]
    targets = [key for key in scores if key[1] == "target" and key[3] == BEFORE]
    for task in tasks:
        for target in targets:
            for attacker in (STATIC, ADAPTIVE):
                keys = ((*task[:3], ADAPTIVE), task, (*target[:3], attacker), target)
                if task[2] != target[2] or not all(key in scores for key in keys):
                    continue
                use, use_before, read, read_before = (scores[key] for key in keys)
                if use_before.value > 0 and read_before.value > 0:
                    setting: Setting = {
                        "task": task[0], "target": target[0], "attacker": attacker, "classifier": task[2],
                    }  # fmt: skip
                    gain = relative_gain(use, use_before, read, read_before)
                    yield Figure(GAIN, gain.estimate(), setting)


def losses(scores: Scores, linkable: bool) -> Iterator[Figure]:
    """Yield what each classifier of a task loses on originals by learning from the release, in F1 or in r."""
    for (name, role, classifier, attacker), before in scores.items():
        after = scores.get((name, role, classifier, TRANSFERRED))
        if role == "task" and attacker == BEFORE and after is not None:
            yield Figure(
                LOST,
                less(before, after).estimate(),
                {"field": name, "classifier": classifier, **records_of(linkable)},
            )
