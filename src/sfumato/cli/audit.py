"""``sfumato audit``: draws played against the claim, for our mechanisms and for anybody's command or function."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.black_box import CallableSampler, CommandSampler
from sfumato.attacks.distinguishing import Distinguishing, draws_of
from sfumato.attacks.query import queries, queries_by_draws
from sfumato.cli import options as choices
from sfumato.cli.audit_tables import Audit, show
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.progress import progress_bar
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.auditing import audited, audited_black_box, audited_in_context
from sfumato.evaluation.audit.pairs import default_pairs
from sfumato.evaluation.audit.token_inference import PRIOR_TOKENS, inference, unigram_prior
from sfumato.privacy.adjacency import Pair
from sfumato.privacy.randomness import Randomness, SeededRandomness, SystemRandomness
from sfumato.types import Progress

_MOST_TOKENS = 12


@dataclass(frozen=True)
class AuditedMethod(MethodOptions):
    """One of our mechanisms, or none: then something else is audited."""

    mechanism: Annotated[
        str,
        typer.Option("--mechanism", "-m", help="Which of our mechanisms; see `sfumato list`."),
    ] = ""


@dataclass(frozen=True)
class BlackBox:
    """Anybody's program or function, and the two inputs that its claim is about."""

    command: Annotated[
        str | None, typer.Option("--command", help="Anybody's program: a line out for each line in.")
    ] = None
    python: Annotated[
        str | None, typer.Option("--python", help="Anybody's module:function, called with (text, n).")
    ] = None
    given: Annotated[
        list[str] | None, typer.Option("--input", help="--command, --python: the two inputs (give it twice).")
    ] = None
    distance: Annotated[
        float,
        typer.Option("--distance", help="--command, --python: how far apart the inputs are, in the claim's unit."),
    ] = 1.0
    timeout: Annotated[
        float, typer.Option("--timeout", help="--command, --python: seconds for all samples of an input.")
    ] = 600.0

    @property
    def named(self) -> bool:
        """Return whether there is one."""
        return self.command is not None or self.python is not None


@dataclass(frozen=True)
class Played:
    """What is played against the claim, how often, and how sure a bound is."""

    tokens: Annotated[
        str | None, typer.Option("--tokens", help="Words to tell apart, with commas between: every pair is played.")
    ] = None
    text: Annotated[list[str] | None, typer.Option("--text", help="dp-…: the two documents (give it twice).")] = None
    position: Annotated[int, typer.Option("--position", help="dp-…: which word of them, from 0.")] = 0
    samples: Annotated[int, typer.Option("--samples", help="Draws of each input.")] = 100_000
    confidence: Annotated[float, typer.Option("--confidence", help="That no bound is too large.")] = 0.99
    prior_tokens: Annotated[
        int, typer.Option("--prior-tokens", help="Most frequent tokens that the Bayes attacker reckons with; 0: all.")
    ] = PRIOR_TOKENS
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Label of the span, where labels have vocabularies (repeatable)."),
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Repeatable draws; else system randomness.")] = None

    @property
    def auditor(self) -> Distinguishing:
        """Return who plays. Raises ConfigurationError."""
        return Distinguishing(self.confidence, self.samples)

    @property
    def randomness(self) -> Randomness | None:
        """Return where random numbers come from; None: the system."""
        return None if self.seed is None else SeededRandomness(self.seed)

    @property
    def asked(self) -> list[str]:
        """Return the words to tell apart."""
        return [token.strip() for token in (self.tokens or "").split(",") if token.strip()]


@command
def audit(method: AuditedMethod, box: BlackBox, played: Played, as_json: choices.Json = False) -> None:
    """Play draws against the claim: a lower bound on the epsilon that a mechanism really has.

    Exit code 1 where the claim is refuted. A bound within the claim proves nothing; a certificate does. Beside it:
    how often the strongest attacker names the token behind a draw, and after how many draws a token leads.
    """
    if sum(map(bool, (method.mechanism, box.command is not None, box.python is not None))) != 1:
        raise ConfigurationError("What is to be audited? Give one of --mechanism, --command and --python.")
    if method.epsilon is None and method.document_epsilon is None:
        raise ConfigurationError("Which claim is to be audited? Give --epsilon.")
    if box.named:
        found = [_black_box(box, method.epsilon, played, as_json)]
    else:
        if box.given:
            raise ConfigurationError("--input belongs to --command and --python; give --tokens (or --text for dp-…).")
        found = _AUDITS[method.explaining().family](method, played, as_json)
    show(found, as_json)
    if any(one.refuted for one in found):
        raise SystemExit(1)


def _black_box(box: BlackBox, claim: float | None, played: Played, as_json: bool) -> Audit:
    if box.given is None or len(box.given) != 2:
        raise ConfigurationError("A black box is asked about two inputs that its claim covers: give --input twice.")
    if played.seed is not None:
        raise ConfigurationError("--seed is for --mechanism; a black box brings its own randomness.")
    if claim is None or not 0.0 <= claim < float("inf"):
        raise ConfigurationError("A claim is a finite --epsilon of 0 or more.")
    try:
        words = [] if box.command is None else shlex.split(box.command)
    except ValueError:
        raise ConfigurationError("--command has a quotation mark that is not closed.") from None
    first, second = (
        CommandSampler(words, text, box.timeout)
        if box.python is None
        else CallableSampler(box.python, text, box.timeout)
        for text in box.given
    )
    outcomes: set[bytes] = set()

    def counting(sampler: Any) -> Any:
        def sampled(n: int) -> list[bytes]:
            drawn: list[bytes] = sampler(n)
            outcomes.update(drawn)
            return drawn

        return sampled

    with progress_bar("Asking for draws", as_json):
        verdict = audited_black_box((counting(first), counting(second)), claim, played.auditor, box.distance)
    return Audit("command" if box.python is None else "function", played.auditor, [verdict], outcomes=len(outcomes))


def _in_context(method: MethodOptions, played: Played, as_json: bool) -> list[Audit]:
    """The audit of one draw of a mechanism in context."""
    text, randomness = played.text, played.randomness
    if text is None or len(text) != 2:
        raise ConfigurationError(
            f"The law of {method.mechanism} depends on the document; give two documents with --text, and the "
            "--position of the word that is drawn."
        )
    with progress_bar("Asking the model", as_json) as told:
        rewriter = method.rewriter(told)
        verdict = audited_in_context(rewriter, (text[0], text[1]), played.position, played.auditor, randomness)
    return [
        Audit(
            method.mechanism, played.auditor, [verdict], str(rewriter.guarantee), rewriter.certificate().as_dict(),
            (randomness or SystemRandomness()).stamp,
        )
    ]  # fmt: skip


def _of_tokens(method: MethodOptions, played: Played, as_json: bool) -> list[Audit]:
    """An audit for each label, or one."""
    if played.text:
        raise ConfigurationError(f"{method.mechanism} draws for a word, whatever is around it; give --tokens.")
    labels: list[str | None] = list(played.label) if played.label else [None]
    return [_of_label(method, label, played, as_json, len(labels)) for label in labels]


def _of_label(method: MethodOptions, label: str | None, played: Played, as_json: bool, audits: int) -> Audit:
    """The audit of a mechanism over one vocabulary of so many, and what can be inferred from its draws."""
    auditor, randomness = played.auditor, played.randomness
    with progress_bar("Certifying", as_json) as told:
        made = method.one_mechanism(label, told)
        certificate = made.certify(told).as_dict()
    places = [_place(made, number, token) for number, token in enumerate(played.asked, 1)]
    prior = unigram_prior(made, played.prior_tokens)
    with progress_bar("Looking for the worst pair", as_json) as told:
        pairs = _pairs(made, list(dict.fromkeys(places)), told)
    with progress_bar("Drawing", as_json) as told:
        verdicts = audited(made, pairs, auditor, randomness, told, audits)
    with progress_bar("Inferring tokens", as_json) as told:
        inferred = inference(made, prior, told)
    ends = list(dict.fromkeys(places or [place for pair, _ in pairs for place in pair]))
    asked_for = {made.vocabulary.tokens[place]: _queries(made, place, auditor.samples, randomness) for place in ends}
    return Audit(
        made.name, auditor, verdicts, str(made.guarantee), certificate, (randomness or SystemRandomness()).stamp,
        label, made.vocabulary.provenance, inferred, asked_for,
    )  # fmt: skip


def _pairs(made: Mechanism, places: list[int], told: Progress | None) -> list[tuple[Pair, str]]:
    """The certificate's worst pair, and every pair of the tokens asked for; by default two pairs of a noise law."""
    worst = made.worst_pair(told)
    found: list[tuple[Pair, str]] = [] if worst is None else [(worst, "worst of the certificate")]
    found += [((one, other), "asked for") for at, one in enumerate(places) for other in places[at + 1 :]]
    return found or [(pair, "near, far") for pair in default_pairs(made)]


def _place(made: Mechanism, number: int, token: str) -> int:
    if number > _MOST_TOKENS:
        raise ConfigurationError(f"Every pair of --tokens is played; give {_MOST_TOKENS} at most.")
    found = made.vocabulary.find(token)
    if found is None:
        raise ConfigurationError(f"Word {number} of --tokens is not in the vocabulary; use another one.")
    return found


def _queries(made: Mechanism, token: int, draws: int, randomness: Randomness | None) -> float:
    if made.certify().kind == "analytic":
        return queries_by_draws(draws_of(made, token, randomness), token, draws=draws)  # type: ignore[arg-type]
    return queries(made.law(token), token)


_AUDITS = {registry.TOKENS: _of_tokens, registry.CONTEXTUAL: _in_context}
