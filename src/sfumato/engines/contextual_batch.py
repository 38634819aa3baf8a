"""The documents that a contextual mechanism rewrites together, and the loop that draws for them.

In each step the mechanism asks its model about the next places of many documents, one row of uniforms a place
decides, and the outcomes go back. This is the only place where a contextual mechanism draws.

A document's law does not depend on what else is in its batch, up to rounding in the scores (about 1e-5 in float32 and
int8). Where rounding could decide more than that, a row is computed again by itself. A steady batch needs none of it:
its scores are the same bits in any company, so a row computed by itself would only be itself again. A document's
charge does not depend on the batch at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import RandomDraws, Randomness, context, layout_key
from sfumato.privacy.score_law import rows_of
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from sfumato.types import FloatArray


@dataclass(slots=True)
class DocumentRow:
    """A document under way: the draws it is charged for, the ε of each draw, and the number of draws made.

    ``key`` names its draws in a keyed run, and is empty in another. ``coins`` are public, a row for each span.
    """

    layout: Layout
    key: bytes
    charged: int
    epsilon: float
    coins: FloatArray
    made: int = 0

    def next(self) -> bytes:
        """Return the context of the next draw. Raise ConfigurationError for a draw that was not charged."""
        if self.made >= self.charged:
            raise ConfigurationError("A mechanism drew more often than it is charged for; report it.")
        self.made += 1
        return context(self.key, "draw", self.made - 1)


def row_of(
    document: Document, layout: Layout, charged: int, epsilon: float, width: int, setting: str, source: Randomness
) -> DocumentRow:
    """Return ``document`` with ``width`` public coins for each span, before its first draw."""
    key = layout_key(setting, document, layout) if source.keyed else b""
    spans = len(layout.spans)
    coins = np.empty((spans, width))
    if coins.size:
        contexts = [context(key, "coin", index) for index in range(spans)] if source.keyed else None
        coins = source.uniforms(spans, width, contexts)
    return DocumentRow(layout, key, charged, epsilon, coins)


def rewritten(
    mechanism: ContextualMechanism,
    rows: Sequence[DocumentRow],
    source: Randomness,
    on_draws: Callable[[int], None] | None = None,
) -> list[tuple[list[str], Sequence[str]]]:
    """Return text that was kept and outputs in turns, and the labels of the outputs, for each of ``rows``, in order.

    ``on_draws`` receives the number of draws of each step.
    """
    law = mechanism.score_law
    batch = mechanism.begin([row.layout for row in rows], [row.coins for row in rows])
    while True:
        scores, owners = batch.scores()
        if not owners:
            break
        asking = [rows[owner] for owner in owners]
        contexts = [row.next() for row in asking]
        uniforms = RandomDraws(source, len(asking), contexts if source.keyed else None)
        epsilons = [row.epsilon for row in asking]
        if not batch.steady:
            unclear = law.unclear(scores, epsilons)
            if len(unclear):
                scores = rows_of(scores).replaced(unclear, np.stack([batch.alone(int(row)) for row in unclear]))
        batch.take(law.draw(scores, epsilons, uniforms))
        if on_draws is not None:
            on_draws(len(asking))
    return [(state.parts(), state.labels) for state in batch.states]
