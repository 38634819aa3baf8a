"""Names to classes: what exists, how to ask for it, and the sentence for a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.detector import Detector
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError

MECHANISMS = {
    "santext": ("sfumato.mechanisms.santext:SanText", "exponential in the distance, over all words"),
    "santext+": (
        "sfumato.mechanisms.santext_plus:SanTextPlus",
        "SanText on rare words, frequent ones mostly kept",
    ),
    "custext": ("sfumato.mechanisms.custext:CusText", "exponential inside sets of K similar words"),
    "custext+": ("sfumato.mechanisms.custext_plus:CusTextPlus", "CusText that keeps stop words"),
    "clusant": ("sfumato.mechanisms.clusant:CluSanT", "a cluster first, then a word or phrase inside it"),
    "fbdd": ("sfumato.mechanisms.fbdd:FBDD", "spherical noise on the vector, then the nearest word"),
    "mahalanobis": ("sfumato.mechanisms.mahalanobis:Mahalanobis", "elliptical noise, then the nearest word"),
    "vickrey": ("sfumato.mechanisms.vickrey:Vickrey", "noise, then the nearest or second-nearest word"),
    "tem": ("sfumato.mechanisms.tem:TEM", "exponential in the distance truncated at a threshold"),
}
CONTEXTUAL = {
    "dp-mlm": ("sfumato.mechanisms.dp_mlm:DPMLM", "each word redrawn by a masked model that sees the document"),
    "dp-prompt": (
        "sfumato.mechanisms.dp_prompt:DPPrompt",
        "the document said in other words by an instructed causal model",
    ),
    "dp-paraphrase": (
        "sfumato.mechanisms.dp_paraphrase:DPParaphrase",
        "the document continued by a causal model tuned on paraphrases",
    ),
}
"""Mechanisms whose scores see the whole document; a language model takes the place of the vocabulary."""

EDITINGS = {
    "redaction": (
        "sfumato.heuristics.redaction:Redaction",
        "labels, masks, pseudonyms, surrogates, generalisation or keyed hashes",
    ),
    "distortion": (
        "sfumato.heuristics.distortion:Distortion",
        "other phrases, written or listed, that change the words around them least",
    ),
    "abstraction": (
        "sfumato.heuristics.abstraction:Abstraction",
        "each phrase said in more general words by a language model",
    ),
    "iterative": (
        "sfumato.heuristics.iterative:Iterative",
        "a language model tells what it can infer and rewrites the text, in rounds",
    ),
    "paraphrase": (
        "sfumato.heuristics.paraphrase:Paraphrase",
        "identifiers replaced, then all of it said in other words by a language model",
    ),
}
"""Methods without a formal guarantee: what they leave has to be measured."""

DETECTORS = {
    "words": ("sfumato.detectors.words:Words", "every word"),
    "content-words": ("sfumato.detectors.words:ContentWords", "all but stop words"),
    "entities": ("sfumato.detectors.tagger:Entities", "named entities found by spaCy"),
    "identifiers": (
        "sfumato.detectors.identifiers:Identifiers",
        "what may identify: Presidio, named entities, rules",
    ),
    "noun-phrases": ("sfumato.detectors.noun_phrases:NounPhrases", "noun phrases found by spaCy's parser"),
    "list:FILE": ("sfumato.detectors.rules:Listed", "words, phrases and /regular expressions/ of a file"),
    "given": ("sfumato.detectors.given:Given", "spans given in a field of the record"),
    "given:FILE": ("sfumato.detectors.found_before:FoundBefore", "spans given in a file of `sfumato find`"),
    "disclosures": (
        "sfumato.detectors.disclosures:Disclosures",
        "personal facts that a language model lists; for methods without a guarantee",
    ),
}
_TAKING = frozenset({"entities", "identifiers", "disclosures"})
"""The detectors that take options."""

Lists = str | Path | Sequence[str | Path]
"""One file or several, each a list of words, phrases and patterns."""

PLUGINS = "sfumato.mechanisms"
"""Entry-point group by which other packages add mechanisms: name = "module:Class"."""


def mechanisms() -> dict[str, tuple[str, str]]:
    """Every mechanism by name: where it lives, and one line about it."""
    plugged = {point.name: (point.value, "from another package") for point in entry_points(group=PLUGINS)}
    return {**plugged, **MECHANISMS}


def mechanism(name: str, vocabulary: Vocabulary, epsilon: float, /, **options: Any) -> Mechanism:
    """Return the mechanism called `name` over `vocabulary`, which spends `epsilon` nats on each draw.

    `options` go to the mechanism; those that are None keep its defaults.

    Raises:
        ConfigurationError: The name does not exist (the error suggests one), or the mechanism has no such option.
    """
    found: Any = mechanism_class(name)
    made: Mechanism = found(vocabulary=vocabulary, epsilon=epsilon, **_known(name, found, options, MECHANISMS))
    return made


def is_contextual(name: str) -> bool:
    """Whether ``name`` is a mechanism that works with a language model."""
    return name.lower() in CONTEXTUAL


def contextual(name: str, /, **options: Any) -> ContextualMechanism:
    """The contextual mechanism called ``name``; options that are None are left to its defaults.

    Raises :class:`ConfigurationError` for an unknown name or an option it does not have.
    """
    if not is_contextual(name):
        raise ConfigurationError(f"No language model works in {name!r}{suggestion(name, list(CONTEXTUAL))}")
    found: Any = _load(CONTEXTUAL[name.lower()][0])
    made: ContextualMechanism = found(**_known(name, found, options))
    return made


def is_editing(name: str) -> bool:
    """Whether ``name`` is a method without a formal guarantee."""
    return name.lower() in EDITINGS


def editing(name: str, /, **options: Any) -> SpanHeuristic:
    """The method without a guarantee called ``name``; options that are None are left to its defaults.

    Raises :class:`ConfigurationError` for an unknown name or an option it does not have.
    """
    if not is_editing(name):
        raise ConfigurationError(f"There is no method {name!r}{suggestion(name, list(EDITINGS))}")
    found: Any = _load(EDITINGS[name.lower()][0])
    made: SpanHeuristic = found(**_known(name, found, options))
    return made


def editing_options(name: str) -> frozenset[str]:
    """What the method without a guarantee called ``name`` may be given."""
    return frozenset(_options(_load(EDITINGS[name.lower()][0])))


def asks(name: str) -> bool:
    """Whether the method called ``name`` asks a language model."""
    return is_editing(name) and "chat" in editing_options(name)


def _known(name: str, found: Any, options: Mapping[str, Any], others: Iterable[str] = ()) -> dict[str, Any]:
    """The options that are given; ConfigurationError, naming ``others`` that take it, for one it does not have."""
    given = {key: value for key, value in options.items() if value is not None}
    known = _options(found)
    for option in given:
        if option not in known:
            takers = [other for other in others if option in _options(mechanism_class(other))]
            also = f"it belongs to {', '.join(takers)}" if takers else f"it has {', '.join(known)}"
            raise ConfigurationError(f"{name} has no option {option.replace('_', '-')}; {also}.")
    return given


def mechanism_class(name: str) -> type[Mechanism]:
    """The class of the mechanism called ``name``."""
    known = mechanisms()
    if name.lower() not in known:
        raise ConfigurationError(
            f"There is no mechanism {name!r}{suggestion(name, [*known, *CONTEXTUAL, *EDITINGS])}"
        )
    found: type[Mechanism] = _load(known[name.lower()][0])
    return found


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
    if not any(_is_given(one) for one in names) and (skip_labels or merge_spans):
        raise ConfigurationError("Labels to skip and spans to merge belong to --detect given.")
    if options and not _TAKING & {*names}:
        raise ConfigurationError(
            "Options of a detector are for --detect entities, --detect identifiers and --detect disclosures."
        )
    found = [_detector(one, spans_field, skip_labels, merge_spans, _own(one, names, options or {})) for one in names]
    if len(found) == 1 and not allow and not deny:
        return found[0]
    from sfumato.detectors.allowing import Allowed
    from sfumato.detectors.rules import Listed
    from sfumato.detectors.uniting import Combined

    allowed = tuple(map(Allowed.from_file, _paths(allow)))
    return Combined(tuple(found), allowed, tuple(map(Listed.from_file, _paths(deny))))


def detector_files(names: Iterable[str], allow: Lists = (), deny: Lists = ()) -> list[Path]:
    """Return the files that the detectors called ``names`` and the lists of :func:`detector` are read from."""
    named = [name.partition(":")[2] for name in names if name.partition(":")[0] in ("list", "given")]
    return [Path(file) for file in (*named, *_paths(allow), *_paths(deny)) if file]


def _is_given(name: str) -> bool:
    return name.partition(":")[0] == "given"


def _paths(lists: Lists) -> Sequence[str | Path]:
    return [lists] if isinstance(lists, str | Path) else lists


def _own(name: str, names: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of ``options`` that the detector ``name`` has; the first of ``names`` gets the rest, and refuses it."""
    taking = {one: _options(_load(DETECTORS[one][0])) for one in names if one in _TAKING and options}
    known = {option for each in taking.values() for option in each}
    rest = options.keys() - known if name == next(iter(taking), None) else ()
    return {option: value for option, value in options.items() if option in taking.get(name, ()) or option in rest}


def _detector(
    name: str,
    spans_field: str | None,
    skip_labels: Collection[str],
    merge_spans: bool,
    options: Mapping[str, Any],
) -> Detector:
    kind, _, argument = name.partition(":")
    if kind == "list" and argument:
        from sfumato.detectors.rules import Listed

        return Listed.from_file(argument)
    if kind == "given" and argument:
        from sfumato.detectors.found_before import FoundBefore

        return FoundBefore.from_file(argument, skip_labels, merge_spans)
    if name == "given":
        from sfumato.detectors.given import Given

        return Given(field=spans_field or "spans", skip_labels=frozenset(skip_labels), merge=merge_spans)
    if name not in DETECTORS or kind in ("list", "given"):
        raise ConfigurationError(f"There is no detector {name!r}{suggestion(name, list(DETECTORS))}")
    found: Any = _load(DETECTORS[name][0])
    made: Detector = found(**_known(name, found, options))
    return made


def suggestion(name: str, known: list[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, and all of them."""
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
    return (f"; did you mean {near[0]}?" if near else ".") + f" Known: {', '.join(sorted(known))}."


def _options(found: Any) -> list[str]:
    return [field.name for field in fields(found) if field.init]


def _load(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
