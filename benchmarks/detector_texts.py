"""Letters, judgments, mails and chats in six languages that nothing was chosen by: what is marked of them.

Usage: detector_texts.py [--part kept] [--language de ...] [--show] [--record]

The texts lie in ``letters/CODE.txt``: invented, and written for this measurement alone by a language model that had
seen neither rules nor training text. A model of the same kind wrote the sentences that the detector learned from, so
real letters may be harder. The even ones may be looked at (``--part looked``, and ``--show`` prints what went wrong);
the odd ones are only measured. Covered: words of values that a mark of any kind covers. Right: values half of whose
letters at least are under a mark of their kind. On nothing: words under a mark that no value touches, each thousand
words. A title before a name may belong to its mark, as may a unit or an article to that of an age or a date; a length
of time, an amount and what is marked as OTHER in the file count for nothing.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import detector
from recording import models, table, written

from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.language.language import Language
from sfumato.language.languages import LANGUAGES
from sfumato.text.marks import Finding

TEXTS = Path(__file__).with_name("letters")
PARTS = ("looked", "kept")
CODES = ("de", "es", "fr", "it", "nl", "pt")
NEITHER = {"HEALTH", "QUANTITY", "DURATION", "MONEY", "NUMBER", "OTHER"}
"""Labels of marks that count for nothing, right or wrong: amounts are often kept, and corpora disagree on them."""
NAMES = ("PERSON", "LOCATION", "ORGANIZATION", "DATE")
_MARK = re.compile(r"\[([A-Z]+):([^\[\]]*)\]")


def texts(code: str, part: str) -> list[dict[str, Any]]:
    """Return the texts of a part, each with its values."""
    every = (TEXTS / f"{code}.txt").read_text(encoding="utf-8").split("\n===\n")
    return [_read(text) for text in every[PARTS.index(part) :: 2]]


def _read(text: str) -> dict[str, Any]:
    text = re.sub(r"\A\s*#[^\n]*\n", "", text)
    plain, values, last = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[last : match.start()]
        values.append({"start": len(plain), "end": len(plain) + len(match[2]), "label": match[1]})
        plain, last = plain + match[2], match.end()
    return {"text": plain + text[last:], "entities": values}


def counted(code: str, record: dict[str, Any], marks: Sequence[Finding]) -> tuple[Counter[str], list[str]]:
    """Return counts of values and of words, and what went wrong, in words."""
    text, counts, wrong = record["text"], Counter[str](), list[str]()
    covered, touched, kinds = bytearray(len(text)), bytearray(len(text)), [""] * len(text)
    language = LANGUAGES[code]
    titles, beside = language.titles, _beside(language)
    for mark in marks:
        if mark.label not in NEITHER:
            for place in range(mark.start, mark.end):
                covered[place], kinds[place] = 1, detector.KIND_OF.get(mark.label, mark.label)
    for value in record["entities"]:
        start, end, label = value["start"], value["end"], value["label"]
        line = text[max(0, start - 60) : start].split("\n")[-1]
        titled = next(
            (n for n in range(len(line)) if titles.cut(f"{line[n:]}X") == (line[n:].strip(), "X")), len(line)
        )
        touched[start - len(line) + titled : end] = b"\1" * (end - start + len(line) - titled)
        if label in NEITHER:
            continue
        words = list(detector.WORD.finditer(text, start, end))
        hidden = [all(covered[place] for place in range(*word.span())) for word in words]
        letters = [place for place in range(start, end) if text[place].isalnum()]
        right = 2 * sum(kinds[place] == label for place in letters) >= len(letters)
        counts.update(
            {
                f"{label} words": len(words),
                f"{label} covered": sum(hidden),
                f"{label} values": 1,
                f"{label} right": right,
            }
        )
        if not all(hidden):
            wrong.append(f"missed {label}: {text[max(0, start - 30) : end + 20]!r}")
    for mark in marks:
        if mark.label in ("AGE", "DATE", "TIME") and any(touched[mark.start : mark.end]):
            for word in detector.WORD.finditer(text, mark.start, mark.end):
                if word.group().lower() in beside or text[word.start() - 1] == "-":
                    touched[word.start() : word.end()] = b"\1" * (word.end() - word.start())
    for word in detector.WORD.finditer(text):
        places = range(*word.span())
        counts["words"] += 1
        if any(covered[place] for place in places) and not any(touched[place] for place in places):
            counts["nothing"] += 1
            around = text[max(0, word.start() - 30) : word.end() + 20]
            wrong.append(f"nothing {kinds[places[0]]}: {word.group()!r} in {around!r}")
    return counts, wrong


def _beside(language: Language) -> frozenset[str]:
    """Return the words that may belong to the mark of an age or a date: articles, units and words of the clock."""
    ages = language.counts.ages_in_text
    clock = (word.lower() for phrase in language.clock.words for word in phrase.split())
    return language.small_words | (ages.nouns if ages else frozenset()) | frozenset(clock)


def measured(code: str, part: str, strict: str = "medium") -> tuple[Counter[str], list[str]]:
    """Return the counts of all texts of a part, and what went wrong."""
    records = texts(code, part)
    finder = IdentifierFinder(None, code, strict)
    counts, wrong = Counter[str](), list[str]()
    for record, marks in zip(records, detector.findings(finder, records), strict=True):
        own, faults = counted(code, record, marks)
        counts += own
        wrong += faults
    return counts, wrong


def _row(code: str, counts: Counter[str]) -> list[object]:
    def share(what: str, kinds: Sequence[str], of: str = "words") -> str:
        whole = sum(counts[f"{kind} {of}"] for kind in kinds)
        return f"{sum(counts[f'{kind} {what}'] for kind in kinds) / whole:.3f}"

    every = sorted(name.removesuffix(" words") for name in counts if name.endswith(" words"))
    return [code, counts["words"], share("covered", every), *(share("covered", [kind]) for kind in NAMES),
            share("covered", ["AGE"]), share("covered", ["OCCUPATION"]), share("right", every, "values"),
            f"{1000 * counts['nothing'] / counts['words']:.1f}"]  # fmt: skip


def main() -> None:
    """Measure and show; with --record, write it into docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, default="kept")
    parser.add_argument("--language", nargs="*", default=CODES)
    parser.add_argument("--strict", default="medium")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    rows = []
    for code in given.language:
        counts, wrong = measured(code, given.part, given.strict)
        rows.append(_row(code, counts))
        if given.show and given.part == "looked":
            print("\n".join(wrong))
    header = ["language", "words", "words covered", *(f"of {kind}" for kind in (*NAMES, "AGE", "OCCUPATION")),
              "values of the right kind", "words marked that are nothing, a thousand"]  # fmt: skip
    written("detector-texts", table(header, rows), given.record, used=models("others"))


if __name__ == "__main__":
    main()
