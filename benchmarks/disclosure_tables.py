"""Tables 8 and 9 and Figures 3 and 5 of A False Sense of Privacy from what was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from linkage_cases import CHATS, MEDQA, NONE
from linkage_measured import BINS, SHIPPED, SPACY, estimate
from linkage_tables import Results, beside, of, pair, shown, study, verdict
from recording import table

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._claim_distances import (
    EMBEDDING_DISTANCE,
    LEAKED,
    LEXICAL,
    ROUGE_DISTANCE,
    ROUGE_OF_RECORDS,
    SEMANTIC,
    SEMANTIC_REWORDED,
)
from sfumato.evaluation.studies._search import AS_WRITTEN, IN_OTHER_WORDS
from sfumato.metrics.estimates import Estimate


def distances(results: Results) -> str:
    """The distances of Table 1."""
    rows = list[list[object]]()
    for (data, release), own in results.items():
        row = beside(data, release)
        lexical, semantic = of(own, ROUGE_DISTANCE), of(own, SEMANTIC)
        rows.append([
            data, release, pair(row and row.lexical, lexical), pair(row and row.semantic, semantic),
            shown(of(own, LEXICAL)), shown(estimate(own["marks"])), verdict(lexical, semantic),
        ])  # fmt: skip
    header = ["records", "release", "lexical (ROUGE-L), by claims", "semantic (judge)", "words not found"]
    header += ["semantic, placeholders read as words", "lexical above semantic"]
    return (
        f'{table(header, rows)}\n\n{judged(results)} Lexical above semantic is what the paper calls a "false '
        f'sense of privacy". {_agreements(results)}\n\n{WHY_DISTANCE}'
    )


def judged(results: Results) -> str:
    """How many are judged."""
    facts = {data: study(results[data, NONE]).facts for data in (MEDQA, CHATS)}
    counts = " and ".join(f"{own['judged']} people of {data}" for data, own in facts.items())
    taken = facts[MEDQA]["candidates"]
    return (
        f"The paper's figure / ours with its 95 % interval by record, of {counts}, drawn at random (seed 0) "
        f"from the first {taken} records of each set, over what the attacker does not hold; 1 is private."
    )


WHY_DISTANCE = """Why they differ:

- **Claims.** The paper's are a language model's sentences, ours the record's own clauses, so that an unchanged record
  discloses all of them. Tested [below](#other-measures-of-a-release).
- **Judge.** The paper's judge is a language model that sees the whole record. Ours takes the best cosine of
  all-MiniLM-L6-v2 over the record's claims, in three steps. Not tested: no such model is here. A placeholder such as
  [DATE] carries no information, and our judge ignores it; a column shows a judge that reads it as a word.

What would have to be true for the paper's figures to come out: claims in other words than the record's, and a judge
that reads."""


def measures(results: Results) -> str:
    """Table 8, and which lexical distance the paper took."""
    rows = list[list[object]]()
    for (data, release), own in results.items():
        row = beside(data, release)
        theirs = row.away if row else [None] * 3
        mauve = away(estimate(own["mauve"])) if "mauve" in own else None
        rows.append([
            data, release, "not measured" if mauve is None else pair(theirs[0], mauve),
            pair(theirs[1], of(own, EMBEDDING_DISTANCE)),
            *(pair(theirs[2], estimate(own["details"][finder])) for finder in (SPACY, SHIPPED)),
            pair(row and row.lexical, of(own, ROUGE_DISTANCE)), pair(row and row.lexical, of(own, ROUGE_OF_RECORDS)),
            pair(row and row.semantic, of(own, SEMANTIC)),
        ])  # fmt: skip
    header = ["records", "release", "1 − MAUVE", "embedding", f"PII gone, {SPACY}", f"PII gone, {SHIPPED}"]
    header += ["lexical, by claims", "lexical, by records (§2)", "semantic"]
    texts = estimate(results[MEDQA, NONE]["mauve"]).n if "mauve" in results[MEDQA, NONE] else 0
    return (
        f"{table(header, rows)}\n\n{judged(results)} MAUVE is of {texts} texts and as many releases, at 40 texts or "
        f"more a bucket.\n\n{_readings()}\n\n{_other_words(results)}\n\n{WHY_MEASURES}"
    )


WHY_MEASURES = """Why they differ:

- **Claims.** Tested by the table above: in other words, the claims of an unchanged record are at a distance.
- **PII.** The paper finds details by the tool that removed them, whence 0.99. Tested by two finders: what its own
  finder removed is gone, and of what the other one finds, less.
- **MAUVE** is over vectors of all-MiniLM-L6-v2 here. The paper does not name its features; the package's own are
  those of GPT-2. Not tested. Resamples of equal sets are less equal, so the interval leans to more distance.

What would have to be true for the paper's figures to come out: claims in other words than the record's, details
marked by the one tool that removes them, and MAUVE over features that see placeholders."""


def away(mauve: Estimate) -> Estimate:
    """One minus MAUVE, which is how the paper's table gives it: 0 for an unchanged release."""
    return replace(mauve, value=1.0 - mauve.value, low=1.0 - mauve.high, high=1.0 - mauve.low)


def _agreements(results: Results) -> str:
    told = []
    for (data, release), own in results.items():
        agreed = [figure for figure in study(own).figures if figure.name == "agreement of the judges"]
        if release != NONE and agreed:
            told.append(f"{data}, {release}: " + ", ".join(
                f"{figure.estimate.value:.2f} with {figure.setting['with']}" for figure in agreed
            ))  # fmt: skip
    return f"Agreement of the embedded judge over claims, by Spearman's correlation: {'; '.join(told)}."


def _readings() -> str:
    """What the paper's own figures say about which ROUGE-L it took."""
    told = []
    for data in (MEDQA, CHATS):
        row = beside(data, NONE)
        assert row is not None
        most = 1.0 - float(row.known[1])
        told.append(
            f"on {data}, the linker misses {most:.2f} of people, so that no unchanged release can be farther than "
            f"{most:.2f}, and the table has {row.lexical}"
        )
    return (
        "**Which lexical distance?** §2 of the paper defines one minus the ROUGE-L of the original record and the "
        "record found; Table 1 speaks of a matching after the linkage, Table 5 of recall. An unchanged record is at "
        f"distance 0 by records. The paper's own figures rule that reading out for its Table 1: {'; '.join(told)}. "
        "Both columns are ours."
    )


def _other_words(results: Results) -> str:
    """The test of the first cause: every claim, held or judged, in other words."""
    rows: list[list[object]] = []
    for (data, release), own in results.items():
        row = beside(data, release)
        if row is not None:
            told = {name: estimate(kept) for name, kept in own["other_words"].items()}
            rows.append([
                data, release, pair(row.known[1], told["found"]), pair(row.lexical, told["lexical"]),
                pair(row.semantic, told["semantic"]), verdict(told["lexical"], told["semantic"]),
            ])  # fmt: skip
    header = ["records", "release", "linkage rate", "lexical, by claims", "semantic", "lexical above semantic"]
    return (
        "The first cause below, tested: the distances with every claim of the originals in other words, by the rule "
        f"of [reworded claims](#distance-with-reworded-claims):\n\n{table(header, rows)}"
    )


def reworded(results: Results) -> str:
    """Table 9."""
    rows: list[list[object]] = []
    for (data, release), own in results.items():
        row = beside(data, release)
        plain, other = (of(own, SEMANTIC_REWORDED, claims=words) for words in (AS_WRITTEN, IN_OTHER_WORDS))
        rates = [of(own, "linkage rate, claims reworded", claims=words) for words in (AS_WRITTEN, IN_OTHER_WORDS)]
        rows.append([
            data, release, pair(row and row.semantic, plain), pair(row and row.reworded, other),
            verdict(other, plain), *map(shown, rates),
        ])  # fmt: skip
    header = ["records", "release", "claims as written", "claims reworded", "reworded is farther"]
    kept = ", ".join(f"{results[data, NONE]['bigrams']['bigrams']:.1%} on {data}" for data in (MEDQA, CHATS))
    return (
        f"{table([*header, 'linkage rate, as written', 'linkage rate, reworded'], rows)}\n\n"
        "Semantic distance, three random claims, BM25. "
        f"{judged(results)} "
        "The claims are reworded by a rule: every word with a synonym in PPDB (of another stem) becomes one of its "
        f"synonyms, drawn at random. Of the bigrams of the reworded claims, the claims hold {kept} (ROUGE-2 "
        f"precision); in the paper 19.9 % and 21.0 %, after 71.0 % and 40.5 % before.\n\n{WHY_REWORDED}"
    )


WHY_REWORDED = """Why they differ:

- **Rewording.** The paper's is by a language model of 8 billion parameters, which is not here. A rule takes its
  place, which keeps figures, names and the order of words. SmolLM2, which comes with sfumato, was not tried on
  this table; `evaluate --paraphrased-knowledge --chat-model local:smollm2` asks it.
- **Found or not.** The distance with reworded claims is that of what is found. As long as the linker finds the same
  record, it is the same; the two columns of rates show how often it does.

What would have to be true for the paper's figures to come out: a rewording that leaves a fifth of the bigrams and
none of the rare words that BM25 finds a record by."""


def kinds(results: Results) -> str:
    """Figures 3 and 5."""
    parts = [_leaks(results, data) for data in (MEDQA, CHATS)]
    rows: list[list[object]] = []
    for (data, release), own in results.items():
        spread = own["spread"]
        counts = spread["counts"]
        middle = sum(counts[1:-1])
        rows.append([
            data, release, spread["people"], spread["none"], counts[0], middle, counts[-1], spread["all"],
            f"{spread['missed']} of {spread['people']}", f"{spread['high missed']} of {spread['high']}",
        ])  # fmt: skip
    width = 1 / BINS
    header = ["records", "release", "people", "distance 0", f"below {width:g}", "between", f"{1 - width:g} or more"]
    header += ["distance 1", "not found by the linker", f"of those at {1 - width:g} or more, not found"]
    return (
        "Figure 3, claims that leak by category:\n\n" + "\n\n".join(parts) + "\n\n"
        "Claims of the category that the record found supports at least in part / claims of the category. The paper "
        'counts "a privacy score of 2 or higher" on its scale of 1 (the same) to 3 (unsupported); read as 2 or '
        "better, since 3 supports nothing. Its figure has no numbers. Categories with fewer than five claims are "
        "left out. "
        "Claims are sorted by embeddings, which is rough; the paper asked GPT-4. "
        f"{judged(results)}\n\n"
        f"Figure 5, people by the mean distance of their claims:\n\n{table(header, rows)}\n\n{WHY_KINDS}"
    )


WHY_KINDS = """The paper reports, from manual inspection, that the people at the highest distance are those whom the
linker failed to find. The last column tests it.

What would have to be true for the paper's figures to come out: the same sanitizers (Azure's tool and language
models), which are not here, and a judge and a sorter that read."""


def _leaks(results: Results, data: str) -> str:
    """The leaks of one data set, by category and release."""
    by_release = {release: study(own) for (of_data, release), own in results.items() if of_data == data}
    categories = sorted({category for found in by_release.values() for category in _leaked(found)})
    rows: list[list[object]] = []
    for category in categories:
        cells = [_leaked(found).get(category) for found in by_release.values()]
        rows.append([category, *("" if cell is None else _count(cell) for cell in cells)])
    totals = [_total(found) for found in by_release.values()]
    return table([f"{data}: category", *by_release], [*rows, ["all of these", *totals]])


def _leaked(found: Study) -> dict[str, Estimate]:
    return {str(figure.setting["category"]): figure.estimate for figure in found.figures if figure.name == LEAKED}


def _count(leaked: Estimate) -> str:
    return f"{round(leaked.value * leaked.n)} / {leaked.n} ({leaked.low:.0%} to {leaked.high:.0%})"


def _total(found: Study) -> str:
    leaked: Any = _leaked(found).values()
    return f"{sum(round(kind.value * kind.n) for kind in leaked)} / {sum(kind.n for kind in leaked)}"
