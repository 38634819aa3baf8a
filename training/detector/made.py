"""Write labelled text of the genres that no corpus has: letters, notes, forms, logs, chats and mails.

    python training/detector/made.py --seed 1 --records 30000 --part train -o made.jsonl

Each line is ``{"id", "language", "genre", "text", "entities", "unsure", "templates"}``. A mark has ``start``,
``end``, ``label`` and ``telling``: whether it must be replaced to protect a person. A PERSON also has an ``origin``.
Corpora differ on marks of the label OTHER (a length of time, a vague time, a law, a flight). ``unsure`` lists the
kinds that are not marked without gaps. Templates, names and values belong to the train or the held part by a hash.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))

import made_forms
from made_elision import elided
from made_grammar import Part, sections
from made_surface import Piece, dressed, joined, record_of, scanned
from made_world import World

LABELS = ("PERSON", "ORGANIZATION", "LOCATION", "DATE", "AGE", "CODE", "OCCUPATION", "GROUP", "QUANTITY", "MONEY",
    "PHONE",
          "EMAIL", "URL", "IP", "USERNAME", "MISC", "OTHER")  # fmt: skip
OTHER_LANGUAGES = {"de": 5, "es": 3, "fr": 3, "it": 4, "nl": 3, "pt": 3, "sv": 1, "da": 1, "no": 1, "fi": 1, "ro": 1,
                   "tr": 1}  # fmt: skip
"""How often a language is drawn: three times if its corpora are old newspapers or of one genre, four without any."""
ENGLISH = 0.4
FORMS = 0.14
"""The share of records that a form, a table or a log is, beside the templates."""


def made_records(seed: int, count: int, part: Part) -> Iterator[dict[str, Any]]:
    """Yield records of a part; the same seed gives the same records."""
    for number in range(count):
        rng = random.Random(f"{seed} {part} {number}")
        language = "en"
        if rng.random() >= ENGLISH:
            [language] = rng.choices(list(OTHER_LANGUAGES), list(OTHER_LANGUAGES.values()))
        genre, pieces, used = _written(rng, part, language)
        text, entities = record_of(pieces)
        yield {"id": f"made-{part}-{seed}-{number}", "language": language, "genre": genre, "text": text,
               "entities": entities, "unsure": ["QUANTITY"][genre in MEASURED :], "templates": used}  # fmt: skip


def _written(rng: random.Random, part: Part, language: str) -> tuple[str, list[Piece], list[str]]:
    world = World(rng, part, language)
    if rng.random() < FORMS:
        genre, pieces = made_forms.form(world)
        return genre, dressed(elided(joined(pieces, language), language), rng, prose=False), world.used
    genre = rng.choice(genres(language))
    pieces = elided(joined(world.template(f"doc.{genre}"), language), language)
    pieces = scanned(pieces, rng) if genre in SCANNED else dressed(pieces, rng, prose=True)
    return genre, pieces, world.used


def genres(language: str) -> list[str]:
    """Return the genres of a language, each as often as it is drawn."""
    found: list[str] = []
    for name in sections(language):
        if name.startswith("doc."):
            found += [name.removeprefix("doc.")] * WEIGHTS.get(name.removeprefix("doc."), 2)
    return found


WEIGHTS = {"clinic_letter": 6, "discharge": 6, "ward_note": 5, "gp_note": 7, "sentence": 5, "chat": 4, "support": 3,
           "posted": 5, "person_case": 6, "ticket": 5, "goods": 6, "news": 5, "old_paper": 4, "chart": 3,
           "machine": 3, "judgment": 5, "negatives": 4, "encyclopaedia": 3, "bank": 3, "life_clinic": 90,
           "life_court": 45, "life_desk": 45,
           "more_clinic": 90, "more_court": 45, "more_desk": 60}  # fmt: skip
"""How often a genre is drawn; twice unless it stands here."""
MEASURED = {"gp_note", "triage", "chart", "goods", "ticket", "machine", "person_case", "cry", "mailhead"}
"""Genres in which each quantity is marked that is one, so that other numbers are none: BP 182/110, version 2.1."""
SCANNED = {"old_paper"}
"""Genres that come from a scanner, always with its errors."""


def main() -> None:
    """Write the records of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--part", choices=("train", "held"), default="train")
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    with given.output.open("w", encoding="utf-8") as lines:
        for record in made_records(given.seed, given.records, given.part):
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
