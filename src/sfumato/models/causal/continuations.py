"""Several continuations of one prompt, read by a causal network after its prompt was read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.models.causal.networks import PlacedCausal
from sfumato.models.devices import inference


def read_after(
    network: PlacedCausal, columns: Any, prompt: Sequence[int], answers: Sequence[Sequence[int]]
) -> list[float]:
    """Return the surprise (nats) of the pieces of each answer after ``prompt``, whose cache they share."""
    import torch

    first, cache, mask = network.first([prompt])
    cache.batch_repeat_interleave(len(answers))
    longest = max(map(len, answers))
    ids = np.zeros((len(answers), longest), dtype=np.int64)
    for row, answer in enumerate(answers):
        ids[row, : len(answer)] = answer
    scores, rows = [first.expand(len(answers), -1)[:, None]], torch.from_numpy(ids).to(network.device)
    if longest > 1:
        places = torch.arange(len(prompt), len(prompt) + longest - 1, device=network.device).expand(len(answers), -1)
        arguments = {"input_ids": rows[:, :-1], "position_ids": places, "past_key_values": cache, "use_cache": True}
        arguments["attention_mask"] = mask.new_ones((len(answers), len(prompt) + longest - 1))
        with inference(network.network, rows.numel()):
            known = {name: value for name, value in arguments.items() if name in network.known}
            scores.append(network.network(**known).logits)
    logits = torch.cat(scores, dim=1).index_select(2, columns).float()
    column_of = torch.zeros(int(columns.max()) + 1, dtype=torch.long, device=network.device)
    column_of[columns] = torch.arange(len(columns), device=network.device)
    nats = torch.logsumexp(logits, 2) - logits.gather(2, column_of[rows][:, :, None])[:, :, 0]
    return [float(row[: len(answer)].sum()) for row, answer in zip(nats.double().cpu(), answers, strict=True)]
