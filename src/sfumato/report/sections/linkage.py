"""What the linkage study says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.linkage import LEAKAGE, LEXICAL, RATE, REWORDED, SEMANTIC
from sfumato.report import plots
from sfumato.report.section import Section, Table, percent


def section(study: Study) -> Section:
    """How often people are found again, and what the record found tells."""
    found = Section("Can a person be found again?")
    rates = [one for one in study.figures if one.name in (RATE, REWORDED)]
    if rates:
        found.sentences.append(
            "An attacker holds a few facts about one person and searches the release for the record that fits best. "
            "The bars and points say how often that is the person's own record; black lines are 95 % intervals."
        )
        found.pictures += [_by_number(rates, int(study.facts.get("candidates", 0))), _by_kind(rates)]
    semantic, lexical = study.figure(SEMANTIC), study.figure(LEXICAL)
    if semantic and lexical:
        found.sentences.append(
            "Every fact that the attacker did not hold is then compared with the record they found. 1 means that "
            "nothing of it is there. Where the distance by words is larger than that by meaning, the words have gone "
            "and the meaning has stayed."
        )
        picture = plots.gap(lexical.estimate, semantic.estimate)
        found.pictures.append((picture, "What the record found tells beyond what was known"))
    if distances := study.records.get("distances"):
        edges = [float(edge) for edge in distances]
        picture = plots.histogram(edges, list(distances.values()), "distance by meaning", "records")
        found.pictures.append((picture, "Records by distance: those on the left tell nearly everything"))
    if worst := study.records.get("worst"):
        rows = [[name, f"{value:.2f}"] for name, value in worst.items()]
        found.tables.append(Table("The records that tell most, by id", ["record", "distance by meaning"], rows))
    if kinds := [one for one in study.figures if one.name == LEAKAGE]:
        names = [str(one.setting["category"]).replace("_", " ") for one in kinds]
        picture = plots.bars(names, [one.estimate for one in kinds], plots.RED)
        found.pictures.append((picture, "How much of the facts of each kind the record found supports"))
    found.headline += _headline(study)
    return found


def _headline(study: Study) -> Iterator[str]:
    rates = [one for one in study.figures if one.name == RATE]
    if rates:
        best = max(rates, key=lambda one: one.estimate.value)
        yield (
            f"Somebody who knows {best.setting['k']} facts about a person finds that person's record among all "
            f"others in {percent(best.estimate)} of cases ({best.estimate.n:,} people tried)."
        )
    if semantic := study.figure(SEMANTIC):
        yield (
            "Of the facts they did not know, the record they find supports "
            f"{percent(1 - semantic.estimate.value)} by meaning (partly supported ones count half)."
        )


def _by_number(rates: Sequence[Figure], candidates: int) -> tuple[str, str]:
    """The curve over how many facts are known, of the kind of knowledge that was tried with most numbers."""
    plain = [one for one in rates if one.name == RATE]
    merged = [one for one in plain if (one.setting["linker"], one.setting["query"]) == ("bm25", "merged")]
    kinds = [one.setting["knowledge"] for one in merged]
    usual = max(kinds, key=kinds.count)
    by_k = sorted(
        {int(one.setting["k"]): one.estimate for one in merged if one.setting["knowledge"] == usual}.items()
    )
    estimates = [one for _, one in by_k]
    chance = 1 / candidates if candidates else None
    picture = plots.curve([k for k, _ in by_k], estimates, "facts known", "found again", chance)
    return picture, f"Found again by number of {usual} facts known"


def _by_kind(rates: Sequence[Figure]) -> tuple[str, str]:
    """Bars by what is known and how it is searched for, at the usual number of facts."""
    others = [one for one in rates if one.setting["k"] == rates[0].setting["k"]]
    names = [_way(one) for one in others]
    picture = plots.bars(names, [one.estimate for one in others])
    return picture, f"Found again with {rates[0].setting['k']} facts, by which they are and how they are searched for"


def _way(one: Figure) -> str:
    """How it was searched, for a label."""
    how = f"{one.setting['knowledge']}, {one.setting['linker']}, {one.setting['query']}"
    return f"{how}, claims {one.setting['claims']}" if one.name == REWORDED else how
