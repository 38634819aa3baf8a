"""Guessed words are counted by person: their texts are no independent answers."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice

from sfumato.attacks.mask_inference import Guesser
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.studies.tokens import REPLACED, TokenStudy
from sfumato.models.masked.embedded import embedded_masked


def test_texts_of_a_person_are_one_answer() -> None:
    originals = [f"The {noun} was very good and they liked it." for noun in islice(cycle(("food", "book")), 60)]
    released = [text.replace("good", "tall") for text in originals]
    ids = [str(number) for number in range(60)]
    alone = Pairs(ids, originals, released, fields=[{}] * 60, released_fields=[None] * 60)
    people = replace(alone, owners=[number % 6 for number in range(60)])
    study = TokenStudy(Guesser(embedded_masked()), 200)
    first, second = ([f for f in study.run(pairs).figures if f.name == REPLACED] for pairs in (alone, people))
    [single], [together] = first, second
    assert single.estimate.value == together.estimate.value
    assert together.estimate.high - together.estimate.low > 1.5 * (single.estimate.high - single.estimate.low)
    half = people.keeping(range(0, 60, 2))
    assert half.owners == [0, 2, 4] * 10
    assert list(replace(study, replaced_alone=True).run(people).figures) == [together]
