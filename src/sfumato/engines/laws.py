"""The law of one draw, as the engines draw it: exact where it is finite, else estimated from draws."""

from __future__ import annotations

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import choice_of
from sfumato.engines.routes import Route
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.randomness import RandomDraws, SystemRandomness
from sfumato.text.marks import Layout
from sfumato.types import FloatArray

_DRAWS = 20_000


def law_of_word(route: Route, word: str, guarantee: Guarantee) -> Law:
    """Return the law of ``word`` on ``route``; of the token that it becomes, if the vocabulary does not hold it.

    ``guarantee`` is that of a draw in its texts.
    """
    if not word.strip():
        raise ConfigurationError("Which word's law is to be shown? An empty one has none.")
    mechanism = route.mechanism
    vocabulary = mechanism.vocabulary
    token = int(route.tokens([word])[0])
    law, kind = _law(mechanism, token)
    order = np.argsort(-law, kind="stable")[: np.count_nonzero(law)]
    return Law(
        subject=vocabulary.tokens[token],
        outcomes=[vocabulary.tokens[index] for index in order],
        probabilities=law[order],
        kind=kind,
        mechanism=mechanism.name,
        epsilon=mechanism.epsilon,
        scale=mechanism.certify().scale,
        guarantee=guarantee,
        unknown=route.rule if vocabulary.find(word) is None else None,
        source={"vocabulary": vocabulary.provenance, "vocabulary_hash": vocabulary.hash},
    )


def _law(mechanism: Mechanism, token: int) -> tuple[FloatArray, str]:
    """Return the law of ``token`` over the vocabulary, shape (V,), and how it is known."""
    try:
        return mechanism.law(token), "exact"
    except GuaranteeError:
        if mechanism.certify().kind != "analytic":
            raise
    counts = np.zeros(len(mechanism.vocabulary))
    randomness = SystemRandomness()
    for _ in range(-(-_DRAWS // mechanism.draws_at_once)):
        tokens = np.full(mechanism.draws_at_once, token)
        drawn = mechanism.draw(tokens, RandomDraws(randomness, len(tokens)))
        counts += np.bincount(drawn, minlength=len(counts))
    return counts / counts.sum(), f"estimated from {int(counts.sum())} draws"


def law_in_context(mechanism: ContextualMechanism, layout: Layout, position: int, guarantee: Guarantee) -> Law:
    """Return the law of the word at ``position`` of a text, with all before it as it is in the text.

    ``mechanism`` has the ε of a draw in this text, and ``guarantee`` is what is promised of one.
    """
    outcomes, law = mechanism.law(layout, position)
    order = np.argsort(-law, kind="stable")
    order = order[law[order] > 0]
    scores = mechanism.score_law
    return Law(
        subject=position,
        outcomes=[outcomes[index] for index in order],
        probabilities=law[order],
        kind="exact, if the earlier words stay as they are and no word is added or deleted",
        mechanism=mechanism.name,
        epsilon=mechanism.epsilon,
        scale=scores.scale(mechanism.epsilon),
        guarantee=guarantee,
        source={"model": mechanism.parameters.get("model"), **scores.public_facts, **choice_of(mechanism)},
    )
