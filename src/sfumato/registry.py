"""Names to classes: what exists, how to ask for it, and the sentence for a name that does not exist.

A row of a table is a name, where the class lives, its family, and a line about it. What a class needs and which
options it has is in the class. Other packages add rows by the entry points of :data:`GROUPS`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from sfumato.abstract.detector import Detector
from sfumato.abstract.method import Method
from sfumato.errors import ConfigurationError
from sfumato.options.option import Described, options_of

TOKENS, CONTEXTUAL, HEURISTICS, SYNTHESIS = "tokens", "contextual", "heuristics", "synthesis"
DETECTOR, ATTACK, METRIC, NOTED = "detector", "attack", "metric", "noted"


class Row(NamedTuple):
    """Where a class lives ("module:Class"), its family, and one line about it."""

    place: str
    family: str
    about: str


def _rows(room: str, family: str, rows: Mapping[str, tuple[str, str]]) -> dict[str, Row]:
    return {name: Row(f"sfumato.{room}.{place}", family, about) for name, (place, about) in rows.items()}


METHODS: dict[str, Row] = {
    **_rows("mechanisms", TOKENS, {
        "santext": ("santext:SanText", "exponential in the distance, over all words"),
        "santext+": ("santext_plus:SanTextPlus", "SanText on rare words, frequent ones mostly kept"),
        "custext": ("custext:CusText", "exponential inside sets of K similar words"),
        "custext+": ("custext_plus:CusTextPlus", "CusText that keeps stop words"),
        "clusant": ("clusant:CluSanT", "a cluster first, then a word or phrase inside it"),
        "fbdd": ("fbdd:FBDD", "spherical noise on the vector, then the nearest word"),
        "mahalanobis": ("mahalanobis:Mahalanobis", "elliptical noise, then the nearest word"),
        "vickrey": ("vickrey:Vickrey", "noise, then the nearest or second-nearest word"),
        "tem": ("tem:TEM", "exponential in the distance truncated at a threshold"),
    }),
    **_rows("mechanisms", CONTEXTUAL, {
        "dp-mlm": ("dp_mlm:DPMLM", "each word redrawn by a masked model that sees the document"),
        "dp-prompt": ("dp_prompt:DPPrompt", "the document said in other words by an instructed causal model"),
        "dp-paraphrase": (
            "dp_paraphrase:DPParaphrase", "the document continued by a causal model tuned on paraphrases"
        ),
    }),
    **_rows("heuristics", HEURISTICS, {
        "redaction": (
            "redaction:Redaction", "labels, masks, pseudonyms, surrogates, generalisation or keyed hashes"
        ),
        "distortion": (
            "distortion:Distortion", "other phrases, written or listed, that change the words around them least"
        ),
        "abstraction": ("abstraction:Abstraction", "each phrase said in more general words by a language model"),
        "iterative": (
            "iterative:Iterative", "a language model tells what it can infer and rewrites the text, in rounds"
        ),
        "paraphrase": (
            "paraphrase:Paraphrase", "identifiers replaced, then all of it said in other words by a language model"
        ),
    }),
}  # fmt: skip
"""Mechanisms over tokens, mechanisms in context (with a language model), and methods without a guarantee."""

DETECTORS: dict[str, Row] = _rows("detectors", DETECTOR, {
    "words": ("words:Words", "every word"),
    "content-words": ("words:ContentWords", "all but stop words"),
    "entities": ("tagger:Entities", "named entities found by spaCy"),
    "identifiers": ("identifiers:Identifiers", "what may identify, by a trained network and formats"),
    "presidio": ("presidio.detector:Presidio", "what Presidio's recognisers find, or those of a YAML file"),
    "noun-phrases": ("noun_phrases:NounPhrases", "noun phrases found by spaCy's parser"),
    "list:FILE": ("rules:Listed", "words, phrases and /regular expressions/ of a file"),
    "given": ("given:Given", "spans given in a field of the record"),
    "given:FILE": ("found_before:FoundBefore", "spans given in a file of `sfumato find`"),
    "disclosures": (
        "disclosures:Disclosures",
        "personal facts that a language model lists; for methods without a guarantee",
    ),
})  # fmt: skip

STUDIES: dict[str, Row] = _rows("evaluation.studies", ATTACK, {
    "linkage": ("linkage:LinkageStudy", "records are re-identified by what an attacker knows of them"),
    "tokens": ("tokens:TokenStudy", "replaced words are guessed from the words around them"),
    "guarantee": ("guarantee:GuaranteeStudy", "the best attacker that the stated guarantee allows"),
    "reconstruction": (
        "reconstruction:ReconstructionStudy", "a language model writes the originals of released texts"
    ),
    "attributes": ("attributes:AttributeStudy", "labels are inferred from the release"),
    "population": ("population:PopulationStudy", "the people of a public table who share what is shown are counted"),
    "copies": ("copies:CopiesStudy", "runs of words and nearest records of synthetic texts are looked for"),
    "membership": ("membership:MembershipStudy", "members are told from people held out of training"),
    "canaries": ("canaries:CanariesStudy", "planted secrets or names are looked for in synthetic records"),
}) | _rows("evaluation.studies", NOTED, {
    "rounds": ("rounds:RoundsStudy", "what a language model still found, as `-m iterative` noted it"),
})  # fmt: skip
"""Attacks on a release, and what was noted when it was made, in the order of the report."""

METRICS: dict[str, Row] = _rows("evaluation.studies", METRIC, {
    "surface": ("utility:SurfaceStudy", "distances and likeness, as they are often reported"),
    "utility": ("utility:UtilityStudy", "what the text is still good for"),
    "divergence": ("tokens:DivergenceStudy", "how far the words around a replacement have moved; takes minutes"),
    "quality": ("quality:QualityStudy", "a language model marks original and release"),
    "answers": ("answers:AnswersStudy", "a language model answers questions about the records from the release"),
    "purposes": ("purposes:PurposesStudy", "a language model sorts chats by what is asked for, before and after"),
})  # fmt: skip
"""What is measured of a release beside attacks, in the order of the report."""

SYNTHESIZERS: dict[str, Row] = _rows("synthesis", SYNTHESIS, {
    "finetune": ("finetune.finetune:Finetune", "a causal model is tuned on the records by DP-SGD, then writes"),
    "predict": ("predict.predict:Predict", "a causal model writes, and many records together sway each token"),
    "evolve": ("evolve.method:Evolve", "a chat model varies public texts, and the records vote for them"),
})  # fmt: skip
"""Methods that write new records in the manner of the private ones."""

GROUPS: dict[str, str] = {
    TOKENS: "sfumato.mechanisms",
    CONTEXTUAL: "sfumato.contextual",
    HEURISTICS: "sfumato.heuristics",
    SYNTHESIS: "sfumato.synthesizers",
    DETECTOR: "sfumato.detectors",
    ATTACK: "sfumato.attacks",
    METRIC: "sfumato.metrics",
}
"""Entry-point groups by which other packages add rows, by family: name = "module:Class"."""

BASES: dict[str, str] = {
    TOKENS: "sfumato.abstract.mechanism:Mechanism",
    CONTEXTUAL: "sfumato.abstract.contextual:ContextualMechanism",
    HEURISTICS: "sfumato.abstract.heuristic:SpanHeuristic",
    SYNTHESIS: "sfumato.abstract.synthesizer:Synthesizer",
    DETECTOR: "sfumato.abstract.detector:Detector",
    **dict.fromkeys((ATTACK, METRIC, NOTED), "sfumato.evaluation.bench:Measure"),
}
"""What the classes of a family are."""


def methods(*families: str) -> dict[str, Row]:
    """Return every method by name, or those of some ``families``; those of other packages too."""
    return _table(METHODS, families or (TOKENS, CONTEXTUAL, HEURISTICS))


def synthesizers() -> dict[str, Row]:
    """Return every method that writes new records by name, those of other packages too."""
    return _table(SYNTHESIZERS, (SYNTHESIS,))


def detectors() -> dict[str, Row]:
    """Return every detector by name."""
    return _table(DETECTORS, (DETECTOR,))


def studies(*families: str) -> dict[str, Row]:
    """Return every study of an evaluation by name, or the attacks or the metrics alone, in the report's order."""
    return _table({**STUDIES, **METRICS}, families or (ATTACK, NOTED, METRIC))


def _table(own: Mapping[str, Row], families: Iterable[str]) -> dict[str, Row]:
    plugged: dict[str, Row] = {}
    for family in families:
        for point in _points(tuple(sys.path)).get(GROUPS.get(family, ""), ()):
            row = Row(point.value, family, f"from the package {_package(point)}")
            before = plugged.setdefault(point.name.lower(), row)
            if before != row:
                raise ConfigurationError(
                    f"The name {point.name.lower()!r} is given twice, by {before.place} ({before.about}) and by "
                    f"{row.place} ({row.about}); uninstall one of them."
                )
    return {**{name: row for name, row in own.items() if row.family in families},
            **{name: row for name, row in plugged.items() if name not in own}}  # fmt: skip


@cache
def _points(_: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    """The entry points of our groups, on a path where modules are looked for."""
    return {group: list(entry_points(group=group)) for group in GROUPS.values()}


def _package(point: EntryPoint) -> str:
    return "of somebody else" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def family(name: str) -> str:
    """Return the family of the method called ``name``. Raises ConfigurationError where there is none."""
    return _row(name, METHODS, (TOKENS, CONTEXTUAL, HEURISTICS), "method").family


def method_class(name: str, *families: str) -> type[Method]:
    """Return the class of the method called ``name``, which is one of ``families`` (none: any).

    Raises ConfigurationError for an unknown name, suggesting the nearest.
    """
    row = _row(name, METHODS, families or (TOKENS, CONTEXTUAL, HEURISTICS), "method")
    method: type[Method] = _load(name.lower(), row)
    return method


def study_class(name: str) -> Any:
    """Return the class of the study called ``name``. Raises ConfigurationError where there is none."""
    return _load(name.lower(), _row(name, {**STUDIES, **METRICS}, (ATTACK, NOTED, METRIC), "study"))


def synthesizer_class(name: str) -> Any:
    """Return the class of the synthesizer called ``name``. Raises ConfigurationError where there is none."""
    return _load(name.lower(), _row(name, SYNTHESIZERS, (SYNTHESIS,), "method of synthesis"))


def detector_class(name: str) -> type[Detector]:
    """Return the class of the detector called ``name``; "list:FILE" and "list:names.txt" are the same class."""
    kind, _, file = name.partition(":")
    asked = f"{kind}:FILE" if file else name
    row = DETECTORS.get(asked) or detectors().get(asked)
    if row is None:
        raise ConfigurationError(f"There is no detector {name!r}{suggestion(name, list(detectors()))}")
    return _load(asked, row)  # type: ignore[no-any-return]


def _row(name: str, own: Mapping[str, Row], families: Iterable[str], what: str) -> Row:
    """Return the row of ``name``; those of other packages, which take a while to find, are looked for last."""
    row = own.get(name.lower())
    if row is not None and row.family in families:
        return row
    known = _table(own, families)
    if name.lower() not in known:
        raise ConfigurationError(f"There is no {what} {name!r}{suggestion(name, list(known))}")
    return known[name.lower()]


def _load(name: str, row: Row) -> Any:
    """Return the class of ``row``. Raises ConfigurationError where it cannot be what stands under ``name``.

    A method is known by its own name in every statement, so that it has none but its own.
    """
    found, base = _at(row.place), _at(BASES[row.family])
    if not (isinstance(found, type) and issubclass(found, base) and is_dataclass(found)):
        raise ConfigurationError(
            f"{row.place} ({row.about}) is no dataclass of the kind {base.__name__}, as its group asks."
        )
    called = getattr(found, "name", None)
    if row.family in (TOKENS, CONTEXTUAL, HEURISTICS, SYNTHESIS) and called != name:
        raise ConfigurationError(
            f"{row.place} ({row.about}) is called {called!r} and stands under {name!r}; give the class the name of "
            "its entry point."
        )
    return found


def _at(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def owners(name: str, table: Mapping[str, Row] = METHODS) -> dict[str, Described]:
    """Return the rows of ``table`` whose classes have a field called ``name``, with what they say of it."""
    every = ((other, option) for other, row in table.items() for option in options_of(_load(other, row)))
    return {other: option for other, option in every if option.name == name}


def suggestion(name: str, known: list[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest known one, and all of them."""
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
    return (f"; did you mean {near[0]}?" if near else ".") + f" Known: {', '.join(sorted(known))}."
