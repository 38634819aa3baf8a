"""The section of the study of copies."""

from __future__ import annotations

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.copies import COPIED, NEAREST, RUN
from sfumato.report import plots
from sfumato.report.section import Section, Table


def section(study: Study) -> Section:
    """Return which share of the records is copied, word by word, and how near the nearest synthetic record is."""
    result = Section("Are records copied?")
    copied = [figure for figure in study.figures if figure.name == COPIED]
    run, near = study.figure(RUN), study.figure(NEAREST)
    if run is not None:
        result.sentences.append(
            "The longest run of words that a record shares with some synthetic record is "
            f"{run.estimate.value:.1f} words on average. Usual phrases are shared without any copying."
        )
    if copied:
        names = [f"{figure.setting['words']} words in a row or more" for figure in copied]
        what = "Share of the records of which so much stands in a synthetic one"
        result.add_bars(what, names, copied, plots.RED)
    if near is not None:
        result.sentences.append(f"The nearest synthetic record has a cosine of {near.estimate.value:.2f} on average.")
    if worst := study.records.get("worst"):
        rows = [[name, f"{value:.0f}"] for name, value in worst.items()]
        result.tables.append(Table("The records with the longest runs, by id", ["record", "words in a row"], rows))
    return result
