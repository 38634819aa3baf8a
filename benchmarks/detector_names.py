"""How often names of each origin are marked, in the same sentences for all.

Usage: detector_names.py [--names 120] [--record]

Frames are lines of held templates (``training/detector/made.py``) in English with a person. Each name of the held
part stands once in each of five frames, and every origin is given the same frames in the same order. A name is
marked if all its letters are. Beside each origin stands a bound of chance: two standard errors of its share.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import detector
from recording import models, table, written

FRAMES = (
    "sentence.line", "letter.social", "letter.admitted", "note.line", "chat.say", "support.line", "call.say",
    "court.line", "police.line", "hr.line", "mail.body", "news.line", "short.open", "desk.say", "post2.line",
)  # fmt: skip
EACH = 5


def frames() -> list[str]:
    """The held lines in which the subject is named once."""
    from made_grammar import sections

    found = [line.text for name in FRAMES for line in sections("en")[name].lines["held"]]
    forms = ("{p.full}", "{p.given}", "{p.family}", "{p}")
    return [text for text in found if sum(text.count(form) for form in forms) == 1]


def texts(origin: str, count: int) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Texts with the places of the names of ``origin``."""
    from made_grammar import parsed
    from made_names import anyone
    from made_surface import joined, record_of
    from made_world import World

    lines = frames()
    for number in range(count * EACH):
        world = World(random.Random(number), "held", "en")  # the same days, places and codes for each origin
        person = anyone(random.Random(f"{origin} {number // EACH}"), "held", "en", origin)
        world.give("p", person)
        text, entities = record_of(joined(world.write(parsed(lines[number % len(lines)]))))
        yield text, [(entity["start"], entity["end"]) for entity in entities if entity.get("origin") == origin]


def report(count: int) -> str:
    sys.path.insert(0, str(Path(__file__).parents[1] / "training" / "detector"))
    from made_names import ORIGINS

    reader, shares = detector.finder(), dict[str, tuple[float, int]]()
    for origin in ORIGINS:
        given = list(texts(origin, count))
        right = every = 0
        marked = detector.findings(reader, [{"text": text} for text, _ in given])
        for (text, places), marks in zip(given, marked, strict=True):
            covered = {place for mark in marks for place in range(mark.start, mark.end)}
            for start, end in places:
                every += 1
                right += all(place in covered for place in range(start, end) if text[place].isalnum())
        shares[origin] = right / every, every
    rows: list[list[object]] = []
    for origin, (share, every) in sorted(shares.items(), key=lambda item: item[1]):
        rows.append([origin, every, f"{share:.3f}", f"{2 * (share * (1 - share) / every) ** 0.5:.3f}"])
    worst, best = (pick(share for share, _ in shares.values()) for pick in (min, max))
    return "\n\n".join((
        f"Worst origin against best: {worst - best:+.3f}.",
        table(["origin of names", "names", "marked whole", "±"], rows),
    ))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", type=int, default=120)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written("detector names", report(given.names), given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
