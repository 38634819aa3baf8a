"""Rebuilds the mechanisms that a statement names, or gives the reason why nothing is said of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.mechanism import Mechanism
from sfumato.building.public_arrays import StatedValues
from sfumato.building.stated import STEPS, made_again, read_statement, rebuilt
from sfumato.engines.values import WEAKEST
from sfumato.errors import InputError
from sfumato.evaluation.audit.findings import Prior, even_prior, unigram_prior
from sfumato.types import Progress

NO_LAW = {
    "shift": "a shift moves all dates of a record or person by one number of days, so that no single date has a law; "
    "anyone who knows one of the true dates knows them all",
    "independent": "the draw does not look at the value (epsilon 0), so that nobody names it more often than by "
    "guessing; that a value is there shows, and where one value is drawn once, which places hold the same",
}


def kinds_of_entry(treatment: Mapping[str, Any]) -> str:
    """Return the kinds of an entry of a statement, in words. Raise InputError for an entry without any."""
    kinds = treatment.get("kinds") if isinstance(treatment, Mapping) else None
    if not isinstance(kinds, list) or not kinds:
        raise InputError("its statement has a treatment of nothing.")
    return ", ".join(map(str, kinds))


def without_law(treatment: Mapping[str, Any]) -> str | None:
    """Return why there is no law of a single value to attack under ``treatment``; None if there is one."""
    method = str(treatment.get("method"))
    if "epsilon_per_draw" not in treatment:
        return f"{method} has no formal guarantee to compare the release with"
    return NO_LAW.get(method)


def weakest_of(treatment: Mapping[str, Any], values: StatedValues, most: int) -> tuple[str, Mechanism, Prior]:
    """Return the domain that the certificate of ``treatment`` is of, the mechanism over it, and a public prior.

    The prior has up to ``most`` values: equally likely ones of a kind with a unit, and words by how often they are
    used. Raise InputError or ConfigurationError if exactly this mechanism cannot be built again.
    """
    kind = values.kind(treatment)
    grain, entry = _entry(treatment)
    if grain not in kind.grains:
        raise InputError(f"{kind.name} has no domain of this name here.")
    domain = values.domain(kind, grain)
    if domain.hash != entry.get("hash"):
        raise InputError(f"the domain {grain} of {kind.name} differs here (other packages or another encoder).")
    law = treatment.get("laws", {}).get(grain, treatment["method"])
    made = made_again(str(law), domain, entry["parameters"], f"the treatment of {kind.name}")
    prior = even_prior(made, most) if kind.unit else unigram_prior(made, most)
    return grain, made, prior


def _entry(treatment: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the name of the weakest domain and what is stated of it."""
    domains = treatment["domains"]
    listed = domains.get(WEAKEST, domains)
    for grain, entry in listed.items():
        if entry["certificate"] == treatment["certificate"]:
            return grain, entry
    raise InputError("its statement does not say which domain its certificate is of.")


def law_of_release(release: Path, facts: Mapping[str, Any], progress: Progress | None = None) -> Mechanism:
    """Return the one mechanism that all words of ``release`` were drawn by, with a law in closed form.

    ``facts`` are those of the file. Raise InputError or ConfigurationError if there is no such mechanism, or no
    statement of this file.
    """
    stated = read_statement(release)
    stated.check(facts)
    names = stated.content.get("vocabularies")
    if stated.content.get("treatments") or not isinstance(names, Mapping) or len(names) != 1:
        raise InputError("the release is not of words that one law draws.")
    if stated.mechanism in registry.methods(registry.CONTEXTUAL):
        raise InputError(f"the law of {stated.mechanism} depends on the whole document.")
    if stated.content.get(STEPS):
        raise InputError("the words were drawn and then polished, so they are no draws of this law.")
    made = rebuilt(stated, next(iter(names)), [release.parent, Path()], progress)
    made.law(0)
    return made
