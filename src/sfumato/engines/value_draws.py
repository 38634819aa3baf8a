"""The draws of the values of one kind in a batch: which mentions share one, from which numbers, written how.

After the draw only the drawn value and the form of the mention are used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from sfumato.abstract.batch import Batch, Mention, by_record
from sfumato.abstract.kind import Kind, Reading
from sfumato.engines.routes import Route
from sfumato.privacy.randomness import PinnedRandomness, Randomness, context

Scope = Literal["mention", "record", "subject"]
Row = tuple[int, int]
"""The number of a record, and the place in it that a draw is for."""


class Input(NamedTuple):
    """What is drawn for: a ``token``, and what is the ``same`` in all mentions that share the draw of a subject."""

    token: int
    same: int | str


@dataclass(frozen=True, eq=False)
class ValueDraws:
    """Draws values of ``kind`` by the mechanism of each grain in ``routes``, once for each ``scope``.

    ``run_key`` is for draws for subjects without a pinned key.
    """

    kind: Kind
    routes: Mapping[str, Route]
    scope: Scope
    run_key: bytes = field(default=b"", repr=False)

    def outputs(
        self, batch: Batch, mentions: Sequence[Mention], readings: Sequence[Reading]
    ) -> tuple[list[str], dict[int, int]]:
        """Return what replaces each of ``mentions``, which say ``readings``, and how many draws a record paid for."""
        outputs, spent = [""] * len(mentions), dict[int, int]()
        for grain, firsts, inputs in self._inputs(mentions, readings):
            drawn = self._drawn(batch, grain, inputs, spent)
            words = self.routes[grain].mechanism.vocabulary.tokens
            for position, first in firsts.items():
                outputs[position] = self.kind.write(words[drawn[first]], readings[position].form)
        return outputs, spent

    def planned(
        self, batch: Batch, mentions: Sequence[Mention], readings: Sequence[Reading]
    ) -> dict[int, tuple[int, list[bytes]]]:
        """Return how many draws each record will pay for, and a digest of each that its subject shares."""
        rows: dict[int, tuple[int, list[bytes]]] = {}
        for grain, _, inputs in self._inputs(mentions, readings):
            tokens = np.array([token for token, _ in inputs.values()], dtype=np.int64)
            costs = self.routes[grain].mechanism.spends(tokens).tolist()
            shared = self._of_subjects(batch, grain, inputs) if self.scope == "subject" else [b""] * len(inputs)
            for (record, _), paid, source in zip(inputs, costs, shared, strict=True):
                if paid:
                    count, own = rows.get(record, (0, []))
                    rows[record] = (count + 1, [*own, hashlib.sha256(source).digest()] if source else own)
        return rows

    def _inputs(
        self, mentions: Sequence[Mention], readings: Sequence[Reading]
    ) -> Iterator[tuple[str, dict[int, Row], dict[Row, Input]]]:
        """Yield each grain with where the draw of each position is, and what each draw is for."""
        named = self._represented(mentions, readings)
        firsts = self._firsts(mentions, [reading.value for reading in named])
        for grain, route in self.routes.items():
            positions = [place for place, reading in enumerate(named) if reading.form.grain == grain]
            if not positions:
                continue
            tokens = route.tokens([named[position].value for position in positions]).tolist()
            inputs: dict[Row, Input] = {}
            for position, token in zip(positions, tokens, strict=True):
                same = self._same(route, token, named[position].value, mentions[position].text)
                inputs.setdefault(firsts[position], Input(token, same))
            yield grain, {position: firsts[position] for position in positions}, inputs

    def _same(self, route: Route, token: int, value: str, text: str) -> int | str:
        """Return what mentions that share a subject's draw have in common: their token, or what they say.

        A law that does not look at its token (ε is 0) takes one token for all values that its list lacks.
        """
        if not self.kind.looks:
            return _plain(text)
        return token if route.mechanism.epsilon else value

    def _represented(self, mentions: Sequence[Mention], readings: Sequence[Reading]) -> list[Reading]:
        """Return what is drawn for at each mention: the fullest reading of its record that names the same."""
        named = list(readings)
        if self.scope != "mention":
            for _, positions in by_record(mentions):
                own = self.kind.representatives([readings[position] for position in positions])
                for position, reading in zip(positions, own, strict=True):
                    named[position] = reading
        return named

    def _firsts(self, mentions: Sequence[Mention], values: Sequence[str]) -> list[Row]:
        """Return where the draw of each mention belongs: its own place, or the first one that says the same."""
        if self.scope == "mention":
            return [(mention.record, mention.place) for mention in mentions]
        texts = values if self.kind.looks else [_plain(mention.text) for mention in mentions]
        first: dict[tuple[int, str], Row] = {}
        return [
            first.setdefault((mention.record, text), (mention.record, mention.place))
            for mention, text in zip(mentions, texts, strict=True)
        ]

    def _drawn(self, batch: Batch, grain: str, inputs: Mapping[Row, Input], spent: dict[int, int]) -> dict[Row, int]:
        """Return a draw for the token of each of ``inputs``; add to what each record has ``spent``."""
        route, rows = self.routes[grain], list(inputs)
        tokens = np.array([token for token, _ in inputs.values()], dtype=np.int64)
        for (record, _), costs in zip(rows, route.mechanism.spends(tokens).tolist(), strict=True):
            spent[record] = spent.get(record, 0) + costs
        source, contexts = self._source(batch, grain, inputs)
        drawn = route.drawn(tokens, source, lambda part: None if contexts is None else contexts[part])
        return dict(zip(rows, drawn.tolist(), strict=True))

    def _source(self, batch: Batch, grain: str, inputs: Mapping[Row, Input]) -> tuple[Randomness, list[bytes] | None]:
        """Return where the random numbers come from, and the context of each draw if it needs one."""
        if self.scope != "subject":
            parts = [(self.kind.name, grain, place) for _, place in inputs]
            return batch.randomness, batch.contexts([record for record, _ in inputs], parts)
        source = batch.randomness if batch.randomness.keyed else PinnedRandomness(self.run_key)
        return source, self._of_subjects(batch, grain, inputs)

    def _of_subjects(self, batch: Batch, grain: str, inputs: Mapping[Row, Input]) -> list[bytes]:
        """Return what decides each draw for a subject.

        What is the same is drawn once for a person, in all of the person's records.
        """
        return [
            context(batch.setting, batch.subject(record), self.kind.name, grain, same)
            for (record, _), (_, same) in inputs.items()
        ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
