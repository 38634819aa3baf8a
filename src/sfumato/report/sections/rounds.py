"""What the study of rounds says: which attributes a language model could still tell after each rewriting."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.rounds import ANY, INFERRED
from sfumato.report import plots
from sfumato.report.section import Section, Table, percent


def section(study: Study) -> Section:
    """The share of texts that gave each attribute away, by round."""
    found = Section("What could the rewriting model still tell?")
    figures = [one for one in study.figures if one.name == INFERRED]
    if not figures:
        return found
    rounds = sorted({int(one.setting["rewritten"]) for one in figures})
    names = list(dict.fromkeys(str(one.setting["attribute"]) for one in figures))
    of = {(str(one.setting["attribute"]), int(one.setting["rewritten"])): one.estimate for one in figures}
    first, last = of[ANY, rounds[0]], of[ANY, rounds[-1]]
    after = f"of {percent(last)} of {last.n:,} after all rounds" if last.n else "after all rounds it is not known"
    found.sentences.append(
        "The model that rewrote the texts was asked first what it can tell of the person. Something could be told of "
        f"{percent(first)} of {first.n:,} texts as they were, and {after}. Another attacker may tell more."
    )
    rounds = [number for number in rounds if of[ANY, number].n]
    titles = ["as it was" if number == 0 else f"rewritten {number}×" for number in rounds]
    picture = plots.bars(titles, [of[ANY, number] for number in rounds])
    found.pictures.append((picture, "Share of texts of which any attribute could be told"))
    rows = [[name, *(percent(of[name, number]) for number in rounds)] for name in names]
    found.tables.append(Table("By attribute", ["attribute", *titles], rows))
    return found
