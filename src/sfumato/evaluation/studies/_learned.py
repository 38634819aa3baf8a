"""The search of a release by attackers who know its law, or the records of other people, as figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sfumato.attacks.law_linkage import ByLaw
from sfumato.attacks.linkage import Knowledge, surely_linked
from sfumato.attacks.linkers import Linker
from sfumato.attacks.trained_linkage import Trained
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Skipped
from sfumato.evaluation.studies._rebuilding import law_of_release
from sfumato.evaluation.studies._search import Search
from sfumato.types import Progress

TRAINED, BY_LAW = "trained on other people", "law of the release"
"""The names of the linkers."""
_FEWEST = 20  # people on each side whose records are learned from
_HALVES = 47


def by_training(
    search: Search, parts: Sequence[Linker], knowledge: Knowledge, k: int, progress: Progress | None = None
) -> tuple[list[Figure], list[Skipped]]:
    """Return what an attacker finds who knows the records of half of the others, by the scores of ``parts``."""
    place = {int(owner): number for number, owner in enumerate(search.owners) if owner >= 0}
    attackers = search.held(knowledge, k)
    order = np.random.default_rng([search.seed, _HALVES]).permutation(len(attackers))
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    known = [[number for number in half if int(search.numbers[number]) in place] for half in halves]
    if min(map(len, known)) < _FEWEST or len(search.texts) < 2:
        why = f"fewer than {2 * _FEWEST} people whose records could be learned from"
        return [], [Skipped(f"linkage, {TRAINED}", why)]
    guesses, sure = np.zeros(len(attackers), dtype=np.int64), np.zeros(len(attackers))
    for asked, others in zip(halves, known[::-1], strict=True):
        queries = [" ".join(attackers[number].known) for number in others]
        own = np.array([place[int(search.numbers[number])] for number in others], dtype=np.int64)
        linker = Trained(parts, queries, own, search.seed)
        try:
            guesses[asked], sure[asked] = surely_linked(
                linker, [attackers[number] for number in asked], search.seed, progress
            )
        except MissingExtraError as error:
            return [], [Skipped(f"linkage, {TRAINED}", str(error), again=True)]
    rate = search.rate(guesses, TRAINED, "merged", knowledge, k)
    return [rate, *search.recall(guesses, sure, TRAINED, knowledge, k)], []


def law_of(
    release: Path | None, texts: Sequence[str], pairs: Pairs, progress: Progress | None = None
) -> tuple[ByLaw | None, list[Skipped]]:
    """Return the search of ``texts`` by the law that the statement beside ``release`` names; or why there is none."""
    if release is None:
        return None, []
    try:
        return ByLaw(texts, law_of_release(release, pairs.sources.get("release", {}), progress)), []
    except SfumatoError as error:
        return None, [Skipped(f"linkage by the {BY_LAW}", str(error))]
