"""The methods of a comparison's plan: mechanisms at budgets, methods without a guarantee, and two corners."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.building import detectors
from sfumato.building.offers import Offer
from sfumato.building.option_files import detector_file_options, file_options
from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.keys import only, optional, text
from sfumato.evaluation.comparison.synthetic import check_no_synthesizer
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.storage.sealing import secret_of

IDENTITY, NOTHING = "identity", "full-redaction"
BASELINES = {
    IDENTITY: "the originals as they are",
    NOTHING: "every word replaced by the same sign, so that only signs and the number of words are left",
}
"""What a comparison holds beside methods: its two corners. They are evaluated and never written down."""

BUDGETS = ("epsilon", "document_epsilon")
KEY = "SFUMATO_KEY"
"""Where the secret key of a redaction is looked for, in hexadecimal digits: never in a plan."""


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
        """Whether nothing is made for it."""
        return self.mechanism in BASELINES

    @property
    def offer(self) -> Offer:
        """What the mechanism takes with these detectors."""
        return Offer.of(self.mechanism, self.options)

    @property
    def secret(self) -> bytes | None:
        """The key of the environment where the options ask for one. Raises ConfigurationError where it is missing."""
        if self.baseline or not registry.method_class(self.mechanism).asks_for_key(self.options):
            return None
        if not os.environ.get(KEY):
            raise ConfigurationError(
                f"A hash, a shift of dates and scope = 'run' need a secret key, and no plan holds one; set {KEY} to "
                "one in hexadecimal digits."
            )
        return secret_of(None, KEY)


def method(given: Mapping[str, Any], number: int, folder: Path, spans: bool) -> Method:
    """The method of the table ``given``, whose files stand in ``folder``; ``spans``: every input has given spans."""
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
    offer = Offer(mechanism, detected(options) or None)
    _check(offer, options, called)
    if "given" in offer.detectors and not spans:
        raise ConfigurationError(f'{place} detects given spans; say where they are: spans = "spans" in [input].')
    found = {key: _found(offer, key, one, folder) for key, one in options.items()}
    if registry.family(mechanism) == registry.HEURISTICS:
        if asked:
            raise ConfigurationError(f"{called} has no formal guarantee, so it has no epsilon; leave out {asked[0]}.")
        made = Method(name, mechanism, options=found)
        _ = made.secret  # refused before anything is made
        return made
    if len(asked) != 1:
        why = "has two budgets; keep" if asked else "has no epsilon; give a number or a list of numbers in"
        raise ConfigurationError(f"{called} {why} one of {' and '.join(BUDGETS)}.")
    return Method(name, mechanism, _epsilons(given[asked[0]], called), asked[0], found)


def _check(offer: Offer, options: Mapping[str, Any], place: str) -> None:
    """Refuse options that the method does not have, and those that a plan must not hold."""
    for one in offer.everything:
        if one.option.secret and one.name in options:
            raise ConfigurationError(f"{place}: a {one.name} never stands in a plan; leave it out and set {KEY}.")
    if offer.asks:
        raise ConfigurationError(
            f"{place} asks a language model, which a comparison does not; make the release with `sfumato sanitize` "
            "and name it in a [[release]]."
        )
    only(options, {one.name for one in offer.everything} - {"spans_field", *BUDGETS}, place)


def detected(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the detectors that ``options`` ask for; none where they leave that to the method."""
    return detectors.detector_names(options["detect"]) if "detect" in options else ()


def _epsilons(given: Any, place: str) -> tuple[float, ...]:
    found = []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise ConfigurationError(f"{place}: epsilon is a number or a list of numbers, for example [4, 8].")
        try:
            found.append(checked_epsilon(one))
        except ConfigurationError as error:
            raise ConfigurationError(f"{place}: {error}") from None
    if not found or len(set(found)) < len(found):
        raise ConfigurationError(f"{place}: the list of epsilons is empty or holds one twice; correct it.")
    return tuple(found)


def _found(offer: Offer, key: str, value: Any, folder: Path) -> Any:
    """The value of an option; where it names a file beside the plan, that file."""
    if key == "detect" and isinstance(value, list):
        return [_found(offer, key, one, folder) for one in value]
    if key == "detect" and isinstance(value, str) and ":" in value:
        kind, _, file = value.partition(":")
        return f"{kind}:{_beside(file, folder)}"
    if key == "detect_options" and isinstance(value, Mapping):
        files = detector_file_options(offer)
        return {name: _beside(one, folder) if name in files else one for name, one in value.items()}
    if key not in file_options(offer):
        return value
    if isinstance(value, Mapping):
        return {label: _beside(one, folder) for label, one in value.items()}
    if isinstance(value, list):
        return [_beside(one, folder) for one in value]
    return _beside(value, folder)


def _beside(value: Any, folder: Path) -> Any:
    return str(folder / value) if isinstance(value, str) and value and (folder / value).exists() else value


def named(methods: Sequence[Method], tables: Sequence[Mapping[str, Any]]) -> tuple[Method, ...]:
    """Methods without a name get that of the mechanism, with the options that tell it from others of its kind.

    Raises ConfigurationError for two that would make the same releases.
    """
    found, seen = [], set()
    for number, (one, given) in enumerate(zip(methods, tables, strict=True), 1):
        for budget in one.budgets:
            same = json.dumps([one.mechanism, one.budget, budget, one.options], sort_keys=True, default=repr)
            if same in seen:
                raise ConfigurationError(f"[[method]] {number} ({one.mechanism}) stands in the plan twice; keep one.")
            seen.add(same)
        kin = [other for other in methods if other.mechanism == one.mechanism and not other.name and other is not one]
        told = [
            f"{key} {_short(given[key])}" for key in one.options
            if any(other.options.get(key) != one.options[key] for other in kin)
        ]  # fmt: skip
        found.append(one if one.name else replace(one, name=", ".join([one.mechanism, *told])))
    return tuple(found)


def _short(value: Any) -> str:
    """``value`` for a title, which is shown: of a file its name, as a path tells of the machine."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_short(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else Path(value).name if isinstance(value, str) else str(value)
