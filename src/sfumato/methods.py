"""Every method with its options, typed: `sfumato.CusText(epsilon=6.0)` for `sfumato.build`."""

# Written by docs/make_face.py, from the annotations of options and the list of public names.

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sfumato.abstract.choice import MethodChoice

if TYPE_CHECKING:
    from numpy import dtype, ndarray

    from sfumato.abstract.chat import ChatModel
    from sfumato.abstract.chat_use import ChatUse
    from sfumato.abstract.models import CausalModel, Encoder, MaskedModel
    from sfumato.abstract.vocabulary import Vocabulary
    from sfumato.building.chat import ChatChoice
    from sfumato.privacy.clipped_softmax import ClipRange


@dataclass(frozen=True, kw_only=True, repr=False)
class Detecting(MethodChoice):
    """A method that replaces what detectors find.

    Attributes:
        detect: What is looked for: words, content-words, entities, identifiers, noun-phrases, disclosures,
            list:FILE, given or given:FILE (what several find is united); none for methods that rewrite whole
            texts. Default: what suits the method (find, redaction: identifiers).
        detect_options: Options of the detectors by name; on a command line each is set as detect.NAME.
        spans_field: Field with given spans (--detect given).
        skip_labels: Given spans with these labels are not protected.
        merge_spans: Given spans that overlap become one, instead of an error.
        allow: A span that is exactly an entry of the list FILE stays.
        deny: The entries of the list FILE are always marked.
    """

    detect: str | Sequence[str] | None = None
    detect_options: Mapping[str, Any] = field(default_factory=dict)
    spans_field: str | None = None
    skip_labels: Collection[str] = ()
    merge_spans: bool = False
    allow: str | Path | Sequence[str | Path] = ()
    deny: str | Path | Sequence[str | Path] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class OverTokens(Detecting):
    """A mechanism over the tokens of a public vocabulary.

    Attributes:
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP).
        vocabulary: Public vocabulary: builtin or a FILE; vocabulary.LABEL for one label.
        lower: Lower-case the tokens of vocabulary files, and drop repeats.
        encoder: Sentence encoder (folder or name) for phrases without vectors.
        unknown: Unknown words become the nearest token, or the public surrogate.
        surrogate: The public token that unknown words become.
        consistency: mention: a draw for each place; document: for each distinct token.
    """

    epsilon: float
    vocabulary: str | Path | Vocabulary | Mapping[str, str | Path | Vocabulary] = "builtin"
    lower: bool = False
    encoder: Encoder | str | Path | None = None
    unknown: Literal["nearest", "surrogate"] | None = None
    surrogate: str | None = None
    consistency: Literal["mention", "document"] = "mention"


@dataclass(frozen=True, kw_only=True, repr=False)
class SanText(OverTokens):
    """Exponential in the distance, over all words.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        p: Which Lp distance: 2 is the Euclidean one.
    """

    method: ClassVar[str] = "santext"
    calibration: Literal["exact", "paper"] = "exact"
    p: float = 2.0


@dataclass(frozen=True, kw_only=True, repr=False)
class SanTextPlus(OverTokens):
    """SanText on rare words, frequent ones mostly kept.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        p: Which Lp distance: 2 is the Euclidean one.
        sensitive_share: Share of the vocabulary that is sensitive: its rarest words.
        replace_probability: How often a word that is not sensitive is replaced.
    """

    method: ClassVar[str] = "santext+"
    calibration: Literal["exact", "paper"] = "exact"
    p: float = 2.0
    sensitive_share: float = 0.5
    replace_probability: float = 0.3


@dataclass(frozen=True, kw_only=True, repr=False)
class CusText(OverTokens):
    """Exponential inside sets of K similar words.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula; optimal: the law
            with the least expected distance within epsilon.
        set_size: Tokens in a set.
        similarity: How the likeness of tokens is measured: by their vectors, or by a public FILE.npy (V, V)
            with a score of every pair, higher if more alike.
        prior: Calibration optimal: whether all tokens count alike, or by how often English uses them
            (wordfreq).
    """

    method: ClassVar[str] = "custext"
    calibration: Literal["exact", "paper", "optimal"] = "exact"
    set_size: int = 20
    similarity: Literal["euclidean", "cosine"] | ndarray[tuple[Any, ...], dtype[Any]] | str | Path = "euclidean"
    prior: Literal["uniform", "frequency"] = "uniform"


@dataclass(frozen=True, kw_only=True, repr=False)
class CusTextPlus(OverTokens):
    """CusText that keeps stop words.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula; optimal: the law
            with the least expected distance within epsilon.
        set_size: Tokens in a set.
        similarity: How the likeness of tokens is measured: by their vectors, or by a public FILE.npy (V, V)
            with a score of every pair, higher if more alike.
        prior: Calibration optimal: whether all tokens count alike, or by how often English uses them
            (wordfreq).
        stop_words: A public FILE with a stop word a line, in place of sfumato's own list; its words pass as
            they are.
    """

    method: ClassVar[str] = "custext+"
    calibration: Literal["exact", "paper", "optimal"] = "exact"
    set_size: int = 20
    similarity: Literal["euclidean", "cosine"] | ndarray[tuple[Any, ...], dtype[Any]] | str | Path = "euclidean"
    prior: Literal["uniform", "frequency"] = "uniform"
    stop_words: Iterable[str] | str | Path | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class CluSanT(OverTokens):
    """A cluster first, then a word or phrase inside it.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula; optimal: the law
            with the least expected distance within epsilon.
        k: How far clusters are pushed apart (or inf).
        clusters: Number of clusters, `vocabulary`, or a JSON FILE of lists.
        set_size: Tokens in a cluster, where their number is not given.
        p: Which Lp distance: 2 is the Euclidean one.
        token_distance: Whether distances inside a cluster are divided by their spread, or stretched for each
            input.
        prior: Calibration optimal: whether all tokens count alike, or by how often English uses them
            (wordfreq).
    """

    method: ClassVar[str] = "clusant"
    calibration: Literal["exact", "paper", "optimal"] = "exact"
    k: float = 16.0
    clusters: int | Literal["vocabulary"] | Sequence[Sequence[int]] | str | Path | None = None
    set_size: int = 20
    p: float = 2.0
    token_distance: Literal["plain", "normalised", "stretched"] = "plain"
    prior: Literal["uniform", "frequency"] = "uniform"


@dataclass(frozen=True, kw_only=True, repr=False)
class FBDD(OverTokens):
    """Spherical noise on the vector, then the nearest word.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
    """

    method: ClassVar[str] = "fbdd"
    calibration: Literal["exact", "paper"] = "exact"


@dataclass(frozen=True, kw_only=True, repr=False)
class Mahalanobis(OverTokens):
    """Elliptical noise, then the nearest word.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        regularisation: Weight of the covariance of the vectors; 0 is spherical noise.
    """

    method: ClassVar[str] = "mahalanobis"
    calibration: Literal["exact", "paper"] = "exact"
    regularisation: float = 0.5


@dataclass(frozen=True, kw_only=True, repr=False)
class Vickrey(OverTokens):
    """Noise, then the nearest or second-nearest word.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        second_weight: t of the paper: weight of the second-nearest token.
    """

    method: ClassVar[str] = "vickrey"
    calibration: Literal["exact", "paper"] = "exact"
    second_weight: float = 0.75


@dataclass(frozen=True, kw_only=True, repr=False)
class TEM(OverTokens):
    """Exponential in the distance truncated at a threshold.

    Attributes:
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        p: Which Lp distance: 2 is the Euclidean one.
        beta: Most probability of a token beyond the threshold.
        threshold: Distance above which all count alike; else from beta.
    """

    method: ClassVar[str] = "tem"
    calibration: Literal["exact", "paper"] = "exact"
    p: float = 2.0
    beta: float = 0.001
    threshold: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class InContext(Detecting):
    """A mechanism that rewrites a document with a language model.

    Attributes:
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP).
        calibration: exact: the largest scale within epsilon; paper: the published formula.
        model: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.
        number_format: auto (masked models: the quickest that passes its check; float32 with --pin), float32,
            int8 (masked models on a processor), or bfloat16 (for GPUs; not with --pin). Default: auto.
        device: cpu or cuda; otherwise a GPU if there is one.
        window: Pieces of a text that the model reads at once.
        document_epsilon: Budget of a document, split over its draws (no epsilon).
        law: How scores decide: rank, or softmax as in the papers. Default: rank; softmax with clip or
            calibration paper.
        clip: Range of scores for the softmax: LOW,HIGH, or a FILE of `sfumato models calibrate --law softmax`.
        gains: What ranks are worth: a FILE of `sfumato models calibrate`.
    """

    epsilon: float | None = None
    calibration: Literal["exact", "paper"] = "exact"
    model: str | Path | MaskedModel | CausalModel | None = None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None = None
    device: str | None = None
    window: int | None = None
    document_epsilon: float | None = None
    law: Literal["rank", "softmax"] | None = None
    clip: str | Path | tuple[float, float] | ClipRange | None = None
    gains: str | Path | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DPMLM(InContext):
    """Each word redrawn by a masked model that sees the document.

    Attributes:
        addition: Probability that a word is added.
        deletion: Probability that a word is deleted.
        block: Words of a document that are drawn in one pass.
        batch: Documents that advance together.
        context: What the model sees beside the copy.
        similarity: Adds the likeness to the word to this times the model's score (paper: 0.003).
        antonyms: Pairs of opposites, the least likely to replace one another.
    """

    method: ClassVar[str] = "dp-mlm"
    addition: float = 0.0
    deletion: float = 0.0
    block: int = 1
    batch: int | None = None
    context: Literal["original", "none"] = "original"
    similarity: float | None = None
    antonyms: str | Path | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DPPrompt(InContext):
    """The document said in other words by an instructed causal model.

    Attributes:
        tokens_per_word: Draws for each word of a segment, before rounding up.
        tokens: Draws for each segment, in place of draws for each word.
        segment: Most words of a segment.
        batch: Segments that advance together.
        instruction: What the model is asked to do with the text.
        answer: How its answer begins, which is not part of the release.
    """

    method: ClassVar[str] = "dp-prompt"
    tokens_per_word: float = 1.3
    tokens: int | None = None
    segment: int = 120
    batch: int | None = None
    instruction: str = "Paraphrase the following text:"
    answer: str = "The same in other words:"


@dataclass(frozen=True, kw_only=True, repr=False)
class DPParaphrase(InContext):
    """The document continued by a causal model tuned on paraphrases.

    Attributes:
        tokens_per_word: Draws for each word of a segment, before rounding up.
        tokens: Draws for each segment, in place of draws for each word.
        segment: Most words of a segment.
        batch: Segments that advance together.
    """

    method: ClassVar[str] = "dp-paraphrase"
    tokens_per_word: float = 1.3
    tokens: int | None = None
    segment: int = 120
    batch: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class WithoutGuarantee(Detecting):
    """A method without a guarantee.

    Attributes:
        chat_model: NAME at SFUMATO_CHAT_URL, or local:FOLDER, local:smollm2.
        everywhere: A text that was found once is marked wherever else it stands.
    """

    chat_model: str | ChatChoice | ChatModel | ChatUse | None = None
    everywhere: bool = True


@dataclass(frozen=True, kw_only=True, repr=False)
class Redaction(WithoutGuarantee):
    """Labels, masks, pseudonyms, surrogates, generalisation or keyed hashes.

    Attributes:
        operator: label, mask, pseudonym, surrogate, generalise, hash or keep.
        operators: Operators by label; `*` is for all others.
        scope: The same name is replaced alike in a document, or in a run.
        key: Secret key FILE for hashes, shifts, scope run (or SFUMATO_KEY).
        mask: The sign that a mask repeats.
        length: How often; 0: as often as the span has characters, which shows it.
        dates: What generalised dates keep: year, month or decade.
        shift: Most days that the dates of a subject are shifted by; needs a key.
        subject: Field that says whose dates they are; else the record's id.
        digits: Significant digits that a generalised number keeps.
        locale: Faker's locale, for surrogates.
    """

    method: ClassVar[str] = "redaction"
    operator: str = "pseudonym"
    operators: Mapping[str, str] = field(default_factory=dict)
    scope: str = "document"
    key: bytes | None = field(default=None, repr=False)
    mask: str = "*"
    length: int = 5
    dates: str = "year"
    shift: int = 0
    subject: str | None = None
    digits: int = 1
    locale: str = "en_US"


@dataclass(frozen=True, kw_only=True, repr=False)
class Distortion(WithoutGuarantee):
    """Other phrases, written or listed, that change the words around them least.

    Attributes:
        way: Where candidates come from; masked is there to compare with.
        candidates: Texts that are tried for each marked text.
        choose: ndd: the candidate that changes the words around it least.
        block: Words masked in one pass where changes are measured.
        divergence: How the words that a model expects are compared.
        decay: Weight of a word by its distance: this to the power of it (µ).
        model: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.
        number_format: auto (masked models: the quickest that passes its check; float32 with --pin), float32,
            int8 (masked models on a processor), or bfloat16 (for GPUs; not with --pin). Default: auto.
        device: cpu or cuda; otherwise a GPU if there is one.
        window: Pieces of a text that the model reads at once.
        phrases: Public JSON FILE of phrases by label.
        share: About this share of what is found is replaced; the rest stays.
    """

    method: ClassVar[str] = "distortion"
    way: Literal["generative", "substitutive", "masked"] = "substitutive"
    candidates: int = 8
    choose: Literal["ndd", "first"] = "ndd"
    block: int = 1
    divergence: Literal["hellinger", "kl"] = "hellinger"
    decay: float | None = None
    model: str | Path | MaskedModel | CausalModel | None = None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None = None
    device: str | None = None
    window: int | None = None
    phrases: str | Path | None = None
    share: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Abstraction(WithoutGuarantee):
    """Each phrase said in more general words by a language model."""

    method: ClassVar[str] = "abstraction"


@dataclass(frozen=True, kw_only=True, repr=False)
class Iterative(WithoutGuarantee):
    """A language model tells what it can infer and rewrites the text, in rounds.

    Attributes:
        attributes: What is not to be told, e.g. 'place of birth'.
        rounds: How often a text is rewritten at most.
        certainty: Least certainty of a finding that is acted on, from 1 to 5.
    """

    method: ClassVar[str] = "iterative"
    attributes: Sequence[str] = (
        "age",
        "sex",
        "location",
        "place of birth",
        "occupation",
        "education",
        "relationship status",
        "income",
    )
    rounds: int = 3
    certainty: int = 2


@dataclass(frozen=True, kw_only=True, repr=False)
class Paraphrase(WithoutGuarantee):
    """Identifiers replaced, then all of it said in other words by a language model.

    Attributes:
        first: Operator of redaction that replaces what is marked, or `sanitize`: the language model.
    """

    method: ClassVar[str] = "paraphrase"
    first: str = "label"


@dataclass(frozen=True, kw_only=True, repr=False)
class Finetune(MethodChoice):
    """A causal model is tuned on the records by DP-SGD, then writes.

    Attributes:
        rank: Rank of the factors that are trained beside each layer.
        scale: What the factors' answer is multiplied by, over the rank.
        batch: People or records in a step on average; none: a tenth of those declared.
        epochs: Times that every record is used on average.
        steps: Training steps, in place of epochs.
        clip: Largest norm of the gradient of a person or record.
        learning_rate: Size of the first step, which falls linearly to zero; none: 0.025, and 0.005 without a
            guarantee.
        length: Most tokens of a text, read and written.
        temperature: Of writing.
        top_p: Mass of the most probable tokens, which are drawn from in writing.
        checkpoint_every: Steps between two checkpoints.
        model: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.
        number_format: auto (masked models: the quickest that passes its check; float32 with --pin), float32,
            int8 (masked models on a processor), or bfloat16 (for GPUs; not with --pin). Default: auto.
        device: cpu or cuda; otherwise a GPU if there is one.
        window: Pieces of a text that the model reads at once.
    """

    method: ClassVar[str] = "finetune"
    rank: int = 8
    scale: float = 16.0
    batch: int | None = None
    epochs: float = 3.0
    steps: int | None = None
    clip: float = 1.0
    learning_rate: float | None = None
    length: int = 128
    temperature: float = 1.0
    top_p: float = 0.95
    checkpoint_every: int = 1
    model: str | Path | MaskedModel | CausalModel | None = None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None = None
    device: str | None = None
    window: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Predict(MethodChoice):
    """A causal model writes, and many records together sway each token.

    Attributes:
        group_size: People or records behind a text; none: the fewest that the budget allows, from 8 to 64.
        clip: Most that one record adds to the score of a token, in nats; none: 1, and up to 4 if the budget
            allows.
        temperature: Of every draw; a low one costs more.
        top_k: Tokens that can be drawn: those with the best scores without a record.
        length: Most tokens of a synthetic text; all are paid for.
        record_length: Most tokens of a record that are read.
        instruction: What precedes a record and the text to be written.
        without: What precedes the text to be written where no record is shown.
        label: What a text is called there, such as: Customer review.
        model: embedded, smollm2, a FOLDER, or a provisioned Hugging Face name.
        number_format: auto (masked models: the quickest that passes its check; float32 with --pin), float32,
            int8 (masked models on a processor), or bfloat16 (for GPUs; not with --pin). Default: auto.
        device: cpu or cuda; otherwise a GPU if there is one.
        window: Pieces of a text that the model reads at once.
    """

    method: ClassVar[str] = "predict"
    group_size: int | None = None
    clip: float | None = None
    temperature: float = 1.0
    top_k: int = 100
    length: int = 64
    record_length: int = 128
    instruction: str = "Here are two texts of the same kind."
    without: str = "Here is a text."
    label: str = "Text"
    model: str | Path | MaskedModel | CausalModel | None = None
    number_format: Literal["auto", "float32", "int8", "bfloat16"] | None = None
    device: str | None = None
    window: int | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Evolve(MethodChoice):
    """A chat model varies public texts, and the records vote for them.

    Attributes:
        rounds: Rounds of votes; each costs.
        candidates: Texts of each control code that are voted on.
        sharpness: Power of its noisy votes by which a candidate is chosen, from 0 to 1; less keeps more
            variety.
        variation: Share of variations that tell something else, and not the same in other words, from 0 to 1.
        temperature: How freely the language model writes, above 0 to 2.
        length: Words of a text at most.
        about: What a text is, in a few public words, such as 'a customer's review'.
        chat_model: NAME at SFUMATO_CHAT_URL, or local:FOLDER, local:smollm2.
    """

    method: ClassVar[str] = "evolve"
    rounds: int = 5
    candidates: int = 100
    sharpness: float = 0.5
    variation: float = 0.5
    temperature: float = 0.8
    length: int = 80
    about: str = "a text"
    chat_model: str | ChatChoice | ChatModel | ChatUse | None = None
