"""A fine-tuned model: the base model's name and hash, its adapter, and how it writes. It can be kept and used again.

A model that was trained with a guarantee may write any number of records: they cost nothing more. Two files hold it:
``adapter.safetensors``, and ``adapter.json`` with the hash of the former, the base model, the codes, the schedule
and the privacy statement. Nothing in them can run code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sfumato.abstract.models import CausalModel
from sfumato.errors import ConfigurationError, InputError
from sfumato.storage.atomic import whole, writing
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import prompts
from sfumato.synthesis.finetune.writing import Decoding
from sfumato.types import Progress, in_batches

WEIGHTS, FACTS = "adapter.safetensors", "adapter.json"
_FORM = 1
_AT_ONCE = {"cpu": 64}
_ELSEWHERE = 512


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
            with whole(folder / WEIGHTS, private=True) as file:
                file.write(content)
            with whole(folder / FACTS, private=True) as file:
                file.write((json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode())

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
