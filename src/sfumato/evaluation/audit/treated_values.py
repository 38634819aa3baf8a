"""Draws of a treatment for one text, as its engine makes them in a release: reading, draw and written form."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from sfumato.attacks.distinguishing import Sampler
from sfumato.engines.mentions import Batch, Mention
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.text.marked_record import MarkedRecord

_WHO = "whose"
_AT_ONCE = 5_000


@dataclass(frozen=True, eq=False)
class TreatedValue:
    """Samples what ``treatment`` makes of ``text``, each time in a record of its own about a person of its own.

    ``side`` tells the people of two samplers apart, so that no draw serves both.
    """

    treatment: DrawnValues | Shifted
    text: str = field(repr=False)
    side: str
    randomness: Randomness = field(default_factory=SystemRandomness)

    def sampler(self) -> Sampler:
        """Return the sampler: of n outputs."""

        def sampled(n: int) -> list[str]:
            parts = (self._outputs(first, min(n, first + _AT_ONCE)) for first in range(0, n, _AT_ONCE))
            return list(chain.from_iterable(parts))

        return sampled

    def _outputs(self, first: int, last: int) -> list[str]:
        records = [self._record(number) for number in range(first, last)]
        batch = Batch(records, self.randomness, "audit", _WHO)
        kind = self.treatment.kind.name
        mentions = [Mention(number, 0, self.text, kind) for number in range(len(records))]
        return self.treatment.outputs(batch, mentions)[0]

    def _record(self, number: int) -> MarkedRecord:
        name = f"{self.side} {number}"
        document = Document(self.text, id=name, metadata={_WHO: name})
        layout = Layout(self.text, [(0, len(self.text))], [self.treatment.kind.name])
        return MarkedRecord(number, [document], [layout])
