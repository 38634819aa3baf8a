"""Write clinical and biological prose in which nothing has to be marked: what a name, a code or a job is not.

    python training/detector/unmarked.py --data ../shared/data -o unmarked.jsonl

The notes and dialogues of MTS-Dialog (train part, CC BY 4.0) and the abstracts of the NCBI disease corpus (train
part, public domain) name drugs, genes, signs and scores that no template names. A sentence is left out if it holds a
title, a place, or a word of the lists of names beside it; the first of several words may be one by chance. Kinds that
it may hold stay open by ``unsure``, as in made text: ages and peoples always, dates and amounts where a digit or a
word says so, jobs where a person is spoken of.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

LICENCE = "CC BY 4.0 (MTS-Dialog), public domain (NCBI disease corpus)"
_TITLED = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Miss|Mister|Doctor|Prof|Professor|Nurse|Sister|Saint|St)(?:\.|\b) ?(?:[A-Z]|$)|@|http|www"
    r"|\b[A-Z]\.[, ]"
    r"|\b(?:Hospital|Cent(?:er|re)|Clinic|University|College|School|Church|Street|Road|County|City|State|Institute|Inc)\b"
)
_DATED = re.compile(
    r"\d|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|\w+day|today|"
    r"yesterday|tomorrow|tonight|night|morning|afternoon|evening|noon|week|month|year|hour|minute|spring|summer|autumn|"
    r"fall|winter|christmas|easter|ago|last|next|since|decade|century|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"(?:e?s)?\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<=[.?!])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bProf\.)(?<!\b[A-Z]\.)\s+(?=[A-Z\d])|\n+"
)
_SPEAKER = re.compile(r"^(?:Doctor|Patient|Guest_\w+|Guest \w+): ?", re.MULTILINE)
_WORD = re.compile(r"\b[A-Z][a-z]+\b")
_SOCIAL = ("FAM/SOCHX", "GENHX", "OTHER_HISTORY", "CC")
_LONG = 12
"""Sentences of one text."""


def names_of(data: Path) -> frozenset[str]:
    """Return the words of names of people and places, in small letters."""
    words = set[str]()
    for path in (data / "names_cities").rglob("*"):
        if path.is_file() and "README" not in path.name:
            words.update(word.casefold() for word in _WORD.findall(path.read_text(encoding="utf-8").title()))
    return frozenset(words)


def sentences(text: str, names: frozenset[str]) -> Iterator[str]:
    """Yield the sentences of ``text`` that name nobody and no place."""
    for sentence in _SENTENCE.split(text):
        said = _SPEAKER.sub("", sentence).strip()
        words = list(_WORD.finditer(said))
        named = any(match[0].casefold() in names for match in words if match.start() or match.end() + 1 >= len(said))
        if said and not named and not _TITLED.search(said):
            yield said


def record(sentence: str, social: bool) -> dict[str, object]:
    """Return a sentence with the kinds that it may hold."""
    unsure = {"AGE", "GROUP", "MISC"} if social else {"AGE", "GROUP"}
    if _DATED.search(sentence):
        unsure |= {"DATE", "QUANTITY", "MONEY"}
    if social:
        unsure |= {"OCCUPATION", "ORGANIZATION", "LOCATION"}
    return {"text": sentence, "entities": [], "unsure": sorted(unsure), "genre": "unmarked", "language": "en"}


def clinical(data: Path, names: frozenset[str]) -> Iterator[dict[str, object]]:
    """Yield the sentences of notes and of dialogues."""
    with (data / "mts_dialog" / "MTS-Dialog-TrainingSet.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            social = row["section_header"] in _SOCIAL
            for text, of_people in ((row["section_text"], social), (row["dialogue"], True)):
                yield from (record(sentence, of_people) for sentence in sentences(text, names))


def biological(data: Path, names: frozenset[str]) -> Iterator[dict[str, object]]:
    """Yield the sentences of abstracts."""
    text = (data / "ncbi_disease" / "train.tsv").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        words = " ".join(line.split("\t")[0] for line in block.splitlines())
        said = re.sub(r" ([.,;:)%])|(\() ", lambda match: match[1] or match[2], words).replace(" - ", "-")
        for sentence in sentences(said, names):
            told = record(sentence, social=False)
            yield {**told, "unsure": sorted({*told["unsure"], "LOCATION"})}  # type: ignore[misc]


def joined(given: Iterator[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield texts of several sentences that leave the same kinds open, one sentence after another in the source."""
    held: list[dict[str, object]] = []
    for told in given:
        if held and (told["unsure"] != held[-1]["unsure"] or len(held) == _LONG):
            yield {**held[0], "text": " ".join(str(each["text"]) for each in held)}
            held = []
        held.append(told)
    if held:
        yield {**held[0], "text": " ".join(str(each["text"]) for each in held)}


def main() -> None:
    """Write the texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    names = names_of(given.data)
    with given.output.open("w", encoding="utf-8") as lines:
        for source in (clinical, biological):
            for told in joined(source(given.data, names)):
                lines.write(json.dumps(told, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
