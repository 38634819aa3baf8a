"""The options that an engine or a part brings to a method, one group for each: frozen dataclasses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.models import Encoder
from sfumato.building.chat import ChatChoice
from sfumato.building.detectors import Lists, detector, detector_names
from sfumato.building.models import Clip, LawName, Model
from sfumato.building.vocabularies import BUILTIN, VocabularyChoice
from sfumato.detectors.given import MERGE, SKIP_LABELS, SPANS_FIELD
from sfumato.engines.routes import Unknown
from sfumato.engines.tokens import Consistency
from sfumato.models.local_model import NamedFormat
from sfumato.options.option import DETECT, Option
from sfumato.registry import CONTEXTUAL, HEURISTICS, TOKENS, detector_class

CHAT = "chat"
_FILES = "files with commas between"


@dataclass(frozen=True)
class DetectionOptions:
    """What finds the spans to replace."""

    detect: Annotated[
        str | Sequence[str] | None,
        Option(
            "what is looked for: words, content-words, entities, identifiers, "
            "noun-phrases, disclosures, list:FILE, given or given:FILE (repeatable; what several find is united); "
            "none for methods that rewrite whole texts",
            flag="--detect", repeated=True, usual="what suits the method (find, redaction: identifiers)",
        ),
    ] = None  # fmt: skip
    detect_options: Annotated[
        Mapping[str, Any],
        Option("options of the detectors by name; on a command line each is set as detect.NAME"),
    ] = field(default_factory=dict)
    spans_field: Annotated[str | None, SPANS_FIELD] = None
    skip_labels: Annotated[Collection[str], SKIP_LABELS] = ()
    merge_spans: Annotated[bool, MERGE] = False
    allow: Annotated[
        Lists,
        Option("a span that is exactly an entry of the list FILE stays", under=DETECT, file=True, metavar=_FILES),
    ] = ()
    deny: Annotated[
        Lists,
        Option("the entries of the list FILE are always marked", under=DETECT, file=True, metavar=_FILES),
    ] = ()

    def names(self, usual: str) -> tuple[str, ...]:
        """Return the names of the detectors; ``usual`` is the one where none is named."""
        return detector_names(usual if self.detect is None or self.detect == "" else self.detect)

    def detector(self, usual: str, chat: ChatUse | None = None, none: bool = False) -> Detector:
        """Return the detector, or several as one.

        ``chat`` is the language model for those that ask one, and ``none`` allows that nothing is looked for.
        """
        names = self.names(usual)
        asking = any(CHAT in detector_class(name).needs for name in names)
        given = {**self.detect_options, **({CHAT: chat} if asking else {})}
        return detector(
            names, self.spans_field, self.skip_labels, self.merge_spans, given, self.allow, self.deny, none
        )


@dataclass(frozen=True)
class VocabularyOptions:
    """The public vocabulary of a mechanism over tokens."""

    vocabulary: Annotated[
        VocabularyChoice,
        Option(
            "public vocabulary: builtin or a FILE; vocabulary.LABEL for one label", file=True,
            metavar="`builtin`, a file, or one for each label",
        ),
    ] = BUILTIN  # fmt: skip
    lower: Annotated[bool, Option("lower-case the tokens of vocabulary files, and drop repeats")] = False
    encoder: Annotated[
        Encoder | str | Path | None,
        Option("sentence encoder (folder or name) for phrases without vectors", file=True),
    ] = None


@dataclass(frozen=True)
class TokenOptions:
    """How the engine of tokens maps unknown words, and how often it draws."""

    unknown: Annotated[Unknown | None, Option("unknown words become the nearest token, or the public surrogate")] = (
        None
    )
    surrogate: Annotated[str | None, Option("the public token that unknown words become")] = None
    consistency: Annotated[
        Consistency, Option("mention: a draw for each place; document: for each distinct token")
    ] = "mention"


@dataclass(frozen=True)
class ModelOptions:
    """The language model on this machine that a method works with."""

    model: Annotated[
        str | Path | Model | None,
        Option(
            "embedded, smollm2, a FOLDER, or a provisioned Hugging Face name", file=True,
            metavar="a name or a folder",
        ),
    ] = None  # fmt: skip
    number_format: Annotated[
        NamedFormat | None,
        Option(
            "auto (masked models: the quickest that passes its check; float32 with --pin), float32, int8 (masked "
            "models on a processor), or bfloat16 (for GPUs; not with --pin)", usual="auto",
        ),
    ] = None  # fmt: skip
    device: Annotated[str | None, Option("cpu or cuda; otherwise a GPU if there is one")] = None
    window: Annotated[int | None, Option("pieces of a text that the model reads at once")] = None


@dataclass(frozen=True)
class BudgetOptions:
    """What a draw in context costs, and how the model's scores decide it."""

    document_epsilon: Annotated[float | None, Option("budget of a document, split over its draws (no epsilon)")] = (
        None
    )
    law: Annotated[
        LawName | None,
        Option(
            "how scores decide: rank, or softmax as in the papers",
            usual="rank; softmax with clip or calibration paper",
        ),
    ] = None  # fmt: skip
    clip: Annotated[
        Clip | None,
        Option(
            "range of scores for the softmax: LOW,HIGH, or a FILE of `sfumato models calibrate --law softmax`",
            file=True, metavar="two numbers or a file",
        ),
    ] = None  # fmt: skip
    gains: Annotated[
        str | Path | None,
        Option("what ranks are worth: a FILE of `sfumato models calibrate`", file=True),
    ] = None


@dataclass(frozen=True)
class SpanOptions:
    """How the engine of spans marks."""

    everywhere: Annotated[bool, Option("a text that was found once is marked wherever else it stands")] = True


@dataclass(frozen=True)
class AskingOptions:
    """The language model that is asked in words."""

    chat_model: Annotated[
        str | ChatChoice | ChatModel | ChatUse | None,
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
