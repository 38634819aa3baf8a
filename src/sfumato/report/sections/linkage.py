"""The section of the linkage study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies._claim_distances import LEAKAGE, LEXICAL, SEMANTIC
from sfumato.evaluation.studies._search import REACHED, RECALL
from sfumato.evaluation.studies.linkage import RATE, REWORDED
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, percent

_ADVISED = 3


def linkage_section(study: Study) -> Section:
    """Return how often people are re-identified, and what the found record discloses."""
    result = Section("Can a person be re-identified?")
    rates = study.named(RATE, REWORDED)
    if rates:
        result.sentences.append(
            "An attacker holds a few facts about one person and searches the release for the record that fits best. "
            "The bars and points show how often that is the person's own record; black lines are 95 % intervals."
        )
        result.pictures += [_by_number(rates, int(study.facts.get("candidates", 0))), _by_kind(rates)]
    _add_recall(result, study)
    semantic, lexical = study.figure(SEMANTIC), study.figure(LEXICAL)
    if semantic and lexical:
        result.sentences.append(
            "Every fact that the attacker did not hold is then compared with the record they found. 1 means that "
            "the record holds nothing of the fact. If the distance by words is larger than the distance by meaning, "
            "the words are gone and the meaning remains."
        )
        picture = plots.gap(lexical.estimate, semantic.estimate)
        result.pictures.append((picture, "What the found record discloses beyond what was known"))
    if distances := study.records.get("distances"):
        edges = [float(edge) for edge in distances]
        picture = plots.histogram(edges, list(distances.values()), "distance by meaning", "records")
        result.pictures.append((picture, "Records by distance: those on the left disclose nearly everything"))
    if worst := study.records.get("worst"):
        rows = [[name, f"{value:.2f}"] for name, value in worst.items()]
        result.tables.append(Table("The records that disclose most, by id", ["record", "distance by meaning"], rows))
    if kinds := study.named(LEAKAGE):
        what = "Share of the facts of each kind that the found record supports"
        result.add_bars(what, [_category(figure) for figure in kinds], kinds, plots.RED)
    return result


def _add_recall(result: Section, study: Study) -> None:
    """Add how many people an attacker names who keeps silent when unsure."""
    recalls = study.named(RECALL)
    if not recalls:
        return
    result.sentences.append(
        "An attacker who may keep silent names only people of whom they are sure. The threshold is set on one half "
        "of the people so that nine of ten names are right there, and used on the other half."
    )
    names = [str(figure.setting["linker"]) for figure in recalls]
    result.add_bars("Share of all people who are named rightly, with a threshold for 90 % precision", names, recalls,
                    plots.RED)  # fmt: skip
    reached = {figure.setting["linker"]: figure.estimate for figure in study.named(REACHED)}
    rows = [[name, str(reached[name].n), percent(reached[name])] for name in names if name in reached]
    if rows:
        result.tables.append(Table("The precision that the thresholds reached", ["search", "named", "right"], rows))


def linkage_headline(study: Study) -> Iterator[Said]:
    """Yield how often people are re-identified, and how much of the unknown facts the found record supports."""
    if best := _best(study):
        tried = f" ({best.estimate.n:,} people tried)" if best.estimate.n else ""
        yield Said(
            f"An attacker who knows {best.setting['k']} facts about a person finds that person's record among all "
            f"others in {percent(best.estimate)} of cases{tried}.",
            False if _beats_guessing(study, best) else None,
        )
    if semantic := study.figure(SEMANTIC):
        yield Said(
            "Of the facts they did not know, the record they find supports "
            f"{percent(1 - semantic.estimate.value)} by meaning (partly supported ones count half)."
        )


def linkage_advice(study: Study) -> Iterator[str]:
    """Yield which kinds of facts to treat more strictly, if people are re-identified more often than by guessing."""
    best = _best(study)
    if best is None or not _beats_guessing(study, best):
        return
    kinds = sorted(
        (figure for figure in study.figures if figure.name == LEAKAGE and figure.estimate.value > 0),
        key=lambda figure: -figure.estimate.value,
    )
    if kinds:
        named = [f"{_category(figure)} ({percent(figure.estimate)})" for figure in kinds[:_ADVISED]]
        yield (
            f"Treat these kinds of facts more strictly, and evaluate again: {', '.join(named)}. The share in "
            "brackets is how much of the kind the record found discloses."
        )
    else:
        yield "Treat more kinds of facts, or the same ones more strictly, and evaluate again."


def _best(study: Study) -> Figure | None:
    rates = study.named(RATE)
    return max(rates, key=lambda figure: figure.estimate.value, default=None)


def _beats_guessing(study: Study, rate: Figure) -> bool:
    """Return whether the whole interval lies above the rate of an attacker who takes any record."""
    candidates = int(study.facts.get("candidates", 0))
    return candidates > 0 and rate.estimate.low > 1 / candidates


def _category(figure: Figure) -> str:
    return str(figure.setting["category"]).replace("_", " ")


def _by_number(rates: Sequence[Figure], candidates: int) -> tuple[str, str]:
    """Return the curve over the number of known facts, for the knowledge tried with most numbers, and a caption."""
    plain = [figure for figure in rates if figure.name == RATE]
    merged = [figure for figure in plain if (figure.setting["linker"], figure.setting["query"]) == ("bm25", "merged")]
    kinds = [figure.setting["knowledge"] for figure in merged]
    usual = max(kinds, key=kinds.count)
    curve = {int(figure.setting["k"]): figure.estimate for figure in merged if figure.setting["knowledge"] == usual}
    by_k = sorted(curve.items())
    estimates = [estimate for _, estimate in by_k]
    chance = 1 / candidates if candidates else None
    picture = plots.curve([k for k, _ in by_k], estimates, "facts known", "re-identified", chance)
    return picture, f"Re-identified by number of {usual} facts known"


def _by_kind(rates: Sequence[Figure]) -> tuple[str, str]:
    """Return bars by knowledge and by method of search, at the usual number of facts, and a caption."""
    others = [figure for figure in rates if figure.setting["k"] == rates[0].setting["k"]]
    names = [_way(figure) for figure in others]
    picture = plots.bars(names, [figure.estimate for figure in others])
    return picture, f"Re-identified with {rates[0].setting['k']} facts, by kind of facts and by method of search"


def _way(figure: Figure) -> str:
    """Return the method of search, for a label."""
    how = f"{figure.setting['knowledge']}, {figure.setting['linker']}, {figure.setting['query']}"
    return f"{how}, claims {figure.setting['claims']}" if figure.name == REWORDED else how
