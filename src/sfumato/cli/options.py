"""Options that several commands share: which mechanism, with what, over which vocabulary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.mechanism import Mechanism
from sfumato.building.build import number_or_infinity
from sfumato.building.contextual import build_contextual
from sfumato.building.tokens import build_tokens
from sfumato.building.vocabularies import ANY, BUILTIN, clusters_file
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.errors import ConfigurationError
from sfumato.types import Progress as Told

MechanismName = Annotated[str, typer.Option("--mechanism", "-m", help="Which mechanism; see `sfumato list`.")]
Epsilon = Annotated[
    float | None,
    typer.Option("--epsilon", "-e", help="Privacy loss allowed for each draw, in nats (per unit of distance)."),
]
VocabularyFile = Annotated[
    list[str] | None,
    typer.Option("--vocabulary", help="Public vocabulary: builtin, a FILE, LABEL=FILE (repeatable)."),
]
Lower = Annotated[bool, typer.Option("--lower", help="Lower-case the tokens of vocabulary files, and drop repeats.")]
Encoder = Annotated[
    str | None, typer.Option("--encoder", help="Sentence encoder (folder or name) for phrases without vectors.")
]
Amplification = Annotated[
    str | None, typer.Option("--k", help="CluSanT: how far clusters are pushed apart (or inf).")
]
Clusters = Annotated[
    str | None, typer.Option("--clusters", help="CluSanT: number of clusters, `vocabulary`, or a JSON FILE of lists.")
]
SetSize = Annotated[int | None, typer.Option("--set-size", help="CusText: tokens in a set; CluSanT: in a cluster.")]
CalibrationName = Annotated[
    str, typer.Option("--calibration", help="exact: the largest scale within epsilon; paper: the published formula.")
]
Extra = Annotated[
    list[str] | None,
    typer.Option(
        "--option", help="Any other option of the mechanism as NAME=VALUE, e.g. similarity=cosine (repeatable)."
    ),
]
ModelName = Annotated[
    str | None, typer.Option("--model", help="dp-…: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.")
]
ClipOf = Annotated[
    str | None,
    typer.Option("--clip", help="dp-…: range of scores: LOW,HIGH, or a FILE of `sfumato models calibrate`."),
]
DocumentEpsilon = Annotated[
    float | None,
    typer.Option("--document-epsilon", help="dp-…: budget of a document, split over its draws (no --epsilon)."),
]
Block = Annotated[int | None, typer.Option("--block", help="dp-mlm: words of a document that are drawn in one pass.")]
NumberFormat = Annotated[
    str | None, typer.Option("--number-format", help="dp-…: float32, or bfloat16 (for GPUs; not with --pin).")
]
Device = Annotated[str | None, typer.Option("--device", help="dp-…: cpu or cuda; otherwise a GPU if there is one.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no closing lines.")]


_OWN = {
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (*signature(build_tokens).parameters, "clusters", "k", "set_size")
    },
    **{name: f"--{name.replace('_', '-')}" for name in ("model", "clip", "document_epsilon", "block")},
    **{"number_format": "--number-format", "device": "--device"},
    **{"calibration": "--calibration", "skip_labels": "--skip-label", "progress": "--quiet", "options": "--option"},
}
"""What --option must not override, with the flag that gives it (and is checked)."""

_OF_REDACTION = {
    **{"operator": "--operator", "operators": "--operator", "scope": "--scope", "key": "--key"},
    **{"chat_model": "--chat-model", "attributes": "--attribute"},
}


Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field", help="Text field of a record (repeatable); in .jsonl also patient.note or messages[].content."
    ),
]
IdField = Annotated[str | None, typer.Option("--id-field", help="Field with the record's id.")]
SpansField = Annotated[str, typer.Option("--spans-field", help="Field with given spans (--detect given).")]
SkipLabels = Annotated[
    list[str] | None,
    typer.Option("--skip-label", help="Given spans with this label are not protected (repeatable)."),
]
MergeSpans = Annotated[
    bool, typer.Option("--merge-spans", help="Given spans that overlap become one, instead of an error.")
]
Allow = Annotated[
    list[Path] | None,
    typer.Option("--allow", help="A span that is exactly an entry of the list FILE stays (repeatable)."),
]
Deny = Annotated[
    list[Path] | None,
    typer.Option("--deny", help="The entries of the list FILE are always marked (repeatable)."),
]
Lines = Annotated[bool, typer.Option("--lines", help="In .txt, each line is a document.")]
Quoting = Annotated[
    str | None, typer.Option("--quoting", help="Quotation marks in .csv/.tsv cells: csv (syntax) or none (text).")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="Encoding of the input, unless Parquet; the output is UTF-8.")
]
Missing = Annotated[
    str, typer.Option("--missing", help="A .jsonl record without a text field: stop, or pass it on as it is.")
]


@dataclass(frozen=True)
class ModelChoice:
    """The options of the mechanisms that work with a language model."""

    model: str | None = None
    clip: str | None = None
    document_epsilon: float | None = None
    block: int | None = None
    number_format: str | None = None
    device: str | None = None


def counted(number: int, what: str) -> str:
    """A number and its noun, for people."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


@dataclass(frozen=True)
class Choice:
    """What was asked for, as :func:`sfumato.build` wants it."""

    mechanism: str
    epsilon: float | None
    vocabulary: Sequence[str] | None
    encoder: str | None
    k: str | None
    clusters: str | None
    set_size: int | None
    calibration: str
    extra: Sequence[str] | None
    lower: bool = False
    with_model: ModelChoice = ModelChoice()

    @property
    def contextual(self) -> bool:
        """Whether the mechanism works with a language model."""
        return registry.is_contextual(self.mechanism)

    @property
    def editing(self) -> bool:
        """Whether the method has no formal guarantee."""
        return registry.is_editing(self.mechanism)

    @property
    def sources(self) -> dict[str, str]:
        """Vocabulary files by label ("ANY" for all labels that are not named)."""
        found: dict[str, str] = {}
        for given in self.vocabulary or []:
            label, equals, file = given.partition("=")
            named = bool(equals and label and label == label.upper())
            if not named:
                label, file = ANY, given
            if found.setdefault(label, file) != file:
                which = f"the label {label}" if named else "all labels"
                raise ConfigurationError(f"--vocabulary gives two vocabularies for {which}; keep one.")
        if found.get(ANY) == BUILTIN:
            del found[ANY]
        return found

    @property
    def files(self) -> list[Path]:
        """The files that vocabularies and clusters will be read from: all of them must be public."""
        named = [Path(file) for file in self.sources.values()]
        lists = [file.with_suffix(".txt") for file in named if file.suffix.lower() in (".npy", ".safetensors")]
        clusters = clusters_file(self.clusters)
        clip = Path(self.with_model.clip or ",")
        model = Path(self.with_model.model or "")
        found = [*named, *lists, *([] if clusters is None else [clusters]), *([clip] if clip.is_file() else [])]
        return [*found, *([model] if self.with_model.model and model.is_dir() else [])]

    def options(self) -> dict[str, Any]:
        """Keyword arguments for :func:`sfumato.build` beside the mechanism and epsilon."""
        if self.calibration not in ("exact", "paper"):
            raise ConfigurationError(f"--calibration is exact or paper, not {self.calibration!r}.")
        if self.contextual:
            return {**self._model_options(), **self._extra()}
        if self.editing:
            self._refuse_words()
            return {**self._masked(), **self._extra()}
        self._refuse(vars(self.with_model), f"{self.mechanism} works with a vocabulary, not with a language model")
        found: dict[str, Any] = {
            "vocabulary": self.sources or BUILTIN,
            "encoder": self._encoder(),
            "lower": self.lower,
            "calibration": self.calibration if self.calibration != "exact" else None,
            "k": None if self.k is None else number_or_infinity(self.k),
            "clusters": self.clusters,
            "set_size": self.set_size,
        }
        return {**found, **self._extra()}

    def _model_options(self) -> dict[str, Any]:
        """Keyword arguments for a mechanism that works with a language model."""
        words = ("vocabulary", "encoder", "k", "clusters", "set_size", "lower")
        asked = {name: getattr(self, name) or None for name in words}
        self._refuse(asked, f"{self.mechanism} works with a language model, not with a vocabulary")
        calibration = self.calibration if self.calibration != "exact" else None
        return {**vars(self.with_model), "calibration": calibration}

    def _masked(self) -> dict[str, Any]:
        """What a method without a guarantee takes of the options of a language model, if it works with one."""
        if "model" not in registry.editing_options(self.mechanism):
            return {}
        names = ("model", "number_format", "device", "block")
        return {name: value for name in names if (value := getattr(self.with_model, name)) is not None}

    def _refuse_words(self) -> None:
        """Refuse what belongs to draws: a method without a guarantee makes none."""
        names = ("vocabulary", "encoder", "k", "clusters", "set_size", "lower", "epsilon")
        asked = {name: getattr(self, name) or None for name in names}
        asked["calibration"] = self.calibration if self.calibration != "exact" else None
        asked |= {name: value for name, value in vars(self.with_model).items() if name not in self._masked()}
        self._refuse(asked, f"{self.mechanism} has no formal guarantee and draws no words")

    def _refuse(self, asked: Mapping[str, Any], why: str) -> None:
        given = [name for name, value in asked.items() if value is not None]
        if given:
            raise ConfigurationError(f"{why}; leave out --{given[0].replace('_', '-')}.")

    def _extra(self) -> dict[str, Any]:
        found = named_values(self.extra, "--option")
        for name in found:
            if name in _OWN or (self.editing and name in _OF_REDACTION):
                flag = _OWN.get(name) or _OF_REDACTION[name]
                raise ConfigurationError(
                    f"--option is for what has no flag; {name.replace('_', '-')} is given by {flag}."
                )
        return found

    def _encoder(self) -> Any:
        if self.encoder is None:
            return None
        from sfumato.models.encoders.sentence import SentenceEncoder

        return SentenceEncoder(self.encoder)

    def one_mechanism(self, label: str | None, told: Told | None) -> Mechanism:
        """The mechanism over the vocabulary for ``label`` (the common words, or the only vocabulary, without one)."""
        detect = "words" if label is None else "given"
        spent = 8.0 if self.epsilon is None else self.epsilon
        made = build_tokens(self.mechanism, spent, detect=detect, progress=told, **self.options())
        return made.routes[made.default if label is None else made.route_of(label)].mechanism

    def explaining(self) -> Choice:
        """The same with epsilon 8 where none was given: enough to look at a law, too little said for a release."""
        if self.editing:
            raise ConfigurationError(
                f"{self.mechanism} has no law to show and no formal guarantee to certify; measure a release with "
                "`sfumato evaluate`."
            )
        given = self.epsilon is not None or self.with_model.document_epsilon is not None
        return self if given else replace(self, epsilon=8.0)

    def only_words(self, **given: Any) -> dict[str, Any]:
        """``given`` without what was left out; refused where the mechanism works with a language model."""
        if self.contextual:
            self._refuse(given, f"{self.mechanism} works with a language model, not with a vocabulary")
        if self.editing:
            self._refuse(given, f"{self.mechanism} has no formal guarantee and draws no words")
        return {name: value for name, value in given.items() if value is not None}

    def rewriter(self, told: Told | None) -> ContextualSanitizer:
        """The rewriter of a mechanism that works with a language model."""
        return build_contextual(self.mechanism, self.epsilon, progress=told, **self.options())


def named_values(given: Sequence[str] | None, flag: str) -> dict[str, Any]:
    """What NAME=VALUE says, values as JSON where they are JSON; ``flag`` is named in the error."""
    found: dict[str, Any] = {}
    for one in given or []:
        name, equals, value = one.partition("=")
        if not equals:
            raise ConfigurationError(f"{flag} takes NAME=VALUE, not {one!r}.")
        found[name.strip().replace("-", "_")] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def existing(path: Path | None, what: str) -> Path | None:
    """``path`` if it is a file, else a sentence."""
    if path is not None and not path.is_file():
        wrong = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"{what} {path.name} {wrong}.")
    return path
