"""Defences of a model that is asked: functions of its probabilities, shape (n, classes), and one way of training.

They are the five that Table 10 of Semantics-preserved distortion compares with distortion (§5.1.3). The paper names
none of their settings; those used here are the defaults.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.types import FloatArray

LEAST = 1e-6


def softened(answers: FloatArray, temperature: float = 5.0) -> FloatArray:
    """Return the softmax of the same scores divided by ``temperature`` (Xu et al. 2022)."""
    return _normalised(np.maximum(answers, LEAST) ** (1 / temperature))


def perturbed(answers: FloatArray, draw: np.random.Generator, deviation: float = 0.2) -> FloatArray:
    """Return the probabilities with Gaussian noise, made probabilities again (Xu et al. 2022)."""
    return _normalised(np.maximum(answers + draw.normal(0.0, deviation, answers.shape), LEAST))


def reverse_sigmoid(answers: FloatArray, beta: float = 1.0, gamma: float = 0.2) -> FloatArray:
    """Return the probabilities less ``beta`` (sigmoid(``gamma`` log-odds) - 1/2), made probabilities again.

    Lee et al. (2019), equation 3, without a temperature.
    """
    inside = np.clip(answers, LEAST, 1 - LEAST)
    odds = np.log(inside / (1 - inside))
    return _normalised(np.maximum(inside - beta * (1 / (1 + np.exp(-gamma * odds)) - 0.5), LEAST))


def most_least(answers: FloatArray, epsilon: float = 0.01) -> FloatArray:
    """Return 1/2 + ``epsilon`` for the likeliest class, 1/2 - ``epsilon`` for the least likely, 0 for all others.

    He et al. (2022).
    """
    rows = np.arange(len(answers))
    told = np.zeros_like(answers)
    told[rows, answers.argmin(axis=1)] = 0.5 - epsilon
    told[rows, answers.argmax(axis=1)] = 0.5 + epsilon
    return told


def undermined(
    inputs: FloatArray, labels: FloatArray, honest: FloatArray, seed: int, weight: float = 0.05, steps: int = 300,
    hidden: int = 64, temperature: float = 4.0,
) -> Any:  # fmt: skip
    """Return the answers of a nasty teacher, a function of inputs (Ma et al. 2021).

    The network learns ``labels`` and, with ``weight``, to answer unlike the probabilities ``honest`` of a model that
    was trained in the usual way on the same ``inputs``; both are divided by ``temperature``.
    """
    import torch

    torch.manual_seed(seed)
    given = torch.from_numpy(np.asarray(inputs, dtype=np.float32))
    truth = torch.from_numpy(np.asarray(labels)).long()
    soft = torch.from_numpy(softened(honest, temperature).astype(np.float32))
    network = torch.nn.Sequential(
        torch.nn.Linear(given.shape[1], hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, honest.shape[1])
    )
    learner = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-3)
    for _ in range(steps):
        learner.zero_grad()
        scores = network(given)
        apart = torch.nn.functional.kl_div(torch.log_softmax(scores / temperature, 1), soft, reduction="batchmean")
        (torch.nn.functional.cross_entropy(scores, truth) - weight * temperature**2 * apart).backward()
        learner.step()

    def answers(asked: FloatArray) -> FloatArray:
        with torch.inference_mode():
            scores = network(torch.from_numpy(np.asarray(asked, dtype=np.float32)))
        return np.asarray(torch.softmax(scores, dim=1).numpy(), dtype=np.float64)

    return answers


def _normalised(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
