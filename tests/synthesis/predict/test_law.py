"""The law of a token against exact divergences of whole texts, and mistakes that the divergences must refute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from exact_prediction import MISTAKES, Scorer, divergence, law_of_texts, worst_share
from sfumato.errors import GuaranteeError
from sfumato.synthesis.predict.law import TokenLaw

END, OUTCOMES = 3, 4


def scripted(seed: int, scale: float) -> Scorer:
    """Scores that depend on the history; ``scale`` above the clip makes every contribution extreme."""

    def scores(written: tuple[int, ...]) -> np.ndarray:
        draws = np.random.default_rng([seed, *written, len(written)])
        return scale * np.sign(draws.normal(size=OUTCOMES)) + draws.normal(size=OUTCOMES)

    return scores


def flat(written: tuple[int, ...]) -> np.ndarray:
    return np.zeros(OUTCOMES)


def cases(seeds: int) -> Iterator[tuple[Scorer, list[Scorer], Scorer]]:
    """Public scores, members that stay, and one that comes or goes: moderate and extreme, few and many."""
    for seed in range(seeds):
        for public in (flat, scripted(1000 + seed, 1.0)):
            for others in (0, 1, 3):
                for scale in (1.0, 50.0):
                    yield public, [scripted(10 * seed + n, scale) for n in range(others)], scripted(77 + seed, scale)


def worst(law: TokenLaw, length: int, rho: float, seeds: int = 4) -> float:
    return max(
        worst_share(
            law_of_texts(law, public, [*members, joining], END, length),
            law_of_texts(law, public, members, END, length),
            rho,
        )
        for public, members, joining in cases(seeds)
    )


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("law", [TokenLaw(4, 1.0, 1.0, 4), TokenLaw(2, 0.5, 0.7, 3), TokenLaw(1, 2.0, 1.5, 4)])
def test_texts_are_as_close_as_claimed(law: TokenLaw, length: int) -> None:
    assert worst(law, length, length * law.rho) <= 1.0


def test_the_claim_is_not_loose() -> None:
    """Two equally likely outcomes, one up and one down, take all of it as the range shrinks."""
    law, public = TokenLaw(8, 0.5, 1.0, 4), np.array([0.0, 0.0, -60.0, -60.0])
    joining = public + np.array([9.0, -9.0, 0.0, 0.0])
    p, q = (law_of_texts(law, lambda _: public, members, None, 1) for members in ([lambda _: joining], []))
    assert 0.98 < worst_share(p, q, law.rho) <= 1.0


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refuted(mistake: type[TokenLaw]) -> None:
    law = mistake(4, 1.0, 1.0, 3)
    assert worst(law, 1, law.rho) > 1.2


def test_a_smaller_constant_is_refuted() -> None:
    law = TokenLaw(4, 1.0, 1.0, 4)
    assert worst(law, 1, 0.7 * law.rho, 40) > 1.0
    assert worst(law, 3, law.rho) > 1.0  # a text that is charged as one token


def test_a_set_of_private_scores_shows_with_certainty() -> None:
    law = MISTAKES[3](4, 1.0, 1.0, 3)
    joining = np.array([-90.0, 0.0, 0.0, 0.0])
    p, q = (law_of_texts(law, flat, members, END, 1) for members in ([lambda _: joining], []))
    assert np.isinf(max(divergence(p, q, 2.0), divergence(q, p, 2.0)))


def test_the_outcomes_are_the_best_public_ones_and_the_end() -> None:
    law = TokenLaw(4, 1.0, 1.0, 3)
    public = np.array([5.0, -9.0, 4.0, 3.0, -50.0])
    assert law.outcomes(public, 4).tolist() == [0, 2, 4]
    assert law.outcomes(public, None).tolist() == [0, 2, 3]
    able, _ = law.choices(public, np.array([[-99.0, 99.0, 0.0, 0.0, 99.0]]), 4, True)
    assert able.tolist() == [0, 2], "a text does not begin with its end"


def test_an_empty_group_has_the_public_law() -> None:
    public = np.array([1.0, 0.5, -2.0, 0.0])
    weights = TokenLaw(4, 1.0, 0.5, 4).weights(public, np.empty((0, 4)))
    assert weights / weights.sum() == pytest.approx(np.exp(public / 0.5) / np.exp(public / 0.5).sum())


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38])
def test_odd_scores_of_a_member_stay_within_the_clip(odd: float) -> None:
    law, public = TokenLaw(4, 1.0, 1.0, 4), np.zeros(4)
    shift = law.shift(public, np.array([[odd, 1.0, 2.0, 3.0]]))
    assert np.isfinite(shift).all()
    assert np.abs(shift).max() <= 0.25


def test_public_scores_that_are_no_numbers_do_not_stop_a_text() -> None:
    """A stop would depend on the tokens that were drawn, and a resumed run would draw others."""
    law = TokenLaw(4, 1.0, 1.0, 2)
    for odd in ([np.nan, 0.0, 1.0], [np.inf, 0.0, 1.0], [-np.inf] * 3, [np.nan] * 3):
        best = law.outcomes(np.array(odd), None)
        weights = law.weights(np.array(odd)[best], np.zeros((1, 2)))
        assert len(best) == 2
        assert np.isfinite(weights).all()
        assert weights.sum() > 0.0


def test_a_huge_group_leaves_every_outcome_possible() -> None:
    """Sizes are random, so a group may be far larger than its divisor."""
    law = TokenLaw(1, 1.0, 0.5, 4)
    weights = law.weights(np.array([0.0, -1e6, 3.0, -5.0]), np.tile([-9.0, 9.0, -9.0, 9.0], (4000, 1)))
    assert (weights > 0.0).all()
    assert np.log(weights / weights.sum()).min() > -650.0


def test_without_a_clip_nothing_is_claimed() -> None:
    law = TokenLaw(2, None, 1.0, 4)
    assert law.shift(np.zeros(4), np.array([[40.0, 0.0, 0.0, 0.0]]))[0] == pytest.approx(20.0)
    with pytest.raises(GuaranteeError, match="no guarantee"):
        _ = law.rho
