"""The law of one draw, as the engines draw it: exact where it is finite, else estimated from draws."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import choice_of
from sfumato.engines.routes import Route
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.models.calibration import PublicText
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.randomness import RandomDraws, SystemRandomness
from sfumato.storage.cache import content_key, load_json, save_json
from sfumato.text.marks import Layout
from sfumato.text.sentences import words
from sfumato.types import FloatArray
from sfumato.version import origin

_DRAWS = 20_000
_WORDS = 100
"""Of so many public words the law is computed."""


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


def often_unchanged(mechanism: Mechanism) -> dict[str, Any]:
    """Return how often a draw gives its token back, by the law alone, for the statement; empty for noise.

    "expected" is the mean over the words of the shipped public sentences, as often as they occur there, or over all
    tokens if the vocabulary holds none of these words. "at_most" is the highest of all tokens, where all are known.
    It is kept in the cache, under a key of everything public that decides it.
    """
    text = PublicText.shipped()
    made = [origin(type(mechanism)), ANALYSIS, mechanism.vocabulary.hash, mechanism.law_digest, text.name]
    law = [mechanism.parameters, [float(scale).hex() for scale in mechanism.law_scales]]
    key = content_key("how often unchanged", *made, json.dumps(law, sort_keys=True, default=repr))
    kept: dict[str, Any] | None = load_json(key)
    if kept is None:
        kept = _often_unchanged(mechanism, text)
        save_json(key, kept)
    return kept


def _often_unchanged(mechanism: Mechanism, text: PublicText) -> dict[str, Any]:
    every, tokens, over = mechanism.unchanged(), _public_tokens(mechanism, text), f"words of {text.name}"
    most = {} if every is None else {"at_most": float(every[mechanism.covered].max())}
    if not tokens:
        over = "all tokens, each as often"
        return {} if every is None else {"expected": float(every[mechanism.covered].mean()), **most, "over": over}
    asked = list(tokens) if every is not None else list(tokens)[:_WORDS]
    try:
        shares = [float(mechanism.law(token)[token] if every is None else every[token]) for token in asked]
    except GuaranteeError:  # noise, whose law has no closed form
        return {}
    return {"expected": float(np.average(shares, weights=[tokens[token] for token in asked])), **most, "over": over}


def _public_tokens(mechanism: Mechanism, text: PublicText) -> Counter[int]:
    """Return how often the words of ``text`` are tokens that the guarantee covers, the most frequent first."""
    covered = None if mechanism.protected is None else set(mechanism.protected.tolist())
    found = (mechanism.vocabulary.find(word) for sentence in text.sentences for word in words(sentence))
    tokens = Counter(token for token in found if token is not None and (covered is None or token in covered))
    return Counter(dict(tokens.most_common()))


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
