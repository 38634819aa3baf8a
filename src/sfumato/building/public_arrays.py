"""What a statement is about, as plain arrays: its public vocabularies, and the sets that a law is made of.

The kinds of value that the statement of a policy names, with the options that it states, are made again as well.

The sets are made again as a release makes them. They are as public as the vocabulary, and the statement holds their
hash, so that a checker knows whether they are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.abstract.kind import Kind
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import Encoder
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building import methods
from sfumato.building.policies import Embedding, domain_of, for_law
from sfumato.building.vocabularies import read_clusters, read_similarity
from sfumato.errors import ConfigurationError, InputError
from sfumato.kinds.registry import KINDS, kinds_of
from sfumato.language.languages import ENGLISH, language_of
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.set_law import SetLaw
from sfumato.types import IntArray, Progress
from sfumato.vocabularies.builtin import FAMILIES, builtin_vocabularies
from sfumato.vocabularies.load import load_vocabulary

_DECIDING: Mapping[str, tuple[str, ...]] = {
    "santext+": ("sensitive_share",),
    "custext": ("set_size", "similarity"),
    "custext+": ("set_size", "similarity", "stop_words"),
}
"""The parameters that decide which tokens a law is about, and its sets."""


def stated_vocabularies(
    names: Iterable[str], files: Mapping[str, str], encoder: str | None, lower: bool, progress: Progress | None
) -> dict[str, Vocabulary]:
    """Return the vocabularies that a statement has under ``names``: from ``files`` by name, else built in.

    Raise :class:`ConfigurationError` for a file under another name, and for a missing file.
    """
    wanted = list(names)
    if strange := [name for name in files if name not in wanted]:
        raise ConfigurationError(f"The statement has no vocabulary {strange[0]}; it has {', '.join(wanted)}.")
    rest = [name for name in wanted if name not in files]
    if missing := [name for name in rest if name not in FAMILIES]:
        raise ConfigurationError(
            f"The statement's vocabulary {missing[0]} is not built in; give its file with --set vocabulary=FILE."
        )
    reading: Encoder | None = None if encoder is None else SentenceEncoder(encoder)
    read = {
        name: load_vocabulary(Path(file), encoder=reading, lower=lower, progress=progress)
        for name, file in files.items()
    }
    return {**read, **(builtin_vocabularies(reading, progress, rest) if rest else {})}


def stated_mechanism(
    name: str, vocabulary: Vocabulary, stated: Mapping[str, Any], typed: Mapping[str, Any]
) -> Mechanism:
    """Return the mechanism ``name`` with the covered tokens and the sets that the ``stated`` entry describes.

    Its scales are not the statement's, because only the public sets are looked at; laws that no scale names are made
    again. ``typed`` holds the files of clusters and similarity. Raise :class:`ConfigurationError` where one was
    supplied and is not given.
    """
    parameters = stated["parameters"]
    options = {option: parameters[option] for option in _DECIDING.get(name, ()) if option in parameters}
    if name == "clusant":
        options = _clusters(vocabulary, stated, typed.get("clusters"))
    supplied = options.get("similarity") == "supplied"
    if supplied:
        if "similarity" not in typed:
            raise ConfigurationError(
                "The statement's similarity was supplied in a file; give it with --set similarity=FILE."
            )
        options |= {"similarity": read_similarity(typed["similarity"]), "calibration": parameters["calibration"]}
    elif "similarity" in typed:
        raise ConfigurationError("The statement names no similarity that was supplied; leave out similarity.")
    if parameters.get("calibration") == "optimal":
        options |= {"calibration": "optimal", "prior": parameters["prior"]}
    elif not supplied:
        return methods.mechanism(name, vocabulary, 1.0, **options)
    if name == "clusant":
        options |= {name: parameters[name] for name in ("p", "token_distance")} | {"k": math.inf}
    return methods.mechanism(name, vocabulary, float(parameters["epsilon"]), **options)


def tables_of(mechanism: Mechanism) -> tuple[IntArray, ...]:
    """Return the whole weights (K, K) of each set of laws that no formula gives, in the order of the sets."""
    made: Any = mechanism
    law: SetLaw = getattr(made, "inner", made).set_law
    return law.weights


def _clusters(vocabulary: Vocabulary, stated: Mapping[str, Any], clusters: str | None) -> dict[str, Any]:
    if clusters is not None:
        return {"clusters": read_clusters(clusters, vocabulary)}
    if "set_size" in stated["law"]:
        return {"set_size": stated["law"]["set_size"]}
    if stated["parameters"]["clusters_from"] != "supplied":
        return {"clusters": stated["parameters"]["clusters"]}
    if vocabulary.clusters is None:
        raise ConfigurationError(
            "The statement's clusters were supplied in a file; give it with --set clusters=FILE."
        )
    return {"clusters": "vocabulary"}


@dataclass(frozen=True, eq=False)
class StatedValues:
    """Makes kinds and domains that a statement describes; ``encoder`` embeds names and words."""

    encoder: Encoder = field(default_factory=SentenceEncoder)

    def kind(self, treatment: Mapping[str, Any]) -> Kind:
        """Return the kind of an entry of a statement. Raise InputError for one that does not exist here."""
        named, options = treatment.get("kinds"), treatment.get("options", {})
        if not isinstance(named, list) or len(named) != 1 or named[0] not in KINDS:
            raise InputError("a treatment by draws is not of one kind of value that exists here")
        [name] = named
        try:
            language = str(treatment.get("language", ENGLISH.code))
            language_of(language)
            kind = kinds_of(Embedding(self.encoder), {name: options}, language)[name]
        except (ConfigurationError, TypeError, AttributeError):
            raise InputError(f"the options of the kind {name} are not those of this version") from None
        return for_law(kind, str(treatment.get("method")))

    def domain(self, kind: Kind, grain: str) -> Vocabulary:
        """Return a domain as a policy builds it."""
        return domain_of(kind, grain, self.encoder)
