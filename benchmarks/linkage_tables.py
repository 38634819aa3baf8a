"""Tables 4 and 6 and Figure 4 of A False Sense of Privacy from what was measured."""

from __future__ import annotations

from typing import Any, NamedTuple

from linkage_cases import CHATS, DETECTOR, LABELS, MASKED, MEDQA, NONE
from linkage_measured import estimate
from recording import table

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.linkage import RATE
from sfumato.metrics.estimates import Estimate, difference

Results = dict[tuple[str, str], dict[str, Any]]
"""What was measured of each release of each data set, by kind."""


class Row(NamedTuple):
    """The paper's figures of a sanitizer: Tables 4, 6, 8 and 9; the lexical and semantic distances are of Table 1."""

    name: str
    known: tuple[str, str, str]
    linkers: tuple[str, str, str, str]
    away: tuple[str, str, str]
    lexical: str
    semantic: str
    reworded: str


_AZURE = "Azure AI PII tool"
PAPER = {
    (MEDQA, NONE): Row(
        "No Sanitization", (".99", ".99", ".98"), (".99", ".97", ".74", ".99"), ("0.00", "0.00", "0.00"),
        "0.10", "0.09", "0.24",
    ),
    (MEDQA, _AZURE): Row(
        _AZURE, (".95", ".99", ".98"), (".99", ".89", ".75", ".91"), ("0.51", "0.09", "0.99"), "0.16", "0.11", "0.30",
    ),
    (CHATS, NONE): Row(
        "No Sanitization", (".88", ".89", ".85"), (".89", ".97", ".88", ".98"), ("0.00", "0.05", "0.00"),
        "0.31", "0.19", "0.26",
    ),
    (CHATS, _AZURE): Row(
        _AZURE, (".87", ".87", ".83"), (".87", ".86", ".86", ".87"), ("0.26", "0.29", "0.69"), "0.35", "0.22", "0.30",
    ),
}  # fmt: skip
BESIDE = {NONE: NONE, LABELS: _AZURE, DETECTOR: _AZURE, MASKED: _AZURE}
"""Which row of the paper a release is put beside. CusText has none: the paper's DP rows are synthetic records."""


def beside(data: str, release: str) -> Row | None:
    """The paper's row for a release."""
    return PAPER[data, BESIDE[release]] if release in BESIDE else None


def study(own: dict[str, Any]) -> Study:
    """The study of a release as it was kept."""
    return Study.from_json(own["study"])


def of(own: dict[str, Any], name: str, **setting: Any) -> Estimate:
    """A figure of the study of a release."""
    figure = study(own).figure(name, **setting)
    if figure is None:
        raise SystemExit(f"A kept study has no figure {name!r}; remove the folder and run again.")
    return figure.estimate


def shown(value: Estimate) -> str:
    """A figure with its interval."""
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"


def pair(theirs: str | None, ours: Estimate) -> str:
    """The paper's figure / ours."""
    return f"{theirs or '–'} / {shown(ours)}"


def verdict(more: Estimate, less: Estimate) -> str:
    """Whether ``more`` is the larger figure, by the interval of the difference."""
    apart = difference(more, less)
    how = "yes" if apart.low > 0 else "no, the other way round" if apart.high < 0 else "not told apart"
    return f"{how} ({apart.value:+.3f}, {apart.low:+.3f} to {apart.high:+.3f})"


def people(results: Results) -> str:
    """How many are searched for."""
    counts = ", ".join(f"{study(results[data, NONE]).facts['people']} of {data}" for data in (MEDQA, CHATS))
    taken = study(results[MEDQA, NONE]).facts["candidates"]
    return (
        f"The paper's figure / ours with its 95 % interval by record (seed 0). Searched for: {counts}, among the "
        f"first {taken} records of each set; people with fewer than two claims are left out."
    )


def linkage(results: Results) -> str:
    """Table 4."""
    rows = list[list[object]]()
    how = {"linker": "bm25", "query": "merged", "k": 3}
    for (data, release), own in results.items():
        row = beside(data, release)
        rates = [of(own, RATE, knowledge=kind, **how) for kind in ("first", "random", "last")]
        rows.append([data, release, *map(pair, row.known if row else [None] * 3, rates)])
    header = ["records", "release", "first three claims", "three random", "last three"]
    splitter = study(results[MEDQA, NONE]).facts["claims"]
    unchanged = {data: estimate(results[data, NONE]["other_words"]["found"]) for data in (MEDQA, CHATS)}
    told = ", ".join(f"{shown(rate)} of unchanged {data}" for data, rate in unchanged.items())
    return (
        f"{table(header, rows)}\n\n{people(results)} BM25 with one query. Claims: {splitter}. The paper has no "
        f"DP release with a record for each person.\n\n{WHY_LINKAGE.format(told=told)}"
    )


WHY_LINKAGE = """Why they differ:

- **Claims.** The paper's claims are a language model's sentences. Ours are the clauses of a parse, which keep the
  record's words. Tested with synonyms in every claim: three random ones then find {told}.
- **Identifiers.** The paper's were found by a commercial service and replaced by asterisks. Two finders and people's
  own marks take its place.
- **Chats.** The paper's records are whole conversations of WildChat, summed up by a language model before they are
  split. Ours are the users' turns in PUPA, which was drawn from WildChat. Not tested: the conversations are not here.

What would have to be true for the paper's figures to come out: on profiles, a finder that removes what Azure's
removes; on chats, conversations as long and as alike as WildChat's, split from a summary."""


def linkers(results: Results) -> str:
    """Table 6."""
    rows, findings = list[list[object]](), list[list[object]]()
    for (data, release), own in results.items():
        row = beside(data, release)
        (words, words_vote), (meaning, meaning_vote) = _rates(own, "bm25"), _rates(own, "embeddings")
        ours = [words, words_vote, meaning, meaning_vote]
        rows.append([data, release, *map(pair, row.linkers if row else [None] * 4, ours)])
        if release != NONE:
            verdicts = [verdict(words, words_vote), verdict(meaning_vote, meaning), verdict(words, meaning)]
            findings.append([data, release, *verdicts])
    header = ["records", "release", "BM25, one query", "BM25, vote", "embeddings, one query", "embeddings, vote"]
    found = ["records", "release", "BM25: one query finds more than a vote", "embeddings: a vote finds more"]
    found.append("one query: BM25 finds more than embeddings")
    return (
        f"{table(header, rows)}\n\n{people(results)} Three random claims. The paper's embeddings are GritLM's, ours "
        "those of all-MiniLM-L6-v2.\n\nThe paper's findings on its sanitized profiles, each with the difference and "
        f"its interval:\n\n{table(found, findings)}\n\n{WHY_LINKERS}"
    )


WHY_LINKERS = """Why they differ:

- **Embeddings.** GritLM has 7 billion parameters, all-MiniLM-L6-v2 has 22 million. Not tested: GritLM is not here;
  `sfumato evaluate --encoder` takes it.
- **Claims and records** differ as for [Table 4](#linkage-on-patient-profiles).

What would have to be true for the paper's figures to come out: an encoder for which three claims in one query are
less like their record than a claim is like the record's own claim, and sanitizers that reword."""


def _rates(own: dict[str, Any], linker: str) -> tuple[Estimate, Estimate]:
    """The linkage rates by one query and by vote."""
    how = {"linker": linker, "k": 3, "knowledge": "random"}
    return of(own, RATE, query="merged", **how), of(own, RATE, query="majority", **how)


def by_number(results: Results) -> str:
    """Figure 4."""
    rows: list[list[object]] = []
    for (data, release), own in results.items():
        rows.append([data, release, *(shown(estimate(number["distance"])) for number in own["by_number"])])
        if release == NONE:
            held = [shown(estimate(number["overlap"])) for number in own["by_number"]]
            rows.append([data, "the claims held alone (overlap)", *held])
    falls: list[list[object]] = []
    for (data, release), own in results.items():
        first, *_, fifth = (estimate(number["distance"]) for number in own["by_number"])
        third = estimate(own["by_number"][2]["distance"])
        alone = of(own, RATE, linker="bm25", query="merged", k=1, knowledge="random")
        falls.append([data, release, shown(alone), verdict(first, third), verdict(third, fifth)])
    header = [
        "records",
        "release",
        "found by one random claim",
        "falls from one to three claims",
        "falls from three to five",
    ]
    return (
        f"{table(['records', 'release', *(f'last {k}' for k in range(1, 6))], rows)}\n\n"
        "Semantic distance with its 95 % interval by record, over the claims unknown to the attacker; 1 is private. "
        f"The paper's figure has no numbers. Its text says that the claims held alone leave a distance above 0.9 on "
        "MedQA and of 0.78 on WildChat, that sanitizers without a guarantee lose privacy with every claim held, most "
        f"from the first to the second, and that DP does not.\n\n{table(header, falls)}\n\n{WHY_NUMBER}"
    )


WHY_NUMBER = """Why they differ:

- **One claim** finds most people in the releases without a guarantee (second table), as claims here keep the
  record's words. More of them cannot find more.
- **Overlap** is judged by embeddings in three steps here, and by a language model in the paper. Not tested: no such
  model is here.
- **DP** is a release of each record's words by CusText here, and synthetic records in the paper.

What would have to be true for the paper's figure to come out: sanitizers after which one claim often finds another
record than three do."""
