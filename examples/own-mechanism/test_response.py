"""The loss of response by brute force, its draws against its law, and a wrong claim that is refused."""

from __future__ import annotations

import numpy as np
import pytest
from response import Response
from scipy import stats

import sfumato
from sfumato.errors import GuaranteeError
from sfumato.privacy.randomness import RandomDraws, SeededRandomness

WORDS = ("anna", "oslo", "paris", "friday", "doctor", "river")
VOCABULARY = sfumato.Vocabulary(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 3)), "six words")


def laws(mechanism: Response) -> np.ndarray:
    return np.array([mechanism.law(token) for token in range(len(mechanism.vocabulary))])


def fit(mechanism: Response, other: Response) -> float:
    """Return the p-value of the chi-squared test that draws of ``mechanism`` follow the law of ``other``."""
    size, each = len(mechanism.vocabulary), 20_000
    tokens = np.repeat(np.arange(size), each)
    contexts = [str(number).encode() for number in range(len(tokens))]
    drawn = mechanism.draw(tokens, RandomDraws(SeededRandomness(1), len(tokens), contexts))
    counts = np.array([np.bincount(row, minlength=size) for row in drawn.reshape(size, each)])
    return float(stats.chisquare(counts, each * laws(other), axis=None).pvalue)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_largest_loss_over_all_pairs_is_the_claim(epsilon: float) -> None:
    mechanism = Response(VOCABULARY, epsilon)
    logs = np.log(laws(mechanism))
    assert np.exp(logs).sum(axis=1) == pytest.approx(1.0)
    assert max(np.abs(x - y).max() for x in logs for y in logs) == pytest.approx(epsilon)
    assert mechanism.certify().certified == pytest.approx(epsilon)


def test_draws_follow_the_law_and_no_other() -> None:
    """With power: the same draws refute an epsilon that is 30 % off, either way."""
    mechanism = Response(VOCABULARY, 2.0)
    assert fit(mechanism, mechanism) > 1e-4
    for factor in (0.7, 1.3):
        assert fit(mechanism, Response(VOCABULARY, factor * 2.0)) < 1e-12


class OfTwo(Response):
    """A mistake that was published: the formula for two tokens, whatever the size of the vocabulary."""

    @property
    def weight(self) -> float:
        return float(np.exp(-self.epsilon))


def test_a_wrong_claim_is_refused() -> None:
    with pytest.raises(GuaranteeError, match=r"epsilon 2 is not certified on this vocabulary \(loss 3.6"):
        OfTwo(VOCABULARY, 2.0).certify()


def test_it_is_built_by_its_name_and_says_whose_it_is() -> None:
    sanitizer = sfumato.build("response", 2.0, vocabulary=VOCABULARY, detect="words")
    release = sanitizer.sanitize("anna doctor", SeededRandomness(3))
    assert set(release.text.lower().split()) <= set(WORDS)
    assert sanitizer.certificate().certified == pytest.approx(2.0)
    assert sanitizer.guarantee.definition == "LDP"
