"""``sfumato audit -m finetune``: the training steps of a synthesizer, audited in one run with canaries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.training import OneRun, TrainingAudit
from sfumato.privacy.randomness import Randomness
from sfumato.types import Stages


@dataclass(frozen=True)
class TrainingOptions:
    """What is trained for the audit of a synthesizer."""

    delta: Annotated[
        float | None, typer.Option("--delta", help=f"finetune: the delta of the claim ({TrainingAudit.delta:g}).")
    ] = None
    canaries: Annotated[
        int | None, typer.Option("--canaries", help=f"finetune: canaries in the training ({TrainingAudit.canaries}).")
    ] = None
    steps: Annotated[
        int | None, typer.Option("--steps", help=f"finetune: training steps ({TrainingAudit.steps}).")
    ] = None

    @property
    def given(self) -> dict[str, float | int]:
        """Return what was typed."""
        return {name: value for name, value in vars(self).items() if value is not None}


def audit_training(
    name: str, epsilon: float | None, training: TrainingOptions, confidence: float, randomness: Randomness | None,
    seed: int, stages: Stages,
) -> OneRun:  # fmt: skip
    """Return the audit of the training steps of the synthesizer ``name``. Raises ConfigurationError."""
    if name != "finetune":
        raise ConfigurationError(
            f"{name} trains nothing; its laws are checked by the tests, and its records by `sfumato evaluate "
            "--synthetic`."
        )
    if epsilon is None:
        raise ConfigurationError("Which claim is to be audited? Give --epsilon, for example 3.")
    audit = TrainingAudit(epsilon, confidence=confidence, **training.given)  # type: ignore[arg-type]
    return audit.run(seed, randomness, partial(stages, "Training"))


def show_training(made: OneRun, as_json: bool) -> None:
    """Print the audit of a training."""
    if as_json:
        typer.echo(json.dumps(made.as_dict()))
        return
    verdict = "REFUTES the claim" if made.refuted else "is consistent with the claim"
    typer.echo(f"{made.name}: a lower bound of {made.bound:.3g} on epsilon {verdict} of {made.claim:g}.")
    for remark in made.remarks:
        typer.echo(remark)
