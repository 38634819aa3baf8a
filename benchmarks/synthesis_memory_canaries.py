"""The canaries of `synthesis_memory.py`: which ones, and how exposed they are in a model and in what it
wrote.

Two kinds: phone-like numbers, and improbable ends behind an opening such as reviews have. Each canary has an opening
of its own, so that no other one answers for it. By chance each rank is equally likely.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordfreq import top_n_list

from sfumato.attacks.canaries import Canary, Digits, Ends, Secrets, canaries, exposures, found_in, whole
from sfumato.synthesis.finetune.rows import prompts
from sfumato.synthesis.finetune.tuned import TunedModel

NAMES = ("Adam", "Bella", "Carl", "Dora", "Emil", "Fiona", "Greg", "Hanna", "Ivan", "Julia", "Kevin", "Lena", "Marc",
         "Nora", "Oscar", "Paula", "Quentin", "Rosa", "Steve", "Tina", "Ursula", "Victor", "Wanda", "Xavier",
         "Yvonne", "Zach", "Anton", "Britta")  # fmt: skip
"""One for each canary of a kind."""
REPEATS = (1, 1, 1, 1, 4, 4, 16)
COMMON = 500  # words that are too common for an improbable end
SAMPLED = 100
SEED = 15


class Kind:
    """Canaries of one kind, each with its own opening."""

    def __init__(self, name: str, secrets: Secrets, opening: str, count: int, seed: int) -> None:
        self.name, self.secrets = name, secrets
        openings = [opening.format(name=person) for person in NAMES[:count]]
        self.canaries: list[Canary] = canaries(openings, secrets, count, seed, REPEATS)


def words() -> tuple[str, ...]:
    """Return public words that are neither common nor rare, letters alone."""
    return tuple(word for word in top_n_list("en", 4 * COMMON)[COMMON:] if word.isascii() and word.isalpha())


def kinds() -> list[Kind]:
    """Return both kinds of canaries; the seed is public."""
    return [
        Kind("numbers", Digits("0#########"), "Great service, ask for {name} on", 28, SEED),
        Kind("improbable ends", Ends(words()), "Many thanks to {name}, who", 14, SEED + 1),
    ]


class Reader:
    """The surprise of a tuned model at made-up sentences. No text of a record is read."""

    def __init__(self, folder: Path) -> None:
        from sfumato.models.causal.gguf import smollm2

        self.base = smollm2("bfloat16", "cpu")
        self.tuned = TunedModel.from_saved(folder, self.base)

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """Return the nats of each whole text; those of the opening are the same for all secrets behind it."""
        model: Any = self.base
        before = prompts(model, self.tuned.codes)[0]
        with self.tuned.adapter.attached():
            return [float(nats) for nats in model.nats([(before, model.pieces(text)) for text in texts])]


def exposed(folder: Path, released: Sequence[str]) -> dict[str, Any]:
    """Return the ranks of every canary: in the model in ``folder``, and in what it ``released``."""
    reader, facts = Reader(folder), dict[str, Any]()
    started = time.process_time()
    for kind in kinds():
        written = found_in(released, kind.secrets)
        rows = []
        by_model = exposures(kind.canaries, kind.secrets, reader, SAMPLED, SEED)
        by_output = exposures(kind.canaries, kind.secrets, written, SAMPLED, SEED)
        for canary, model, output in zip(kind.canaries, by_model, by_output, strict=True):
            rows.append({"repeats": canary.repeats, "among": model.among, "model": model.rank, "output": output.rank,
                         "written whole": bool(whole(canary, kind.secrets, written))})  # fmt: skip
        facts[kind.name] = rows
    facts["cpu_seconds"] = time.process_time() - started
    return facts
