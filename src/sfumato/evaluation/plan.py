"""The plan of an evaluation: which attacks and metrics, on which fields, with which models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sfumato.attacks.claim_categories import kinds
from sfumato.attacks.linkage import Knowledge, held
from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError

ATTACKS = ("linkage", "tokens", "guarantee", "attributes")
USUAL_METRICS = ("surface", "utility", "quality")
METRICS = (*USUAL_METRICS, "divergence")
"""The last one takes minutes, because a masked model is asked about every word. It runs only if it is named."""

_FOLDERS = ("classifier", "causal", "entailment")


@dataclass(frozen=True)
class Plan:
    """What an evaluation measures, and how.

    Attributes:
        attacks: Some of `linkage`, `tokens`, `guarantee`, `attributes`.
        metrics: Some of `surface`, `utility`, `quality`, `divergence`; the last one takes minutes.
        id_field: The field that joins the records; None: their order.
        field: The text field of the originals.
        released_field: The text field of the release, if it has another name.
        labels: Fields that an attacker infers.
        tasks: Fields that the release is used for.
        knowledge: Which claims about a person the attacker holds: `first`, `random` or `last`.
        claims: How many claims the attacker holds.
        sample: How many records (or words) are drawn for what takes longest.
        dense: Link by embeddings too, however many records there are.
        one_to_one: Whether a released record belongs to one original; False for synthetic records.
        seed: The seed of everything that the evaluation draws.
        kinds: The kinds that claims are sorted into: `clinical` or `chat`.
        classifier: A model on this machine that is fine-tuned to infer labels: a folder or a fetched name.
        causal: A causal model on this machine that reads for perplexity.
        entailment: An entailment model on this machine that judges claims.
        chat: The language model that splits, judges and sorts claims, and marks texts.
        hearsay: Also link by claims that the language model reworded.
        rounds: The file in which `-m iterative` noted what it found.

    Raises:
        ConfigurationError: A value cannot work.
    """

    attacks: tuple[str, ...] = ATTACKS
    metrics: tuple[str, ...] = USUAL_METRICS
    id_field: str | None = None
    field: str = "text"
    released_field: str | None = None
    labels: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    knowledge: Knowledge = "random"
    claims: int = 3
    sample: int = 500
    dense: bool = False
    one_to_one: bool = True
    seed: int = 0
    kinds: str = "clinical"
    classifier: str | None = None
    causal: str | None = None
    entailment: str | None = None
    chat: ChatChoice | None = None
    hearsay: bool = False
    rounds: str | None = None

    def __post_init__(self) -> None:
        for given, known, what in ((self.attacks, ATTACKS, "attack"), (self.metrics, METRICS, "metric")):
            for name in given:
                if name not in known:
                    raise ConfigurationError(f"There is no {what} {name!r}; choose from {', '.join(known)}.")
        if self.seed < 0:
            raise ConfigurationError("A seed is 0 or more.")
        for name in _FOLDERS:
            if not isinstance(getattr(self, name), str | None):
                raise ConfigurationError(f"{name} names a model, a folder or a fetched one.")
        if self.rounds is not None and not Path(self.rounds).is_file():
            raise ConfigurationError(f"There is no file {Path(self.rounds).name} with rounds.")
        if self.sample < 1:
            raise ConfigurationError("A sample has at least one record.")
        if self.hearsay and self.chat is None:
            raise ConfigurationError("Claims are reworded by a language model; name one with --chat-model.")
        held([], self.knowledge, self.claims, self.seed)  # refuses an attacker who is not possible
        kinds(self.kinds)

    @property
    def studies(self) -> tuple[str, ...]:
        """Return the names of the studies, without those that have nothing to work with."""
        there = {"attributes": bool(self.labels or self.tasks), "quality": self.chat is not None}
        noted = () if self.rounds is None else ("rounds",)
        return tuple(name for name in (*self.attacks, *self.metrics, *noted) if there.get(name, True))

    @property
    def setting(self) -> dict[str, Any]:
        """Return everything except the files that decides a figure, for the results."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "chat"}
        # A path discloses the machine.
        values |= {name: values[name] and Path(values[name]).name for name in (*_FOLDERS, "rounds")}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {**plain, **(self.chat.setting if self.chat else {})}
