"""How many records of each control code are written: by one noisy histogram, which is paid for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.privacy.sampling import gaussian
from sfumato.types import FloatArray


def noisy_shares(units: Sequence[Unit], codes: int, sigma: float | None, workspace: Workspace) -> FloatArray:
    """Return the share of each code, shape (codes,): of its :func:`counts_of` the units, with normal noise.

    A Gaussian mechanism of ``sigma`` at rate 1. The total is not used otherwise. ``sigma`` None: without noise.
    """
    counts = counts_of(units, codes)
    if sigma is not None:
        counts += sigma * gaussian(workspace.uniforms("shares of codes", 0, codes))
    counts = np.maximum(counts, 0.0)
    total = float(counts.sum())
    return counts / total if total > 0.0 else np.full(codes, 1.0 / codes)


def counts_of(units: Sequence[Unit], codes: int) -> FloatArray:
    """Return how many units there are of each code, shape (codes,); a unit's texts count 1 together.

    So one unit more or less moves the counts by a vector of norm at most 1.
    """
    counts = np.zeros(codes)
    for unit in units:
        for code in unit.codes:
            counts[code] += 1.0 / len(unit.codes)
    return counts


def apportioned(shares: FloatArray, wanted: int) -> list[int]:
    """Return the code of each of ``wanted`` records: as many of each as its share says, by largest remainders."""
    exact = shares * wanted
    whole = np.floor(exact).astype(np.int64)
    rest = wanted - int(whole.sum())
    whole[np.argsort(-(exact - whole), kind="stable")[:rest]] += 1
    return [code for code, count in enumerate(whole) for _ in range(int(count))]


def codes_wanted(codes: int, shares: Sequence[float] | None, records: int | None) -> list[int]:
    """Return the code of each of so many ``records``, by the ``shares`` of the ``codes``.

    Without shares every record has a code of its own, and there are as many as codes unless ``records`` says more.
    Raise ConfigurationError where the number of records is open.
    """
    if shares is None:
        return [index % codes for index in range(records or codes)]
    if records is None:
        raise ConfigurationError("How many records are to be written? Give --records.")
    return apportioned(np.asarray(shares), records)
