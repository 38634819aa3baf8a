"""The draws of the values of one kind in a batch: which mentions share one, from which numbers, written how.

After the draw only the drawn value and the form of the mention are used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from sfumato.abstract.batch import Batch, Made, Outputs, PlannedDraws, Row
from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.engines.drawn import Drawn
from sfumato.engines.routes import Route
from sfumato.privacy.randomness import PinnedRandomness, Randomness, context
from sfumato.types import IntArray

Forms = Literal["keep", "public"]
Scope = Literal["mention", "record", "subject"]
_REMEMBERED = 200_000
_UNREAD = "\0"


class _Asked(NamedTuple):
    """What is drawn from the domain ``grain``.

    Attributes:
        tokens: What each draw is for, shape (m,).
        rows: Where the draws belong.
        same: What mentions that share the draw have in common, for each draw for a subject.
        taken: Which draw replaces the mention at a position, and how it is written.
    """

    grain: str
    tokens: IntArray
    rows: Sequence[Row]
    same: Sequence[int | str]
    taken: Mapping[int, tuple[int, Form]]


@dataclass(frozen=True, eq=False)
class ValueDraws(Drawn):
    """Draws the values of one kind, once for each ``scope``.

    Attributes:
        kind: The kind.
        routes: A mechanism over each domain, by the name of its grain, and what becomes of values it does not hold.
        form: "keep" writes a value as the text was written, "public" in the kind's one public form.
        scope: "mention" draws for each mention, "record" once for each value of a record, "subject" once for each
            value of all records of a person.
        run_key: Secret bytes of this run, from which draws for subjects come if no key is pinned.
    """

    kind: Kind
    routes: Mapping[str, Route]
    form: Forms = "keep"
    scope: Scope = "record"
    run_key: bytes = field(default=b"", repr=False)
    _seen: dict[str, Reading] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_seen": {}}

    @property
    def kinds(self) -> Sequence[str]:  # type: ignore[override]
        """Return the name of the kind."""
        return (self.kind.name,)

    @property
    def records_at_once(self) -> int:
        """Return how many records a chunk of a file should hold: their values are drawn together."""
        return 1024

    @cached_property
    def _surrogate(self) -> Reading:
        return self.kind.surrogate

    def read(self, text: str) -> Reading:
        """Return what ``text`` says, or the public surrogate; in the public form if forms are not kept."""
        reading = self._seen.get(text)
        if reading is None:
            reading = self.kind.read(text) or self._surrogate
            if reading.form.grain not in self.routes:
                reading = self._surrogate
            if self.form == "public":
                reading = Reading(reading.value, self.kind.public_form(reading.form.grain))
            if len(self._seen) > _REMEMBERED:
                self._seen.clear()
            self._seen[text] = reading
        return reading

    def fallback(self, kind: str, text: str) -> str | None:
        """Return the public surrogate, as it is written, if ``text`` is drawn as if it said that."""
        reading = self.kind.read(text) if self.kind.looks else self._surrogate
        if reading is not None and reading.form.grain in self.routes:
            return None
        return self.kind.write(self._surrogate.value, self._surrogate.form)

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return what replaces the values, and how many draws each document paid for."""
        readings = self._readings(batch, places)
        texts, spent = [""] * len(places), dict[int, int]()
        for asked in self._asked(batch, places, readings):
            route = self.routes[asked.grain]
            for (record, _), paid in zip(asked.rows, route.spends[asked.tokens].tolist(), strict=True):
                spent[record] = spent.get(record, 0) + paid
            source, contexts = self._source(batch, asked)
            values = route.drawn(asked.tokens, source, contexts).tolist()
            words = route.mechanism.vocabulary.tokens
            for position, (number, form) in asked.taken.items():
                texts[position] = self.kind.write(words[values[number]], form)
        return Made([Outputs.of(places, texts)], batch.paid(spent))

    def planned(self, batch: Batch, places: IntArray) -> Iterator[tuple[int, PlannedDraws]]:
        """Yield how many draws each document will pay for, and a digest of each that its subject shares."""
        rows: dict[int, tuple[int, list[bytes]]] = {}
        for asked in self._asked(batch, places, self._readings(batch, places)):
            costs = self.routes[asked.grain].spends[asked.tokens].tolist()
            shared = self._of_subjects(batch, asked) if self.scope == "subject" else [b""] * len(costs)
            for (record, _), paid, source in zip(asked.rows, costs, shared, strict=True):
                if paid:
                    count, own = rows.get(record, (0, []))
                    rows[record] = (count + 1, [*own, hashlib.sha256(source).digest()] if source else own)
        yield from batch.plans(self.kind.name, rows)

    def _readings(self, batch: Batch, places: IntArray) -> list[Reading]:
        """Return what the mentions at ``places`` say, in the domain that the text beside each says."""
        readings = [self.read(batch.texts[place]) for place in places]
        if not self.kind.reads_around or self.form == "public":
            return readings
        rows = zip(readings, places.tolist(), strict=True)
        return [self.kind.placed(reading, *batch.around(place)) for reading, place in rows]

    def _asked(self, batch: Batch, places: IntArray, readings: Sequence[Reading]) -> Iterator[_Asked]:
        """Yield what is drawn from each domain for the mentions at ``places``, which say ``readings``."""
        named = self._represented(batch, places, readings)
        texts = [batch.texts[place] for place in places.tolist()]
        said = [self._said(reading.value, text) for reading, text in zip(named, texts, strict=True)]
        firsts = self._firsts(batch, places, said)
        for grain, route in self.routes.items():
            own = [position for position, reading in enumerate(named) if reading.form.grain == grain]
            asking: dict[int, int] = {}
            for position in own:
                asking.setdefault(firsts[position], position)
            if not asking:
                continue
            numbers = {first: number for number, first in enumerate(asking)}
            tokens = route.tokens([named[position].value for position in asking.values()])
            same: Sequence[int | str] = ()
            if self.scope == "subject":
                rows = zip(tokens.tolist(), asking.values(), strict=True)
                same = [self._same(route, token, said[own], texts[own]) for token, own in rows]
            taken = {position: (numbers[firsts[position]], named[position].form) for position in own}
            yield _Asked(grain, tokens, [batch.rows[places[first]] for first in asking], same, taken)

    def _said(self, value: str, text: str) -> str:
        """Return what mentions that share a draw say: their value, or if none can be read, their text.

        Two villages that no list has are two places, although each is drawn for as the public surrogate.
        """
        is_unread = self.kind.looks and value == self._surrogate.value and self.kind.read(text) is None
        return f"{_UNREAD}{_plain(text)}" if is_unread else value

    def _same(self, route: Route, token: int, value: str, text: str) -> int | str:
        """Return what mentions that share a subject's draw have in common: their token, or what they say.

        A law that does not look at its token (ε is 0) takes one token for all values that its list lacks.
        """
        if not self.kind.looks:
            return _plain(text)
        if value.startswith(_UNREAD):
            return value
        return token if route.mechanism.epsilon else value

    def _represented(self, batch: Batch, places: IntArray, readings: Sequence[Reading]) -> list[Reading]:
        """Return what is drawn for at each mention: the fullest reading of its record that names the same."""
        named = list(readings)
        if self.scope != "mention":
            for positions in batch.by_record(places).values():
                own = self.kind.representatives([readings[position] for position in positions])
                for position, reading in zip(positions, own, strict=True):
                    named[position] = reading
        return named

    def _firsts(self, batch: Batch, places: IntArray, values: Sequence[str]) -> list[int]:
        """Return the position whose draw each mention takes: its own, or the first in its record that says it."""
        if self.scope == "mention":
            return list(range(len(places)))
        texts = values if self.kind.looks else [_plain(batch.texts[place]) for place in places]
        first: dict[tuple[int, str], int] = {}
        rows = enumerate(zip(places.tolist(), texts, strict=True))
        return [first.setdefault((batch.rows[place][0], text), position) for position, (place, text) in rows]

    def _source(self, batch: Batch, asked: _Asked) -> tuple[Randomness, Any]:
        """Return where the random numbers come from, and what gives the contexts of a slice of the draws."""
        source, contexts = batch.randomness, None
        if self.scope == "subject":
            source = source if source.keyed else PinnedRandomness(self.run_key)
            contexts = self._of_subjects(batch, asked)
        elif source.keyed:
            parts = [(self.kind.name, asked.grain, own) for _, own in asked.rows]
            contexts = batch.contexts([record for record, _ in asked.rows], parts)
        return source, lambda part: None if contexts is None else contexts[part]

    def _of_subjects(self, batch: Batch, asked: _Asked) -> list[bytes]:
        """Return what decides each draw for a subject.

        What is the same is drawn once for a person, in all of the person's records.
        """
        return [
            context(batch.setting, batch.subject(record), self.kind.name, asked.grain, same)
            for (record, _), same in zip(asked.rows, asked.same, strict=True)
        ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
