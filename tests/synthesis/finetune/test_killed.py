"""A training that is killed, or finds its disk full: it resumes at its last checkpoint, to the same end.

All that are killed are forked from one process, which takes six seconds to import torch and transformers and to load
the model once. It does not train, because a training begins threads.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import call, everything_below, write_jsonl
from sfumato.abstract.synthesizer import Order, Workspace
from sfumato.errors import OutputError
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.synthesis.finetune.dp_sgd import Training
from sfumato.synthesis.finetune.finetune import Finetune

from .conftest import made_units

pytestmark = pytest.mark.models
OPTIONS = {"rank": 2, "batch": 20, "steps": 4, "length": 16, "learning_rate": 0.05}

KILLED = """
import json, os, signal, sys
from pathlib import Path
import torch
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.cli import main
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.privacy.randomness import SeededRandomness
from sfumato.synthesis.finetune.dp_sgd import Training
from sfumato.synthesis.finetune.finetune import Finetune

torch.set_num_threads(1)
folder, *places = sys.argv[1:5]
units = [Unit(tuple(texts), tuple(codes)) for texts, codes in json.loads(sys.argv[5])]
words = json.loads(sys.argv[6])
order = Order(("topic: move", "topic: pay"), 60, 1, 5, 8.0, 1e-4)
method = Finetune(TransformersCausal(folder, device="cpu"), rank=2, batch=20, steps=4, length=16, learning_rate=0.05)
method.schedule(order)

def in_a_step():
    update = Training._update
    def killed(training, mean):
        if training.done == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        update(training, mean)
    Training._update = killed

def in_a_checkpoint():
    fsync, calls = os.fsync, []
    def killed(handle):
        calls.append(handle)
        if len(calls) == 7:  # file and folder, for three checkpoints
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(handle)
    os.fsync = killed

def train(place):
    method.trained(order, method.schedule(order), units, Workspace(Path(place), SeededRandomness(3), "test"))

def command(place):
    os.chdir(place)
    sys.argv = ["sfumato", *words]
    main()

ended = []
tasks = Path("/proc/self/task")
for place, prepare, run in zip(places, (in_a_step, in_a_checkpoint, in_a_step), (train, train, command)):
    assert not tasks.is_dir() or len(list(tasks.iterdir())) == 1, "a process with threads cannot be forked whole"
    child = os.fork()
    if child == 0:
        prepare()
        run(place)
        os._exit(0)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(ended))
"""
WHEN = ("in a step", "in a checkpoint")
NAME = "Zuzanna Quillfeather"
TUNING = ("steps=8", "length=12", "batch=20", "rank=2")
ASKED = ("-e", "6", "--units", "60", "--records", "6", "--code", "topic=move,call")
COMMAND = ("synthesize", "in.jsonl", "-o", "out.jsonl", "-m", "finetune", "--set", "model=model")
COMMAND += (*(part for option in TUNING for part in ("--set", option)), *ASKED)


@pytest.fixture(scope="module")
def killed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of two trainings and of a run of the command, each in a process of its own, that were killed."""
    names = (*WHEN, "command")
    places = {name: tmp_path_factory.mktemp("killed") for name in names}
    told = json.dumps([(unit.texts, unit.codes) for unit in made_units(60)])
    rows = [
        {"text": f"{NAME} says {n} <|end|><|user|> again", "topic": ("move", "call")[n % 2], "who": n % 20}
        for n in range(60)
    ]
    write_jsonl(places["command"] / "in.jsonl", rows)
    (places["command"] / "model").symlink_to(folder)
    own = tmp_path_factory.mktemp("own")
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, folder, *places.values(), told, json.dumps(COMMAND)],
        capture_output=True,
        text=True,
        env={**os.environ, "SFUMATO_CACHE": str(own / "cache"), "XDG_CONFIG_HOME": str(own / "config")},
    )
    assert ended.returncode == 0, ended.stderr[-500:]
    assert json.loads(ended.stdout) == [-signal.SIGKILL] * len(names), ended.stderr[-500:]
    return places


@pytest.mark.parametrize("when", WHEN)
def test_a_killed_training_ends_as_one_that_was_not(
    model: TransformersCausal, killed: dict[str, Path], order: Order, workspace: Workspace, tmp_path: Path, when: str
) -> None:
    units = made_units(60)
    stopped = replace(workspace, folder=killed[when])
    taken: list[int] = []
    step = Training.step
    method = Finetune(model, **OPTIONS)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Training, "step", lambda training: (taken.append(training.done), step(training)))
        resumed = method.trained(order, method.schedule(order), units, stopped).adapter.vector.clone()
    assert taken == [2, 3]
    other = tmp_path / "other"
    other.mkdir()
    again = Finetune(model, **OPTIONS)  # type: ignore[arg-type]
    whole = again.trained(order, again.schedule(order), units, replace(workspace, folder=other)).adapter.vector
    assert (resumed == whole).all()


def test_a_killed_command_goes_on_with_the_same_claim(
    killed: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(killed["command"])
    output, folder = Path("out.jsonl"), Path(".out.jsonl.synthesis")
    assert not output.exists()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    assert NAME.encode() not in everything_below(folder)
    refused = call(*COMMAND[:-2], "--resume")
    assert refused.code == 2
    assert "belongs to another input, other options" in refused.err
    made = call(*COMMAND, "--resume")
    assert made.code == 0, made.err
    assert json.loads(Path("out.jsonl.privacy.json").read_text())["epsilon"] == 6.0
    assert not folder.exists()


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
