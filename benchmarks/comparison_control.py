"""A question that any reader can answer from a profile: how old the patient is. It shows whether task utility reacts.

Where a reader is too small for the questions of MedQA, its answers say nothing about a release. The same reader, the
same profiles and the same releases with a question whose answer is written in the profile tell both causes apart.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from recording import Cells, table

from sfumato.building.chat import causal_model
from sfumato.evaluation.pairs import read_pairs
from sfumato.evaluation.plan import QUESTION_FIELDS
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._exam import CausalRespondent
from sfumato.evaluation.studies.answers import BEYOND, NOTHING, ORIGINALS, RELEASE, RIGHT, AnswersStudy
from sfumato.files import FileOptions
from sfumato.storage.digests import digest_of

QUESTION = "How old is the patient?"
APART = 8
"""Years between the options, at least."""
_AGE = re.compile(r"\b([1-9][0-9])[- ]year[- ]old\b")


def ages(profiles: Path, most: int) -> list[dict[str, object]]:
    """The first profiles that say an age in years, each with a question about it and four ages to choose from."""
    draw, rows = random.Random(0), list[dict[str, object]]()
    for line in profiles.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if said := _AGE.search(record["text"]):
            options = [int(said[1])]
            while len(options) < 4:
                other = draw.randrange(10, 90)
                options += [other] if all(abs(other - option) >= APART for option in options) else []
            order = draw.sample(options, len(options))
            asked = {"options": [f"{age} years" for age in order], "answer": f"{options[0]} years"}
            rows.append({"id": record["id"], "text": record["text"], "question": QUESTION, **asked})
    return rows[:most]


def control(
    place: Path, releases: Mapping[str, Path], cells: Cells, make: bool = True, most: int = 16
) -> tuple[str, str] | None:
    """The share of ages that SmolLM2 finds beside each release, as a table; and what follows, in a sentence.

    Nothing is computed unless ``make``: None where an answer is missing then.
    """
    file = place / "ages.jsonl"
    rows = ages(place / "medqa.jsonl", most)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    reader = CausalRespondent(causal_model("smollm2"))

    def answered(release: Path) -> object:
        if not make:
            raise LookupError
        plain = FileOptions(id_field="id", adjustable=False)
        pairs = read_pairs(file, release, plain, read_along=QUESTION_FIELDS)
        return AnswersStudy([reader], seed=1).run(pairs).as_json()

    studies = dict[str, Study]()
    for name, release in releases.items():
        try:
            content = digest_of(release)[:16]
            kept = cells.get(partial(answered, release), release=name, content=content, records=len(rows))
        except LookupError:
            return None
        studies[name] = Study.from_json(kept)
    if not studies:
        return None
    first = next(iter(studies.values()))
    shown: list[list[object]] = [
        ["everything removed", told(first, RIGHT, NOTHING), "–"],
        ["the profile", told(first, RIGHT, ORIGINALS), told(first, BEYOND, ORIGINALS)],
        *([name, told(study, RIGHT, RELEASE), told(study, BEYOND, RELEASE)] for name, study in studies.items()),
    ]
    about = (
        "Whether the reader is the cause was tested by another question to the same model, beside the same profiles "
        f"and releases: how old the patient is, with four ages to choose from ({len(rows)} profiles)."
    )
    header = ["read beside the question", "ages right", "beyond nothing"]
    return f"{about}\n\n{table(header, shown)}", concluded(first, len(rows))


def concluded(study: Study, count: int) -> str:
    """What the difference that the untouched profile makes says of the reader."""
    profile = study.figure(BEYOND, of=ORIGINALS)
    if profile is None or profile.estimate.low <= 0.0:
        return f"Asked for the age in {count} profiles, it is no better than without them: the cause is not known."
    return (
        f"But asked for the age, it finds it in the profiles ({count} of them), so the measure reacts to what a "
        "release takes away; the questions of MedQA ask for more than this reader knows."
    )


def told(study: Study, name: str, of: str) -> str:
    """A figure with its interval; a difference with its sign."""
    figure = study.figure(name, of=of)
    if figure is None:
        return "–"
    e, form = figure.estimate, "+.2f" if name == BEYOND else ".2f"
    return f"{e.value:{form}} ({e.low:{form}} to {e.high:{form}})"
