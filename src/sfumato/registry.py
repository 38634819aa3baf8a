"""Names to classes: what exists, how to ask for it, and the sentence for a name that does not exist.

A row of a table is a name, where the class lives, its family, and a line about it. What a class needs and which
options it has stands in the class. Other packages add rows by the entry points of :data:`GROUPS`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.detector import Detector
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.method import Method
from sfumato.abstract.options import Described, chosen, options_of, parts_of
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError

TOKENS, CONTEXTUAL, HEURISTICS = "tokens", "contextual", "heuristics"
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
    "identifiers": ("identifiers:Identifiers", "what may identify: Presidio, named entities, rules"),
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
    "linkage": ("linkage:LinkageStudy", "records are found again by what an attacker knows of them"),
    "tokens": ("tokens:TokenStudy", "replaced words are guessed from the words around them"),
    "guarantee": ("guarantee:GuaranteeStudy", "the best attacker that the stated guarantee allows"),
    "attributes": ("attributes:AttributeStudy", "labels are inferred from the release"),
}) | _rows("evaluation.studies", NOTED, {
    "rounds": ("rounds:RoundsStudy", "what a language model still found, as `-m iterative` noted it"),
})  # fmt: skip
"""Attacks on a release, and what was noted when it was made, in the order of the report."""

METRICS: dict[str, Row] = _rows("evaluation.studies", METRIC, {
    "surface": ("surface:SurfaceStudy", "distances and likeness, as they are often reported"),
    "utility": ("utility:UtilityStudy", "what the text is still good for"),
    "divergence": ("divergence:DivergenceStudy", "how far the words around a replacement have moved; takes minutes"),
    "quality": ("quality:QualityStudy", "a language model marks original and release"),
})  # fmt: skip
"""What is measured of a release beside attacks, in the order of the report."""

GROUPS: dict[str, str] = {
    TOKENS: "sfumato.mechanisms",
    CONTEXTUAL: "sfumato.contextual",
    HEURISTICS: "sfumato.heuristics",
    DETECTOR: "sfumato.detectors",
    ATTACK: "sfumato.attacks",
    METRIC: "sfumato.metrics",
}
"""Entry-point groups by which other packages add rows, by family: name = "module:Class"."""

Lists = str | Path | Sequence[str | Path]
"""One file or several, each a list of words, phrases and patterns."""


def methods(*families: str) -> dict[str, Row]:
    """Return every method by name, or those of some ``families``; those of other packages too."""
    return _table(METHODS, families or (TOKENS, CONTEXTUAL, HEURISTICS))


def detectors() -> dict[str, Row]:
    """Return every detector by name."""
    return _table(DETECTORS, (DETECTOR,))


def studies(*families: str) -> dict[str, Row]:
    """Return every study of an evaluation by name, or the attacks or the metrics alone, in the report's order."""
    return _table({**STUDIES, **METRICS}, families or (ATTACK, NOTED, METRIC))


def _table(own: Mapping[str, Row], families: Iterable[str]) -> dict[str, Row]:
    plugged = {
        point.name.lower(): Row(point.value, family, f"from the package {_package(point)}")
        for family in families
        for point in _points(tuple(sys.path)).get(GROUPS.get(family, ""), ())
    }
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
    return _row(name, methods(), "method").family


def method_class(name: str, *families: str) -> type[Method]:
    """Return the class of the method called ``name``, which is one of ``families`` (none: any).

    Raises ConfigurationError for an unknown name, suggesting the nearest.
    """
    found: type[Method] = _load(_row(name, methods(*families), "method").place)
    return found


def study_class(name: str) -> Any:
    """Return the class of the study called ``name``. Raises ConfigurationError where there is none."""
    return _load(_row(name, studies(), "study").place)


def detector_class(name: str) -> type[Detector]:
    """Return the class of the detector called ``name``; "list:FILE" and "list:names.txt" are the same class."""
    kind, _, file = name.partition(":")
    known = detectors()
    if (asked := f"{kind}:FILE" if file else name) not in known:
        raise ConfigurationError(f"There is no detector {name!r}{suggestion(name, list(known))}")
    return _load(known[asked].place)  # type: ignore[no-any-return]


def _row(name: str, known: Mapping[str, Row], what: str) -> Row:
    if name.lower() not in known:
        raise ConfigurationError(f"There is no {what} {name!r}{suggestion(name, list(known))}")
    return known[name.lower()]


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def mechanism(name: str, vocabulary: Vocabulary, epsilon: float, /, **options: Any) -> Mechanism:
    """Return the mechanism called `name` over `vocabulary`, which spends `epsilon` nats on each draw.

    `options` go to the mechanism; those that are None keep its defaults.

    Raises:
        ConfigurationError: The name does not exist (the error suggests one), or the mechanism has no such option.
    """
    made: Mechanism = _made(name, (TOKENS,), {"vocabulary": vocabulary, "epsilon": epsilon}, options)
    return made


def contextual(name: str, /, **options: Any) -> ContextualMechanism:
    """Return the contextual mechanism called ``name``, of its parts and options. Raises ConfigurationError."""
    return _made(name, (CONTEXTUAL,), {}, options)  # type: ignore[no-any-return]


def heuristic(name: str, /, **options: Any) -> SpanHeuristic:
    """Return the method without a guarantee called ``name``, of its parts and options. Raises ConfigurationError."""
    return _made(name, (HEURISTICS,), {}, options)  # type: ignore[no-any-return]


def _made(name: str, families: tuple[str, ...], fixed: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    found: Any = method_class(name, *families)
    parts = {part: value for part, value in given.items() if part in parts_of(found) and part not in fixed}
    own = {option: value for option, value in given.items() if option not in parts}
    return found(**fixed, **parts, **chosen(name, own, options_of(found), owners))


def owners(name: str, table: Mapping[str, Row] = METHODS) -> dict[str, Described]:
    """Return the rows of ``table`` whose classes have a field called ``name``, with what they say of it."""
    every = ((other, option) for other, row in table.items() for option in options_of(_load(row.place)))
    return {other: option for other, option in every if option.name == name}


def detector_names(name: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of one detector or several. Raises ConfigurationError where there is none, or one twice."""
    names = (name,) if isinstance(name, str) else tuple(name) if isinstance(name, Sequence) else ()
    if not names or not all(isinstance(one, str) for one in names) or len(set(names)) < len(names):
        raise ConfigurationError("Name at least one detector, and each once.")
    return names


def detector(
    name: str | Sequence[str],
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    options: Mapping[str, Any] | None = None,
    allow: Lists = (),
    deny: Lists = (),
) -> Detector:
    """Return a detector by its name, or several as one.

    Args:
        name: One name or several, whose spans are united; `list:FILE` and `given:FILE` read a file.
        spans_field: The field with given spans, for `given`; `spans` if it is not named.
        skip_labels: Given spans with these labels are not protected.
        merge_spans: Given spans that overlap become one, instead of an error.
        options: Options of `entities`, `identifiers` and `disclosures`, by name.
        allow: Files of texts; a span that is exactly an entry stays, unless it is denied.
        deny: Files of texts whose entries are always marked.

    Raises:
        ConfigurationError: A name or an option does not exist, or the options cannot work together.
    """
    names = detector_names(name)
    kinds = [detector_class(one) for one in names]
    given = {**(options or {}), "skip_labels": skip_labels or None, "merge": merge_spans or None}
    if any("field" in _taken(kind) for kind in kinds):
        given.setdefault("field", spans_field)
    known = {option.name: option for kind in kinds for option in options_of(kind)}
    parts = {part: given.pop(part) for kind in kinds for part in parts_of(kind) & given.keys()}
    who, others = f"--detect {' '.join(names)}", partial(owners, table=DETECTORS)
    values = {**chosen(who, given, list(known.values()), others), **parts}
    found = [_detector(one, kind, values) for one, kind in zip(names, kinds, strict=True)]
    if len(found) == 1 and not allow and not deny:
        return found[0]
    from sfumato.detectors.allowing import Allowed
    from sfumato.detectors.rules import Listed
    from sfumato.detectors.uniting import Combined

    allowed = tuple(map(Allowed.from_file, _paths(allow)))
    return Combined(tuple(found), allowed, tuple(map(Listed.from_file, _paths(deny))))


def _detector(name: str, kind: Any, values: Mapping[str, Any]) -> Detector:
    file = name.partition(":")[2]
    own = {option: value for option, value in values.items() if option in _taken(kind)}
    made: Detector = kind.from_file(file, **own) if file else kind(**own)
    return made


def _taken(kind: type[Any]) -> set[str]:
    return {option.name for option in options_of(kind)} | parts_of(kind)


def detector_files(names: Iterable[str], allow: Lists = (), deny: Lists = ()) -> list[Path]:
    """Return the files that the detectors called ``names`` and the lists of :func:`detector` are read from."""
    named = [name.partition(":")[2] for name in names]
    return [Path(file) for file in (*named, *_paths(allow), *_paths(deny)) if file]


def _paths(lists: Lists) -> Sequence[str | Path]:
    return [lists] if isinstance(lists, str | Path) else lists


def suggestion(name: str, known: list[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest known one, and all of them."""
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
    return (f"; did you mean {near[0]}?" if near else ".") + f" Known: {', '.join(sorted(known))}."
