"""Detector and mechanism joined: Document in, Release out.

The way of a token: the detector marks it; its label picks the route (a mechanism over one vocabulary); it becomes an
index into that vocabulary, an unknown one the surrogate's or the nearest token's; one draw replaces the index; the
drawn token is spliced in. Nothing after the draw knows the private token.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any, Literal

import numpy as np

from sfumato import version
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.assembly import Outputs, Spelled, assembled, opening
from sfumato.engines.laws import law_of_word
from sfumato.engines.word_forms import Forms
from sfumato.errors import ConfigurationError
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.kernels import slices
from sfumato.privacy.randomness import PINS, Randomness, SystemRandomness, context
from sfumato.text.document import Document, Release
from sfumato.text.marks import Marks
from sfumato.types import FloatArray, IntArray, Progress

Consistency = Literal["mention", "document"]
Unknown = Literal["nearest", "surrogate"]

_REMEMBERED = 500_000
_MADE_HERE = frozenset({"_seen", "_forms", "spelled"})


@dataclass(frozen=True, eq=False)
class Route:
    """One mechanism, and how words its vocabulary does not hold are mapped: the public step before the draw."""

    mechanism: Mechanism
    unknown: Unknown = "surrogate"
    surrogate: int | None = None

    def __post_init__(self) -> None:
        if self.unknown == "nearest" and self.mechanism.vocabulary.encoder is None:
            raise ConfigurationError(
                "Unknown words can be projected to the nearest token only where an encoder made the vectors; "
                "use --unknown surrogate."
            )
        covered = self.mechanism.protected
        if self.surrogate is not None and covered is not None and self.surrogate not in covered:
            raise ConfigurationError(
                f"The surrogate must be a token that {self.mechanism.name} protects: kept words show unknown ones."
            )

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
        return Spelled.of(self.mechanism.vocabulary.tokens)

    @property
    def facts(self) -> list[Any]:
        """Return everything public that decides the law of this route's draws."""
        mechanism = self.mechanism
        scales = [float(scale).hex() for scale in mechanism.law_scales]
        vocabulary = mechanism.vocabulary
        encoder = vocabulary.encoder.id if self.unknown == "nearest" and vocabulary.encoder else None
        return [mechanism.name, mechanism.parameters, scales, vocabulary.hash, self.rule, encoder]

    @property
    def rule(self) -> str:
        """What happens to unknown words, for the statement."""
        if self.unknown == "nearest":
            return "an unknown word is treated as the vocabulary token nearest to it under the same encoder"
        token = self.mechanism.vocabulary.tokens[self._surrogate]
        return f"an unknown word is treated as the public surrogate token {token!r}"

    def described(self, guarantee: Guarantee) -> dict[str, Any]:
        """Return vocabulary, rule, parameters, the ``guarantee`` in words, and certificate, for the statement."""
        vocabulary = self.mechanism.vocabulary
        return {
            "provenance": vocabulary.provenance,
            "hash": vocabulary.hash,
            "tokens": len(vocabulary),
            "unknown_words": self.rule,
            "parameters": self.mechanism.parameters,
            "guarantee": str(guarantee),
            "certificate": self.mechanism.certify().as_dict(),
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
        vocabulary, protected = self.mechanism.vocabulary, self.mechanism.protected
        found = {word: vocabulary.find(word) for word in words}
        strangers = [word for word, index in found.items() if index is None]
        if self.unknown == "nearest" and strangers:
            projected = dict(zip(strangers, vocabulary.project(strangers, protected).tolist(), strict=True))
        else:
            projected = dict.fromkeys(strangers, self._surrogate)
        return {word: projected[word] if index is None else index for word, index in found.items()}


@dataclass(frozen=True, eq=False)
class TokenSanitizer(Sanitizer):
    """Sanitizes documents. Build one with :func:`sfumato.build`, or from a detector and routes.

    ``routes`` maps a family of labels to a :class:`Route`, ``family`` a label to its family; labels without a route
    go to ``default``. ``consistency`` "document" draws once for each distinct token of a document.
    """

    detector: Detector
    routes: Mapping[str, Route]
    default: str
    family: Callable[[str], str] = str
    consistency: Consistency = "mention"

    def __post_init__(self) -> None:
        if self.default not in self.routes:
            raise ConfigurationError(f"The default route {self.default!r} does not exist.")
        promises = {_promise(route.mechanism) for route in self.routes.values()}
        if len(promises) > 1:
            raise ConfigurationError(
                "All routes need the same mechanism, epsilon, definition and distance: one statement covers them all."
            )
        if self.consistency not in ("mention", "document"):
            raise ConfigurationError(f"consistency must be mention or document, not {self.consistency!r}.")

    def prepare(self, progress: Progress | None = None) -> None:
        """Certify every mechanism now (cached by vocabulary), so that nothing is released before the claim stands.

        Each also makes one draw for a public token, so that a law that cannot be drawn is refused here too.
        """
        for number, route in enumerate(self.routes.values()):
            base, share = number / len(self.routes), 1.0 / len(self.routes)
            route.mechanism.certify(
                None if progress is None else lambda done, b=base, s=share: progress(b + s * done)  # type: ignore[misc]
            )
            route.mechanism.draw(np.zeros(1, dtype=np.int64), lambda width: np.full((1, width), 0.5))

    @property
    def in_context(self) -> bool:
        """A draw depends on its token alone."""
        return False

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw, in the unit that the consistency makes of it.

        It is equal on all routes. Its adjacency is the mechanism's, in texts that the detector marks alike.
        """
        return self._guarantee(self.routes[self.default].mechanism)

    def _guarantee(self, mechanism: Mechanism) -> Guarantee:
        guarantee, unit = mechanism.guarantee, ""
        if self.consistency == "document":
            unit = ", distinct in its document, everywhere it stands there"
        adjacency = f"{self.detector.adjacency}; where they differ, {guarantee.adjacency}"
        return replace(guarantee, unit=guarantee.unit + unit, adjacency=adjacency)

    def certificate(self) -> Certificate:
        """The certificate of the route with the largest certified loss."""
        certificates = [route.mechanism.certify() for route in self.routes.values()]
        return max(certificates, key=lambda certificate: certificate.certified)

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of the word or phrase `text`, on the route of `label` (None: the default route).

        An unknown word has the law of the token that it becomes. The law of a noise mechanism is estimated.
        """
        if position is not None:
            raise ConfigurationError("A mechanism over tokens draws for a word, in any context; leave out position.")
        return law_of_word(self.routes[self.default if label is None else self.route_of(label)], text)

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return what a record with so many draws costs altogether, among so many ``records`` (they decide δ)."""
        return compose(self.guarantee, draws, delta_for(records))

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a probability that is drawn from."""
        return max(route.mechanism.relative_error for route in self.routes.values())

    def statement_fields(self) -> dict[str, Any]:
        """Return mechanism, calibration, vocabularies and consistency, for the statement."""
        first = self.routes[self.default].mechanism
        return {
            "mechanism": first.name,
            "calibration": first.parameters.get("calibration"),
            "vocabularies": {
                name: route.described(self._guarantee(route.mechanism)) for name, route in self.routes.items()
            },
            "consistency": self.consistency,
        }

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of a release beside what every release shows."""
        found = list(self.routes[self.default].mechanism.visible)
        if any(route.unknown == "surrogate" for route in self.routes.values()):
            found.append("that a word may have been unknown, where its replacement looks drawn for the surrogate")
        if len(self.routes) > 1:
            found.append("which vocabulary a replacement comes from, and so the kind of what was replaced")
        if self.consistency == "document":
            found.append(
                "which places of a document hold the same token: seen by single occurrences no finite epsilon "
                "exists; the unit is one distinct token, everywhere it stands in the document"
            )
        return found

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release, for ``--resume`` and for keyed draws.

        A key used at two settings gives unrelated draws on every route.
        """
        facts = {
            "program": [version.VERSION, ANALYSIS, PINS],
            "detector": self.detector.setting,
            "consistency": self.consistency,
            "family": self.family.__qualname__,
            "routes": {name: route.facts for name, route in self.routes.items()},
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the vocabularies and their clusters were read from."""
        vocabularies = [route.mechanism.vocabulary for route in self.routes.values()]
        return list(dict.fromkeys(source for vocabulary in vocabularies for source in vocabulary.sources))

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order.

        Raises :class:`~sfumato.errors.InputError` naming the document, never its text.
        """
        batch = _Batch(self, documents, randomness or SystemRandomness())
        return batch.releases(batch.draw())

    def route_of(self, label: str) -> str:
        """The name of the route that spans with ``label`` take."""
        if label in self.routes:
            return label
        family = self.family(label)
        return family if family in self.routes else self.default


def _promise(mechanism: Mechanism) -> tuple[str, float, str, str | None]:
    """What must be equal on all routes, so that one epsilon can be stated for all."""
    guarantee = mechanism.guarantee
    return mechanism.name, guarantee.epsilon, guarantee.definition, guarantee.distance


class _Batch:
    """The spans of many documents laid end to end, so that each route draws once for all of them."""

    def __init__(self, sanitizer: TokenSanitizer, documents: Sequence[Document], randomness: Randomness) -> None:
        self._sanitizer, self._documents, self._randomness = sanitizer, documents, randomness
        self._marks = sanitizer.detector.mark(documents)
        self._counts = self._marks.counts
        self._owners = np.repeat(np.arange(len(documents)), self._counts)

    def draw(self) -> list[Outputs]:
        """What each route puts in; and how many draws each document spent."""
        self._spent = np.zeros(len(self._documents), dtype=np.int64)
        opens, outputs = opening(self._marks), []
        routes = self._sanitizer.routes
        taken = [(name, where, routes[name].marked(self._marks, where)) for name, where in self._places().items()]
        self._keys = self._keyed_by(taken) if self._randomness.keyed else None
        for name, places, tokens in taken:
            route = routes[name]
            drawn = self._draw_route(name, route.mechanism, tokens, self._owners[places], places)
            outputs.append(Outputs(route.spelled, places, route.spelled.entries(drawn, opens[places])))
        return outputs

    def _keyed_by(self, taken: Sequence[tuple[str, IntArray, IntArray]]) -> list[bytes]:
        """Return what every keyed draw of a document depends on: setting, origin, and all of its marked tokens.

        The whole sequence, because draws that a changed text shares with its original would tell where it changed.
        """
        self._randomness.check_names([document.names for document in self._documents])
        names = sorted(self._sanitizer.routes)
        marked = np.empty((len(self._owners), 2), dtype="<i8")
        for name, places, tokens in taken:
            marked[places, 0], marked[places, 1] = names.index(name), tokens
        ends = [0, *np.cumsum(self._counts).tolist()]
        digests = [hashlib.sha256(marked[start:end].tobytes()).digest() for start, end in pairwise(ends)]
        setting = self._sanitizer.setting
        rows = zip(self._documents, digests, strict=True)
        return [context(setting, context(*document.names), digest) for document, digest in rows]

    def _labels(self) -> Sequence[str | Sequence[str]]:
        """The labels of each document: one for all of its spans, or one each."""
        labels = self._marks.labels
        return [labels] * len(self._documents) if isinstance(labels, str) else labels

    def _places(self) -> dict[str, IntArray]:
        """Which places each route takes."""
        everywhere, labels = np.arange(len(self._owners)), self._marks.labels
        if isinstance(labels, str):
            return {self._sanitizer.route_of(labels): everywhere}
        each = zip(labels, self._counts.tolist(), strict=True)
        spread = chain.from_iterable(repeat(one, count) if isinstance(one, str) else one for one, count in each)
        names = [self._sanitizer.route_of(label) for label in spread]
        found = np.array(names, dtype=object)
        return {name: everywhere[found == name] for name in dict.fromkeys(names)}

    def _draw_route(
        self, name: str, mechanism: Mechanism, tokens: IntArray, owners: IntArray, places: IntArray
    ) -> IntArray:
        if self._sanitizer.consistency == "document":
            pairs = np.stack([owners, tokens], axis=1)
            first, inverse = np.unique(pairs, axis=0, return_inverse=True)
            drawn = self._draw_tokens(name, mechanism, first[:, 1], first[:, 0], first[:, 1])
            return drawn[inverse.reshape(-1)]
        starts = np.cumsum(self._counts) - self._counts
        return self._draw_tokens(name, mechanism, tokens, owners, places - starts[owners])

    def _draw_tokens(
        self, name: str, mechanism: Mechanism, tokens: IntArray, owners: IntArray, numbers: IntArray
    ) -> IntArray:
        """One draw a token; ``numbers`` set the draws of one document and route apart, by place or by token."""
        self._spent += np.bincount(owners[mechanism.spends(tokens)], minlength=len(self._spent))
        drawn = np.empty(len(tokens), dtype=np.int64)
        for part in slices(len(tokens), mechanism.draws_at_once):
            contexts = self._contexts(name, owners[part], numbers[part])

            def uniforms(width: int, n: int = part.stop - part.start, given: Any = contexts) -> FloatArray:
                return self._randomness.uniforms(n, width, given)

            drawn[part] = mechanism.draw(tokens[part], uniforms)
        return drawn

    def _contexts(self, name: str, owners: IntArray, numbers: IntArray) -> list[bytes] | None:
        keys = self._keys
        if keys is None:
            return None
        rows = zip(owners.tolist(), numbers.tolist(), strict=True)
        return [context(keys[owner], name, number) for owner, number in rows]

    def releases(self, outputs: Sequence[Outputs]) -> list[Release]:
        """Gaps and outputs joined, document by document."""
        text, cuts, bounds = assembled(self._marks, outputs)
        flat = array("q", bounds.tobytes())
        ends = [0, *(2 * np.cumsum(self._counts)).tolist()]
        return list(
            map(
                Release,
                [document.id for document in self._documents],
                [text[start:end] for start, end in pairwise(cuts.tolist())],
                [flat[start:end] for start, end in pairwise(ends)],
                self._labels(),
                self._spent.tolist(),
            )
        )
