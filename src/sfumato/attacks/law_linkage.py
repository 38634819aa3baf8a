"""Re-identification by a known law: how likely are the released words of a record if the claims are of its person?

Threat model: the attacker holds some claims about one person and the whole release, and knows the mechanism with
every parameter, as a statement publishes them (Kerckhoffs). A search by words looks for the words of the claims. This
attacker looks for what the law makes of them. A record of m words is about the person with one of its words drawn
from each word x of the claims, or it is not; then all of its words come as often as in the whole release, q. The
ratio of both likelihoods is, for a place of x that is not known,

    R(x) = (1/m) · sum over the released words y of P(y | x) / q(y),

and the score of a record is the sum of log((1 - λ) R(x) + λ) over the words of the claims, where λ is the share of
words that do not come from the record at all. It is the likelihood ratio test, and by Neyman and Pearson no test is
better, if words are drawn independently and q is what other records look like; neither is exactly so. The scores of
all records of a person together are the attacker's posterior, so that how sure a guess is can be compared between
people. A word that the law does not know counts as one that is kept.

Nothing of it is worth a trial where the law has no closed form, or a release holds draws of several mechanisms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.linkers import Linker
from sfumato.language.en.words import words
from sfumato.types import FloatArray, in_batches

_AT_ONCE, _WORDS = 64, 32
_PRIOR = 0.5  # draws added to the count of each released word


@dataclass(frozen=True, eq=False)
class ByLaw(Linker):
    """The log of the likelihood ratio under ``mechanism``; ``elsewhere`` is λ, the share of claims' words not there.

    Raise ConfigurationError from :meth:`scores` if the mechanism has no law in closed form.
    """

    records: Sequence[str]
    mechanism: Mechanism
    elsewhere: float = 0.1

    @property
    def rows(self) -> int:
        """Return how many queries are scored at once: each of their words is scored on its own."""
        return max(1, super().rows // _WORDS)

    @cached_property
    def _counted(self) -> tuple[dict[str, int], Any, FloatArray]:
        """Return the column of each released word, the records' shares of words (n, columns), and 1 / q."""
        from scipy.sparse import csr_matrix  # slow to import

        counts = [Counter(words(record)) for record in self.records]
        columns = {word: number for number, word in enumerate(dict.fromkeys(word for own in counts for word in own))}
        total = np.full(len(columns), _PRIOR)
        rows, places, shares = list[int](), list[int](), list[float]()
        for row, own in enumerate(counts):
            length = sum(own.values())
            for word, count in own.items():
                total[columns[word]] += count
                rows.append(row)
                places.append(columns[word])
                shares.append(count / length)
        matrix = csr_matrix((shares, (rows, places)), shape=(len(self.records), len(columns)))
        return columns, matrix, total.sum() / total

    @cached_property
    def _outputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns of released words that the law can draw, and their numbers in its vocabulary."""
        known = [(column, self.mechanism.vocabulary.find(word)) for word, column in self._counted[0].items()]
        pairs = np.array([pair for pair in known if pair[1] is not None], dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def scores(self, queries: Sequence[str]) -> FloatArray:
        """Return the posterior of each record given each query, shape (queries, records); a row sums to 1."""
        asked = [set(words(query)) for query in queries]
        distinct = sorted(set[str]().union(*asked))
        place = {word: number for number, word in enumerate(distinct)}
        logs = np.zeros((len(queries), len(self.records)))
        gains = self._gains(distinct)
        for row, own in zip(logs, asked, strict=True):
            row += gains[[place[word] for word in own]].sum(axis=0)
        posterior = np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf)) if logs.size else logs
        return np.asarray(posterior / posterior.sum(axis=1, keepdims=True)) if logs.size else logs

    def _gains(self, distinct: Sequence[str]) -> FloatArray:
        """Return what each of the ``distinct`` words of claims speaks for each record, (words, records)."""
        columns, matrix, rarity = self._counted
        gains = np.zeros((len(distinct), len(self.records)))
        for batch in in_batches(range(len(distinct)), _AT_ONCE):
            drawn = np.zeros((len(columns), len(batch)))
            for at, number in enumerate(batch):
                self._draw(distinct[number], drawn[:, at])
            ratios = (matrix @ (drawn * rarity[:, None])).T
            gains[batch] = np.log((1.0 - self.elsewhere) * ratios + self.elsewhere)
        return gains

    def _draw(self, word: str, row: np.ndarray) -> None:
        """Write into ``row`` (columns,) how likely each released word is for ``word`` of a claim."""
        columns = self._counted[0]
        token = self.mechanism.vocabulary.find(word)
        if token is not None:
            places, outputs = self._outputs
            row[places] = self.mechanism.law(token)[outputs]
        elif word in columns:
            row[columns[word]] = 1.0
