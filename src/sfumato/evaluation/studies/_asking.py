"""What a chat model infers about people from originals and release, as figures of the attribute study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.abstract.chat import ChatModel
from sfumato.attacks.attribute_inference import BEFORE, STATIC
from sfumato.attacks.attribute_questions import MOST_LABELS, asked_for
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped
from sfumato.evaluation.studies._labels import KnownLabels, Labels
from sfumato.metrics.guesses import accuracy, advantage
from sfumato.types import Progress, part_of

ACCURACY, ADVANTAGE = "accuracy", "advantage over the most common label"
_MOST = 200


def asked_about(
    model: ChatModel, pairs: Pairs, fields: Sequence[Labels], sampled: int, seed: int,
    progress: Progress | None = None,
) -> tuple[list[Figure], list[Skipped]]:  # fmt: skip
    """Return how often ``model`` names the label of each of ``fields``, of up to 200 people drawn at random.

    An answer that is missing or cannot be read is wrong, and counted.
    """
    figures, skipped = list[Figure](), list[Skipped]()
    for number, labels in enumerate(fields):
        what = f"inference of {labels.field} by {model.id}"
        if labels.numeric or len(labels.names) > MOST_LABELS or not pairs.linkable:
            skipped.append(Skipped(what, _why_not(labels, pairs)))
            continue
        chosen = np.array(drawn(len(pairs), min(sampled, _MOST), seed, 71), dtype=np.int64)
        try:
            known = labels.known(chosen)
        except ConfigurationError as error:
            skipped.append(Skipped(what, str(error)))
            continue
        part = part_of(progress, number / len(fields), 1 / len(fields))
        more, why = _read(model, pairs, labels, known, seed, part)
        figures, skipped = [*figures, *more], [*skipped, *why]
    return figures, skipped


def _why_not(labels: Labels, pairs: Pairs) -> str:
    if not pairs.linkable:
        return "no released record is known to belong to an original"
    if labels.numeric:
        return "a language model is asked for labels, and the field holds numbers"
    return f"a language model chooses among {MOST_LABELS} labels at most, and the field has {len(labels.names):,}"


def _read(
    model: ChatModel, pairs: Pairs, labels: Labels, known: KnownLabels, seed: int, progress: Progress
) -> tuple[list[Figure], list[Skipped]]:
    """Return the figures of originals and of the release, and how many answers are missing."""
    figures, skipped, people = list[Figure](), list[Skipped](), known.indices.tolist()
    for part, (attacker, texts) in enumerate(((BEFORE, pairs.originals), (STATIC, pairs.texts))):
        report = part_of(progress, part / 2, 0.5)
        answers = asked_for(model, [texts[number] for number in people], labels.field, labels.names, report)
        guesses = np.array([-1 if answer is None else answer for answer in answers], dtype=np.int64)
        how: Setting = {
            "field": labels.field, "role": "target", "classifier": model.id, "attacker": attacker,
            "labels": len(np.unique(known.values)),
        }  # fmt: skip
        figures.append(Figure(ACCURACY, accuracy(guesses, known.values), how, "low"))
        figures.append(Figure(ADVANTAGE, advantage(guesses, known.values, seed), how, "low"))
        asked = sum(bool(texts[number].strip()) for number in people)
        if missing := answers.count(None) - (len(people) - asked):
            why = f"of {asked:,} answers {missing:,} are missing or could not be read, and count as wrong"
            skipped.append(Skipped(f"{attacker} inference of {labels.field} by {model.id} for some people", why))
    return figures, skipped
