"""A run of evolve: pools of candidates, rounds of votes, and the texts at the end.

The folder of the run keeps candidates, noisy votes and texts, so that the run can resume. PRIVATE.
Noisy votes are paid for when they are drawn, and they are drawn once. They are written to the disk, whole and synced,
before anything looks at them. So a run that was stopped either has the votes of a round, and uses these, or lost a
round of which nobody has seen anything: it votes again, with fresh noise, and the claim is the same. What would break
the claim is to look first: a run that fails *because of* its votes and then draws again has chosen among draws.
A file that cannot be read is therefore an error, and never a reason to draw again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.abstract.chat import BATCH
from sfumato.abstract.models import Encoder
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.synthesis.evolve.votes import Ballot, EvolveSchedule, Pool, Voter, noisy, voters
from sfumato.synthesis.evolve.writing import Writer
from sfumato.types import FloatArray, IntArray, Progress

NEAR = 0.97
"""The cosine from which two texts count as one."""
_PATIENCE = 3  # questions for texts that brought no new one, one after the other


def resampled(votes: IntArray, count: int, uniform: float, sharpness: float = 1.0) -> IntArray:
    """Return how often each candidate is chosen, ``count`` times in all, by its noisy ``votes`` if they are above 0.

    Its chance is in proportion to that power of its votes that ``sharpness`` gives. At 1 a candidate that is nearest
    to everything, because it says little, crowds out the others; less keeps more kinds of text.
    Systematic resampling: one uniform in (0, 1] decides, and a candidate's number is its expectation, rounded up or
    down. If no count is above 0, all candidates are alike. Reads noisy votes alone, so that it costs nothing.
    """
    weights = np.where(votes > 0, np.maximum(votes, 1).astype(np.float64) ** sharpness, 0.0)
    reached = np.cumsum(weights if weights.any() else np.ones(len(votes)))
    places = (np.arange(count) + uniform) * (float(reached[-1]) / count)
    indices = np.minimum(np.searchsorted(reached, places, side="left"), len(votes) - 1)
    return np.bincount(indices, minlength=len(votes)).astype(np.int64)


class Distinct:
    """Texts no two of which are nearly the same, by the cosine of their vectors."""

    def __init__(self, dimensions: int) -> None:
        self.texts: list[str] = []
        self._vectors = np.empty((64, dimensions))

    def add(self, text: str, vector: FloatArray) -> bool:
        """Take ``text``, unless one that is nearly the same is there already. Return whether it was taken."""
        size = float(np.linalg.norm(vector))
        unit = vector / size if size > 0.0 else vector
        taken = len(self.texts)
        if text in self.texts or (taken and float((self._vectors[:taken] @ unit).max()) >= NEAR):
            return False
        if taken == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        self._vectors[taken] = unit
        self.texts.append(text)
        return True


@dataclass(frozen=True)
class KeptRounds:
    """What one run keeps in its ``workspace``. ``mark`` is a hash of the settings of that run."""

    workspace: Workspace
    mark: str

    def find(self, name: str) -> Any:
        """Return what was kept under ``name``; None if nothing was.

        Raise OutputError for a file that cannot be read, ConfigurationError for one of a run with other settings.
        """
        kept = self.workspace.kept(f"evolve-{name}")
        if kept is None:
            return None
        if not isinstance(kept, dict) or kept.get("run") != self.mark:
            raise ConfigurationError(
                f"What was kept as {name} is of a run with other settings; give the same ones, or start a new run, "
                "which costs its epsilon again."
            )
        return kept["content"]

    def keep(self, name: str, content: Any) -> None:
        """Write ``content`` (JSON types) under ``name``, whole and synced when this returns."""
        self.workspace.keep(f"evolve-{name}", {"run": self.mark, "content": content})


@dataclass(frozen=True, eq=False)
class Rounds:
    """Everything of a run that sees no private text: it is told noisy votes alone."""

    writer: Writer
    encoder: Encoder
    order: Order
    schedule: EvolveSchedule
    workspace: Workspace
    kept: KeptRounds
    sharpness: float

    def pool(self, number: int, before: tuple[Pool, IntArray] | None, progress: Progress | None) -> Pool:
        """Return the candidates of round ``number``: seeds, or what the noisy votes of the round before left of its.

        Raise ConfigurationError if the model writes too few.
        """
        name = f"candidates-{number}"
        kept = self.kept.find(name)
        if kept is not None:
            return Pool(tuple(kept["codes"]), tuple(kept["texts"]))
        made = self._seeds(progress) if before is None else self._survivors(number, *before, progress)
        self.kept.keep(name, _columns(zip(made.codes, made.texts, strict=True)))
        return made

    def _seeds(self, progress: Progress | None) -> Pool:
        codes, each = self.order.codes, self.schedule.candidates
        written = self.writer.ask(
            len(codes) * each,
            lambda number: self.writer.seed(codes[number // each % len(codes)], number),
            "seeds",
            progress,
        )
        pool = self._distinct([(index // each, text) for index, text in enumerate(written) if text is not None])
        for code, text in enumerate(codes):
            if (count := len(pool.of(code))) < max(2, (each + 1) // 2):
                named = f" of the control code {text!r}" if text else ""
                raise ConfigurationError(
                    f"The language model wrote {count} usable texts{named}, each unlike the others, where {each} "
                    "were asked for: choose another model, or fewer candidates."
                )
        return pool

    def _survivors(self, number: int, pool: Pool, votes: IntArray, progress: Progress | None) -> Pool:
        """Return candidates resampled by ``votes``: each as it is, and a variation for each further time."""
        chosen: list[tuple[int, str]] = []
        parents: list[tuple[int, str]] = []
        for code, index, count in self._resampled(pool, votes, "candidates", number, self.schedule.candidates):
            chosen.append((code, pool.texts[index]))
            parents += [(code, pool.texts[index])] * (count - 1)
        return self._distinct([*chosen, *self._varied(parents, number, f"round {number + 1}", progress)])

    def _resampled(
        self, pool: Pool, votes: IntArray, purpose: str, number: int, count: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield code, candidate and times for each candidate that is chosen, ``count`` times for each code."""
        uniforms = self.workspace.uniforms(f"evolve: {purpose}", number, len(self.order.codes))
        for code in range(len(self.order.codes)):
            members = pool.of(code)
            chosen = resampled(votes[members], count, uniforms[code], self.sharpness)
            for index, times in zip(members, chosen, strict=True):
                if times:
                    yield code, int(index), int(times)

    def _varied(
        self, parents: Sequence[tuple[int, str]], number: int, stage: str, progress: Progress | None
    ) -> list[tuple[int, str]]:
        """Return the usable variations of ``parents``, with their codes; other ones for another ``number``."""
        if not parents:
            return []
        codes, far = self.order.codes, 1_000_000 * (number + 1)
        written = self.writer.ask(
            len(parents),
            lambda question: self.writer.vary(
                codes[parents[question % len(parents)][0]], parents[question % len(parents)][1], far + question
            ),
            stage,
            progress,
        )
        return [(code, text) for (code, _), text in zip(parents, written, strict=True) if text is not None]

    def _distinct(self, pairs: Sequence[tuple[int, str]]) -> Pool:
        """Return the pool of ``pairs`` without those that are nearly the same as an earlier one of their code."""
        taken = self._take(pairs, self._seen())
        return Pool(tuple(code for code, _ in taken), tuple(text for _, text in taken))

    def _seen(self) -> list[Distinct]:
        return [Distinct(self.encoder.dimensions) for _ in self.order.codes]

    def _take(self, pairs: Sequence[tuple[int, str]], seen: Sequence[Distinct]) -> list[tuple[int, str]]:
        """Add ``pairs`` to what was seen of their codes. Return those that were new."""
        vectors = self.encoder.encode([text for _, text in pairs])
        return [pair for pair, vector in zip(pairs, vectors, strict=True) if seen[pair[0]].add(pair[1], vector)]

    def texts(self, wanted: Sequence[int], pool: Pool, votes: IntArray, progress: Progress | None) -> list[list[str]]:
        """Return for each code as many texts as ``wanted`` has of it: last candidates by their votes, and variations.

        Raise ConfigurationError if the model does not write so many different ones.
        """
        needed, made = self._count(wanted), self._seen()
        kept = self.kept.find("texts") or {"asked": 0, "codes": [], "texts": []}
        self._take(list(zip(kept["codes"], kept["texts"], strict=True)), made)
        asked, idle = int(kept["asked"]), 0
        while (missing := needed - [len(distinct.texts) for distinct in made]).max(initial=0) > 0:
            if idle == _PATIENCE:
                raise ConfigurationError(
                    f"Of {len(wanted):,} texts, each unlike the others, the language model did not write "
                    f"{np.maximum(missing, 0).sum():,}: ask for fewer records, or for more candidates, or choose "
                    "another model."
                )
            taken = self._take(self._further(asked, np.maximum(missing, 0), pool, votes), made)
            asked, idle = asked + 1, 0 if taken else idle + 1
            pairs = [(code, text) for code, distinct in enumerate(made) for text in distinct.texts]
            self.kept.keep("texts", {"asked": asked, **_columns(pairs)})
            if progress is not None:
                progress(1.0 - float(np.maximum(missing, 0).sum()) / len(wanted))
        return [distinct.texts for distinct in made]

    def _count(self, codes: Sequence[int]) -> IntArray:
        return np.bincount(np.array(codes, dtype=np.int64), minlength=len(self.order.codes)).astype(np.int64)

    def _further(self, asked: int, missing: IntArray, pool: Pool, votes: IntArray) -> list[tuple[int, str]]:
        """Return further texts, at most :data:`BATCH` new ones; the first time candidates themselves come first."""
        most = int(min(missing.max(), max(1, BATCH // np.count_nonzero(missing))))
        chosen: list[tuple[int, str]] = []
        parents: list[tuple[int, str]] = []
        for code, index, times in self._resampled(pool, votes, "texts", asked, most):
            if missing[code]:
                chosen.append((code, pool.texts[index]))
                parents += [(code, pool.texts[index])] * (times - (not asked))
        number = self.schedule.rounds + asked
        return [*([] if asked else chosen), *self._varied(parents, number, f"texts {asked + 1}", None)]


def _columns(pairs: Iterable[tuple[int, str]]) -> dict[str, Any]:
    listed = list(pairs)
    return {"codes": [code for code, _ in listed], "texts": [text for _, text in listed]}


class Votes:
    """The only part of a run that sees private units. Their vectors are made once, when a round first needs them."""

    def __init__(self, rounds: Rounds, units: Sequence[Unit]) -> None:
        self._rounds, self._units = rounds, units
        self._voters: list[Voter] | None = None

    def noisy(self, number: int, pool: Pool) -> IntArray:
        """Return the noisy votes of round ``number``: those that were kept, or new ones, which are kept first."""
        run, name = self._rounds, f"votes-{number}"
        kept = run.kept.find(name)
        if kept is not None:
            return np.array(kept, dtype=np.int64)
        if self._voters is None:
            self._voters = voters(self._units, run.order, run.encoder)
        ballot = Ballot(pool, run.encoder.encode(pool.texts))
        drawn = noisy(ballot.votes(self._voters), pool, run.schedule, number, run.workspace)
        run.kept.keep(name, drawn.tolist())
        return drawn
