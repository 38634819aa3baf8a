"""The audit of a mechanism: its own draws, tested against its own claim, pair by pair.

For every pair the exact loss is reported with the bound from draws. If a mechanism draws from its law, and its
certificate is right, then lower bound <= exact loss <= claim. All bounds of one audit hold together with the given
confidence (Bonferroni over the pairs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.attacks.distinguishing import Distinguishing, Sampler, draws_of
from sfumato.attacks.token_attacks import queries, queries_by_draws
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Audit, PairVerdict, Prior, inference, unigram_prior
from sfumato.privacy.distances import Pair
from sfumato.privacy.randomness import RandomDraws, Randomness, SystemRandomness, numbered
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from sfumato.types import FloatArray, IntArray, Progress, Stages, in_batches, silent

_MOST_TOKENS = 12


def audit_text(
    sanitizer: Sanitizer, texts: Sequence[str] | None, position: int, auditor: Distinguishing,
    randomness: Randomness | None = None, stages: Stages | None = None,
) -> Audit:  # fmt: skip
    """Return the audit of one draw of a mechanism that sees the whole document."""
    if texts is None or len(texts) != 2:
        raise ConfigurationError(
            f"The law of {sanitizer.others.name} depends on the document; give two texts, and the "
            "position of the word that is drawn."
        )
    (stages or silent)("Asking the model", 0.0)
    verdict = audited_in_context(sanitizer, (texts[0], texts[1]), position, auditor, randomness)
    return Audit(
        sanitizer.others.name, auditor, [verdict], str(sanitizer.guarantee), sanitizer.certificate().as_dict(),
        (randomness or SystemRandomness()).stamp,
    )  # fmt: skip


def audit_words(
    mechanism: Mechanism, words: Sequence[str], auditor: Distinguishing, prior_tokens: int = PRIOR_TOKENS,
    randomness: Randomness | None = None, stages: Stages | None = None, label: str | None = None, audits: int = 1,
    prior: Prior | None = None,
) -> Audit:  # fmt: skip
    """Return the audit of a mechanism over one vocabulary of so many ``audits``, and what one draw discloses.

    The attacker's ``prior`` is by default how often the words are used.
    """
    stages = stages or silent
    certificate = mechanism.certify(partial(stages, "Certifying")).as_dict()
    indices = [_index(mechanism, number, token) for number, token in enumerate(words, 1)]
    prior = prior or unigram_prior(mechanism, prior_tokens)
    pairs = _pairs(mechanism, list(dict.fromkeys(indices)), partial(stages, "Looking for the worst pair"))
    verdicts = audited(mechanism, pairs, auditor, randomness, partial(stages, "Drawing"), audits)
    inferred = inference(mechanism, prior, partial(stages, "Inferring tokens"))
    ends = list(dict.fromkeys(indices or [index for pair, _ in pairs for index in pair]))
    asked_for = {
        mechanism.vocabulary.tokens[index]: _queries(mechanism, index, auditor.samples, randomness) for index in ends
    }
    return Audit(
        mechanism.name, auditor, verdicts, str(mechanism.guarantee), certificate,
        (randomness or SystemRandomness()).stamp, label, mechanism.vocabulary.provenance, inferred, asked_for,
    )  # fmt: skip


def _pairs(mechanism: Mechanism, indices: list[int], progress: Progress) -> list[tuple[Pair, str]]:
    """Return the certificate's worst pair, and every pair of the given tokens; without both, two pairs of a noise
    law.
    """
    worst = mechanism.worst_pair(progress)
    pairs: list[tuple[Pair, str]] = [] if worst is None else [(worst, "worst of the certificate")]
    pairs += [((first, other), "asked for") for index, first in enumerate(indices) for other in indices[index + 1 :]]
    return pairs or [(pair, "near, far") for pair in default_pairs(mechanism)]


def _index(mechanism: Mechanism, number: int, token: str) -> int:
    if number > _MOST_TOKENS:
        raise ConfigurationError(f"Every pair of --tokens is played; give {_MOST_TOKENS} at most.")
    index = mechanism.vocabulary.find(token)
    if index is None:
        raise ConfigurationError(f"Word {number} of --tokens is not in the vocabulary; use another one.")
    return index


def _queries(mechanism: Mechanism, token: int, draws: int, randomness: Randomness | None) -> float:
    if mechanism.certify().kind == "analytic":
        return queries_by_draws(draws_of(mechanism, token, randomness), token, draws=draws)  # type: ignore[arg-type]
    return queries(mechanism.law(token), token)


def default_pairs(mechanism: Mechanism) -> list[Pair]:
    """Return the token in the middle with the nearest other one, and with the farthest that the claim is about."""
    adjacency = mechanism.adjacency()
    middle = mechanism.vocabulary.medoid(mechanism.protected)
    apart = adjacency.distances(np.array([middle]), adjacency.covered)[0]
    nearest = int(adjacency.covered[np.argmin(np.where(apart > 0.0, apart, np.inf))])
    farthest = int(adjacency.covered[np.argmax(np.where(np.isfinite(apart), apart, 0.0))])
    return [(middle, other) for other in dict.fromkeys((nearest, farthest)) if other != middle]


def audited(
    mechanism: Mechanism,
    pairs: Sequence[tuple[Pair, str]],
    auditor: Distinguishing,
    randomness: Randomness | None = None,
    progress: Progress | None = None,
    audits: int = 1,
) -> list[PairVerdict]:
    """Return a verdict on each of ``pairs`` of tokens, each with the reason why it is tested.

    All bounds hold together with the auditor's confidence, those of so many ``audits`` that belong together.
    """
    adjacency, claim, tokens = mechanism.adjacency(), mechanism.guarantee.epsilon, mechanism.vocabulary.tokens
    apart = [float(adjacency.distances(np.array([i]), np.array([j]))[0, 0]) for (i, j), _ in pairs]
    careful = together(auditor, audits * max(1, sum(map(np.isfinite, apart))))
    verdicts = []
    for [(((first, second), why), distance)] in in_batches(list(zip(pairs, apart, strict=True)), 1, progress):
        names = tokens[first], tokens[second]
        if not np.isfinite(distance):
            verdicts.append(PairVerdict(names, why, claim, distance, None, None))
            continue
        samplers = draws_of(mechanism, first, randomness), draws_of(mechanism, second, randomness)
        bound = careful.audit(*samplers, distance).epsilon
        known = mechanism.certify().kind != "analytic"
        exact = _exact(mechanism.law(first), mechanism.law(second), distance) if known else None
        verdicts.append(PairVerdict(names, why, claim, distance, exact, bound))
    return verdicts


def audited_in_context(
    rewriter: Sanitizer,
    texts: tuple[str, str],
    position: int,
    auditor: Distinguishing,
    randomness: Randomness | None = None,
) -> PairVerdict:
    """Return the verdict on one draw of a rewriting: word (piece) ``position`` of two documents, with their own words
    before.

    Raise ConfigurationError if the guarantee does not cover the two documents, or they have no such position.
    """
    layouts = [rewriter.records([Document(text)])[0].layouts[0] for text in texts]
    mechanism, guarantee = rewriter.others.law_in(layouts[0]), rewriter.guarantee
    if mechanism is None or guarantee is None or not _alike(mechanism, *layouts):
        about = "none" if guarantee is None else guarantee.adjacency
        raise ConfigurationError(f"The claim does not cover these two texts; it is about {about}.")
    laws = [mechanism.law(layout, position)[1] for layout in layouts]
    source = randomness or SystemRandomness()
    first, second = (_engine(mechanism, law, source, number) for number, law in enumerate(laws))
    bound = auditor.audit(first, second).epsilon
    return PairVerdict(("first", "second"), "given", mechanism.epsilon, 1.0, _exact(laws[0], laws[1], 1.0), bound)


def _engine(mechanism: ContextualMechanism, law: FloatArray, source: Randomness, number: int) -> Sampler:
    """Return a sampler that draws by the engine's own sampler, from scores that give ``law``."""
    drawn_by = mechanism.score_law
    scores = drawn_by.scores_with(law, mechanism.epsilon)

    def sampler(n: int) -> IntArray:
        contexts = numbered(range(n), "audit", number) if source.keyed else None
        uniforms = RandomDraws(source, n, contexts)
        return drawn_by.draw(np.broadcast_to(scores, (n, len(scores))), [mechanism.epsilon] * n, uniforms)

    return sampler


def _alike(mechanism: ContextualMechanism, first: Layout, second: Layout) -> bool:
    """Return whether the guarantee covers both: equal draws; and, if text is left unchanged, equal text."""
    if mechanism.draws(first) != mechanism.draws(second):
        return False
    return mechanism.rewrites_whole_text or (
        _between(first) == _between(second) and list(first.labels) == list(second.labels)
    )


def _between(layout: Layout) -> list[str]:
    ends = [0, *(end for _, end in layout.spans)]
    starts = [*(start for start, _ in layout.spans), len(layout.text)]
    return [layout.text[end:start] for end, start in zip(ends, starts, strict=True)]


def _exact(law: FloatArray, other: FloatArray, distance: float) -> float:
    """Return the largest log ratio of two laws per unit of ``distance``; infinite if only one gives an output."""
    possible = (law > 0.0) | (other > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = float(np.abs(np.log(law[possible]) - np.log(other[possible])).max())
        return float(np.float64(loss) / distance) if loss > 0.0 else 0.0


def together(auditor: Distinguishing, pairs: int) -> Distinguishing:
    """Return an auditor so careful with each of ``pairs`` that all bounds hold together with its confidence."""
    return replace(auditor, confidence=1.0 - (1.0 - auditor.confidence) / pairs)
