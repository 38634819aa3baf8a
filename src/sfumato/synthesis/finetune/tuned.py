"""A fine-tuned model: the base model's name and hash, its adapter, and how it writes. It can be kept and used again.

A model that was trained with a guarantee may write any number of records: they cost nothing more. Two files hold it:
``adapter.safetensors``, and ``adapter.json`` with the hash of the former, the base model, the codes, the schedule
and the privacy statement. Nothing in them can run code.

It writes many texts at a time: temperature, then the fewest pieces that are probable enough. What is drawn here
protects nothing: the model is private already, or has no guarantee. Each text has a generator of its own, seeded by
its number, so that it does not depend on which texts are drawn beside it (except for rounding).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel
from sfumato.errors import ConfigurationError, InputError
from sfumato.storage.atomic import put, writing
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import prompts
from sfumato.types import FloatArray, IntArray, Progress, in_batches

WEIGHTS, FACTS = "adapter.safetensors", "adapter.json"
_FORM = 1
_AT_ONCE = {"cpu": 64}
_ELSEWHERE = 512
_SORTED_FIRST = 1024
_TRIES = 8


class Trainable(CausalModel, Protocol):
    """A causal model that shows its torch network."""

    @property
    def network(self) -> Any:
        """Return the network on its device, with frozen weights."""


@dataclass(frozen=True, eq=False)
class TunedModel:
    """``model`` with ``adapter``, which writes texts of ``codes``. ``seed`` decides what it writes.

    ``facts`` are what else is kept beside it, as JSON types: the schedule, the statement.
    """

    model: Trainable
    adapter: Adapter
    codes: tuple[str, ...]
    decoding: Decoding
    seed: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)

    def write(self, wanted: Sequence[int], progress: Progress | None = None, first: int = 0) -> Iterator[str]:
        """Yield a text for each of ``wanted``, indices of codes. They are the texts from number ``first`` on."""
        before = prompts(self.model, self.codes)
        size = _AT_ONCE.get(self.adapter.vector.device.type, _ELSEWHERE)
        for numbers in in_batches(range(len(wanted)), size, progress):
            openings, own = [before[wanted[number]] for number in numbers], [first + number for number in numbers]
            with self.adapter.attached():
                texts = self.decoding.write(self.model, openings, own, self.seed)
            yield from texts

    def save(self, folder: Path) -> None:
        """Write the model into ``folder``, for its owner only."""
        from safetensors.torch import save

        content = save({"factors": self.adapter.vector.cpu()})
        facts = {
            "form": _FORM,
            "base_model": _weights_of(self.model),
            "sha256": hashlib.sha256(content).hexdigest(),
            "rank": self.adapter.rank,
            "scale": self.adapter.scale,
            "codes": list(self.codes),
            "decoding": asdict(self.decoding),
            **self.facts,
        }
        with writing(folder / WEIGHTS):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        put(folder / WEIGHTS, content, private=True)
        put(folder / FACTS, (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode(), private=True)

    @classmethod
    def from_saved(cls, folder: Path, model: Trainable, seed: int = 0) -> TunedModel:
        """Return the model in ``folder``; ``model`` is its base.

        Raise InputError if the files cannot be read or do not belong together, and ConfigurationError for another
        base model.
        """
        facts, content = _read(folder)
        if facts["base_model"] != _weights_of(model):
            raise ConfigurationError(
                f"The model in {folder.name} was fine-tuned from {facts['base_model']}, not from "
                f"{_weights_of(model)}; give its base with --set model=FOLDER."
            )
        own = {"form", "base_model", "sha256", "rank", "scale", "codes", "decoding"}
        try:
            adapter = Adapter(model.network, int(facts["rank"]), float(facts["scale"]))
            decoding, codes = Decoding(**facts["decoding"]), tuple(map(str, facts["codes"]))
            fits = content.shape == adapter.vector.shape
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits:
            raise InputError(f"{folder.name}/{WEIGHTS} does not fit its base model; give the folder of another run.")
        adapter.vector.copy_(content)
        kept = {name: value for name, value in facts.items() if name not in own}
        return cls(model, adapter, codes, decoding, seed, kept)


def _weights_of(model: CausalModel) -> str:
    """Return the name and hash of a model without its number format, which an adapter does not depend on."""
    return model.id.rpartition("/")[0] or model.id


def _read(folder: Path) -> tuple[dict[str, Any], Any]:
    """Return the facts and factors in ``folder``."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        content = (folder / WEIGHTS).read_bytes()
        facts = json.loads((folder / FACTS).read_bytes())
    except (OSError, ValueError):
        raise InputError(f"{folder.name} holds no fine-tuned model ({WEIGHTS} and {FACTS}).") from None
    if not isinstance(facts, dict) or facts.get("form") != _FORM or "base_model" not in facts:
        raise InputError(f"{folder.name}/{FACTS} is not of this version of sfumato; fine-tune the model again.")
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise InputError(f"{folder.name}/{WEIGHTS} is not the file that {FACTS} was written for; copy both again.")
    try:
        return facts, load(content)["factors"]
    except (SafetensorError, KeyError):
        raise InputError(f"{folder.name}/{WEIGHTS} holds no adapter; fine-tune the model again.") from None


@dataclass(frozen=True)
class Decoding:
    """How texts are drawn: ``length`` bounds the pieces of one, ``top_p`` is the nucleus's probability."""

    length: int
    temperature: float
    top_p: float

    def write(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], numbers: Sequence[int], seed: int
    ) -> list[str]:
        """Return a text after each prompt; ``numbers`` are the texts' own. An empty text is drawn again, 8 times.

        A text that is empty even then stays empty.
        """
        texts = [""] * len(prompts)
        for attempt in range(_TRIES):
            empty = [index for index, text in enumerate(texts) if not text.strip()]
            if not empty:
                break
            dice = [np.random.default_rng([seed, numbers[index], attempt]) for index in empty]
            drawn = self._drawn(model, [prompts[index] for index in empty], dice)
            for index, pieces in zip(empty, drawn, strict=True):
                texts[index] = model.text(pieces)
        return texts

    def _drawn(
        self, model: CausalModel, prompts: Sequence[Sequence[int]], dice: Sequence[np.random.Generator]
    ) -> list[list[int]]:
        """Return the pieces after each prompt, without the end."""
        session, outcomes = model.begin(prompts), model.outcomes
        texts: list[list[int]] = [[] for _ in prompts]
        going = list(range(len(prompts)))
        for _ in range(self.length):
            if not going:
                break
            uniforms = np.array([dice[index].random() for index in going])
            picked = nucleus(session.scores(), self.temperature, self.top_p, uniforms)
            ended = picked == (-1 if model.end is None else model.end)
            session.take([None if over else int(outcome) for outcome, over in zip(picked, ended, strict=True)])
            for index, outcome, over in zip(going, picked, ended, strict=True):
                if not over:
                    texts[index].append(int(outcomes[outcome]))
            going = [index for index, over in zip(going, ended, strict=True) if not over]
        return texts


def nucleus(scores: NDArray[np.floating[Any]], temperature: float, top_p: float, uniforms: FloatArray) -> IntArray:
    """Return an outcome for each row of ``scores``, drawn from the most probable ones, which have ``top_p`` together.

    The 1,024 most probable ones are sorted first; where they have less, all of the row are.
    """
    logits = scores.astype(np.float32) / np.float32(temperature)
    logits -= logits.max(axis=1, keepdims=True)
    totals = np.exp(logits).sum(axis=1, dtype=np.float64)
    few = min(_SORTED_FIRST, logits.shape[1])
    places = np.argpartition(logits, -few, axis=1)[:, -few:]
    picked = np.empty(len(logits), dtype=np.int64)
    for row, uniform in enumerate(uniforms):
        candidates = places[row]
        weights = np.exp(logits[row, candidates], dtype=np.float64)
        if weights.sum() < top_p * totals[row] and few < logits.shape[1]:
            candidates = np.arange(logits.shape[1])
            weights = np.exp(logits[row], dtype=np.float64)
        order = np.argsort(-weights, kind="stable")
        running = np.cumsum(weights[order])
        size = min(len(running), int(np.searchsorted(running, top_p * totals[row])) + 1)
        chosen = min(size - 1, int(np.searchsorted(running[:size], uniform * running[size - 1], side="right")))
        picked[row] = candidates[order[chosen]]
    return picked
