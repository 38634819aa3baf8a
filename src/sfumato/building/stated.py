"""The privacy statement beside a release, and its mechanisms built again, exactly or not at all.

The statement holds every public parameter and the hash of each vocabulary. Built-in vocabularies are built again;
vocabulary files are looked for where they were. The result must have the vocabulary's hash and all parameters of the
statement; otherwise it is another mechanism and is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building import methods
from sfumato.detectors.words import ContentWords, Words
from sfumato.errors import ConfigurationError, InputError, SfumatoError
from sfumato.mechanisms.geometric import Geometric
from sfumato.types import Progress
from sfumato.vocabularies import partition
from sfumato.vocabularies.builtin import FAMILIES, builtin_vocabularies
from sfumato.vocabularies.load import load_vocabulary, source_file

_BUILTIN = re.compile(r"built-in ([A-Z]+):")
_FILE = re.compile(r"(?P<name>.+) \(sha256 (?P<digest>[0-9a-f]{12})\):")
STEPS = "steps"
"""Where a statement says what was done to a release after its draws."""
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

    @property
    def detector(self) -> Detector | None:
        """Return the detector of the release if every word that it marks can be found in a text alone; else None."""
        stated = self.content.get("detector")
        described = stated.get("protects") if isinstance(stated, Mapping) else None
        return next((detector for detector in (Words(), ContentWords()) if detector.description == described), None)

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
    if isinstance(content, dict) and "schedule" in content:
        raise InputError(f"{path.name} is about synthetic records, of which no word was drawn.")
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
