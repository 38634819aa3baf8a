"""``sfumato certify --against`` the statement of a policy: each treatment's stated loss, and its law made again.

Closed forms come from :mod:`sfumato.value_checker`, all other laws from :mod:`sfumato.checker`; neither shares
anything with the analysis that certified the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.kind import Kind
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.public_arrays import StatedValues
from sfumato.cli.against import OVER_TOKENS, Finding, WrongError, check_claim, check_loss, number, of_vocabulary
from sfumato.engines.values import FEW, WEAKEST, hash_of_all
from sfumato.errors import InputError
from sfumato.value_checker import OnALine, independent_loss, shift_loss

GEOMETRIC, INDEPENDENT, SHIFT = "geometric", "independent", "shift"
_CLOSED = (GEOMETRIC, INDEPENDENT)
_DAYS = (1, 30, 365)
_Checked = tuple[float | None, list[str] | None]


@dataclass(frozen=True)
class Refused:
    """A treatment that cannot be checked, and the reason why."""

    kinds: str
    reason: str


def of_treatments(
    statement: Mapping[str, Any], values: StatedValues, typed: Mapping[str, Any], all_pairs: bool
) -> Iterator[Finding | Refused]:
    """Yield what was found about each treatment that states an ε, in the order of the statement."""
    for treatment in statement["treatments"]:
        kinds = ", ".join(treatment["kinds"])
        promises = treatment["guarantee"] != "no formal guarantee"
        if not promises and not {"epsilon_per_draw", "certificate", "definition"} & treatment.keys():
            continue
        certificate = treatment["certificate"]
        laws = {treatment["method"], *treatment.get("laws", {}).values()}
        if strange := sorted(laws - {*_CLOSED, SHIFT, *OVER_TOKENS}):
            yield Refused(kinds, f"{strange[0]} has no finite law that the checker knows")
            continue
        claimed, stated = number(certificate["claimed"]), number(certificate["certified"])
        try:
            if not promises:
                raise WrongError("it states an epsilon and that it has no formal guarantee")
            checker = _Treatment(treatment, values, typed, all_pairs)
            loss, tokens = checker.checked()
        except InputError as error:
            yield Refused(kinds, str(error).rstrip("."))
        except WrongError as wrong:
            yield Finding(kinds, claimed, stated, wrong.recomputed, wrong.tokens, str(wrong))
        else:
            yield Finding(kinds, claimed, stated, loss, tokens, None, checker.not_recomputed)


@dataclass(frozen=True)
class _Treatment:
    """One entry of the statement. Its methods raise WrongError where it is wrong."""

    stated: Mapping[str, Any]
    values: StatedValues
    typed: Mapping[str, Any]
    all_pairs: bool

    def checked(self) -> _Checked:
        """Return the loss that was recomputed for the pair of the certificate, and the pair."""
        if "languages" in self.stated:
            return self._in_languages()
        if self.stated["method"] == SHIFT:
            return self._shift()
        kind = self.values.kind(self.stated)
        if self.stated["per"] not in (None, kind.unit):
            raise WrongError(f"its epsilon is per {self.stated['per']}, and its kind is measured in another unit")
        entries = self._entries(kind)
        certificates = [entry["certificate"] for entry in entries.values()]
        top = self.stated["certificate"]
        if top not in certificates or top["certified"] != max(each["certified"] for each in certificates):
            raise WrongError("its certificate is not that of the domain with the largest loss")
        found: list[tuple[Any, _Checked]] = []
        for grain in kind.grains:
            law = self._law(grain)
            if grain in entries:
                found.append((entries[grain]["certificate"], self._domain(kind, grain, law, entries[grain])))
            elif law == GEOMETRIC:
                self._line(kind.vocabulary(grain), None)
        return next(checked for certificate, checked in found if certificate == top)

    @property
    def _each_language(self) -> Mapping[str, _Treatment]:
        """Return the entry of each language, whole."""
        shared = {name: value for name, value in self.stated.items() if name != "languages"}
        return {
            code: _Treatment({**shared, **own}, self.values, self.typed, self.all_pairs)
            for code, own in self.stated["languages"].items()
        }

    def _in_languages(self) -> _Checked:
        """Check every language; the certificate of the entry is that of the language with the largest loss."""
        every = self._each_language.values()
        certificates = [own.stated["certificate"] for own in every]
        top = self.stated["certificate"]
        if top not in certificates or top["certified"] != max(each["certified"] for each in certificates):
            raise WrongError("its certificate is not that of the language with the largest loss")
        checked = [(own.stated["certificate"], own.checked()) for own in every]
        return next(found for certificate, found in checked if certificate == top)

    @property
    def not_recomputed(self) -> tuple[str, ...]:
        """Return the domains with a law without a closed form, of which the statement gives a hash alone."""
        if "languages" in self.stated:
            rows = self._each_language.items()
            return tuple(f"{grain} ({code})" for code, own in rows for grain in own.not_recomputed)
        if self.stated["method"] == SHIFT:
            return ()
        kind = self.values.kind(self.stated)
        entries = self._entries(kind)
        return tuple(grain for grain in kind.grains if grain not in entries and self._law(grain) not in _CLOSED)

    def _law(self, grain: str) -> str:
        """Return the name of the law over a domain, which may have another than its treatment."""
        return str(self.stated.get("laws", {}).get(grain, self.stated["method"]))

    def _entries(self, kind: Kind) -> Mapping[str, Any]:
        """Return what is stated of single domains: of all, or of the weakest of many, whose one hash is compared."""
        domains: Mapping[str, Any] = self.stated["domains"]
        if len(kind.grains) <= FEW:
            if set(domains) != set(kind.grains):
                raise WrongError("its domains are not those of its kind")
            return domains
        made = {grain: kind.vocabulary(grain) for grain in kind.grains}
        hashed = hash_of_all({grain: each.hash for grain, each in made.items()})
        facts = len(made), sum(map(len, made.values())), hashed
        if (domains["count"], domains["tokens"], domains["hash"]) != facts:
            raise WrongError("its domains are not those of its kind")
        weakest: Mapping[str, Any] = domains[WEAKEST]
        return weakest

    def _domain(self, kind: Kind, grain: str, law: str, entry: Mapping[str, Any]) -> _Checked:
        vocabulary = kind.vocabulary(grain)
        if vocabulary.hash != entry["hash"] or len(vocabulary) != entry["tokens"]:
            raise WrongError(f"its domain {grain} is not the one that its kind has here")
        if law == GEOMETRIC:
            return self._line(vocabulary, entry)
        if law == INDEPENDENT:
            return self._independent(vocabulary, entry)
        seen = {
            **self.stated,
            "mechanism": law,
            # beside a law on a line, weekdays and days of a year lie on a circle: their distance is the chord
            "distance": self.stated["distance"] if law == self.stated["method"] else "Euclidean",
            "vocabularies": {grain: {**entry, "worst_tokens": entry["worst_values"]}},
        }
        finding = of_vocabulary(seen, grain, vocabulary, self.typed, self.all_pairs)
        if finding.problem is not None:
            raise WrongError(f"in its domain {grain}, {finding.problem}", finding.recomputed, finding.tokens)
        return finding.recomputed, finding.tokens

    def _line(self, vocabulary: Vocabulary, entry: Mapping[str, Any] | None) -> _Checked:
        """Check the law on a line: for each pair the loss is ε for each unit, so that one pair stands for all."""
        claimed, positions = number(self.stated["epsilon_per_draw"]), vocabulary.vectors
        if positions.shape[1] != 1 or self.stated["distance"] != "absolute":
            raise WrongError("its values do not lie on a line")
        law, tokens, stated = OnALine(positions[:, 0], claimed), vocabulary.tokens, claimed
        first, second = (int(place) for place in np.argsort(positions[:, 0])[:2])
        if entry is not None:
            check_claim(self.stated, entry["parameters"], entry["certificate"], "metric-LDP")
            stated = number(entry["certificate"]["certified"])
            if number(entry["certificate"]["scale"]) != claimed:
                raise WrongError("its scale is not its epsilon")
            first, second = (int(number(place)) for place in entry["certificate"]["worst_pair"])
            if entry["worst_values"] != [tokens[first], tokens[second]]:
                raise WrongError("its worst pair has other values than their numbers say")
        words, loss = [tokens[first], tokens[second]], law.loss(first, second)
        check_loss(loss, stated, abs(float(positions[first, 0] - positions[second, 0])), words)
        return loss, words

    def _independent(self, vocabulary: Vocabulary, entry: Mapping[str, Any]) -> _Checked:
        certificate = entry["certificate"]
        numbers = self.stated["epsilon_per_draw"], certificate["claimed"], certificate["certified"]
        if {self.stated["definition"], certificate["definition"]} != {"LDP"} or any(map(number, numbers)):
            raise WrongError("its law does not look at the value, and it states another epsilon than 0")
        if certificate["conditions"]["outcomes"] != len(vocabulary):
            raise WrongError("its number of outcomes is not the same everywhere")
        return independent_loss(len(vocabulary)), None

    def _shift(self) -> _Checked:
        certificate, scale = self.stated["certificate"], number(self.stated["scale_in_days"])
        check_claim(self.stated, self.stated["parameters"], certificate, "metric-LDP")
        if self.stated["per"] != "day" or number(certificate["conditions"]["scale_in_days"]) != scale:
            raise WrongError("its scale is not the same everywhere")
        loss = max(shift_loss(scale, days) for days in _DAYS)
        check_loss(loss, number(certificate["certified"]), 1.0, None)
        return loss, None
