"""Do the newer linkage attackers find more people than BM25, the best until now? On MedQA's patient profiles.

    python benchmarks/linkage_attackers.py FOLDER [--most N] [--asked N] [--chat-model NAME] [--record]

Each attacker holds one or three random claims about a person and searches all released records. The attackers: BM25
with one query, which found most so far (docs/reproduction.md); embeddings; the fused ranks of both; a regression over
their scores that learned from the other half of the people (`trained`); where words are drawn by a law, the
likelihood ratio under it (`by law`), and the regression with that score too. The gain is the difference to BM25,
person by person. A chat model that extracts profiles and verifies candidates is asked about the first N records of
one release, which are all that is searched then. FOLDER keeps figures, so that a stopped run resumes. No record is
shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from linkage_cases import CUSTEXT, DETECTOR, LABELS, MEDQA, NONE, Case, _built
from linkage_measured import estimate
from recording import DATA, Cells, models, table, written

from sfumato.attacks.claims import ClauseSplitter
from sfumato.attacks.law_linkage import ByLaw
from sfumato.attacks.linkage import Held, held, surely_linked
from sfumato.attacks.linkers import BM25, Dense, Fused, Linker
from sfumato.attacks.trained_linkage import Trained
from sfumato.attacks.verified_linkage import ABSTAINED, NO_PROFILE, UNREADABLE
from sfumato.building.chat import ChatChoice
from sfumato.evaluation.studies._search import RATE, RECALL, Search
from sfumato.evaluation.studies._verifying import verified as by_model
from sfumato.evaluation.studies.files import Memory, RememberingEncoder
from sfumato.metrics.estimates import mean, share
from sfumato.metrics.recall import recall_at_precision
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.types import FloatArray, IntArray

SANTEXT = "SanText, ε 8"
SEED, MOST, CLAIMS = 0, 800, (1, 3)
WORDS, MEANING, FUSED, TRAINED, LAW, ALL = "BM25", "embeddings", "fused", "trained", "by law", "trained, with the law"
Guessed = tuple[IntArray, FloatArray]


def mechanism(release: str) -> Any:
    """Return the law of a release by words, None of any other."""
    name = {CUSTEXT: ("custext", 1.0), SANTEXT: ("santext", 8.0)}.get(release)
    return None if name is None else next(iter(_built(*name).others.routes.values())).mechanism


def released(case: Case) -> list[str]:
    """Return the released records."""
    if case.release != SANTEXT:
        return case.after
    method, randomness = _built("santext", 8.0), SeededRandomness(case.seed)
    return [method.sanitize(text, randomness).text for text in case.before]


def crossed(parts: Sequence[Linker], attackers: Sequence[Held], own: IntArray) -> Guessed:
    """Return the guesses of :class:`Trained` for each half of the people, learned from the other half."""
    order = np.random.default_rng([SEED, 53]).permutation(len(own))
    halves = order[: len(own) // 2], order[len(own) // 2 :]
    guesses, sure = np.zeros(len(own), dtype=np.int64), np.zeros(len(own))
    for asked, known in (halves, halves[::-1]):
        queries = [" ".join(attackers[number].known) for number in known]
        linker = Trained(parts, queries, own[known], SEED)
        guesses[asked], sure[asked] = surely_linked(linker, [attackers[number] for number in asked], SEED)
    return guesses, sure


def found(
    records: Sequence[str], claims: Mapping[int, Sequence[str]], encoder: Any, law: Any, k: int
) -> dict[str, Guessed]:
    """Return the guesses of every attacker."""
    attackers, own = held(list(claims.values()), "random", k, SEED), np.array(list(claims), dtype=np.int64)
    words, meaning = BM25(records), Dense(records, encoder)
    linkers: dict[str, Linker] = {WORDS: words, MEANING: meaning, FUSED: Fused((words, meaning))}
    if law is not None:
        linkers[LAW] = ByLaw(records, law)
    guessed = {name: surely_linked(linker, attackers, SEED) for name, linker in linkers.items()}
    guessed[TRAINED] = crossed((words, meaning), attackers, own)
    if law is not None:
        guessed[ALL] = crossed((words, meaning, linkers[LAW]), attackers, own)
    return guessed


def measured(
    records: Sequence[str], claims: Mapping[int, Sequence[str]], encoder: Any, law: Any, k: int
) -> dict[str, Any]:
    """Return rate, gain over BM25, recall and precision of every attacker, as figures."""
    own = np.array(list(claims), dtype=np.int64)
    guessed = found(records, claims, encoder, law, k)
    before = (guessed[WORDS][0] == own).astype(float)
    figures = {}
    for name, (guesses, sure) in guessed.items():
        right = guesses == own
        recall = recall_at_precision(sure, right, seed=SEED)
        figures[name] = {
            "rate": share(int(right.sum()), len(own)).as_json(), "gain": mean(right - before, SEED).as_json(),
            "recall": recall.recall.as_json(), "precision": recall.precision.as_json(),
        }  # fmt: skip
    return figures


def verified(case: Case, encoder: Any, chat: ChatChoice) -> dict[str, Any]:
    """Return what a chat model finds of all people of ``case`` who have three claims, and how it answered."""
    claims = {n: own for n, own in enumerate(ClauseSplitter().split(case.before)) if len(own) > 1}
    search = Search(case.after, np.arange(len(case.after)), np.array(list(claims)), list(claims.values()), SEED)
    told = by_model(search, chat.made(Path(), ready=False), encoder, "random", 3, True)
    return {
        "counts": told.counts,
        "figures": {figure.name: figure.estimate.as_json() for figure in told.figures},
        "words": search.rate(search.guesses("random", 3), WORDS, "merged", "random", 3).estimate.as_json(),
    }


def sentence(cell: Mapping[str, Any], chat: str) -> str:
    """Return what the chat model found, in sentences."""
    counts, figures = cell["counts"], cell["figures"]
    return (
        f"Extract, embed, verify by {chat}, with three claims about {counts['people']} people of {counts['texts']} "
        f"records with spaCy's entities as labels: found {_told(figures[RATE])}, BM25 {_told(cell['words'])}; recall "
        f"at 90 % precision {_told(figures[RECALL])}. Of {counts['texts']} profiles {counts[NO_PROFILE]} could "
        f"not be read, of {counts['people']} choices {counts[UNREADABLE]}; {counts[ABSTAINED]} named nobody. The "
        "search guesses about those for whom there is no choice."
    )


def row(release: str, k: int, name: str, figures: Mapping[str, Any]) -> list[object]:
    """Return a row of the table."""
    gain = estimate(figures["gain"])
    beats = "yes" if gain.low > 0 else "no, worse" if gain.high < 0 else "not told apart"
    better = "–" if name == WORDS else f"{beats} ({gain.value:+.3f}, {gain.low:+.3f} to {gain.high:+.3f})"
    reached = figures["precision"]
    precision = f"{reached['value']:.3f} of {reached['n']}" if reached["n"] else "nobody named"
    return [release, k, name, _told(figures["rate"]), better, _told(figures["recall"]), precision]


def _told(kept: dict[str, Any]) -> str:
    own = estimate(kept)
    return f"{own.value:.3f} ({own.low:.3f} to {own.high:.3f})"


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    parser.add_argument("--asked", type=int, default=8)
    parser.add_argument("--chat-model", default="local:smollm2")
    given = parser.parse_args()
    if not (DATA / "medqa").is_dir():
        raise SystemExit(f"The table needs the data set medqa, which is looked for in {DATA}.")
    cells = Cells(given.folder, "linkage-attackers", models("encoder", "detector"))
    encoder = RememberingEncoder(SentenceEncoder(), Memory(60_000))
    split: dict[int, Sequence[str]] = {}
    rows = []
    for release in (NONE, LABELS, DETECTOR, CUSTEXT, SANTEXT):
        case = Case(MEDQA, release, given.most)

        def figures(k: int, case: Case = case, kept: list[Sequence[str]] = []) -> dict[str, Any]:  # noqa: B006
            if not split:
                split.update({n: own for n, own in enumerate(ClauseSplitter().split(case.before)) if len(own) > 1})
            kept.extend([] if kept else [released(case)])
            return measured(kept[0], split, encoder, mechanism(case.release), k)

        for k in CLAIMS:
            cell = cells.get(partial(figures, k), release=release, most=given.most, k=k)
            rows += [row(release, k, name, own) for name, own in cell.items()]
    header = ["release", "claims", "attacker", "found", "more than BM25?", "recall at 90 % precision", "precision"]
    written("linkage-attackers", f"{table(header, rows)}\n\n{cells.described}", given.record)
    chat = ChatChoice(given.chat_model, keep=False)
    compute = partial(verified, Case(MEDQA, LABELS, given.asked), encoder, chat)
    cells = Cells(given.folder, "linkage-verified", models("encoder", "causal"))
    told = cells.get(compute, release=LABELS, asked=given.asked, chat=given.chat_model)
    text = f"{sentence(told, str(chat.setting['chat_model']))}\n\n{cells.described}"
    written("linkage-verified", text, given.record)


if __name__ == "__main__":
    main()
