"""One kind of value in several languages: one guarantee, with the certificate and the domains of each language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import FloatArray, Progress, part_of

SAME_LANGUAGE = "that are taken for the same language, with values of the same domain of that language"

EACH_LANGUAGE = "all of this is said of a subject's records in each language by themselves"


@dataclass(frozen=True, eq=False)
class InLanguages(Treatment):
    """One kind in several languages: ``own`` has its treatment in each, with the same guarantee of one draw."""

    own: Mapping[str, Treatment]

    def __post_init__(self) -> None:
        promises = {_promise(treatment.guarantee) for treatment in self.own.values()}
        if len(promises) > 1:
            raise ConfigurationError(f"{self.kinds[0]} has several guarantees in several languages; report it.")

    @property
    def _first(self) -> Treatment:
        return next(iter(self.own.values()))

    @property
    def _weakest(self) -> Treatment:
        certified = {code: own.certificate for code, own in self.own.items()}
        return max(self.own.items(), key=lambda row: _loss(certified[row[0]]))[1]

    @property
    def kinds(self) -> Sequence[str]:  # type: ignore[override]
        """Return the name of the kind."""
        return self._first.kinds

    @property
    def run_key(self) -> bytes:  # type: ignore[override]
        """Return the secret bytes of this run of every language."""
        return b"".join(own.run_key for own in self.own.values())

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return self._first.name

    @property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """Return the mechanism over each domain, by language."""
        every = {code: own.mechanisms for code, own in self.own.items()}
        return {f"{grain} ({code})": made for code, own in every.items() for grain, made in own.items()}

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one draw, for two records that are taken for the same language.

        What is drawn once for a person is drawn again for that person's records in another language.
        """
        inner = self._first.guarantee
        if inner is None:
            return None
        adjacency = f"{inner.adjacency}; in records {SAME_LANGUAGE}"
        if not self.for_subjects:
            return replace(inner, adjacency=adjacency)
        assumes = (*inner.assumes, EACH_LANGUAGE) if inner.assumes else ()
        return replace(inner, adjacency=adjacency, unit=f"{inner.unit}, in one language", assumes=assumes)

    @property
    def certificate(self) -> Certificate | None:
        """Return the certificate of the weakest law of all languages."""
        return self._weakest.certificate

    def prepare(self, progress: Progress | None = None) -> None:
        """Certify every language."""
        for number, own in enumerate(self.own.values()):
            own.prepare(part_of(progress, number / len(self.own), 1 / len(self.own)))

    def cost(self, draws: int, records: int = 1) -> Composed | None:
        """Return the total cost of so many draws, in whichever languages they are."""
        inner = self._first.guarantee
        return None if inner is None else compose(inner, draws, delta_for(records), self.renyi)

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return the Rényi curve of one draw by any law of any language, at ``orders`` (A,), shape (A,): the largest.

        A person may have records in several languages, so the largest holds at each order, and not in all.
        """
        curves = [mechanism.renyi(orders) for mechanism in self.mechanisms.values()]
        return np.asarray(np.max(curves, axis=0), dtype=np.float64)

    def draws_of_person(self, added: int) -> int:
        """Return for how many draws a person pays at most: a value is drawn once in each language."""
        return min(added, sum(own.draws_of_person(added) for own in self.own.values()))

    @property
    def for_subjects(self) -> bool:
        """Return whether a draw is for all records of a person."""
        return self._first.for_subjects

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that are drawn from."""
        return max(own.relative_error for own in self.own.values())

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law | None:
        """Return the law of ``text`` in the first language that reads it."""
        return self._reading(text).law(text, position, label, detector)

    def law_over(
        self, values: Sequence[str] = (), label: str | None = None
    ) -> tuple[str, Mechanism, list[str]] | None:
        """Return the domain of ``values`` in the first language that reads the first; without values the weakest."""
        return (self._reading(values[0]) if values else self._weakest).law_over(values, label)

    def positions(self, values: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return ``values``, what each says, and where it is on a line, in the first language that reads them."""
        return (self._reading(values[0]) if values else self._first).positions(values)

    def apart(self, values: Sequence[str] = ()) -> Mapping[str, Treatment]:
        """Return the treatment in each language that reads all ``values``, the one with the largest loss first.

        Of languages that share all domains there is one. Where no language reads the values, every language is there.
        """
        every = dict(sorted(self.own.items(), key=lambda row: -_loss(row[1].certificate)))
        reading = {
            code: own
            for code, own in every.items()
            if not any(map(partial(own.built.fallback, self.kinds[0]), values))
        }
        domains = dict[Any, str]()
        for code, own in (reading or every).items():
            domains.setdefault(tuple((name, made.vocabulary.hash) for name, made in own.mechanisms.items()), code)
        return {code: every[code] for code in domains.values()}

    def _reading(self, text: str) -> Treatment:
        built = [own.built for own in self.own.values()]
        return next((own for own in built if own.fallback(own.kinds[0], text) is None), built[0])

    def described(self) -> Mapping[str, Any]:
        """Return parameters and domains: once where all languages share them, else by language."""
        every = {code: dict(own.described()) for code, own in self.own.items()}
        first = next(iter(every.values()))
        if all({**told, "language": ""} == {**first, "language": ""} for told in every.values()):
            return self._as_told({name: value for name, value in first.items() if name != "language"})
        shared = {name: value for name, value in first.items() if all(o.get(name) == value for o in every.values())}
        apart = {
            code: {name: value for name, value in told.items() if name not in shared}
            | {"certificate": _told(self.own[code].certificate)}
            for code, told in every.items()
        }
        return {**self._as_told(shared), "languages": apart}

    def _as_told(self, shared: dict[str, Any]) -> dict[str, Any]:
        """Return what all languages share; what moves together for a person does so in each language by itself."""
        moved = shared.get("moves_together")
        if moved is None or not self.for_subjects:
            return shared
        return {**shared, "moves_together": f"{moved} in one language"}

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of what it put in."""
        return list(dict.fromkeys(line for own in self.own.values() for line in own.visible))

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        return {code: own.facts for code, own in self.own.items()}

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes values from."""
        return list(dict.fromkeys(source for own in self.own.values() for source in own.sources))

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold at most."""
        counts = [own.records_at_once for own in self.own.values()]
        return min((count for count in counts if count is not None), default=None)

    @property
    def built(self) -> Treatment:
        """Return the treatment with that of every language built."""
        return replace(self, own={code: own.built for code, own in self.own.items()})

    def fallback(self, kind: str, text: str) -> str | None:
        """Return what stands for a text that no language reads; None if one reads it. PRIVATE."""
        stands = [own.fallback(kind, text) for own in self.own.values()]
        return None if None in stands else stands[0]


def _promise(guarantee: Guarantee | None) -> tuple[Any, ...]:
    if guarantee is None:
        return ()
    return guarantee.definition, guarantee.epsilon, guarantee.per, guarantee.unit, guarantee.rho


def _loss(certificate: Certificate | None) -> float:
    return 0.0 if certificate is None else certificate.certified


def _told(certificate: Certificate | None) -> Any:
    return None if certificate is None else certificate.as_dict()
