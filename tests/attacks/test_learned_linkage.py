"""Attackers who know the law of a release, or the records of other people: bracketed, and better where possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.law_linkage import ByLaw
from sfumato.attacks.linkage import Held, held, linked, surely_linked
from sfumato.attacks.linkers import BM25, Linker
from sfumato.attacks.trained_linkage import Trained
from sfumato.building import methods
from sfumato.errors import GuaranteeError

pytest.importorskip("bm25s")
pytest.importorskip("sklearn")
SETS, SIZE, PEOPLE = 60, 4, 80
DRAW = np.random.default_rng(0)
TOKENS = [f"{chr(97 + group // 26)}{chr(97 + group % 26)}{chr(97 + place)}x" for group in range(SETS)
          for place in range(SIZE)]  # fmt: skip
PLACES = np.repeat(DRAW.normal(size=(SETS, 3)) * 100, SIZE, axis=0) + DRAW.normal(size=(SETS * SIZE, 3))
VOCABULARY = Vocabulary(tuple(TOKENS), PLACES, "made up")
LAW = methods.mechanism("custext", VOCABULARY, 0.1, set_size=SIZE)
WORDS = [DRAW.choice(SETS * SIZE, 12, replace=False) for _ in range(PEOPLE)]
CLAIMS = [tuple(" ".join(TOKENS[token] for token in own[first : first + 4]) for first in (0, 4, 8)) for own in WORDS]
ATTACKERS = held(CLAIMS, "first", 2)
OWN = np.arange(PEOPLE)


def drawn(seed: int = 1) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(TOKENS[draw.choice(len(TOKENS), p=LAW.law(int(token)))] for token in own) for own in WORDS]


def rate(linker: Linker, seed: int = 0) -> float:
    return float((linked(linker, ATTACKERS, seed) == OWN).mean())


def test_who_knows_the_law_finds_what_words_do_not() -> None:
    """At ε 0.1 a word becomes any of its set, but the set shows: hardly a word is left, and every set is."""
    records = drawn()
    assert rate(ByLaw(records, LAW)) > 0.9
    assert rate(BM25(records)) < 0.6
    guesses, sure = surely_linked(ByLaw(records, LAW), ATTACKERS)
    assert sure[guesses == OWN].mean() > 0.8


def test_the_posterior_is_that_of_the_law() -> None:
    """Two records of one word each: Bayes by hand."""
    records = [TOKENS[0], TOKENS[1]]
    scores = ByLaw(records, LAW, elsewhere=0.2).scores([TOKENS[0]])[0]
    law, rarity = LAW.law(0), 2.0 + 2 * 0.5
    ratios = np.log(0.8 * law[:2] * rarity / 1.5 + 0.2)
    expected = np.exp(ratios) / np.exp(ratios).sum()
    assert scores == pytest.approx(expected, abs=1e-12)
    assert scores.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("gone", ["", "[X]", "same words for all"])
def test_redaction_is_linked_by_chance(gone: str) -> None:
    records = [gone] * PEOPLE
    for build in (lambda: ByLaw(records, LAW), lambda: trained(records)):
        rates = [rate(build(), seed) for seed in range(20)]
        assert abs(np.mean(rates) - 1 / PEOPLE) < 6 * np.sqrt(1 / PEOPLE / (20 * PEOPLE))
        assert not surely_linked(build(), ATTACKERS)[1].any()


def trained(records: Sequence[str]) -> Trained:
    """Learned from the first half of the people."""
    known = [" ".join(attacker.known) for attacker in ATTACKERS[: PEOPLE // 2]]
    return Trained((BM25(records),), known, OWN[: PEOPLE // 2])


def test_shuffled_and_random_records_are_found_by_chance() -> None:
    others = drawn(5)[1:] + drawn(5)[:1]
    assert rate(ByLaw(others, LAW)) < 0.1
    draw = np.random.default_rng(3)
    random = [" ".join(draw.choice(TOKENS, 12)) for _ in WORDS]
    assert rate(ByLaw(random, LAW)) < 0.1
    assert rate(trained(random)) < 0.1


def test_words_that_the_law_does_not_know_count_as_kept() -> None:
    records = ["unknown1 unknown2", "unknown3", "unknown4"]
    scores = ByLaw(records, LAW).scores(["unknown3 never", "never"])
    assert scores[0].argmax() == 1
    assert scores[1] == pytest.approx([1 / 3] * 3)


def test_what_was_learned_from_others_is_used() -> None:
    """Every record ends with a run of words of its claims, but in words of all: only their order tells."""
    draw = np.random.default_rng(4)
    common = [f"w{number}" for number in range(6)]
    claims = [" ".join(draw.choice(common, 6)) for _ in range(120)]
    records = [" ".join([*claim.split(), *draw.choice(common, 30)]) for claim in claims]
    asked = [Held((claim,), ()) for claim in claims]
    linker = Trained((BM25(records),), claims[:60], np.arange(60))
    later = (linked(linker, asked)[60:] == np.arange(60, 120)).mean()
    assert later > 0.8
    assert (linked(BM25(records), asked)[60:] == np.arange(60, 120)).mean() < 0.4


def test_wrong_lessons_do_not_help() -> None:
    records = drawn()
    known = [" ".join(attacker.known) for attacker in ATTACKERS[:40]]
    right, wrong = (Trained((BM25(records),), known, own) for own in (OWN[:40], np.roll(OWN[:40], 7)))
    asked = ATTACKERS[40:]
    assert (linked(wrong, asked) == OWN[40:]).mean() < (linked(right, asked) == OWN[40:]).mean()


def test_nothing_to_search_and_nothing_asked() -> None:
    assert ByLaw([], LAW).scores(["a"]).shape == (1, 0)
    assert ByLaw(drawn(), LAW).scores([]).shape == (0, PEOPLE)
    assert trained(drawn()).scores([]).shape == (0, PEOPLE)
    assert ByLaw(drawn(), LAW).scores([""])[0] == pytest.approx(1 / PEOPLE)


def test_a_mechanism_without_a_law_is_refused() -> None:
    noise = methods.mechanism("fbdd", VOCABULARY, 1.0)
    with pytest.raises(GuaranteeError, match="no law in closed form"):
        ByLaw(drawn(), noise).scores([TOKENS[0]])
