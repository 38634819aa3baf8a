"""The section of the reconstruction study."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.reconstruction import (
    ALONE,
    ANYWHERE,
    AS_IT_IS,
    BLEU,
    COSINE,
    IN_PLACE,
    OTHER,
    ROUGE,
    WITH_LAW,
    WORD_BY_WORD,
)
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, percent


def reconstruction_section(study: Study) -> Section:
    """Return how many replaced words each attacker names, and how close their texts are to the originals."""
    result = Section("Can the original text be written again?")
    shown = study.fitting(IN_PLACE)
    if not shown:
        return result
    result.sentences.append(
        "A language model is given released texts and asked for the originals, once with the words that each "
        "released word may have been, if the law is known. A word that was replaced is named if the model writes it "
        "in its place. The release as it is and the release of another record are the floor: they know nothing."
    )
    names = [str(figure.setting["attacker"]) for figure in shown]
    result.add_bars("Replaced words named in their place", names, shown, plots.RED)
    columns = (ANYWHERE, BLEU, ROUGE, COSINE)
    rows = [[name, *(_cell(study, column, name) for column in columns)] for name in names]
    result.tables.append(Table("The same texts by other measures", ["attacker", *columns], rows))
    return result


def reconstruction_headline(study: Study) -> Iterator[Said]:
    """Yield how many replaced words a language model names, and whether that is more than without one."""
    models = study.fitting(IN_PLACE, attacker=(ALONE, WITH_LAW))
    others = study.fitting(IN_PLACE, attacker=(WORD_BY_WORD, AS_IT_IS, OTHER))
    if not models or not others:
        return
    best = max(models, key=lambda figure: figure.estimate.value)
    floor = max(others, key=lambda figure: figure.estimate.value)
    yield Said(
        f"A language model that is asked for the originals names {percent(best.estimate)} of the replaced words in "
        f"their place; without one it is {percent(floor.estimate)} ({floor.setting['attacker']}).",
        False if best.estimate.low > floor.estimate.high else None,
    )


def _cell(study: Study, name: str, attacker: str) -> str:
    figure = study.figure(name, attacker=attacker)
    return "" if figure is None else percent(figure.estimate)
