"""CusText+ (Chen et al. 2023, §4.3): CusText that keeps the stop words of a public list.

Analysis. Sets are made of the other words only, so every protected word has company; among them CusText's guarantee
holds. Stop words are kept and no guarantee holds for them; that a word is a stop word is visible. Kept words appear
in the vocabulary's spelling, so a name spelled like a stop word does not show its capital.

The analysis holds for any list that was chosen without a look at the private text. ``stop_words`` takes one, such as
the paper's (NLTK's English list). What it holds is public: every word of it passes as it is, also where it names a
person or a month ("will", "may", "don"), which sfumato's own list leaves out. Whoever counts a guarantee of a whole
text must count the kept words as known.

Difference from the paper: stop words are in no set, neither as input nor as output. In the paper a set might hold a
single protected word, which would then hide among stop words that never produce it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.language.en.words import is_stop_word
from sfumato.mechanisms._optimal import Scores, SimilarSets
from sfumato.mechanisms.custext import CusText
from sfumato.options.option import Option
from sfumato.privacy.certificates import named
from sfumato.privacy.distances import Adjacency
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import FloatArray, IntArray, Progress, Uniforms
from sfumato.vocabularies import partition


@dataclass(frozen=True, eq=False)
class CusTextPlus(SimilarSets):
    """CusText on all tokens except stop words, which are kept: those of ``stop_words``, or sfumato's own."""

    name: ClassVar[str] = "custext+"
    visible: ClassVar[tuple[str, ...]] = (*CusText.visible, "every stop word that was marked, as it is")
    stop_words: Annotated[
        Iterable[str] | None,
        Option(
            "a public FILE with a stop word a line, in place of sfumato's own list; its words pass as they are",
            file=True, metavar="a file",
        ),
    ] = None  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stop_words is None:
            return
        words = [] if isinstance(self.stop_words, str) else list(self.stop_words)
        texts = all(isinstance(word, str) for word in words)
        listed = tuple(sorted({_spelled(word.strip()) for word in words} - {""})) if texts else ()
        if not listed:
            raise ConfigurationError(
                "stop_words is a list of words, or a file with a word a line; give one at least."
            )
        object.__setattr__(self, "stop_words", listed)

    def _is_kept(self, token: str) -> bool:
        return is_stop_word(token) if self.stop_words is None else _spelled(token) in self._listed

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(self.stop_words or ())

    @cached_property
    def _split(self) -> tuple[CusText, IntArray]:
        protected, kept = self.vocabulary.subset(lambda token: not self._is_kept(token))
        alike: Any = self.similarity.among(kept) if isinstance(self.similarity, Scores) else self.similarity
        return CusText(protected, self.epsilon, self.calibration, self.set_size, alike, self.prior), kept

    @cached_property
    def _index(self) -> IntArray:
        """Return the index of every token among the protected ones, -1 for stop words, shape (V,)."""
        _, protected = self._split
        index = np.full(len(self.vocabulary), -1, dtype=np.int64)
        index[protected] = np.arange(len(protected))
        return index

    @property
    def inner(self) -> CusText:
        """Return CusText on the tokens that are not stop words."""
        return self._split[0]

    @property
    def guarantee(self) -> Guarantee:
        """Return CusText's guarantee, for words that are not stop words."""
        return Guarantee(
            definition="LDP",
            epsilon=self.epsilon,
            unit="one token that is not a stop word",
            adjacency=f"tokens of the same set of {self.inner.smallest_set} or more that are not stop words; none "
            "for stop words",
            distance=None,
            proof="Chen et al. 2023, §4.2 and §4.3, on the other tokens; docs/mechanisms.md#custext-plus",
            assumes=(*self.inner.guarantee.assumes, "that a word is a stop word is visible", *self._about_the_list),
        )

    @property
    def _about_the_list(self) -> tuple[str, ...]:
        return () if self.stop_words is None else ("the list of stop words was chosen without the private text",)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        listed = {} if self.stop_words is None else {"stop_words": list(self.stop_words)}
        return {**self.inner.parameters, "protected_hash": partition.fingerprint([self.protected]), **listed}

    def adjacency(self) -> Adjacency:
        """Return which tokens share a set."""
        groups = np.full(len(self.vocabulary), -1, dtype=np.int64)
        groups[self.protected] = self.inner.set_of
        return Adjacency(self.protected, groups=groups)

    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return CusText's exact certificate on the protected tokens."""
        inner = self.inner.certify(progress)
        kept = len(self.vocabulary) - len(self.inner.vocabulary)
        return Certificate(
            "LDP", inner.claimed, inner.certified, inner.kind, inner.scale, inner.paper_scale,
            {**inner.conditions, "stop_words_kept": kept}, named(inner.pair, self.protected),
        )  # fmt: skip

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return CusText's Rényi curve on the protected tokens: a stop word costs nothing."""
        return self.inner.renyi(orders)

    @property
    def sets(self) -> list[IntArray]:
        """Return the tokens of every set; stop words are in none."""
        return [self.protected[members] for members in self.inner.sets]

    @property
    def law_facts(self) -> dict[str, Any]:
        """Return the scale of every set, and a hash of the sets."""
        return {**self.inner.law_facts, "sets_hash": partition.fingerprint(self.sets)}

    @property
    def law_scales(self) -> list[float]:
        """Return s of every set."""
        return self.inner.law_scales

    @property
    def law_digest(self) -> str:
        """Return CusText's hash of optimal laws."""
        return self.inner.law_digest

    @property
    def relative_error(self) -> float:
        """Return CusText's relative error on the protected tokens: 0."""
        return self.inner.relative_error

    def law(self, token: int) -> FloatArray:
        """Return P(.|token), shape (V,). A stop word is kept with certainty."""
        law, index = np.zeros(len(self.vocabulary)), int(self._index[token])
        if index < 0:
            law[token] = 1.0
        else:
            law[self._split[1]] = self.inner.law(index)
        return law

    @property
    def protected(self) -> IntArray:
        """Return the tokens that are not stop words."""
        return self._split[1]

    def spends(self, tokens: IntArray) -> NDArray[np.bool_]:
        """Return which tokens spend budget.

        Stop words cost nothing: they are kept by a public rule, and that they are is visible.
        """
        return self._index[tokens] >= 0

    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw a token, shape (n,). Stop words are kept.

        Raise :class:`~sfumato.errors.VocabularyError` if every token is a stop word.
        """
        inner, protected = self._split
        indices = self._index[tokens]
        if not len(protected):
            raise VocabularyError("Every token of this vocabulary is a stop word.")
        drawn = protected[inner.draw(np.maximum(indices, 0), uniforms)]
        return np.where(indices < 0, tokens, drawn)


def _spelled(word: str) -> str:
    """Return ``word`` without its case, with a plain apostrophe."""
    return word.casefold().replace("’", "'")
