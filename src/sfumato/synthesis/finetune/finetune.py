"""Fine-tuning: a causal model learns the private records by DP-SGD, and then writes records by control code.

Paper: Yue et al., *Synthetic Text Generation with Differential Privacy* (ACL 2023). Theorem: in
:mod:`sfumato.synthesis.finetune.dp_sgd`; writing is post-processing. Differences: control codes are out of the loss,
because they are given and not learned; their proportions are paid for; sampling is Poisson, as the accountant
supposes; the unit may be a person, whose records' mean gradient is clipped as one; low-rank factors are trained (Hu
et al. 2022), of which the A are frozen (Sun et al. 2024).

Batch and learning rates were chosen on comments of synthetic authors (SynthPAI), not on what the benchmarks report.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar

from sfumato.abstract.synthesizer import Order, Synthesizer, Unit, Workspace, Write
from sfumato.errors import ConfigurationError, OutputError
from sfumato.options.option import Option, Part
from sfumato.storage.atomic import sync_folder, whole, writing
from sfumato.synthesis.finetune.dp_sgd import FinetuneSchedule, Training, estimated_seconds, scheduled
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import prompts, rows_of
from sfumato.synthesis.finetune.tuned import Decoding, Trainable, TunedModel
from sfumato.types import Progress, part_of

_FILE, _UNFINISHED = "finetune.safetensors", ".finetune.tmp"
_LEAST = 1e-6  # a smaller clip would scale gradients by factors that float32 does not hold exactly
_TRAINING = 0.9  # of the progress of a run


@dataclass(frozen=True)
class Checkpoint:
    """What a training has reached: finished steps, the seed of what protects nothing, and tensors. PRIVATE."""

    done: int
    seed: int
    tensors: dict[str, Any]


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoint in ``folder`` of the run with the fingerprint ``run``."""

    folder: Path
    run: str

    def last(self) -> Checkpoint | None:
        """Return the last checkpoint; None if there is none.

        Raise ConfigurationError if it is of another run, and OutputError if it cannot be read.
        """
        from safetensors import SafetensorError, safe_open

        path = self.folder / _FILE
        if not path.exists():
            return None
        try:
            with safe_open(path, framework="pt") as file:
                facts = dict(file.metadata() or {})
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
            run, done, seed = facts["run"], int(facts["done"]), int(facts["seed"])
        except (OSError, SafetensorError, KeyError, ValueError):
            raise OutputError(f"{path.name} of the stopped run cannot be read; start a new run.") from None
        if run != self.run:
            raise ConfigurationError(
                "The training that was stopped had another input, schedule or model; resume it with the same ones, "
                "or start a new run, which costs its epsilon again."
            )
        return Checkpoint(done, seed, tensors)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Replace the last checkpoint. Raise OutputError if it cannot be written; the last one then stays."""
        from safetensors.torch import save

        facts = {"run": self.run, "done": str(checkpoint.done), "seed": str(checkpoint.seed)}
        path = self.folder / _FILE
        with writing(path):
            with whole(path, private=True, hidden=self.folder / _UNFINISHED) as file:
                file.write(save({name: value.cpu() for name, value in checkpoint.tensors.items()}, facts))
            sync_folder(self.folder)


def fingerprint(setting: str, public: object, units: Sequence[Unit]) -> str:
    """Return a hash of a run's ``setting``, its ``public`` parameters (JSON types) and its private input."""
    digest = hashlib.sha256(json.dumps([setting, public], sort_keys=True).encode())
    for unit in units:
        content = json.dumps([unit.texts, unit.codes]).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class Finetune(Synthesizer):
    """Trains low-rank factors of a causal model on the records, and writes records with it."""

    model: Annotated[Trainable, Part("the language model")]
    rank: Annotated[int, Option("rank of the factors that are trained beside each layer")] = 8
    scale: Annotated[float, Option("what the factors' answer is multiplied by, over the rank")] = 16.0
    batch: Annotated[
        int | None, Option("people or records in a step on average; none: a tenth of those declared")
    ] = None
    epochs: Annotated[float, Option("times that every record is used on average")] = 3.0
    steps: Annotated[int | None, Option("training steps, in place of epochs")] = None
    clip: Annotated[float, Option("largest norm of the gradient of a person or record")] = 1.0
    learning_rate: Annotated[
        float | None,
        Option("size of the first step, which falls linearly to zero; none: 0.025, and 0.005 without a guarantee"),
    ] = None
    length: Annotated[int, Option("most tokens of a text, read and written")] = 128
    temperature: Annotated[float, Option("of writing")] = 1.0
    top_p: Annotated[float, Option("mass of the most probable tokens, which are drawn from in writing")] = 0.95
    checkpoint_every: Annotated[int, Option("steps between two checkpoints")] = 1
    name: ClassVar[str] = "finetune"
    needs: ClassVar[tuple[str, ...]] = ("causal-model",)
    default_model: ClassVar[str | None] = "smollm2"
    takes_public_fields: ClassVar[bool] = True
    proof: ClassVar[str] = (
        "Poisson-subsampled Gaussian mechanism, composed by privacy loss distributions (Abadi et al. 2016; Koskela "
        "et al. 2020): docs/synthesis.md#finetune"
    )

    def __post_init__(self) -> None:
        for name in ("rank", "batch", "steps", "length", "checkpoint_every"):
            value = getattr(self, name)
            if (type(value) is not int or value < 1) and not (name in ("batch", "steps") and value is None):
                raise ConfigurationError(f"{name} is a whole number from 1 on, not {value!r}.")
        limits = {"scale": 1e4, "epochs": 1e4, "clip": 1e6, "learning_rate": 10.0, "temperature": 10.0, "top_p": 1.0}
        for name, most in limits.items():
            value = getattr(self, name)
            if name == "learning_rate" and value is None:
                continue
            if type(value) not in (int, float) or not _LEAST <= value <= most:
                raise ConfigurationError(f"{name} is a number from {_LEAST:g} to {most:g}, not {value!r}.")

    @cached_property
    def _adapter(self) -> Adapter:
        network = getattr(self.model, "network", None)
        if network is None:
            raise ConfigurationError(
                "finetune trains a model's network; give --set model=FOLDER with a causal model."
            )
        return Adapter(network, self.rank, float(self.scale))

    @property
    def _decoding(self) -> Decoding:
        return Decoding(self.length, float(self.temperature), float(self.top_p))

    def schedule(self, order: Order) -> FinetuneSchedule:
        """Return the steps for ``order``, with the smallest noise that its ε allows.

        The model is loaded, because its size decides time and warnings. Raise ConfigurationError if there are fewer
        units than a step samples, and GuaranteeError where no noise is enough.
        """
        self._check_window(order)
        adapter = self._adapter
        recipe, events = scheduled(order, self.batch, self.epochs, self.steps, self.clip, self.learning_rate)
        weights = sum(weight.numel() for weight in adapter.network.parameters())
        read = recipe.steps * recipe.batch * order.texts_per_unit * self.length
        seconds = estimated_seconds(adapter.vector.device.type, weights, read, order.wanted * self.length)
        return FinetuneSchedule(events, recipe, len(adapter.trained), seconds)

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the model, and refuse one whose layers mix its rows."""
        import torch

        adapter = self._adapter
        ids = torch.zeros((2, 4), dtype=torch.long, device=adapter.vector.device)
        adapter.gradients(ids, ids, torch.ones(2, device=ids.device))
        if progress is not None:
            progress(1.0)

    def synthesize(
        self,
        order: Order,
        schedule: FinetuneSchedule,
        units: Sequence[Unit],
        wanted: Sequence[int],
        workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:
        """Yield a text for each of ``wanted``, after a training that resumes at its last checkpoint."""
        tuned = self.trained(order, schedule, units, workspace, part_of(progress, 0.0, _TRAINING))
        yield from tuned.write(wanted, part_of(progress, _TRAINING, 1.0 - _TRAINING))

    def trained(
        self,
        order: Order,
        schedule: FinetuneSchedule,
        units: Sequence[Unit],
        workspace: Workspace,
        progress: Progress | None = None,
    ) -> TunedModel:
        """Return the model that is fine-tuned on ``units``, with factors that no later training changes."""
        self._check_window(order)
        adapter, steps = self._adapter, schedule.recipe.steps
        public = [order.codes, schedule.as_dict(), self.model.id, self.rank, self.scale, self.length]
        run = fingerprint(workspace.setting, public, units)
        checkpoints = Checkpoints(workspace.folder, run)
        workspace = replace(workspace, setting=run)  # under one key, other records draw other noise
        rows = rows_of(self.model, order.codes, units, self.length)
        training = Training(adapter, schedule.recipe, rows, workspace)
        last = checkpoints.last()
        if last is None:
            seed = int(workspace.uniforms("finetune: seed", 0, 1)[0] * 2.0**53)
            adapter.initialise(seed)
            checkpoints.keep(Checkpoint(0, seed, training.state))
        else:
            seed, training.done = last.seed, last.done
            training.restore(last.tensors)
        while training.done < steps:
            training.step()
            if training.done % self.checkpoint_every == 0 or training.done == steps:
                checkpoints.keep(Checkpoint(training.done, seed, training.state))
            if progress is not None:
                progress(training.done / steps)
        facts = {"schedule": schedule.as_dict()}
        return TunedModel(self.model, adapter.copy(), order.codes, self._decoding, seed, facts)

    def check_keeping(self) -> None:
        """Accept: a model is tuned."""

    def keep_model(
        self, order: Order, schedule: Any, units: Sequence[Unit], workspace: Workspace, folder: Path,
        facts: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """Keep the fine-tuned model in ``folder``; its last checkpoint is there, so nothing is trained again."""
        tuned = self.trained(order, schedule, units, workspace)
        replace(tuned, facts={**tuned.facts, **facts}).save(folder)

    def kept_model(self, folder: Path, seed: int) -> tuple[Mapping[str, Any], Write]:
        """Return what was kept in ``folder``, and what writes with its model, whose base is this method's."""
        tuned = self.from_saved(folder, seed)
        return tuned.facts, tuned.write

    def from_saved(self, folder: Path, seed: int = 0) -> TunedModel:
        """Return the fine-tuned model in ``folder``, whose base is this method's model."""
        return TunedModel.from_saved(folder, self.model, seed)

    def _check_window(self, order: Order) -> None:
        """Refuse a model whose window has no room for the longest code and text."""
        longest = max(map(len, prompts(self.model, order.codes)))
        if longest + self.length > self.model.window:
            raise ConfigurationError(
                f"The model's window of {self.model.window} tokens has no room for {longest} tokens of a code and "
                f"{self.length} of a text; give a smaller length, or another model."
            )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return every public parameter and the model."""
        return {
            "model": self.model.id,
            "rank": self.rank,
            "scale": self.scale,
            "tokens_per_text": self.length,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }
