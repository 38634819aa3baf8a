"""The methods of a comparison's plan: mechanisms at budgets, methods without a guarantee, and two corners.

A comparison draws every point from records that belong to one original each: re-identification, words guessed, words
kept. A synthetic record belongs to nobody and has none of these measures, so the keys for synthetic records are
refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.choice import MethodChoice
from sfumato.building import detectors
from sfumato.building.offers import Offer
from sfumato.errors import ConfigurationError
from sfumato.evaluation.plan import ATTACKS_ON_SYNTHETIC
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.storage.keys import secret_of

OF_SYNTHETIC = ("one_to_one", "held_out", "trained", "canaries", "unit_field")
"""Fields of an evaluation's plan that are for synthetic records alone."""

_INSTEAD = (
    "A comparison is of releases whose records belong to one original each, and synthetic records belong to none; "
    "make them with `sfumato synthesize`, and measure them with `sfumato evaluate --synthetic`."
)
IDENTITY, NOTHING = "identity", "full-redaction"
BASELINES = {
    IDENTITY: "the originals as they are",
    NOTHING: "every word replaced by the same sign, so that only signs and the number of words are left",
}
"""What a comparison holds beside methods: its two corners. They are evaluated and never written down."""
BUDGETS = ("epsilon", "document_epsilon")
KEY = "SFUMATO_KEY"
"""Where the secret key of a redaction is looked for, in hexadecimal digits: never in a plan."""


def only(given: Mapping[str, Any], known: Collection[str], place: str) -> None:
    """Raise ConfigurationError for a key of ``given`` that is not ``known``."""
    for key in given:
        if key not in known:
            also = registry.suggestion(key, list(known)) if known else ", which takes no options; leave it out."
            raise ConfigurationError(f"{place} has an unknown key {key!r}{also}")


def table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the table ``key``, empty if there is none. Raise ConfigurationError for anything else."""
    value = content.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{key} is a table of the plan; write [{key}] above its keys.")
    return value


def tables(content: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """Return the list of tables ``key``, empty if there is none. Raise ConfigurationError for anything else."""
    value = content.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
        raise ConfigurationError(f"{key} is a list of tables; write [[{key}]] above the keys of each.")
    return value


def text(given: Mapping[str, Any], key: str, place: str) -> str:
    """Return the text of ``key``. Raise ConfigurationError if there is none."""
    value = optional(given, key, place)
    if value is None:
        raise ConfigurationError(f"{place} has no {key}; give one, as text in quotation marks.")
    return value


def optional(given: Mapping[str, Any], key: str, place: str) -> str | None:
    """Return the text of ``key``, or None. Raise ConfigurationError for anything else."""
    value = given.get(key)
    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigurationError(f"{key} in {place} is text in quotation marks, and not empty.")
    return value


def seeds(given: Any) -> tuple[int, ...]:
    """Return whole numbers, each once. Raise ConfigurationError for anything else."""
    numbers = given if isinstance(given, list) else [given]
    if not numbers or any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
        raise ConfigurationError("seeds is a list of whole numbers, for example seeds = [1, 2].")
    if len(set(numbers)) < len(numbers):
        raise ConfigurationError("seeds holds a number twice; keep one.")
    return tuple(numbers)


def check_not_synthetic(evaluation: Mapping[str, Any]) -> None:
    """Raise ConfigurationError if the table [evaluate] asks for what only synthetic records have."""
    attacks = evaluation.get("attacks", ())
    named = [name for name in OF_SYNTHETIC if name in evaluation]
    named += [name for name in sorted(ATTACKS_ON_SYNTHETIC) if isinstance(attacks, list) and name in attacks]
    if named:
        raise ConfigurationError(f"[evaluate] names {named[0]}. {_INSTEAD}")


def check_no_synthesizer(mechanism: str, place: str) -> None:
    """Raise ConfigurationError if the method at ``place`` of a plan writes synthetic records."""
    if mechanism in registry.synthesizers():
        raise ConfigurationError(f"{place} ({mechanism}) writes synthetic records. {_INSTEAD}")


@dataclass(frozen=True)
class Method:
    """A mechanism with its options at some budgets. What has no epsilon has the one budget None."""

    name: str
    mechanism: str
    budgets: tuple[float | None, ...] = (None,)
    budget: str = "epsilon"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def baseline(self) -> bool:
        """Return whether nothing is made for it."""
        return self.mechanism in BASELINES

    @property
    def offer(self) -> Offer:
        """Return what the mechanism takes with these detectors."""
        return Offer.of(self.mechanism, self.options)

    @property
    def secret(self) -> bytes | None:
        """Return the environment's key if the options need a key. Raise ConfigurationError if it is missing."""
        if self.baseline or not registry.method_class(self.mechanism).asks_for_key(self.options):
            return None
        if not os.environ.get(KEY):
            raise ConfigurationError(
                f"A hash, a shift of dates and scope = 'run' need a secret key, and no plan holds one; set {KEY} to "
                "one in hexadecimal digits."
            )
        return secret_of(None, KEY)


def method(given: Mapping[str, Any], number: int, folder: Path, spans: bool) -> Method:
    """Return the method of the table ``given``, whose files are in ``folder``.

    ``spans``: every input has given spans.
    """
    place = f"[[method]] {number}"
    mechanism = text(given, "mechanism", place).lower()
    name = optional(given, "name", place) or ""
    options = {key: value for key, value in given.items() if key not in ("name", "mechanism", *BUDGETS)}
    asked = [key for key in BUDGETS if key in given]
    called = f"{place} ({mechanism})"
    if mechanism in BASELINES:
        only({**options, **dict.fromkeys(asked, 0)}, (), called)
        return Method(name, mechanism)
    check_no_synthesizer(mechanism, place)
    known = [*registry.methods(), *BASELINES]
    if mechanism not in known:
        raise ConfigurationError(
            f"{place}: there is no mechanism {mechanism!r}{registry.suggestion(mechanism, known)}"
        )
    offer = Offer(mechanism, detected(options) if "detect" in options else None)
    _check(offer, options, called)
    if "given" in offer.detectors and not spans:
        raise ConfigurationError(f'{place} detects given spans; say where they are: spans = "spans" in [input].')
    resolved = {key: _resolved(offer, key, value, folder) for key, value in options.items()}
    if registry.family(mechanism) == registry.HEURISTICS:
        if asked:
            raise ConfigurationError(f"{called} has no formal guarantee, so it has no epsilon; leave out {asked[0]}.")
        made = Method(name, mechanism, options=resolved)
        _ = made.secret  # refused before anything is made
        return made
    if len(asked) != 1:
        why = "has two budgets; keep" if asked else "has no epsilon; give a number or a list of numbers in"
        raise ConfigurationError(f"{called} {why} one of {' and '.join(BUDGETS)}.")
    return Method(name, mechanism, _epsilons(given[asked[0]], called), asked[0], resolved)


def _check(offer: Offer, options: Mapping[str, Any], place: str) -> None:
    """Refuse options that the method does not have, and those that a plan must not hold."""
    for option in offer.everything:
        if option.option.secret and option.name in options:
            raise ConfigurationError(f"{place}: a {option.name} is never part of a plan; leave it out and set {KEY}.")
    if offer.asks:
        raise ConfigurationError(
            f"{place} asks a language model, which a comparison does not; make the release with `sfumato sanitize` "
            "and name it in a [[release]]."
        )
    only(options, {option.name for option in offer.everything} - {"spans_field", *BUDGETS}, place)


def detected(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the detectors that ``options`` ask for; none where they leave that to the method."""
    return detectors.detector_names(options["detect"]) if "detect" in options else ()


def _epsilons(given: Any, place: str) -> tuple[float, ...]:
    epsilons = []
    for number in given if isinstance(given, list) else [given]:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ConfigurationError(f"{place}: epsilon is a number or a list of numbers, for example [4, 8].")
        try:
            epsilons.append(checked_epsilon(number))
        except ConfigurationError as error:
            raise ConfigurationError(f"{place}: {error}") from None
    if not epsilons or len(set(epsilons)) < len(epsilons):
        raise ConfigurationError(f"{place}: the list of epsilons is empty or holds one twice; correct it.")
    return tuple(epsilons)


def _resolved(offer: Offer, key: str, value: Any, folder: Path) -> Any:
    """Return the value of an option; if it names a file beside the plan, that file."""
    if key == "detect" and isinstance(value, list):
        return [_resolved(offer, key, element, folder) for element in value]
    if key == "detect" and isinstance(value, str) and ":" in value:
        kind, _, file = value.partition(":")
        return f"{kind}:{_beside(file, folder)}"
    if key == "detect_options" and isinstance(value, Mapping):
        files = offer.detector_file_options
        return {name: _beside(element, folder) if name in files else element for name, element in value.items()}
    if key not in offer.file_options:
        return value
    if isinstance(value, Mapping):
        return {label: _beside(element, folder) for label, element in value.items()}
    if isinstance(value, list):
        return [_beside(element, folder) for element in value]
    return _beside(value, folder)


def _beside(value: Any, folder: Path) -> Any:
    return str(folder / value) if isinstance(value, str) and value and (folder / value).exists() else value


def tables_of(methods: Sequence[MethodChoice | str]) -> list[Mapping[str, Any]]:
    """Return ``methods``, typed or by their names, as tables of a plan.

    Methods that differ in their epsilon alone are one table. Raise ConfigurationError for an option that no plan can
    hold.
    """
    listed: dict[str, dict[str, Any]] = {}
    for each in methods:
        name, options = (each, {}) if isinstance(each, str) else (each.method, each.options)
        own = {key: _plain(name, key, value) for key, value in options.items()}
        budgets = {key: [own.pop(key)] for key in BUDGETS if own.get(key) is not None}
        known = listed.setdefault(json.dumps([name, own, *budgets], sort_keys=True), {"mechanism": name, **own})
        for key, epsilons in budgets.items():
            known[key] = [*known.get(key, []), *epsilons]
    return list(listed.values())


def _plain(method: str, key: str, value: Any) -> Any:
    """Return ``value`` as a plan holds it: its runs are kept under names that everything in it decides."""
    if isinstance(value, Mapping):
        return {str(name): _plain(method, key, inner) for name, inner in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, str | bytes):
        return [_plain(method, key, inner) for inner in (sorted(value) if isinstance(value, Set) else value)]
    if isinstance(value, bytes):
        return ""  # a secret, which is refused by the name of its option
    if isinstance(value, bool | int | float | str | os.PathLike):
        return os.fspath(value) if isinstance(value, os.PathLike) else value
    raise ConfigurationError(
        f"{method}: a comparison takes {key} as text, a number, a path or a list of them, not as an object."
    )


def named(methods: Sequence[Method], tables: Sequence[Mapping[str, Any]]) -> tuple[Method, ...]:
    """Name each method that has no name after its mechanism, with the options that distinguish it from others.

    Raise ConfigurationError for two that would make the same releases.
    """
    unique, seen = [], set()
    for number, (method, given) in enumerate(zip(methods, tables, strict=True), 1):
        for budget in method.budgets:
            same = json.dumps([method.mechanism, method.budget, budget, method.options], sort_keys=True, default=repr)
            if same in seen:
                raise ConfigurationError(f"[[method]] {number} ({method.mechanism}) is in the plan twice; keep one.")
            seen.add(same)
        unnamed = [other for other in methods if not other.name and other is not method]
        kin = [other for other in unnamed if other.mechanism == method.mechanism]
        told = [
            f"{key} {_short(given[key])}" for key in method.options
            if any(other.options.get(key) != method.options[key] for other in kin)
        ]  # fmt: skip
        unique.append(method if method.name else replace(method, name=", ".join([method.mechanism, *told])))
    return tuple(unique)


def _short(value: Any) -> str:
    """Return ``value`` for a title, which is shown: of a file its name, because a path discloses the machine."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_short(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else Path(value).name if isinstance(value, str) else str(value)
