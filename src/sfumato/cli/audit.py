"""``sfumato audit``: draws played against the claim, for our mechanisms and for anybody's command or function."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from sfumato.attacks.distinguishing import Distinguishing
from sfumato.cli import options as choices
from sfumato.cli.audit_tables import show
from sfumato.cli.options import Choice, ModelChoice
from sfumato.cli.progress import staged
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.audit import BlackBox, audit_black_box, audit_text, audit_words
from sfumato.evaluation.audit.token_inference import PRIOR_TOKENS
from sfumato.privacy.randomness import SeededRandomness


def audit(
    mechanism: Annotated[
        str | None, typer.Option("--mechanism", "-m", help="Which of our mechanisms; see `sfumato list`.")
    ] = None,
    command: Annotated[
        str | None, typer.Option("--command", help="Anybody's program: a line out for each line in.")
    ] = None,
    python: Annotated[
        str | None, typer.Option("--python", help="Anybody's module:function, called with (text, n).")
    ] = None,
    epsilon: choices.Epsilon = None,
    tokens: Annotated[
        str | None, typer.Option("--tokens", help="Words to tell apart, with commas between: every pair is played.")
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option("--input", help="--command, --python: the two inputs (give it twice).")
    ] = None,
    distance: Annotated[
        float,
        typer.Option("--distance", help="--command, --python: how far apart the inputs are, in the claim's unit."),
    ] = 1.0,
    timeout: Annotated[
        float, typer.Option("--timeout", help="--command, --python: seconds for all samples of an input.")
    ] = 600.0,
    text: Annotated[list[str] | None, typer.Option("--text", help="dp-…: the two documents (give it twice).")] = None,
    position: Annotated[int, typer.Option("--position", help="dp-…: which word of them, from 0.")] = 0,
    samples: Annotated[int, typer.Option("--samples", help="Draws of each input.")] = 100_000,
    confidence: Annotated[float, typer.Option("--confidence", help="That no bound is too large.")] = 0.99,
    prior_tokens: Annotated[
        int, typer.Option("--prior-tokens", help="Most frequent tokens that the Bayes attacker reckons with; 0: all.")
    ] = PRIOR_TOKENS,
    vocabulary: choices.VocabularyFile = None,
    lower: choices.Lower = False,
    encoder: choices.Encoder = None,
    k: choices.Amplification = None,
    clusters: choices.Clusters = None,
    set_size: choices.SetSize = None,
    calibration: choices.CalibrationName = "exact",
    option: choices.Extra = None,
    model: choices.ModelName = None,
    document_epsilon: choices.DocumentEpsilon = None,
    block: choices.Block = None,
    clip: choices.ClipOf = None,
    number_format: choices.NumberFormat = None,
    device: choices.Device = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Label of the span, where labels have vocabularies (repeatable)."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Repeatable draws; else system randomness.")] = None,
    as_json: choices.Json = False,
) -> None:
    """Play draws against the claim: a lower bound on the epsilon that a mechanism really has.

    Exit code 1 where the claim is refuted. A bound within the claim proves nothing; a certificate does. Beside it:
    how often the strongest attacker names the token behind a draw, and after how many draws a token leads.
    """
    if sum(one is not None for one in (mechanism, command, python)) != 1:
        raise ConfigurationError("What is to be audited? Give one of --mechanism, --command and --python.")
    if epsilon is None and document_epsilon is None:
        raise ConfigurationError("Which claim is to be audited? Give --epsilon.")
    auditor = Distinguishing(confidence, samples)
    randomness = None if seed is None else SeededRandomness(seed)
    with staged(as_json) as stages:
        if mechanism is None:
            if seed is not None:
                raise ConfigurationError("--seed is for --mechanism; a black box brings its own randomness.")
            if given is None or len(given) != 2:
                raise ConfigurationError(
                    "A black box is asked about two inputs that its claim covers: give --input twice."
                )
            box = BlackBox((given[0], given[1]), command, python, distance, timeout)
            found = [audit_black_box(box, epsilon, auditor, stages)]
        else:
            if given:
                raise ConfigurationError(
                    "--input belongs to --command and --python; give --tokens (or --text for dp-…)."
                )
            network = ModelChoice(model, clip, document_epsilon, block, number_format, device)
            choice = Choice(
                mechanism, epsilon, vocabulary, encoder, k, clusters, set_size, calibration, option, lower, network
            )
            if choice.contextual:
                if text is None or len(text) != 2:
                    raise ConfigurationError(
                        f"The law of {mechanism} depends on the document; give two documents with --text, and the "
                        "--position of the word that is drawn."
                    )
                rewriter = choice.rewriter(partial(stages, "Preparing"))
                found = [audit_text(rewriter, text, position, auditor, randomness, stages)]
            else:
                if text:
                    raise ConfigurationError(f"{mechanism} draws for a word, whatever is around it; give --tokens.")
                asked = [word.strip() for word in (tokens or "").split(",") if word.strip()]
                labels: list[str | None] = list(label) if label else [None]
                found = []
                for name in labels:
                    made = choice.one_mechanism(name, partial(stages, "Preparing"))
                    found.append(
                        audit_words(made, asked, auditor, prior_tokens, randomness, stages, name, len(labels))
                    )
    show(found, as_json)
    if any(one.refuted for one in found):
        raise SystemExit(1)
