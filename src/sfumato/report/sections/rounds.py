"""The section of the study of rounds: which attributes a language model could still infer after each rewriting."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.rounds import ANY, INFERRED
from sfumato.report import plots
from sfumato.report.section import Section, Table, percent


def section(study: Study) -> Section:
    """Return the share of texts that disclosed each attribute, by round."""
    result = Section("What could the rewriting model still infer?")
    figures = [figure for figure in study.figures if figure.name == INFERRED]
    if not figures:
        return result
    rounds = sorted({int(figure.setting["rewritten"]) for figure in figures})
    names = list(dict.fromkeys(str(figure.setting["attribute"]) for figure in figures))
    of = {(str(figure.setting["attribute"]), int(figure.setting["rewritten"])): figure.estimate for figure in figures}
    first, last = of[ANY, rounds[0]], of[ANY, rounds[-1]]
    after = f"from {percent(last)} of {last.n:,} after all rounds" if last.n else "after all rounds it is not known"
    result.sentences.append(
        "The model that rewrote the texts was asked first what it can infer about the person. It inferred something "
        f"from {percent(first)} of {first.n:,} texts as they were, and {after}. Another attacker may infer more."
    )
    rounds = [number for number in rounds if of[ANY, number].n]
    titles = ["as it was" if number == 0 else f"rewritten {number}×" for number in rounds]
    picture = plots.bars(titles, [of[ANY, number] for number in rounds])
    result.pictures.append((picture, "Share of texts from which any attribute could be inferred"))
    rows = [[name, *(percent(of[name, number]) for number in rounds)] for name in names]
    result.tables.append(Table("By attribute", ["attribute", *titles], rows))
    return result
