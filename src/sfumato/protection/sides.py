"""The two sides of a synthesis: the members, whose records it reads, and the people who are held out of it.

A coin for each person decides, which depends on nobody else: one person more must move no other person.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sfumato.attacks.canaries import Canary
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.ledger import Level
from sfumato.protection.originals import Originals
from sfumato.storage.atomic import put

FEWEST = 20
"""The fewest people on either side: of fewer, no attack shows anything."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Who takes part, and who is held out: numbers of people. PRIVATE.

    A synthesis reads the first ``texts_per_unit`` records of a person.
    """

    originals: Originals
    texts_per_unit: int
    members: Sequence[int]
    others: Sequence[int]

    @classmethod
    def of(cls, originals: Originals, texts_per_unit: int, members: Sequence[int]) -> Sides:
        """Return the sides with these ``members``.

        Raise InputError for a record that names nobody, and ConfigurationError for too few people.
        """
        if originals.subject is not None and not all(map(originals.subject_of, range(len(originals)))):
            raise InputError(
                f"A record has no value in the field {originals.subject!r}, which names its person; correct it."
            )
        others = sorted({*range(len(originals.people))} - {*members})
        made = cls(originals, texts_per_unit, members, others)
        if min(map(len, made.judged)) < FEWEST:
            raise ConfigurationError(
                f"Of so few people no synthesis can be judged: it needs {FEWEST} who take part and {FEWEST} who are "
                "held out, drawn at random, with texts that the other side does not have; take more records, or hold "
                "out more (synthesize.held_out)."
            )
        return made

    @cached_property
    def judged(self) -> tuple[list[int], list[int]]:
        """Return the members and the people held out by whom the records are judged.

        Whoever has the same texts as somebody on the other side says nothing of what was learned, and is left out.
        """
        texts = [{self.text(person) for person in people} for people in (self.members, self.others)]
        both = texts[0] & texts[1]
        members, others = (
            [person for person in people if self.text(person) not in both] for people in (self.members, self.others)
        )
        return members, others

    def text(self, person: int) -> str:
        """Return what the synthesis may read of a person, as one text."""
        places = self.originals.people[person][: self.texts_per_unit]
        return "\n".join(self.originals.documents[place].text for place in places)

    def records(
        self, text_field: str, codes: Sequence[str], planted: Sequence[Canary] = ()
    ) -> Iterator[dict[str, str]]:
        """Yield the records of the members in their order, with the fields that the synthesis reads.

        Each of the ``planted`` canaries follows as the one record of a made-up person. So a person more moves none of
        them.
        """
        subject = self.originals.subject
        beside = (*codes, *([subject] if subject else []))
        for place in sorted(place for person in self.members for place in self.originals.people[person]):
            document = self.originals.documents[place]
            told = {name: document.metadata.get(name) for name in beside}
            fields = {name: "" if value is None else str(value) for name, value in told.items()}
            yield {**fields, text_field: document.text}
        for canary in planted:
            person = {subject: secrets.token_hex(16)} if subject else {}
            yield {**dict.fromkeys(codes, ""), **person, text_field: canary.text}

    def payers(self) -> list[tuple[Level, str]]:
        """Return whose accounts pay: every record's, and that of every person whom a field names."""
        records = dict.fromkeys(document.names[-1] for document in self.originals.documents)
        subjects = dict.fromkeys(filter(None, map(self.originals.subject_of, range(len(self.originals)))))
        return [*((Level.RECORD, name) for name in records), *((Level.SUBJECT, name) for name in subjects)]

    def save(self, path: Path) -> None:
        """Note at ``path`` who takes part, for its owner alone."""
        facts = {"members": list(self.members), "of": _digest(self.originals)}
        put(path, json.dumps(facts).encode(), private=True)


def drawn(people: int, held_out: float) -> list[int]:
    """Return who takes part, by a coin for each person that depends on no other."""
    return [person for person in range(people) if secrets.SystemRandom().random() >= held_out]


def stopped(path: Path, originals: Originals) -> list[int]:
    """Return who takes part in the attempt that noted it at ``path``. Raise OutputError if ``originals`` changed."""
    try:
        facts = json.loads(path.read_bytes())
        if facts["of"] == _digest(originals):
            return [int(person) for person in facts["members"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise OutputError(
        "The input changed since the synthesis was stopped, or it is not known any more who took part; return to "
        "what it was, or give the attempt up with --force, without --resume: another one is paid for again."
    )


def _digest(originals: Originals) -> str:
    """Return a hash of all records; it stays in the folder for the owner, beside the records themselves."""
    rows = [[*document.names, document.text] for document in originals.documents]
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()
