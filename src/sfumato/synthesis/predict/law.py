"""The law of one token, and what it costs.

A group has members; each is one unit's text, shown to a causal model as an example. For every outcome v the model
gives a score l_i(v) beside member i, and a score p(v) beside no private text. With a clip C, a temperature T and a
*fixed* group size G,

    c_i(v) = clip(l_i(v) - p(v) - m_i, ±C),    z(v) = p(v) + (1/G) Σ_i c_i(v),    P(v) ∝ exp(z(v)/T)

over a set of outcomes that p alone decides. m_i, the upper quartile of l_i - p over that set, may depend on member i
in any way, because the clip comes after it. A record makes few outcomes much likelier and most a little less likely;
around the quartile less of the former is clipped than around the median. An empty group writes the public model's
text.

Claim. With the history of drawn tokens given, a draw is ρ-zCDP for one member more or less, ρ = C²/(2G²T²).

Proof. Groups D and D' = D ∪ {x} share p, the set and all c_i except c_x. So z'(v) - z(v) = c_x(v)/G lies in
[-C/G, C/G] for every v: the divisor is G for both, and c_i depends on no other member. log P'(v)/P(v) is that
difference over T plus a constant (the normaliser). Over all v it lies in an interval of length η = 2C/(GT), so the
draw is η-bounded-range (Dong, Durfee and Rogers, Optimal Differential Privacy Composition for Exponential Mechanisms,
2020). An η-bounded-range mechanism is η²/8-zCDP (Cesar and Rogers, Bounding, Concentrating, and Truncating, 2021,
Lemma 3.4), and η²/8 = C²/(2G²T²). zCDP composes adaptively (Bun and Steinke 2016, Lemma 2.3), so n tokens of a group,
each of which may depend on all drawn before it, are nρ-zCDP.

What the proof needs is easily lost. Division by the actual number of members moves *all* contributions when one
joins. A clip after the average bounds the move by 2C, not C/G. A set of outcomes that private scores decide gives
tokens that are possible beside a member and impossible without. tests/synthesis/predict holds each of these mistakes,
and exact divergences refute it.

Rounding. The scores of one row move by about 1e-5 with the rows computed beside it. :data:`ROUNDING` is added to C/G
for that, for sums in float64 and for :func:`~sfumato.privacy.sampling.sampling_error`. The rows of one session
belong to one group, so no other group is touched, and public scores come from sessions without private rows.
The sum of contributions is clamped to ±150·T and the public scores to 300·T below their best, so that every
probability can be drawn faithfully. A clamp of a sum moves no two sums further apart, and the claim stays.

**Writing.** Texts of one group are written side by side: every member of a text is a row that takes the same drawn
token. A text ends with the model's end piece, or with a blank line; which, and when, follows from drawn tokens alone.
Public rows have sessions of their own: which outcomes can be drawn must not depend on a private row, not even by
rounding. Private rows share sessions with rows of their own group only. At most one batch of texts is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel
from sfumato.errors import GuaranteeError
from sfumato.privacy.sampling import draw_once
from sfumato.types import FloatArray, IntArray, in_batches

Scores = NDArray[np.floating[Any]]
ROUNDING = 1e-4
"""What a member may move the mean of the scores beyond its clipped share: rounding, of float32 scores mostly."""

_CENTRE = 0.75
_PUBLIC_DEPTH, _SHIFT = 300.0, 150.0
_LARGE, _LOWEST = 1e4, 1e30
_END = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class TokenLaw:
    """The law of one token.

    Attributes:
        group_size: The fixed divisor G of every group.
        clip: The clip C of one member's contribution to a score; None: without a guarantee.
        temperature: The temperature T.
        top_k: The number of outcomes with the best public scores that can be drawn, the end of the text among them.
    """

    group_size: int
    clip: float | None
    temperature: float
    top_k: int

    @property
    def rho(self) -> float:
        """Return the zCDP ρ of one draw. Raise GuaranteeError without a clip."""
        if self.clip is None:
            raise GuaranteeError("Contributions that are not clipped have no guarantee.")
        return 0.5 * ((self.clip / self.group_size + ROUNDING) / self.temperature) ** 2

    def outcomes(self, public: Scores, end: int | None) -> IntArray:
        """Return the outcomes that can be drawn: those with the best ``public`` (V,) scores, and the end."""
        scores = _numbers(public)
        if end is not None:
            scores[end] = np.inf
        count = min(self.top_k, len(scores))
        best: IntArray = np.sort(np.argpartition(-scores, count - 1)[:count])
        return best

    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        """Return what ``members`` (m, k) add to the ``public`` (k,) scores, over the fixed group size, shape (k,)."""
        moved = np.nan_to_num(members - public, nan=0.0, posinf=_LARGE, neginf=-_LARGE)
        moved -= np.quantile(moved, _CENTRE, axis=1, keepdims=True, method="lower")
        if self.clip is not None:
            moved = np.clip(moved, -self.clip, self.clip)
        total: FloatArray = moved.sum(axis=0) / self.group_size
        return total

    def weights(self, public: Scores, members: Scores) -> FloatArray:
        """Return the weight of each outcome, given its ``public`` (k,) and ``members`` (m, k) scores, shape (k,)."""
        base = _numbers(public)
        base = np.maximum(base - base.max(), -_PUBLIC_DEPTH * self.temperature)
        shift = self.shift(base, np.asarray(members, dtype=np.float64) - np.asarray(public, np.float64).max())
        score = (base + np.clip(shift, -_SHIFT * self.temperature, _SHIFT * self.temperature)) / self.temperature
        weights: FloatArray = np.exp(score - score.max())
        return weights

    def choices(self, public: Scores, members: Scores, end: int | None, first: bool) -> tuple[IntArray, FloatArray]:
        """Return the outcomes that can be drawn, ascending, and their weights, shape (k,) each.

        ``public`` (V,) and ``members`` (m, V) are scores. The ``first`` token of a text is not the end.
        """
        able = self.outcomes(public, end)
        if first and end is not None and len(able) > 1:
            able = able[able != end]
        return able, self.weights(public[able], members[:, able])

    def draw(self, public: Scores, members: Scores, end: int | None, first: bool, uniform: float) -> int:
        """Return the outcome that ``uniform`` decides, by :meth:`choices`."""
        able, weights = self.choices(public, members, end, first)
        return int(able[draw_once(weights[None], np.array([uniform]))[0]])


def _numbers(scores: Scores) -> FloatArray:
    """Return ``scores`` with the lowest number for what is no number: an error here would depend on drawn tokens."""
    return np.nan_to_num(np.array(scores, dtype=np.float64), nan=-_LOWEST, posinf=_LOWEST, neginf=-_LOWEST)


class Rows:
    """Rows of pieces in sessions of at most :attr:`CausalModel.rows` rows, as if they were one session."""

    def __init__(self, model: CausalModel, prompts: Sequence[Sequence[int]]) -> None:
        self._outcomes = len(model.outcomes)
        parts = list(in_batches(prompts, model.rows))
        self._sessions = [model.begin(part) for part in parts]
        self._counts = [len(part) for part in parts]

    def scores(self) -> NDArray[np.floating[Any]]:
        """Return a score for each outcome as the next piece of each unfinished row, in order, shape (rows, V)."""
        live = [session.scores() for session, count in zip(self._sessions, self._counts, strict=True) if count]
        return np.concatenate(live) if live else np.empty((0, self._outcomes))

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Take an outcome for each unfinished row; None ends a row."""
        first = 0
        for number, count in enumerate(self._counts):
            part = outcomes[first : first + count]
            first += count
            if part:
                self._sessions[number].take(part)
            self._counts[number] = sum(outcome is not None for outcome in part)


class Prompts(NamedTuple):
    """The prompts of one text: ``public``, without a record, and one for each member's record, ``private``."""

    public: Sequence[int]
    private: Sequence[Sequence[int]]


def write_texts(model: CausalModel, law: TokenLaw, texts: Sequence[Prompts], uniforms: FloatArray) -> list[str]:
    """Return a text for each of the ``texts`` of one group; ``uniforms`` (n, length) decide its tokens by ``law``."""
    drawn: list[list[int]] = [[] for _ in texts]
    live, members = list(range(len(texts))), len(texts[0].private)
    without = Rows(model, [text.public for text in texts])
    beside = Rows(model, [prompt for text in texts for prompt in text.private])
    for step in range(uniforms.shape[1]):
        taken: list[int | None] = []
        common = without.scores()
        own = beside.scores().reshape(len(live), members, common.shape[1])
        for row, text in enumerate(live):
            outcome = law.draw(common[row], own[row], model.end, step == 0, uniforms[text, step])
            if outcome != model.end:
                drawn[text].append(int(model.outcomes[outcome]))
            taken.append(None if outcome == model.end or _ended(model.text(drawn[text])) else outcome)
        live = [text for text, outcome in zip(live, taken, strict=True) if outcome is not None]
        if not live or step == uniforms.shape[1] - 1:
            break
        without.take(taken)
        beside.take([outcome for outcome in taken for _ in range(members)])
    return [_END.split(model.text(pieces).strip())[0].rstrip() for pieces in drawn]


def _ended(text: str) -> bool:
    """Return whether ``text`` ended with a blank line, as texts do in the prompts."""
    return _END.search(text.lstrip()) is not None
