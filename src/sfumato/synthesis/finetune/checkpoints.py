"""The state of a training in the private folder of its run: one file, which is replaced whole after a step.

The file is safetensors with the counters in its header, so parameters and counters cannot part. It is known by the
fingerprint of the run: what is trained on, and every parameter. Only its owner can read it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.synthesizer import Unit
from sfumato.errors import ConfigurationError, OutputError
from sfumato.storage.atomic import sync_folder, whole, writing

_FILE, _UNFINISHED = "finetune.safetensors", ".finetune.tmp"


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
