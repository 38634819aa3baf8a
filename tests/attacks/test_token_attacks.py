"""Attacks on single tokens against exact laws, and bracketed by identity, redaction and random replacement."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from scripted_models import ScriptedMasked
from sfumato.abstract.models import Cloze
from sfumato.attacks import mask_inference
from sfumato.attacks.mask_inference import Guesser, MaskInference, counterparts
from sfumato.attacks.token_attacks import bayes_attack, permitted, queries, queries_by_draws
from sfumato.errors import ConfigurationError


def randomized_response(epsilon: float, count: int) -> np.ndarray:
    """The ε-LDP law that keeps a token as often as the promise lets it."""
    law = np.ones((count, count)) + (math.exp(epsilon) - 1) * np.eye(count)
    return law / law.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 8.0])
def test_no_way_of_guessing_beats_bayes(epsilon: float) -> None:
    """Against all guessers that there are: 4 outputs, 4 names each."""
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    law = np.random.default_rng(1).dirichlet(np.ones(4), size=4) + epsilon * np.eye(4)
    law /= law.sum(axis=1, keepdims=True)
    attack = bayes_attack(lambda token: law[token], prior, 4)
    rates = [
        sum(prior[guess[y]] * law[guess[y], y] for y in range(4)) for guess in itertools.product(range(4), repeat=4)
    ]
    assert attack.success == pytest.approx(max(rates), abs=1e-12)
    assert attack.guessing == pytest.approx(0.4)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("count", [2, 5, 50])
def test_what_is_permitted_is_never_exceeded_and_is_reached(epsilon: float, count: int) -> None:
    uniform = np.full(count, 1 / count)
    law = randomized_response(epsilon, count)
    assert bayes_attack(lambda token: law[token], uniform, count).success == pytest.approx(
        permitted(uniform, epsilon)
    )
    skewed = np.random.default_rng(2).dirichlet(np.ones(count))
    assert bayes_attack(lambda token: law[token], skewed, count).success <= permitted(skewed, epsilon) + 1e-12
    wider = randomized_response(1.5 * epsilon, count)  # the mistake: a law that loses more than it says
    assert bayes_attack(lambda token: wider[token], uniform, count).success > permitted(uniform, epsilon)


def test_identity_and_redaction() -> None:
    prior = np.array([0.5, 0.25, 0.25])
    assert bayes_attack(lambda token: np.eye(3)[token], prior, 3).success == 1.0
    blank = bayes_attack(lambda _: np.array([1.0, 0.0, 0.0]), prior, 3)
    assert blank.success == blank.guessing == 0.5
    assert permitted(prior, 0.0) == pytest.approx(0.5)
    assert permitted(prior, 800.0) == 1.0
    assert permitted(np.array([1.0]), 0.0) == 1.0


def test_the_rate_is_seen_in_draws() -> None:
    law, prior, draw = randomized_response(1.5, 6), np.full(6, 1 / 6), np.random.default_rng(3)
    attack = bayes_attack(lambda token: law[token], prior, 6)
    inputs = draw.integers(0, 6, 40_000)
    outputs = np.array([draw.choice(6, p=law[token]) for token in inputs])
    rate = np.mean(attack.guess[outputs] == inputs)
    assert abs(rate - attack.success) < 5 * math.sqrt(attack.success * (1 - attack.success) / len(inputs))


@pytest.mark.parametrize("prior", [[1.0], [0.5, -0.1, 0.6], [0.0, 0.0, 0.0], [math.nan, 1.0, 1.0]])
def test_a_prior_is_a_law(prior: list[float]) -> None:
    from sfumato.attacks.token_attacks import checked_prior

    with pytest.raises(ConfigurationError):
        checked_prior(prior, 3)


def winning(law: np.ndarray, token: int, draws: int) -> float:
    """The chance that ``token`` leads, exactly, for a law of two outcomes."""
    from scipy.stats import binom

    more = binom.sf(draws // 2, draws, law[token])
    return float(more + (0.5 * binom.pmf(draws // 2, draws, law[token]) if draws % 2 == 0 else 0.0))


@pytest.mark.parametrize("share", [0.55, 0.6, 0.75, 0.96])
def test_queries_of_two_outcomes_by_hand(share: float) -> None:
    law = np.array([1 - share, share])
    exact = next(n for n in range(1, 2000, 2) if winning(law, 1, n) >= 0.95)
    assert queries(law, 1) == pytest.approx(exact, rel=0.12, abs=2)


def test_queries_of_certain_and_hopeless_laws() -> None:
    assert queries(np.array([0.0, 1.0]), 1) == 1.0
    assert queries(np.array([0.5, 0.5]), 1) == float("inf")
    assert queries(np.array([0.6, 0.4]), 1) == float("inf")
    assert queries_by_draws(lambda n: np.ones(n, dtype=np.int64), 1) == 1.0
    law = np.array([0.3, 0.2, 0.2, 0.15, 0.15])
    drawn = queries_by_draws(lambda n: np.random.default_rng(0).choice(5, n, p=law), 0)
    assert drawn == pytest.approx(queries(law, 0), rel=0.35)


@pytest.mark.parametrize("draws", [1, 2, 3, 5])
def test_a_tie_of_m_is_won_once_in_m(draws: int) -> None:
    """Against all sequences of draws; counting every tie as half gives 0.05 more at three draws."""
    from sfumato.attacks.token_attacks import _leads

    law = np.array([0.4, 0.25, 0.2, 0.15])
    exact = 0.0
    for drawn in itertools.product(range(4), repeat=draws):
        counts = np.bincount(drawn, minlength=4)
        leaders = np.flatnonzero(counts == counts.max())
        exact += float(law[list(drawn)].prod()) * (0 in leaders) / len(leaders)
    chances = np.append(law, 0.0)  # the last one stands for all the rest
    seen = np.mean([_leads(chances, draws, np.random.default_rng(seed)) for seed in range(20)])
    assert seen == pytest.approx(exact, abs=0.01)


WORDS = ("ash", "birch", "cedar", "elm")


def best_of(context: list[str], copy: list[str], place: int) -> list[float]:
    """Names the word before the mask, else the first."""
    before = copy[place - 1] if place else ""
    return [float(word == before) for word in WORDS]


def test_masked_inference_is_bracketed() -> None:
    model = ScriptedMasked(WORDS, script=best_of)
    attack = MaskInference(Guesser(model))
    text = "ash ash birch birch cedar cedar elm elm"
    found = attack.guesses([text] * 5, [text] * 5)
    assert (len(found.right), found.left_out) == (40, 0)
    assert found.kept.all()
    assert found.right.mean() == pytest.approx(5 / 8)  # the first, and every word that repeats the one before it
    blank = attack.guesses([text] * 5, ["x x x x x x x x"] * 5)
    assert not blank.kept.any()
    assert blank.right.mean() == pytest.approx(0.25)  # "ash", guessed each time
    assert attack.guesses([text, ""], ["", "ash"]).left_out == 1
    mixed = attack.guesses([text], ["ash x birch x cedar x elm x"], replaced_alone=True)
    assert len(mixed.right) == 4
    assert not mixed.kept.any()
    assert len(attack.guesses(["😀 ...", ""], ["😀 ...", ""]).right) == 0


def test_words_are_paired_where_their_number_changed() -> None:
    before, after = (
        ["Dr", "Anna", "Lee", "saw", "Bob", "in", "Oslo", "."],
        ["Dr", "Zoe", "saw", "Tom", "Hill", "in", "Oslo", "."],
    )
    assert counterparts(before, before) == [(place, place) for place in range(8)]
    pairs = counterparts(before, after[:-1])
    assert [(before[first], after[second]) for first, second in pairs] == [
        ("Dr", "Dr"), ("Anna", "Zoe"), ("saw", "saw"), ("Bob", "Tom"), ("in", "in"), ("Oslo", "Oslo"),
    ]  # fmt: skip
    assert counterparts(["a"], []) == []


def test_a_long_text_is_read_around_the_word() -> None:
    model = ScriptedMasked(WORDS, script=best_of, window=6)
    text = " ".join(["ash"] * 300)
    assert MaskInference(Guesser(model), most=50).guesses([text], [text]).right.mean() == 1.0


class Counting(ScriptedMasked):
    """Counts what it is asked."""

    asked = 0

    def scores(self, clozes: Sequence[Cloze]) -> np.ndarray:
        self.asked += len(clozes)
        return super().scores(clozes)


def test_a_word_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Counting(WORDS, script=best_of)
    guesser = Guesser(model)
    targets = [(text, place) for text in ("ash birch", "ash birch", "birch ash") for place in (0, 1)]
    alone = [Guesser(ScriptedMasked(WORDS, script=best_of)).named([target])[0] for target in targets]
    assert guesser.named(targets) == alone
    assert model.asked == 4
    assert guesser.named(targets[::-1]) == alone[::-1]
    assert model.asked == 4
    assert "ash birch" not in repr(guesser)  # texts are private
    monkeypatch.setattr(mask_inference, "_REMEMBERED", 3)
    assert guesser.named(targets) == alone
    assert model.asked == 8
