"""What may be given to :func:`sfumato.build` for a method: the options of its engine, of its parts, and its own.

Nothing about one method stands here. A class says what it ``needs``; each need and each family brings a group of
options, a frozen dataclass; the method's own options are its fields.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from sfumato import registry
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.chat import ChatModel
from sfumato.abstract.detector import Detector
from sfumato.abstract.method import Method
from sfumato.abstract.models import Encoder
from sfumato.abstract.options import Described, Option, check_names, chosen, options_of, parts_of
from sfumato.building.models import Clip, Model
from sfumato.building.vocabularies import BUILTIN, VocabularyChoice
from sfumato.detectors.given import MERGE, SKIP_LABELS, SPANS_FIELD
from sfumato.engines.routes import Unknown
from sfumato.engines.tokens import Consistency
from sfumato.errors import ConfigurationError
from sfumato.models.local_model import NumberFormat
from sfumato.registry import CONTEXTUAL, HEURISTICS, TOKENS

G = TypeVar("G")
CHAT = "chat"


@dataclass(frozen=True)
class DetectionOptions:
    """What finds the spans to replace."""

    detect: Annotated[
        str | Sequence[str] | None,
        Option(
            "what is replaced, if not what suits the method: words, content-words, entities, identifiers, "
            "noun-phrases, disclosures, list:FILE, given or given:FILE (repeatable; what several find is united)",
            flag="--detect", repeated=True,
        ),
    ] = None  # fmt: skip
    detect_options: Annotated[
        Mapping[str, Any],
        Option(
            "option of a detector as NAME=VALUE, e.g. threshold=0.6, language=de (repeatable)",
            "--detect-option",
            "",
            True,
        ),
    ] = field(default_factory=dict)
    spans_field: Annotated[str | None, SPANS_FIELD] = None
    skip_labels: Annotated[Collection[str], SKIP_LABELS] = ()
    merge_spans: Annotated[bool, MERGE] = False
    allow: Annotated[
        registry.Lists,
        Option("a span that is exactly an entry of the list FILE stays (repeatable)", "--allow", "", True, file=True),
    ] = ()
    deny: Annotated[
        registry.Lists,
        Option("the entries of the list FILE are always marked (repeatable)", "--deny", "", True, file=True),
    ] = ()

    def names(self, usual: str) -> tuple[str, ...]:
        """Return the names of the detectors; ``usual`` is the one where none is named."""
        return registry.detector_names(self.detect or usual)

    def detector(self, usual: str, chat: ChatUse | None = None) -> Detector:
        """Return the detector, or several as one; ``chat`` is the language model for those that ask one."""
        names = self.names(usual)
        asking = any(CHAT in registry.detector_class(name).needs for name in names)
        given = {**self.detect_options, **({CHAT: chat} if asking else {})}
        return registry.detector(
            names, self.spans_field, self.skip_labels, self.merge_spans, given, self.allow, self.deny
        )


@dataclass(frozen=True)
class VocabularyOptions:
    """The public vocabulary of a mechanism over tokens."""

    vocabulary: Annotated[
        VocabularyChoice,
        Option(
            "public vocabulary: builtin, a FILE, LABEL=FILE (repeatable)", "--vocabulary", "", True, file=True,
            metavar="`builtin`, a file, or one for each label",
        ),
    ] = BUILTIN  # fmt: skip
    lower: Annotated[bool, Option("lower-case the tokens of vocabulary files, and drop repeats", "--lower")] = False
    encoder: Annotated[
        Encoder | str | None,
        Option("sentence encoder (folder or name) for phrases without vectors", "--encoder", file=True),
    ] = None


@dataclass(frozen=True)
class TokenOptions:
    """How the engine of tokens maps unknown words, and how often it draws."""

    unknown: Annotated[
        Unknown | None, Option("unknown words become the nearest token, or the public surrogate", "--unknown")
    ] = None
    surrogate: Annotated[str | None, Option("the public token that unknown words become", "--surrogate")] = None
    consistency: Annotated[
        Consistency, Option("mention: a draw for each place; document: for each distinct token", "--consistency")
    ] = "mention"


@dataclass(frozen=True)
class ModelOptions:
    """The language model on this machine that a method works with."""

    model: Annotated[
        str | Path | Model | None,
        Option(
            "embedded, smollm2, a FOLDER, or a provisioned Hugging Face name", "--model", file=True,
            metavar="a name or a folder",
        ),
    ] = None  # fmt: skip
    number_format: Annotated[
        NumberFormat | None, Option("float32, or bfloat16 (for GPUs; not with --pin)", "--number-format")
    ] = None
    device: Annotated[str | None, Option("cpu or cuda; otherwise a GPU if there is one", "--device")] = None
    window: Annotated[int | None, Option("pieces of a text that the model reads at once")] = None


@dataclass(frozen=True)
class BudgetOptions:
    """What a draw in context costs, and the range its scores are clipped to."""

    document_epsilon: Annotated[
        float | None, Option("budget of a document, split over its draws (no --epsilon)", "--document-epsilon")
    ] = None
    clip: Annotated[
        Clip | None,
        Option(
            "range of scores: LOW,HIGH, or a FILE of `sfumato models calibrate`", "--clip", file=True,
            metavar="two numbers or a file",
        ),
    ] = None  # fmt: skip


@dataclass(frozen=True)
class SpanOptions:
    """How the engine of spans marks."""

    everywhere: Annotated[bool, Option("a text that was found once is marked wherever else it stands")] = True


@dataclass(frozen=True)
class AskingOptions:
    """The language model that is asked in words."""

    chat_model: Annotated[
        str | ChatModel | ChatUse | None,
        Option("NAME at SFUMATO_CHAT_URL, or local:FOLDER, local:smollm2", "--chat-model", metavar="a name"),
    ] = None


@dataclass(frozen=True)
class PhraseOptions:
    """The public store of phrases by label."""

    phrases: Annotated[str | Path | None, Option("public JSON FILE of phrases by label", file=True)] = None


@dataclass(frozen=True)
class ShareOptions:
    """How much of what is found is replaced at all."""

    share: Annotated[float | None, Option("about this share of what is found is replaced; the rest stays")] = None


ENGINES: Mapping[str, tuple[type[Any], ...]] = {
    TOKENS: (TokenOptions,), CONTEXTUAL: (BudgetOptions,), HEURISTICS: (SpanOptions,),
}  # fmt: skip
"""The options of the engine that runs a family."""

NEEDS: Mapping[str, type[Any]] = {
    "vocabulary": VocabularyOptions, "masked-model": ModelOptions, "causal-model": ModelOptions, CHAT: AskingOptions,
    "phrases": PhraseOptions, "share": ShareOptions,
}  # fmt: skip
"""What a class may say that it needs, with the options from which that is built."""


@dataclass(frozen=True)
class Offer:
    """The options that the method ``name`` takes where the detectors ``detect`` find its spans."""

    name: str
    detect: tuple[str, ...] | None = None

    @property
    def method(self) -> type[Method]:
        """Return the class of the method."""
        return registry.method_class(self.name)

    @property
    def detectors(self) -> tuple[str, ...]:
        """Return the names of the detectors."""
        return self.detect or (self.method.default_detector,)

    @property
    def asks(self) -> bool:
        """Return whether method or detector asks a language model."""
        return CHAT in self.needs

    @property
    def who_asks(self) -> str:
        """Return who asks a language model, for a sentence: the method, or its detectors."""
        return self.name if CHAT in self.method.needs else f"--detect {' '.join(self.detectors)}"

    @property
    def needs(self) -> tuple[str, ...]:
        """Return what has to be built: for the method, and a language model where a detector asks one."""
        own = tuple(self.method.needs)
        asking = any(CHAT in registry.detector_class(name).needs for name in self.detectors)
        return (*own, CHAT) if asking and CHAT not in own else own

    @property
    def groups(self) -> tuple[type[Any], ...]:
        """Return the groups of options beside the method's own, each once."""
        brought = (NEEDS[need] for need in self.needs)
        return tuple(dict.fromkeys((*brought, *ENGINES[registry.family(self.name)])))

    @property
    def options(self) -> tuple[Described, ...]:
        """Return the options of the method itself, of its parts and of its engine; without those of a detector."""
        return (*options_of(self.method), *(option for group in self.groups for option in options_of(group)))

    @property
    def everything(self) -> tuple[Described, ...]:
        """Return the same and how spans are found."""
        return (*self.options, *options_of(DetectionOptions))

    def check_asking(self) -> None:
        """Refuse a detector that asks a language model with a method that has a guarantee."""
        if self.asks and registry.family(self.name) != HEURISTICS:
            raise ConfigurationError(
                f"--detect {' '.join(self.detectors)} asks a language model and works with methods without a "
                "guarantee, such as redaction."
            )

    def check(self, names: Collection[str]) -> None:
        """Raise ConfigurationError for an option that the method has no field for, whatever its value is."""
        check_names(self.name, names, self.everything, owners, self.options)

    def taken(self, given: Mapping[str, Any]) -> Taken:
        """Return ``given`` by group. Raises ConfigurationError for an option that the method has no field for."""
        self.check_asking()
        values = chosen(self.name, given, self.everything, owners, self.options)
        kinds: tuple[type[Any], ...] = (DetectionOptions, *self.groups)
        groups = {kind: kind(**_of(kind, values)) for kind in kinds}
        return Taken(self, groups, _of(self.method, values))


@dataclass(frozen=True)
class Taken:
    """The options that were given for a method, by group; ``own`` are those of the method itself."""

    offer: Offer
    groups: Mapping[type[Any], Any]
    own: Mapping[str, Any]

    def of(self, group: type[G]) -> G:
        """Return the options of ``group``."""
        found: G = self.groups[group]
        return found


def take(name: str, given: Mapping[str, Any], *families: str) -> Taken:
    """Return the options ``given`` for the method ``name`` of some ``families`` (none: any), by group.

    Raises ConfigurationError for a name that does not exist, or an option that the method does not have.
    """
    registry.method_class(name, *families)
    detect = given.get("detect")
    return Offer(name, registry.detector_names(detect) if detect else None).taken(given)


def owners(name: str) -> dict[str, Described]:
    """Return the methods of this package that take an option called ``name``, with what they say of it."""
    every = ((method, option) for method in registry.METHODS for option in Offer(method).options)
    return {method: option for method, option in every if option.name == name}


def check_budget(method: str, given: bool, flag: str) -> None:
    """Refuse a method with a guarantee for which no budget was ``given``; ``flag`` is how one is.

    Raises ConfigurationError, for a name that does not exist as well.
    """
    family = registry.family(method)
    if family != HEURISTICS and not given:
        example = 20 if family == CONTEXTUAL else 8
        raise ConfigurationError(
            f"How much privacy loss is allowed is yours to say: give {flag}, for example {example}."
        )


def _of(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    names = {option.name for option in options_of(kind)} - parts_of(kind)
    return {name: value for name, value in values.items() if name in names}
