"""How often an article, a contraction or an elision before a replaced value is wrong, for 1,000 words of releases.

Usage: agreement.py [--records 400] [--language fr] [--show] [--record]

Made sentences have one gap each, for a value whose article, preposition or short word depends on it. The marks are
given, so no detector takes part. The checker has its own tables (`agreement_words.py`) and its own rules of sound. It
reads the release alone, and sfumato's repair is not asked. A value that its tables do not hold is counted as not
judged. It also counts a verb for one behind a plural, and German adjectives of names in the wrong case.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import regex
from agreement_frames import CITIES, FRAMES, NAMES, ORIGINALS, Frame
from agreement_words import HEADS, LANDS, PEOPLE, TOWNS
from recording import models, table, written

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.language.lists import has_lists, lists_of, phrases_of
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

POLICIES = ("clinical", "court")
LINES = 3
_FIRMS = ("gmbh", "ag", "telekom", "telecom", "nv", "bv")
_VOWEL = regex.compile(r"[aeiouàâáäæéèêëíîïìóôöòúûüùœ]", regex.IGNORECASE)
_HARD = regex.compile(r"s[^aeiou\W]|z|gn|ps|pn|x|y", regex.IGNORECASE)
_MUTE = (
    "hôpital",
    "hôtel",
    "hospice",
    "homme",
    "historien",
    "horloger",
    "huissier",
    "hôtelier",
    "haïtien",
    "hondurien",
)


class Gap(NamedTuple):
    """A sentence with its value: where the value is, and the frame."""

    text: str
    start: int
    end: int
    frame: Frame


@cache
def people(code: str) -> dict[str, frozenset[str]]:
    """The genders of each word for people, by the columns of the lists that words are drawn from."""
    rows = phrases_of(lists_of(code, "occupations")["pairs"])
    rows += phrases_of(lists_of(code, "peoples")["nations"])
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        man, _, woman = (part.strip().casefold() for part in row.partition("|"))
        found[man] = found.get(man, frozenset()) | ({"m"} if woman else {"m", "f"})
        if woman:
            found[woman] = found.get(woman, frozenset()) | {"f"}
    return found | {word.casefold(): frozenset(gender) for word, gender in _by_word(PEOPLE.get(code, {})).items()}


def _by_word(rows: Mapping[str, str]) -> dict[str, str]:
    """The words of rows that semicolons part, with the name of their row."""
    return {word.strip(): name for name, listed in rows.items() for word in listed.split(";")}


@cache
def heads(code: str) -> dict[str, str]:
    return {word: gender for gender, words in HEADS[code].items() for word in words.split()}


@cache
def lands(code: str) -> dict[str, str]:
    return _by_word(LANDS[code]) | _by_word(TOWNS.get(code, {}))


@cache
def countries(code: str) -> frozenset[str]:
    from babel import Locale

    return frozenset(str(name).replace("’", "'") for name in Locale(code).territories.values())


def gender_of_institution(name: str, code: str) -> str | None:
    words = [word.casefold() for word in regex.findall(r"[\p{L}\d][\p{L}\d'’.&-]*", name)]
    own = heads(code)
    if not words:
        return None
    if code not in ("de", "nl"):
        return own.get(re.split("['’]", words[0])[-1], own.get(words[0]))
    if words[-1] in _FIRMS:
        return "f"
    for word in words:
        ends = [end for end in own if word.endswith(end)]
        if ends:
            return own[max(ends, key=len)]
    return None


def genders(kind: str, value: str, code: str) -> frozenset[str]:
    """The genders that a value may have, "-" for a name without an article; none if the tables do not hold it."""
    if kind == "ORGANIZATION":
        found = gender_of_institution(value, code)
        return frozenset() if found is None else frozenset({found})
    if kind in ("OCCUPATION", "GROUP"):
        return people(code).get(value.casefold(), frozenset())
    if kind == "DATE":
        return frozenset("m") if value[:1].isdecimal() else frozenset()
    if kind == "PERSON":
        return frozenset("-") if value[:1].isupper() and "_" not in value else frozenset()
    if value in lands(code):
        return frozenset({lands(code)[value]})
    is_land = code in ("fr", "it", "pt") and (value in countries(code) or value.startswith(("Rép", "Rep")))
    if not value[:1].isupper() or is_land:
        return frozenset()
    return frozenset("-")


def sides(frame: Frame, gender: str, value: str, code: str) -> Iterator[str]:
    """The keys of the words before a value, those that count most first; both may be right before a foreign H."""
    vowel = bool(_VOWEL.match(value)) or value.casefold().startswith(_MUTE)
    hard = code == "it" and bool(_HARD.match(value))
    if code == "fr" and value[:1] in "HY" and gender == "-":
        yield from ("-v", "-")
        return
    if gender == "-":
        first = regex.sub(r"\p{M}", "", value[:1].casefold())
        yield from ("-v" if vowel else "-", f"-{first}", "-")
        return
    if frame.kind == "DATE":
        day = re.match(r"0?(\d+)", value)
        yield from ("v", "m") if day and day[1] in ("8", "11") else ("m",)
        return
    if code in ("fr", "it") and gender in "mf":
        yield from (f"v{gender}", "v") if vowel else ("o",) if hard and gender == "m" else ()
    if code == "it" and gender == "p" and (vowel or hard):
        yield "g"
    yield gender


def right_words(frame: Frame, value: str, code: str) -> set[str]:
    """What may be before ``value``; nothing if the tables do not hold it."""
    allowed: set[str] = set()
    for gender in genders(frame.kind, value, code):
        keys = [key for key in sides(frame, gender, value, code) if key in frame.words]
        both = code == "fr" and value[:1] in "HY" and gender == "-"
        for key in keys if both else keys[:1]:
            allowed.update(frame.words[key])
    return allowed


@cache
def every_words(code: str, kind: str) -> tuple[str, ...]:
    """All words that may be before a value of a kind, the longest first."""
    found = {word for frame in FRAMES[code] if frame.kind == kind for words in frame.words.values() for word in words}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def is_right(frame: Frame, middle: str, code: str) -> bool | None:
    """Whether what a release has in a gap agrees; None if the tables do not hold it."""
    text = middle.replace("’", "'")
    before = next((word for word in every_words(code, frame.kind) if text.startswith(word)), "")
    value = text[len(before) :]
    allowed = right_words(frame, value, code)
    if not allowed:
        return None
    if before not in allowed:
        return False
    if frame.is_subject and genders(frame.kind, value, code) <= {"p", "q", "g"}:
        return False  # the verb is for one
    if code == "fr" and frame.kind == "PLACE" and value.startswith(("Le ", "Les ")):
        return False  # "à Le Havre"
    ending = re.match(r"(?:Medizinische|Freiwillige|Dominikanische|Zentralafrikanische|Vereinigte)(n?)\b", value)
    return ending is None or bool(ending[1]) is frame.dative


def value_for(frame: Frame, code: str, rng: random.Random) -> str:
    if frame.kind == "ORGANIZATION":
        return rng.choice([row.strip().partition(" ")[2] for row in ORIGINALS[code].split(";")])
    if frame.kind == "PLACE":
        return rng.choice([*CITIES[code].split(), *CITIES[code].split(), *lands(code)][: 12 + rng.randint(0, 40)])
    if frame.kind == "PERSON":
        return rng.choice([name.strip() for name in NAMES[code].split(";")])
    if frame.kind == "DATE":
        return f"{rng.choice((3, 5, 8, 11, 12, 20))} marzo {rng.randint(2001, 2022)}"
    nations = phrases_of(lists_of(code, "peoples")["nations"])
    rows = nations if frame.kind == "GROUP" else phrases_of(lists_of(code, "occupations")["pairs"])
    return rng.choice(rows[:120]).partition("|")[2 if rng.random() < 0.5 and frame.kind == "OCCUPATION" else 0] or "x"


def gap(frame: Frame, code: str, rng: random.Random) -> Gap:
    while True:
        value = value_for(frame, code, rng)
        allowed = right_words(frame, value, code)
        is_plural = genders(frame.kind, value, code) <= {"p", "q"}
        if allowed and not (is_plural and (frame.is_subject or (code == "de" and frame.dative))):
            break  # "in den Stadtwerken" has an ending that no list has
    before = frame.head + min(allowed, key=lambda word: (len(word), word))
    return Gap(f"{before}{value}{frame.tail}", len(before), len(before) + len(value), frame)


def document(code: str, number: int) -> tuple[Document, list[Gap]]:
    rng = random.Random(f"{code} {number}")
    gaps = [gap(frame, code, rng) for frame in rng.sample(FRAMES[code], LINES)]
    spans, start = [], 0
    for own in gaps:
        spans.append({"start": start + own.start, "end": start + own.end, "label": own.frame.kind})
        start += len(own.text) + 1
    return Document("\n".join(own.text for own in gaps), str(number), {"spans": spans}), gaps


def engine(policy: str, code: str) -> Engine:
    made = build_policy(Policy.load(policy).with_changes({"find.detect": "given", "find.language": code}))
    assert isinstance(made, Engine)
    return made


def judged(code: str, policy: str, count: int) -> tuple[Counter[str], list[str]]:
    """What was counted in ``count`` releases, and the lines with a mistake."""
    made = [document(code, number) for number in range(count)]
    releases = engine(policy, code).sanitize_batch([own for own, _ in made], SeededRandomness(44))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for release, (_, gaps) in zip(releases, made, strict=True):
        counts["words"] += len(release.text.split())
        for line, own in zip(release.text.splitlines(), gaps, strict=False):
            is_whole = line.startswith(own.frame.head) and line.endswith(own.frame.tail)
            middle = line[len(own.frame.head) : len(line) - len(own.frame.tail)]
            right = is_right(own.frame, middle, code) if is_whole else None
            counts["not judged" if right is None else "judged"] += 1
            if right is False:
                counts["mistakes"] += 1
                wrong.append(line)
    return counts, wrong


def report(codes: Sequence[str], records: int, show: bool) -> str:
    rows: list[list[object]] = []
    for code in codes:
        for policy in POLICIES:
            counts, wrong = judged(code, policy, records)
            share = f"{1000 * counts['mistakes'] / counts['words']:.1f}"
            told = [counts[name] for name in ("words", "judged", "not judged", "mistakes")]
            rows.append([code, policy, *told, share])
            for line in wrong if show else ():
                print(code, policy, line, sep="\t")
    return table(["language", "policy", "words", "values judged", "not judged", "mistakes", "per 1,000 words"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=400)
    parser.add_argument("--language", action="append", choices=sorted(FRAMES))
    parser.add_argument("--show", action="store_true", help="show the lines with a mistake")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    codes = [code for code in asked.language or FRAMES if has_lists(code, "institutions")]
    written("agreement", report(codes, asked.records, asked.show), asked.record, used=models("encoder"))


if __name__ == "__main__":
    main()
