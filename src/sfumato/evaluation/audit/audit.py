"""One audit from beginning to end: of a mechanism, of a treatment of a policy, or of a black box.

A treatment is audited by values of its kind, told apart by what replaces them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.detector import Detector
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.attacks.black_box import CallableSampler, CommandSampler, HereSampler
from sfumato.attacks.distinguishing import Distinguishing, Sampler
from sfumato.building.build import build
from sfumato.building.offers import check_unbuilt
from sfumato.building.policies import mechanism_of, treatment_in
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.auditing import audit_text, audit_words, together
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Audit, PairVerdict, even_prior, unigram_prior
from sfumato.kinds.registry import KINDS
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document
from sfumato.text.marks import Spans
from sfumato.types import Stages, in_batches, silent

if TYPE_CHECKING:
    from sfumato.options.keywords import AuditKeywords

_MOST_AUDITS = 10**6
_WHO = "whose"
_AT_ONCE = 5_000
_MOST_VALUES = 4
"""Every pair of dates is played by the engine itself, which takes seconds."""


@typed
@dataclass(frozen=True)
class BlackBox:
    """Another tool's mechanism, of which only outputs are known. Give a command or a function.

    Attributes:
        inputs: Two inputs that the claim covers.
        command: A program that answers each line of its input with a line; a string is split as a shell does.
        function: `function(text, n)`, which returns n outputs, or its name as `module:function`. A function that is
            given by name runs in a process of its own, so that `timeout` can stop it.
        distance: How far apart the inputs are, in the unit of the claim.
        timeout: Seconds for all samples of one input.
    """

    inputs: tuple[str, str] = field(repr=False)
    command: str | Sequence[str] | None = None
    function: str | Callable[[str, int], Sequence[Any]] | None = None
    distance: float = 1.0
    timeout: float = 600.0

    def __post_init__(self) -> None:
        if (self.command is None) == (self.function is None):
            raise ConfigurationError("A black box is a command or a function; give one of the two.")

    @property
    def name(self) -> str:
        """Return what it is: "command" or "function"."""
        return "function" if self.command is None else "command"

    def sampler(self, text: str) -> Sampler:
        """Return a sampler of outputs for ``text``. Raise ConfigurationError for a command that cannot be read."""
        if isinstance(self.function, str):
            return CallableSampler(self.function, text, self.timeout)
        if self.function is not None:
            return HereSampler(self.function, text)
        assert self.command is not None  # checked when it was made
        try:
            words = shlex.split(self.command) if isinstance(self.command, str) else list(self.command)
        except ValueError:
            raise ConfigurationError("The command has a quotation mark that is not closed.") from None
        return CommandSampler(words, text, self.timeout)


@typed
def audit(
    method: MethodChoice | str | Sanitizer | Mechanism | Policy | BlackBox,
    epsilon: float | None = None,
    *,
    tokens: Sequence[str] = (),
    texts: tuple[str, str] | None = None,
    position: int = 0,
    label: str | None = None,
    samples: int = 100_000,
    confidence: float = 0.99,
    prior_tokens: int = PRIOR_TOKENS,
    audits: int = 1,
    randomness: Randomness | None = None,
    progress: Stages | None = None,
    **options: Unpack[AuditKeywords],
) -> Audit:
    """Test a claimed ε against draws: return a lower bound on the ε that a mechanism really has.

    A bound above the claim refutes it. A bound within the claim proves nothing.

    Args:
        method: A method such as `sfumato.SanText(epsilon=3.0)`, its name, a sanitizer, a mechanism, a `Policy`, or a
            `BlackBox`.
        epsilon: The claim, in nats (per unit of the distance for metric-LDP). For a name or a black box.
        tokens: Words of the vocabulary, or values of a kind; every pair of them is compared.
        texts: Two documents that the guarantee covers. For mechanisms that work with a language model.
        position: Which marked word of both documents, from 0.
        label: Which vocabulary, if labels have vocabularies of their own; of a policy, the kind.
        samples: How many outputs of each input are drawn.
        confidence: With this probability no bound of the audit exceeds the true loss.
        prior_tokens: How many of the most frequent tokens the Bayes attacker considers; 0: all.
        audits: How many audits belong together; all their bounds hold together with `confidence`.
        randomness: The operating system's by default. A black box has its own.
        progress: Called with the name of the stage and the share of it that is done, from 0 to 1.
        options: Options of `sfumato.build`, for a name.

    Raises:
        ConfigurationError: An option is missing or does not fit, or the guarantee does not cover the inputs.
        GuaranteeError: The method has no guarantee, or it cannot be certified.
    """
    if not 1 <= audits <= _MOST_AUDITS:
        raise ConfigurationError(f"audits says how many audits belong together: from 1 to {_MOST_AUDITS:,}.")
    given: dict[str, Any] = {**options}
    if isinstance(method, MethodChoice):
        method, epsilon, given = by_name(method, epsilon, given)
    auditor, stages = Distinguishing(confidence, samples), progress or silent
    if isinstance(method, BlackBox):
        _check_black_box(randomness, given)
        return audit_black_box(method, epsilon, auditor, stages)
    if (treatment := treatment_in(method, label)) is not None:
        check_unbuilt(epsilon, given)
        return audit_treatment(treatment, tokens, auditor, prior_tokens, randomness, stages)
    if isinstance(method, str):
        if epsilon is None and given.get("document_epsilon") is None:
            raise ConfigurationError("Which claim is to be audited? Give epsilon.")
        detect = {} if label is None else {"detect": "given"}
        method = build(method, epsilon, **{**detect, "progress": partial(stages, "Preparing"), **given})
    else:
        check_unbuilt(epsilon, given)
    inside = method if isinstance(method, Mechanism) else mechanism_of(method, label)
    if isinstance(inside, Mechanism):
        if texts is not None:
            raise ConfigurationError(f"{inside.name} draws for a word by itself, not for a text; give tokens.")
        return audit_words(inside, tokens, auditor, prior_tokens, randomness, stages, label, audits)
    if tokens:
        raise ConfigurationError(f"The law of {inside.others.name} depends on the document; give two texts.")
    return audit_text(inside, texts, position, auditor, randomness, stages)


def _check_black_box(randomness: Randomness | None, options: Mapping[str, Any]) -> None:
    if randomness is not None or options:
        raise ConfigurationError("A black box has its own randomness and options; leave them out.")


def audit_black_box(
    box: BlackBox, claim: float | None, auditor: Distinguishing, stages: Stages | None = None
) -> Audit:
    """Return the audit of another tool's draws for two inputs."""
    if claim is None or not 0.0 <= claim < float("inf"):
        raise ConfigurationError("A claim is a finite epsilon of 0 or more.")
    outcomes: set[Hashable] = set()

    def counting(sampler: Sampler) -> Sampler:
        def sampled(n: int) -> Any:
            drawn = sampler(n)
            outcomes.update(drawn)
            return drawn

        return sampled

    first, second = (counting(box.sampler(text)) for text in box.inputs)
    (stages or silent)("Asking for draws", 0.0)
    bound = auditor.audit(first, second, box.distance).epsilon
    verdict = PairVerdict(("first", "second"), "given", claim, box.distance, None, bound)
    return Audit(box.name, auditor, [verdict], outcomes=len(outcomes))


def audit_treatment(
    treatment: Treatment, values: Sequence[str], auditor: Distinguishing, prior_values: int = PRIOR_TOKENS,
    randomness: Randomness | None = None, stages: Stages | None = None, audits: int = 1,
) -> Audit:  # fmt: skip
    """Return the audit of ``treatment`` on every pair of ``values``, written as in a text; without any, on a pair of
    its own choice. Of several languages the one with the largest loss that reads the values is audited.

    Raise GuaranteeError for a treatment without a guarantee, and ConfigurationError for values that are not of one
    domain. No error repeats a value.
    """
    treatment = next(iter(treatment.apart(values).values()))
    inside = treatment.law_over(values)
    if inside is None:
        return _of_distances(treatment, values, auditor, randomness, stages or silent)
    grain, mechanism, tokens = inside
    kind = KINDS[treatment.kinds[0]]
    even = kind.unit or not kind.looks
    prior = even_prior(mechanism, prior_values) if even else unigram_prior(mechanism, prior_values)
    shown = f"{kind.name} ({grain})"
    audit = audit_words(mechanism, tokens, auditor, prior_values, randomness, stages, shown, audits, prior=prior)
    return replace(audit, guarantee=str(treatment.guarantee))


def _of_distances(
    treatment: Treatment, values: Sequence[str], auditor: Distinguishing, randomness: Randomness | None,
    stages: Stages,
) -> Audit:  # fmt: skip
    """Return the audit of a treatment by its engine: records with a value each, as far apart as the values are."""
    why, played = "asked for" if values else "a scale apart", treatment.positions(values)
    guarantee, certificate = treatment.guarantee, treatment.certificate
    assert guarantee is not None
    assert certificate is not None
    if not 2 <= len(played) <= _MOST_VALUES:
        raise ConfigurationError(f"A shift is audited on 2 to {_MOST_VALUES} dates, every pair of them.")
    pairs = list(combinations(played, 2))
    careful, source, claim = together(auditor, len(pairs)), randomness or SystemRandomness(), guarantee.epsilon
    verdicts = []
    for number, pair in enumerate(pairs):
        distance = abs(pair[0][2] - pair[1][2])
        samplers = [_sampler(treatment, text, f"{number} {side}", source) for side, (text, _, _) in enumerate(pair)]
        bound = careful.audit(samplers[0], samplers[1], distance).epsilon
        names = pair[0][1], pair[1][1]
        verdicts.append(PairVerdict(names, why, claim, distance, claim, bound))  # the law loses ε a day, exactly
        stages("Drawing", (number + 1) / len(pairs))
    return Audit(
        treatment.name, auditor, verdicts, str(guarantee), certificate.as_dict(), source.stamp, treatment.kinds[0],
    )  # fmt: skip


@dataclass(frozen=True)
class _Whole(Detector):
    """Marks whole texts as ``kind``."""

    kind: str
    description = "whole texts"
    unprotected = "nothing"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return one span for each document."""
        return [Spans([(0, len(document.text))], self.kind) for document in documents]


def _sampler(treatment: Treatment, text: str, side: str, source: Randomness) -> Sampler:
    """Return a sampler of what ``treatment`` makes of ``text``: reading, draw and written form, as in a release.

    Each output is of a record of its own about a person of its own. ``side`` distinguishes the people of two
    samplers, so that no draw serves both.
    """
    sanitizer = Engine(_Whole(treatment.kinds[0]), Kept(), [treatment], subject_field=_WHO)

    def document(number: int) -> Document:
        name = f"{side} {number}"
        return Document(text, id=name, metadata={_WHO: name})

    def sampled(n: int) -> list[str]:
        batches = in_batches(range(n), _AT_ONCE)
        made = (sanitizer.sanitize_batch([document(number) for number in batch], source) for batch in batches)
        return [release.text for releases in made for release in releases]

    return sampled
