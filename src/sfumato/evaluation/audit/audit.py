"""One audit from beginning to end: of a mechanism, of a treatment of a policy, or of a black box."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.choice import MethodChoice, by_name
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.attacks.black_box import CallableSampler, CommandSampler, HereSampler
from sfumato.attacks.distinguishing import Distinguishing, Sampler
from sfumato.building.build import build
from sfumato.building.offers import check_unbuilt
from sfumato.building.policies import mechanism_of, treatment_in
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.auditing import audit_text, audit_words
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Audit, PairVerdict
from sfumato.evaluation.audit.values import audit_treatment
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.privacy.randomness import Randomness
from sfumato.types import Stages, silent

if TYPE_CHECKING:
    from sfumato.options.keywords import AuditKeywords

_MOST_AUDITS = 10**6


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
