"""A training that is killed, or finds its disk full: it resumes at its last checkpoint, to the same end."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.abstract.synthesizer import Order, Workspace
from sfumato.errors import OutputError
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.synthesis.finetune.dp_sgd import Training
from sfumato.synthesis.finetune.finetune import Finetune

from .conftest import made_units

pytestmark = pytest.mark.models
OPTIONS = {"rank": 2, "batch": 20, "steps": 4, "length": 16, "learning_rate": 0.05}

KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.randomness import SeededRandomness
from sfumato.synthesis.finetune.dp_sgd import Training
from sfumato.synthesis.finetune.finetune import Finetune

torch.set_num_threads(1)
folder, place, when = sys.argv[1:4]
units = [Unit(tuple(texts), tuple(codes)) for texts, codes in eval(sys.argv[4])]
order = Order(("topic: move", "topic: pay"), 60, 1, 5, 8.0, 1e-4)
method = Finetune(TransformersCausal(folder, device="cpu"), rank=2, batch=20, steps=4, length=16, learning_rate=0.05)
if when == "in a step":
    update = Training._update
    def killed(training, mean):
        if training.done == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        update(training, mean)
    Training._update = killed
else:
    fsync, calls = os.fsync, []
    def killed(handle):
        calls.append(handle)
        if len(calls) == 7:  # file and folder, for three checkpoints
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(handle)
    os.fsync = killed
method.trained(order, method.schedule(order), units, Workspace(Path(place), SeededRandomness(3), "test"))
"""


@pytest.mark.parametrize("when", ["in a step", "in a checkpoint"])
def test_a_killed_training_ends_as_one_that_was_not(
    model: TransformersCausal, folder: Path, order: Order, workspace: Workspace, tmp_path: Path, when: str
) -> None:
    units = made_units(60)
    told = repr([(unit.texts, unit.codes) for unit in units])
    ended = subprocess.run([sys.executable, "-c", KILLED, folder, workspace.folder, when, told], capture_output=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-500:]
    taken: list[int] = []
    step = Training.step
    method = Finetune(model, **OPTIONS)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Training, "step", lambda training: (taken.append(training.done), step(training)))
        resumed = method.trained(order, method.schedule(order), units, workspace).adapter.vector.clone()
    assert taken == [2, 3]
    other = tmp_path / "other"
    other.mkdir()
    again = Finetune(model, **OPTIONS)  # type: ignore[arg-type]
    whole = again.trained(order, again.schedule(order), units, replace(workspace, folder=other)).adapter.vector
    assert (resumed == whole).all()


def test_a_full_disk_keeps_the_last_checkpoint(model: TransformersCausal, order: Order, workspace: Workspace) -> None:
    method, units = Finetune(model, **OPTIONS), made_units(60)  # type: ignore[arg-type]
    schedule = method.schedule(order)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before: list[bytes] = []
    path = workspace.folder / "finetune.safetensors"

    def told(share: float) -> None:
        if share == 0.5:
            before.append(path.read_bytes())
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))

    try:
        with pytest.raises(OutputError, match=r"finetune\.safetensors cannot be written"):
            method.trained(order, schedule, units, workspace, told)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.read_bytes()] == before
    assert list(workspace.folder.iterdir()) == [path]
    shares: list[float] = []
    method.trained(order, schedule, units, workspace, shares.append)
    assert shares == [0.75, 1.0]
