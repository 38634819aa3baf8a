"""A mechanism over one vocabulary, and the public step by which a word becomes a token of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.batch import Spelled
from sfumato.abstract.mechanism import Mechanism
from sfumato.engines.word_forms import Forms
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.randomness import RandomDraws, Randomness, SystemRandomness
from sfumato.text.marks import Marks
from sfumato.types import IntArray, Progress
from sfumato.version import origin

Unknown = Literal["nearest", "surrogate"]
_REMEMBERED = 500_000
_MADE_HERE = frozenset({"_seen", "_forms", "spelled"})


def prepare(law: Mechanism, progress: Progress | None = None) -> None:
    """Certify ``law``, and make a draw for a public token by it. Raise GuaranteeError if either is impossible."""
    law.certify(progress)
    law.draw(np.zeros(1, dtype=np.int64), RandomDraws(SystemRandomness(), 1))


@typed
@dataclass(frozen=True, eq=False)
class Route:
    """One mechanism over one vocabulary, and the public step by which an unknown word becomes a token of it.

    Attributes:
        mechanism: The mechanism, which has the vocabulary.
        unknown: `nearest`: the token nearest under the vocabulary's encoder; `surrogate`: one public token.
        surrogate: The index of that token; None: the token nearest to the mean vector.
    """

    mechanism: Mechanism
    unknown: Unknown = "surrogate"
    surrogate: int | None = None

    def __post_init__(self) -> None:
        if self.unknown == "nearest" and self.mechanism.vocabulary.encoder is None:
            raise ConfigurationError(
                "Unknown words can be projected to the nearest token only where an encoder made the vectors; "
                "use --set unknown=surrogate."
            )
        covered = self.mechanism.protected
        if self.surrogate is not None and covered is not None and self.surrogate not in covered:
            raise ConfigurationError(
                f"The surrogate must be a token that {self.mechanism.name} protects: kept words show unknown ones."
            )

    @cached_property
    def certified(self) -> Mechanism:
        """Return the mechanism, certified: nothing is drawn before. Raise GuaranteeError if it cannot be."""
        self.mechanism.certify()
        return self.mechanism

    def drawn(
        self, tokens: IntArray, source: Randomness, contexts: Callable[[slice], list[bytes] | None]
    ) -> IntArray:
        """Return one draw for each of ``tokens`` (n,); ``contexts`` names a slice of them for a keyed ``source``."""
        drawn, most = np.empty(len(tokens), dtype=np.int64), self.mechanism.draws_at_once
        for start in range(0, len(tokens), most):
            part = slice(start, min(start + most, len(tokens)))
            uniforms = RandomDraws(source, part.stop - start, contexts(part))
            drawn[part] = self.certified.draw(tokens[part], uniforms)
        return drawn

    @cached_property
    def spends(self) -> NDArray[np.bool_]:
        """Return for each token of the vocabulary whether it costs a draw, shape (V,)."""
        return self.mechanism.spends(np.arange(len(self.mechanism.vocabulary)))

    @cached_property
    def _seen(self) -> dict[str, int]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in _MADE_HERE}

    @cached_property
    def _forms(self) -> Forms:
        return Forms()

    @cached_property
    def spelled(self) -> Spelled:
        """The vocabulary's tokens as code points."""
        return Spelled.of_tokens(self.mechanism.vocabulary.tokens)

    @property
    def facts(self) -> list[Any]:
        """Return everything public that decides the law of this route's draws."""
        mechanism = self.mechanism
        law = [[float(scale).hex() for scale in mechanism.law_scales], mechanism.law_digest]
        vocabulary = mechanism.vocabulary
        encoder = vocabulary.encoder.id if self.unknown == "nearest" and vocabulary.encoder else None
        return [origin(type(mechanism)), mechanism.parameters, law, vocabulary.hash, self.rule, encoder]

    @property
    def rule(self) -> str:
        """What happens to unknown words, for the statement."""
        if self.unknown == "nearest":
            return "an unknown word is treated as the vocabulary token nearest to it under the same encoder"
        token = self.mechanism.vocabulary.tokens[self._surrogate]
        return f"an unknown word is treated as the public surrogate token {token!r}"

    def described(self, guarantee: Guarantee) -> dict[str, Any]:
        """Return vocabulary, rule, parameters, the ``guarantee`` in words, and certificate, for the statement."""
        vocabulary, certificate = self.mechanism.vocabulary, self.mechanism.certify()
        worst = None if certificate.pair is None else [vocabulary.tokens[token] for token in certificate.pair]
        facts = self.mechanism.law_facts
        return {
            "provenance": vocabulary.provenance,
            "hash": vocabulary.hash,
            "tokens": len(vocabulary),
            "unknown_words": self.rule,
            "parameters": self.mechanism.parameters,
            "guarantee": str(guarantee),
            "certificate": certificate.as_dict(),
            "worst_tokens": worst,
            **({"law": facts} if facts else {}),
        }

    @cached_property
    def _surrogate(self) -> int:
        mechanism = self.mechanism
        return mechanism.vocabulary.medoid(mechanism.protected) if self.surrogate is None else self.surrogate

    def tokens(self, words: Sequence[str]) -> IntArray:
        """The vocabulary index of every word, shape (n,)."""
        seen = self._seen
        found = list(map(seen.get, words))
        if None in found:
            learned = self._learned([word for word in dict.fromkeys(words) if word not in seen])
            if len(seen) > _REMEMBERED:
                seen.clear()
            seen.update(learned)
            both = {**dict(zip(words, found, strict=True)), **learned}
            found = [both[word] for word in words]
        return np.array(found, dtype=np.int64)

    def marked(self, marks: Marks, places: IntArray) -> IntArray:
        """The vocabulary index of the word at each of ``places`` (n,) of ``marks``, shape (n,)."""
        return self._forms.find(marks.codes, marks.starts[places], marks.ends[places], self.tokens)

    def _learned(self, words: Sequence[str]) -> dict[str, int]:
        """The index of each of ``words``; an unknown one becomes a token that the guarantee covers."""
        vocabulary = self.mechanism.vocabulary
        found = {word: vocabulary.find(word) for word in words}
        strangers = [word for word, index in found.items() if index is None]
        if self.unknown == "nearest" and strangers:
            nearest = vocabulary.project(strangers, self.mechanism.protected)
            projected = dict(zip(strangers, nearest.tolist(), strict=True))
        else:
            projected = dict.fromkeys(strangers, self._surrogate)
        return {word: projected[word] if index is None else index for word, index in found.items()}
