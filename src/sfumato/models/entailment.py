"""Entailment models: cross-encoders of transformers with a label for entailment, from local files only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.models.inference import inference
from sfumato.models.loading import pretrained
from sfumato.models.local_files import digest_of_all, local_folder
from sfumato.types import Progress

_AT_ONCE = 32
_LONGEST = 512  # pieces of a pair, where the model does not say


@dataclass(frozen=True)
class EntailmentModel:
    """Says how likely a sentence follows from others; ``model`` is a folder or a name that is on this machine.

    Weights are safetensors; nothing is loaded before the first use. Raises MissingExtraError where the model is not
    there and ConfigurationError where it has no label for entailment.
    """

    model: str

    @cached_property
    def _folder(self) -> Path:
        return local_folder(self.model, "entailment model")

    @cached_property
    def id(self) -> str:
        """Name and 16 hexadecimal digits of the SHA-256 of all files."""
        name = Path(self.model).name if Path(self.model).is_dir() else self.model
        return f"{name}@{digest_of_all(self._folder)[:16]}"

    @cached_property
    def _parts(self) -> tuple[Any, Any, int]:
        """Network, tokenizer, and the number of the label for entailment."""
        network, tokenizer = pretrained(self._folder, "entailment")
        labels = {int(number): str(label).lower() for number, label in network.config.id2label.items()}
        meant = [number for number, label in labels.items() if label.startswith("entail")]
        if len(meant) != 1 or len(labels) < 2:
            raise ConfigurationError(
                f"The model {self.model} has no label 'entailment'; give one made for entailment."
            )
        return network, tokenizer, meant[0]

    def entailed(
        self, premises: Sequence[Sequence[str]], hypotheses: Sequence[str], progress: Progress | None = None
    ) -> list[float]:
        """The probability that each hypothesis follows from the sentences beside it.

        Sentences that do not fit the model's window together are asked in turns, and the largest answer counts.
        """
        asked = [(number, premise, hypothesis)
                 for number, (own, hypothesis) in enumerate(zip(premises, hypotheses, strict=True))
                 for premise in self._fitting(own, hypothesis)]  # fmt: skip
        asked.sort(key=lambda one: len(one[1]) + len(one[2]))
        found = [0.0] * len(hypotheses)
        for first in range(0, len(asked), _AT_ONCE):
            some = asked[first : first + _AT_ONCE]
            answers = self._asked([(premise, hypothesis) for _, premise, hypothesis in some])
            for (number, _, _), answer in zip(some, answers, strict=True):
                found[number] = max(found[number], answer)
            if progress is not None:
                progress(min(1.0, (first + _AT_ONCE) / len(asked)))
        return found

    def _fitting(self, sentences: Sequence[str], hypothesis: str) -> Iterator[str]:
        """``sentences`` joined as far as they fit beside ``hypothesis``; one that is too long alone is cut."""
        network, tokenizer, _ = self._parts
        window = min(_LONGEST, getattr(network.config, "max_position_embeddings", _LONGEST) - 2)
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
        window = min(_LONGEST, getattr(network.config, "max_position_embeddings", _LONGEST) - 2)
        read = tokenizer(
            [premise for premise, _ in pairs], [hypothesis for _, hypothesis in pairs], padding=True,
            truncation="longest_first", max_length=window, return_tensors="pt",
        )  # fmt: skip
        with inference(network, read["input_ids"].numel()):
            logits = network(**read).logits.double()
        return [float(one) for one in torch.softmax(logits, dim=-1)[:, label]]
