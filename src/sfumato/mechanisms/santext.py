"""SanText (Yue et al., Differential Privacy for Text Analytics via Natural Text Sanitization, ACL Findings 2021).

Law: P(y|x) ∝ exp(-s · d(x, y)), x and y in the vocabulary. Paper scale s = ε/2 (CluSanT paper, Theorems 1 and 2).

Analysis. |log P(y|x) - log P(y|x')| ≤ s·|d(x,y) - d(x',y)| + |log Z(x) - log Z(x')|; the first term is at most
s·d(x,x') (triangle inequality), attained at y = x and y = x' with opposite signs, so the loss of a pair is exactly
s·d(x,x') + |log Z(x) - log Z(x')|. The second term is at most s·d(x,x') too, hence ε/2 is always enough; the exact
calibration computes it for every pair instead and raises s, at most to ε.

Differences from the published code: distances and sums in float64, no shared generator in forked workers, unknown
words become a public surrogate instead of a word counted from the private corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.mechanisms._exponential import DistanceExponential


@dataclass(frozen=True, eq=False)
class SanText(DistanceExponential):
    """Exponential in the distance, over the whole vocabulary. ε is per unit of distance (metric-LDP)."""

    name: ClassVar[str] = "santext"
    proof: ClassVar[str] = "Yue et al. 2021, Theorem 1; exact loss: docs/mechanisms.md#santext"
