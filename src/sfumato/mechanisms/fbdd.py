"""FBDD (Feyisetan, Balle, Drake, Diethe: Privacy- and Utility-Preserving Textual Analysis via Calibrated
Multivariate Perturbations, WSDM 2020; the CusText paper calls it FBDD).

Noise with density ∝ exp(-ε·‖z‖₂) on the token's vector, then the nearest token. ε-metric-LDP for the Euclidean
distance (paper, Theorem 1); analysis in ``sfumato.mechanisms._noise``. The loss of the noise itself is exactly ε·d,
so both calibrations are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.mechanisms._noise import NoiseMechanism


@dataclass(frozen=True, eq=False)
class FBDD(NoiseMechanism):
    """Spherical noise, then the nearest token. ε is per unit of Euclidean distance (metric-LDP)."""

    name: ClassVar[str] = "fbdd"
    proof: ClassVar[str] = "Feyisetan et al. 2020, Theorem 1; docs/mechanisms.md#fbdd"
