"""Values drawn by a mechanism: read, mapped to a token of the domain of their form, drawn, and written again.

After the draw only the drawn value and the form of the mention are used. The form is public by adjacency
(:mod:`sfumato.abstract.kind`); with ``form`` "public" not even that enters, except which domain it belongs to.

A statement says enough of the domains of a kind that anyone can make each law again and check it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Kind
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.engines.laws import law_of_word
from sfumato.engines.value_draws import ValueDraws
from sfumato.errors import ConfigurationError
from sfumato.options.option import options_of
from sfumato.privacy.guarantee import OF_KINDS, RECORDS, Guarantee, compared, marked_alike

_USUAL = "en"
"""The language that a statement does not name."""
FEW = 8
"""So many domains are stated one by one."""
_HALF = 0.5
WEAKEST = "weakest"
"""Under which name the one domain stands whose certificate is the treatment's, where there are many."""
_UNITS = {
    "mention": "one mention",
    "record": "one value, wherever its record holds it",
    "subject": "one value, wherever the records of its subject hold it",
}


@dataclass(frozen=True, eq=False)
class DrawnValues(ValueDraws):
    """Replaces the values of one kind by draws: its promise, and what a statement says of it."""

    def __post_init__(self) -> None:
        if set(self.routes) != set(self.kind.grains):
            raise ConfigurationError(f"{self.kind.name} needs a mechanism for each of its domains; report it.")
        promises = {_promise(route.mechanism.guarantee) for route in self.routes.values()}
        if len(promises) > 1:
            raise ConfigurationError(f"The domains of {self.kind.name} have several guarantees; report it.")
        if self.form not in ("keep", "public") or self.scope not in _UNITS:
            raise ConfigurationError("The form is keep or public, and a draw is for a mention, record or subject.")
        if self.scope == "subject" and len(self.run_key) < 32:
            raise ConfigurationError("Draws for subjects need 32 secret bytes for the run; report it.")

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw; it is the same in every domain."""
        inner = self.method.guarantee
        sharing = [f"of the same domain{self._grains}"] if len(self.routes) > 1 else []
        sharing += ["of the same written form"] if self._keeps_form else []
        adjacency = compared(
            marked_alike(RECORDS.get(self.scope, RECORDS["record"]), OF_KINDS), inner.adjacency,
            drawn_for=self.scope, of=f"{self.kind.name} values", sharing=sharing,
        )  # fmt: skip
        return replace(inner, unit=_UNITS[self.scope], adjacency=adjacency)

    @property
    def _keeps_form(self) -> bool:
        """Return whether the written form of a text decides what is written; a kind that does not look has one."""
        return self.form == "keep" and self.kind.looks

    def described(self) -> dict[str, Any]:
        """Return parameters, form, scope and domains, for the statement."""
        surrogate, first = self._surrogate, next(iter(self.routes.values()))
        shown = self.kind.write(surrogate.value, surrogate.form)
        laws = {grain: route.mechanism.name for grain, route in self.routes.items()}
        unreadable = f"what cannot be read as {self.kind.name} is treated as the public surrogate {shown!r}"
        return {
            "parameters": first.mechanism.parameters,
            **({"laws": laws} if len(set(laws.values())) > 1 else {}),
            "form": "keep" if self._keeps_form else "public",
            "drawn_for": _UNITS[self.scope],
            **({"unreadable": unreadable} if self.kind.looks else {}),
            **({"unknown_words": first.rule} if self.kind.is_open else {}),
            **({"options": options} if (options := options_of_kind(self.kind)) else {}),
            **({"language": code} if (code := getattr(self.kind, "language", _USUAL)) != _USUAL else {}),
            "domains": stated_domains(self.mechanisms, self.weakest),
            **({"mostly_unchanged": often} if (often := mostly_unchanged(self.mechanisms)) else {}),
        }

    @property
    def _grains(self) -> str:
        """Return the names of the grains in brackets, or what sets them apart."""
        return f" ({self.kind.cuts or ', '.join(self.routes)})"

    @property
    def for_subjects(self) -> bool:
        """Return whether a draw is for all records of a person."""
        return self.scope == "subject"

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of what it put in."""
        seen = list(self.method.visible)
        if self._keeps_form:
            seen.append(
                f"in which form each {self.kind.name} was written, and so whether it could be read"
                + (", and as which part of a name" if self.kind.name == "PERSON" else "")
            )
            if len(self.routes) > 1:
                seen.append(f"which domain each {self.kind.name} is of{self._grains}")
        elif len(self.routes) > 1:
            seen.append(f"which domain each {self.kind.name} is of{self._grains}")
        seen += self.kind.visible
        if self.scope != "mention":
            seen.append(f"which mentions of {self.kind.name} of a {self.scope} say the same")
        return seen

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        routes = {grain: route.facts for grain, route in self.routes.items()}
        return [repr(self.kind), self.form, self.scope, routes]

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law:
        """Return the law of the value that ``text`` says."""
        reading = self.read(text)
        return law_of_word(self.routes[reading.form.grain], reading.value, self.guarantee)

    def law_over(
        self,
        values: Sequence[str] = (),
        label: str | None = None,
    ) -> tuple[str, Mechanism, list[str]]:
        """Return the domain of ``values``, its mechanism, and what they say; without values, the weakest domain."""
        grain, tokens = self.weakest, list(values)
        if values and self.kind.looks:
            readings = self.kind.all_read(values)
            grain, tokens = readings[0].form.grain, [reading.value for reading in readings]
        return grain, self.routes[grain].mechanism, tokens


def _promise(guarantee: Guarantee) -> tuple[str, float, str]:
    """Return what is equal in all domains of a kind, so that one sentence covers them."""
    return guarantee.definition, guarantee.epsilon, guarantee.per


def options_of_kind(kind: Kind) -> dict[str, Any]:
    """Return the public options of ``kind``, which decide its domains."""
    return {option.name: getattr(kind, option.name) for option in options_of(type(kind))}


def stated_domains(mechanisms: Mapping[str, Mechanism], weakest: str) -> dict[str, Any]:
    """Return an entry for each domain; of many, their number, one hash over all, and the entry of the ``weakest``."""
    if len(mechanisms) <= FEW:
        return {grain: _stated(mechanism) for grain, mechanism in mechanisms.items()}
    domains = {grain: made.vocabulary for grain, made in mechanisms.items()}
    return {
        "count": len(domains),
        "tokens": sum(len(domain) for domain in domains.values()),
        "hash": hash_of_all({grain: domain.hash for grain, domain in domains.items()}),
        WEAKEST: {weakest: _stated(mechanisms[weakest])},
    }


def mostly_unchanged(mechanisms: Mapping[str, Mechanism]) -> dict[str, Any]:
    """Return which domains have values that stay the same in more than half of draws, how many, and how often.

    Computed from each law at its certified scale. One entry speaks for many domains.
    """
    every = {grain: made.unchanged() for grain, made in mechanisms.items()}
    counted = {
        grain: {"values": int(np.count_nonzero(often > _HALF)), "of": len(often), "at_most": float(often.max())}
        for grain, often in every.items()
        if often is not None and (often > _HALF).any()
    }
    if len(counted) <= FEW:
        return counted
    added = {name: sum(own[name] for own in counted.values()) for name in ("values", "of")}
    return {f"{len(counted)} domains": {**added, "at_most": max(own["at_most"] for own in counted.values())}}


def hash_of_all(hashes: Mapping[str, str]) -> str:
    """Return one hash over the hashes of domains by name."""
    return hashlib.sha256(json.dumps(dict(sorted(hashes.items()))).encode()).hexdigest()


def _stated(mechanism: Mechanism) -> dict[str, Any]:
    domain, certificate, law = mechanism.vocabulary, mechanism.certify(), mechanism.law_facts
    return {
        "provenance": domain.provenance,
        "tokens": len(domain),
        "hash": domain.hash,
        "parameters": mechanism.parameters,
        "certificate": certificate.as_dict(),
        "worst_values": None if certificate.pair is None else [domain.tokens[value] for value in certificate.pair],
        **({"law": law} if law else {}),
    }
