"""Extraction as a task: bracketed by releases that keep all and nothing, and fed with what cannot be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato.attacks.attribute_inference import BEFORE, STATIC, TRANSFERRED, WordClassifier
from sfumato.attacks.value_reading import occurring, taught_values, units
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._extraction import EXTRACTED, LOST, is_extraction
from sfumato.evaluation.studies.attributes import AttributeStudy, not_inferable
from sfumato.report.sections.attributes import attributes_section

pytest.importorskip("sklearn")
DRAW = np.random.default_rng(5)
DRUGS = [
    f"{start}{end}" for start in ("ami", "beta", "carbo", "dexa", "ena", "fluo") for end in ("pril", "statin", "zole")
]
WRITTEN = ("Takes {} daily.", "She was given {} and {} at night.", "No pain; {} stopped, then {} again.")
OTHER = ("A walk by the river.", "Sleeps well, eats well.")
GIVEN = [tuple(DRAW.permutation(DRUGS)[:2].tolist()) for _ in range(90)]
RECORDS = [
    (WRITTEN[number % 3].format(*given), list(given[: WRITTEN[number % 3].count("{}")])) if number % 5 else
    (OTHER[number % 2], [])
    for number, given in enumerate(GIVEN)
]  # fmt: skip
TEXTS, VALUES = [text for text, _ in RECORDS], [values for _, values in RECORDS]


def pairs_of(
    released: Sequence[str], values: Sequence[Any] = VALUES, apart: bool = False, given: Any = VALUES
) -> Pairs:
    before, after = ([{"drugs": own} for own in every] for every in (given, values))
    ids = [str(number) for number in range(len(TEXTS))]
    if apart:
        return Pairs(ids, TEXTS, [None] * len(TEXTS), released, before, [None] * len(TEXTS), after)
    return Pairs(ids, TEXTS, released, (), before, after)


def studied(pairs: Pairs) -> Study:
    return AttributeStudy((WordClassifier(),), tasks=("drugs",)).run(pairs)


def value(study: Study, name: str, **setting: Any) -> float:
    figure = study.figure(name, **setting)
    assert figure is not None
    assert figure.estimate.low <= figure.estimate.value <= figure.estimate.high
    return figure.estimate.value


@pytest.mark.parametrize("apart", [False, True])
def test_the_originals_as_a_release_lose_nothing(apart: bool) -> None:
    study = studied(pairs_of(TEXTS, apart=apart))
    assert value(study, EXTRACTED, attacker=BEFORE) > 0.9
    assert value(study, LOST, field="drugs") == pytest.approx(0.0, abs=0.02)
    assert value(study, EXTRACTED, attacker=STATIC) > 0.9
    said = " ".join(attributes_section(study).sentences)
    assert ("may have learned from copies of what it read" in said) is apart


def test_a_release_with_other_values_teaches_other_values() -> None:
    pairs = replace(pairs_of(TEXTS), released_fields=[{"drugs": ["daily", "night", "well"]}] * len(TEXTS))
    study = studied(pairs)
    before, after = (value(study, EXTRACTED, attacker=attacker) for attacker in (BEFORE, TRANSFERRED))
    assert value(study, LOST, field="drugs") == pytest.approx(before - after)
    assert study.figure(LOST, field="drugs").estimate.low > 0.0  # type: ignore[union-attr]
    told = attributes_section(study)
    assert any("learning from the release in place of the originals costs values" in line for line in told.sentences)
    assert any("F1 of whole values" in caption for _, caption in told.pictures)


def test_a_reader_that_saw_the_record_would_score_more() -> None:
    """Values that occur once are learned by heart where folds leak: an unseen text holds no clue to them."""
    texts = [f"{word} {word[::-1]}" for word in (f"w{number:03}x" for number in range(60))]
    values = [[frozenset({(text.split()[0],)}), frozenset({(text.split()[1],)})][number % 2]
              for number, text in enumerate(texts)]  # fmt: skip
    learned = taught_values(texts, values)(texts)
    assert sum(own == told for own, told in zip(values, learned, strict=True)) > 50
    ids, fields = [str(number) for number in range(60)], [{"drugs": [" ".join(*own)]} for own in values]
    study = studied(Pairs(ids, texts, texts, (), fields, fields))
    assert value(study, EXTRACTED, attacker=BEFORE) < 0.7


def test_a_release_without_values_is_said_and_not_scored() -> None:
    study = studied(pairs_of(["nothing"] * len(TEXTS)))
    assert study.figure(EXTRACTED, attacker=TRANSFERRED) is None
    assert study.named(LOST) == []
    assert any("no released text holds a value" in skipped.why for skipped in study.skipped)


def test_values_that_cannot_be_found_are_counted_and_never_shown() -> None:
    given = [[*values, "Zaphodsecret"] if number == 3 else values for number, values in enumerate(VALUES)]
    study = studied(pairs_of(TEXTS, given=given))
    told = next(skipped for skipped in study.skipped if skipped.what == "extraction of drugs for some values")
    assert told.why.startswith("1 of ")
    assert "Zaphodsecret" not in repr(study)
    study = studied(pairs_of(TEXTS, given=[["absent"]] * len(TEXTS)))
    assert any("fewer than 5 originals have a value" in skipped.why for skipped in study.skipped)
    assert study.figures == []


@pytest.mark.parametrize(
    ("given", "extracted"),
    [
        (VALUES, True),
        ([[1.0]] * len(TEXTS), False),
        (["glad"] * len(TEXTS), False),
        ([values[0] if values else None for values in VALUES], False),  # of few values: labels
        ([text.split()[0] + text.split()[1] for text in TEXTS], False),
        ([None] * len(TEXTS), False),
    ],
)
def test_what_is_extracted_and_what_is_told(given: Any, extracted: bool) -> None:
    assert is_extraction("drugs", pairs_of(TEXTS, given=given)) is extracted


def test_a_single_value_of_each_text_is_extracted() -> None:
    ids, texts = [str(number) for number in range(40)], [f"Ref {number * 37} was closed." for number in range(40)]
    fields = [{"drugs": str(number * 37)} for number in range(40)]
    pairs = Pairs(ids, texts, texts, (), fields, fields)
    assert is_extraction("drugs", pairs)
    assert value(studied(pairs), EXTRACTED, attacker=BEFORE) > 0.9
    assert not_inferable(pairs, (), ("drugs",)) == []


def test_values_are_whole_words_and_the_longer_ones_first() -> None:
    assert occurring([units("Ena"), units("a b"), ()], "enapril, A B") == {("a", "b")}
    texts = ["take beta blocker now", "take beta now", "take beta blocker again"] * 4
    values = [occurring([("beta", "blocker"), ("beta",)], text) for text in texts]
    assert taught_values(texts, values)(["take beta blocker now", ""]) == [{("beta", "blocker")}, frozenset()]
