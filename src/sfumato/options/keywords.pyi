"""The keywords of public functions. Only type checkers read this: there is no module behind it."""

# Written by docs/make_face.py, from the annotations of options and the list of public names.

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from numpy import dtype, ndarray

    from sfumato.abstract.chat import ChatModel
    from sfumato.abstract.chat_use import ChatUse
    from sfumato.abstract.models import CausalModel, Encoder, MaskedModel
    from sfumato.abstract.vocabulary import Vocabulary
    from sfumato.building.chat import ChatChoice
    from sfumato.documents.rules import Rules
    from sfumato.privacy.clipped_softmax import ClipRange

class MechanismKeywords(TypedDict, total=False):
    """Options of mechanisms over tokens."""

    calibration: Literal["exact", "paper"] | Literal["exact", "paper", "optimal"]
    p: float
    sensitive_share: float
    replace_probability: float
    set_size: int
    similarity: Literal["euclidean", "cosine"] | ndarray[tuple[Any, ...], dtype[Any]] | str | Path
    prior: Literal["uniform", "frequency"]
    stop_words: Iterable[str] | str | Path | None
    k: float
    clusters: int | Literal["vocabulary"] | Sequence[Sequence[int]] | str | Path | None
    token_distance: Literal["plain", "normalised", "stretched"]
    regularisation: float
    second_weight: float
    beta: float
    threshold: float | None

class SharedKeywords(MechanismKeywords, total=False):
    """Options of methods that no function has as a parameter."""

    vocabulary: str | Path | Vocabulary | Mapping[str, str | Path | Vocabulary]
    lower: bool
    encoder: Encoder | str | Path | None
    unknown: Literal["nearest", "surrogate"] | None
    surrogate: str | None
    consistency: Literal["mention", "document"]
    detect: str | Sequence[str] | None
    detect_options: Mapping[str, Any]
    spans_field: str | None
    skip_labels: Collection[str]
    merge_spans: bool
    allow: str | Path | Sequence[str | Path]
    deny: str | Path | Sequence[str | Path]
    addition: float
    deletion: float
    block: int
    batch: int | None
    context: Literal["original", "none"]
    antonyms: str | Path | None
    model: str | Path | MaskedModel | CausalModel | None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None
    device: str | None
    window: int | None
    document_epsilon: float | None
    law: Literal["rank", "softmax"] | None
    clip: str | Path | tuple[float, float] | ClipRange | None
    gains: str | Path | None
    tokens_per_word: float
    segment: int
    instruction: str
    answer: str
    operator: str
    operators: Mapping[str, str]
    scope: str
    key: bytes | None
    mask: str
    length: int
    dates: str
    shift: int
    subject: str | None
    digits: int
    locale: str
    chat_model: str | ChatChoice | ChatModel | ChatUse | None
    everywhere: bool
    way: Literal["generative", "substitutive", "masked"]
    candidates: int
    choose: Literal["ndd", "first"]
    divergence: Literal["hellinger", "kl"]
    decay: float | None
    phrases: str | Path | None
    share: float | None
    attributes: Sequence[str]
    certainty: int
    first: str

class MethodKeywords(SharedKeywords, total=False):
    """Options of `sfumato.build`."""

    tokens: int | None
    rounds: int

class AuditKeywords(SharedKeywords, total=False):
    """Options of a method in `sfumato.audit`."""

    rounds: int

class ReadingKeywords(TypedDict, total=False):
    """How a file is read."""

    fields: Sequence[str]
    id_field: str | None
    lines: bool
    quoting: Literal["csv", "none"] | None
    on_error: Literal["stop", "quarantine"]
    missing: Literal["stop", "pass"]
    encoding: str
    chunk_records: int
    chunk_characters: int
    subject_field: str | None
    documents: Rules | None

class FileKeywords(SharedKeywords, ReadingKeywords, total=False):
    """Options of `sfumato.sanitize_file`."""

    tokens: int | None
    labels: Sequence[str]
    keep: Sequence[str] | None

class SynthesisKeywords(ReadingKeywords, total=False):
    """Options of `sfumato.synthesize_file`."""

    rank: int
    scale: float
    batch: int | None
    epochs: float
    steps: int | None
    clip: float | None
    learning_rate: float | None
    length: int
    temperature: float
    top_p: float
    checkpoint_every: int
    model: str | Path | MaskedModel | CausalModel | None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None
    device: str | None
    window: int | None
    group_size: int | None
    top_k: int
    record_length: int
    instruction: str
    without: str
    label: str
    rounds: int
    candidates: int
    sharpness: float
    variation: float
    about: str
    chat_model: str | ChatChoice | ChatModel | ChatUse | None

class PlanKeywords(TypedDict, total=False):
    """Options of `sfumato.evaluate`: the fields of a `Plan`."""

    attacks: Sequence[str]
    metrics: Sequence[str]
    id_field: str | None
    field: str
    released_field: str | None
    labels: Sequence[str]
    tasks: Sequence[str]
    knowledge: Literal["first", "random", "last"]
    claims: int
    sample: int
    dense: bool
    one_to_one: bool
    held_out: str | None
    trained: str | None
    canaries: str | None
    population: str | None
    population_fields: Sequence[str]
    population_k: int
    unit_field: str | None
    texts_per_unit: int | None
    seed: int
    kinds: str
    texts: str
    encoder: str | None
    classifier: str | None
    causal: str | None
    entailment: str | None
    paraphrased_knowledge: bool
    rounds: str | None
