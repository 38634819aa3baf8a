"""Rebuilds the mechanisms of the privacy statement beside a release, exactly or not at all.

The statement holds every public parameter and the hash of each vocabulary. Built-in vocabularies are built again;
vocabulary files are looked for where they were. The result must have the vocabulary's hash and all parameters of the
statement; otherwise it is another mechanism and is refused. Of a policy, the mechanism of each treatment is rebuilt,
or the reason is given why nothing is said of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building import methods
from sfumato.building.public_arrays import StatedValues
from sfumato.engines.values import WEAKEST
from sfumato.errors import ConfigurationError, InputError, SfumatoError
from sfumato.evaluation.audit.findings import Prior, even_prior, unigram_prior
from sfumato.mechanisms.geometric import Geometric
from sfumato.types import Progress
from sfumato.vocabularies import partition
from sfumato.vocabularies.builtin import FAMILIES, builtin_vocabularies
from sfumato.vocabularies.load import load_vocabulary, source_file

NO_LAW = {
    "shift": "a shift moves all dates of a record or person by one number of days, so that no single date has a law; "
    "anyone who knows one of the true dates knows them all",
    "independent": "the draw does not look at the value (epsilon 0), so that nobody names it more often than by "
    "guessing; that a value is there shows, and where one value is drawn once, which places hold the same",
}

_BUILTIN = re.compile(r"built-in ([A-Z]+):")
_FILE = re.compile(r"(?P<name>.+) \(sha256 (?P<digest>[0-9a-f]{12})\):")
_DERIVED = frozenset({"epsilon", "protected_hash", "clusters_from", "cluster_hash"})


@dataclass(frozen=True)
class Stated:
    """The statement beside a release: its path and its content."""

    path: Path
    content: Mapping[str, Any]

    @property
    def mechanism(self) -> str:
        """Return the name of the mechanism."""
        return str(self.content["mechanism"])

    @property
    def private(self) -> bool:
        """Return whether any guarantee holds."""
        return self.content.get("private") is True

    def check(self, release: Mapping[str, Any]) -> None:
        """Raise InputError unless this is the statement of a release with these ``sha256`` and ``records``."""
        stated = self.content.get("release")
        digest = stated.get("sha256") if isinstance(stated, Mapping) else None
        if digest is None or digest != release.get("sha256"):
            raise InputError(f"{self.path.name} is the statement of another file; sanitize again.")
        records = self.content.get("records")
        count = records.get("count") if isinstance(records, Mapping) else None
        if count != release.get("records"):
            raise InputError(f"{self.path.name} is about another number of records, so about another file.")


def read_statement(release: Path) -> Stated:
    """Return the statement beside ``release``. Raise InputError if there is none that can be read."""
    path = release.absolute()
    path = path.with_name(f"{path.name}.privacy.json")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no {path.name} beside the release, so its mechanism is not known.") from None
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{path.name} cannot be read as JSON.") from None
    if not isinstance(content, dict) or not isinstance(content.get("mechanism"), str):
        raise InputError(f"{path.name} is not a privacy statement of sfumato.")
    return Stated(path, content)


def rebuilt(stated: Stated, name: str, folders: Sequence[Path], progress: Progress | None = None) -> Mechanism:
    """Return the mechanism over the vocabulary ``name``; the vocabulary's file, if any, is looked for in ``folders``.

    Raise InputError or ConfigurationError if exactly that mechanism cannot be built again.
    """
    entry = stated.content["vocabularies"][name]
    parameters = entry.get("parameters") if isinstance(entry, Mapping) else None
    if not isinstance(parameters, Mapping) or not isinstance(parameters.get("epsilon"), int | float):
        raise InputError(f"{stated.path.name} does not say how the vocabulary {name} was used.")
    vocabulary = _vocabulary(str(entry.get("provenance")), str(entry.get("hash")), folders, progress)
    return made_again(stated.mechanism, vocabulary, parameters, stated.path.name)


def made_again(name: str, vocabulary: Vocabulary, parameters: Mapping[str, Any], where: str) -> Mechanism:
    """Return the mechanism ``name`` over ``vocabulary`` that has exactly the ``parameters`` that ``where`` states.

    Raise ConfigurationError if it cannot be built again.
    """
    for options in _options(parameters, vocabulary):
        try:
            mechanism = _made(name, vocabulary, float(parameters["epsilon"]), options)
            same = json.loads(json.dumps(mechanism.parameters)) == dict(parameters)
        except (SfumatoError, TypeError, ValueError):  # a statement of another version
            continue
        if same:
            return mechanism
    raise ConfigurationError(
        f"{name} with the parameters of {where} cannot be built again (it has clusters or scores of its own, or "
        "is from another version)."
    )


def _made(name: str, vocabulary: Vocabulary, epsilon: float, options: Mapping[str, Any]) -> Mechanism:
    if name == Geometric.name:
        return Geometric(vocabulary, epsilon, **options)
    return methods.mechanism(name, vocabulary, epsilon, **options)


def _options(parameters: Mapping[str, Any], vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Return the options that may have given ``parameters``."""
    given = {key: value for key, value in parameters.items() if key not in _DERIVED}
    if given.get("k") == "infinity":
        given["k"] = float("inf")
    count = given.pop("clusters", None)
    if count is None:
        return [given]
    tokens = len(vocabulary)
    sizes = [size for size in range(2, tokens + 1) if len(partition.sizes_of(tokens, size)) == count]
    likely = sorted(sizes, key=lambda size: abs(size - 20))[:20]  # 20 is the default
    sized = [{**given, "set_size": size} for size in likely]
    return [*sized, {**given, "clusters": count}, {**given, "clusters": "vocabulary"}]


def _vocabulary(provenance: str, digest: str, folders: Sequence[Path], progress: Progress | None) -> Vocabulary:
    built_in = _BUILTIN.match(provenance)
    if built_in and built_in[1] in FAMILIES:
        vocabulary = builtin_vocabularies(progress=progress, labels=[built_in[1]])[built_in[1]]
        if vocabulary.hash == digest:
            return vocabulary
        raise InputError(f"the built-in vocabulary {built_in[1]} differs here (other packages or another encoder).")
    file = _FILE.match(provenance)
    if file:
        name = Path(file["name"]).name
        for path in (folder / name for folder in folders):
            if path.is_file() and source_file(path).sha256.startswith(file["digest"]):
                for lower in (False, True):
                    read = load_vocabulary(path, lower=lower)
                    if read.hash == digest:
                        return read
    raise InputError("the file that a vocabulary was read from is no longer there, or has changed.")


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
