"""Entailment models: cross-encoders of transformers with a label for entailment, from local files only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.models.devices import inference
from sfumato.models.local_files import identity, local_folder, pretrained
from sfumato.types import Progress, in_batches

_AT_ONCE = 32
_LONGEST = 512  # pieces of a pair, if the model sets no limit


@dataclass(frozen=True)
class EntailmentModel:
    """Estimates how likely a sentence follows from others. ``model`` is a folder, or a name that is on this machine.

    Weights are safetensors. Nothing is loaded before the first use. Raises MissingExtraError if the model is not
    there, and ConfigurationError if it has no label for entailment.
    """

    model: str

    @cached_property
    def _folder(self) -> Path:
        return local_folder(self.model, "entailment model")

    @cached_property
    def id(self) -> str:
        """Return the name and 16 hexadecimal digits of the SHA-256 of all files."""
        return identity(self.model, self._folder)

    @cached_property
    def _parts(self) -> tuple[Any, Any, int]:
        """Return the network, the tokenizer, and the number of the label for entailment."""
        network, tokenizer = pretrained(self._folder, "entailment")
        labels = {int(number): str(label).lower() for number, label in network.config.id2label.items()}
        meant = [number for number, label in labels.items() if label.startswith("entail")]
        if len(meant) != 1 or len(labels) < 2:
            raise ConfigurationError(
                f"The model {self.model} has no label 'entailment'; give one made for entailment."
            )
        return network, tokenizer, meant[0]

    @property
    def _window(self) -> int:
        return min(_LONGEST, getattr(self._parts[0].config, "max_position_embeddings", _LONGEST) - 2)

    def entailed(
        self, premises: Sequence[Sequence[str]], hypotheses: Sequence[str], progress: Progress | None = None
    ) -> list[float]:
        """Return the probability that each hypothesis follows from its premises, the sentences at the same index.

        If the sentences do not fit the model's window together, they are asked in turns, and the largest probability
        counts. ``progress`` receives the finished share.
        """
        pairs = [(number, premise, hypothesis)
                 for number, (own, hypothesis) in enumerate(zip(premises, hypotheses, strict=True))
                 for premise in self._fitting(own, hypothesis)]  # fmt: skip
        pairs.sort(key=lambda pair: len(pair[1]) + len(pair[2]))
        probabilities = [0.0] * len(hypotheses)
        for batch in in_batches(pairs, _AT_ONCE, progress):
            answers = self._asked([(premise, hypothesis) for _, premise, hypothesis in batch])
            for (number, _, _), answer in zip(batch, answers, strict=True):
                probabilities[number] = max(probabilities[number], answer)
        return probabilities

    def _fitting(self, sentences: Sequence[str], hypothesis: str) -> Iterator[str]:
        """Yield ``sentences``, joined as far as they fit beside ``hypothesis``. One that is too long alone is cut."""
        tokenizer, window = self._parts[1], self._window
        room = window - len(tokenizer(hypothesis, truncation=True, max_length=window // 2)["input_ids"]) - 4
        joined: list[str] = []
        used = 0
        for sentence in sentences:
            length = len(tokenizer(sentence, add_special_tokens=False, verbose=False)["input_ids"]) + 1
            if joined and used + length > room:
                yield " ".join(joined)
                joined, used = [], 0
            joined.append(sentence if sentence.endswith((".", "!", "?")) else f"{sentence}.")
            used += length
        if joined:
            yield " ".join(joined)

    def _asked(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        network, tokenizer, label = self._parts
        read = tokenizer(
            [premise for premise, _ in pairs], [hypothesis for _, hypothesis in pairs], padding=True,
            truncation="longest_first", max_length=self._window, return_tensors="pt",
        )  # fmt: skip
        with inference(network, read["input_ids"].numel()):
            logits = network(**read).logits.double()
        return [float(probability) for probability in torch.softmax(logits, dim=-1)[:, label]]
