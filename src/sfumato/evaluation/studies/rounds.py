"""What a language model could still infer from each text, round after round: read from the notes of ``-m iterative``.

The attacker is the model that rewrote the texts, so another attacker may infer more: these figures prove nothing. The
other studies measure the release itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sfumato.abstract.journal import Tally, read_journal
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.metrics.estimates import share
from sfumato.types import Progress

INFERRED = "could be inferred"
ANY = "any of them"


@dataclass(frozen=True)
class RoundsStudy(Measure):
    """Reads the rounds in the file ``path``. A finding counts with a certainty of ``certainty`` or more.

    With ``by_id`` the records have ids, and a file with none of these ids is about other records.
    """

    path: Path
    certainty: int = 2
    by_id: bool = False

    needs: ClassVar[tuple[str, ...]] = ("rounds",)

    @classmethod
    def of(cls, bench: Bench) -> RoundsStudy:
        """Return the study with what is on the ``bench``."""
        return cls(Path(bench.plan.rounds or ""), by_id=bench.plan.id_field is not None)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return, for each number of rewritings, the share of texts that disclosed each attribute.

        A text that needed fewer rewritings counts as it was last. A text without its last attack is left out of that
        round, and so are texts without a release. Raise InputError for a file that was not written by a run.
        """
        lines = {id: tally for id, by, tally in read_journal(self.path) if by == "iterative"}
        ids = set(pairs.ids)
        if self.by_id and lines and not any(id in ids or id.rpartition("/")[0] in ids for id in lines):
            why = f"no id in {self.path.name} is the id of a record here; give the rounds of this release"
            return Study("rounds", skipped=[Skipped("rounds", why)])
        looked = [_looks(tally, self.certainty) for tally in lines.values() if tally.rounds and not tally.lost]
        if not looked:
            return Study("rounds", skipped=[Skipped("rounds", f"{self.path.name} holds no rounds of -m iterative")])
        names = sorted({name for looks in looked for look in looks if look is not None for name in look})
        most = max(len(looks) for looks in looked)
        figures = []
        for number in range(most):
            there = [look for looks in looked if (look := _at(looks, number)) is not None]
            for name in (ANY, *names):
                hits = sum(bool(look) if name == ANY else name in look for look in there)
                setting: Setting = {"attribute": name, "rewritten": number}
                figures.append(Figure(INFERRED, share(hits, len(there), "texts"), setting, private="low"))
        facts: dict[str, Any] = {"texts": len(looked), "lost": sum(tally.lost for tally in lines.values())}
        return Study("rounds", figures, facts={**facts, "certainty": self.certainty})


_Look = Mapping[str, int]


def _looks(tally: Tally, certainty: int) -> list[_Look | None]:
    """Return the findings in the text as it was first, after one rewriting, after two ...; None: not known."""
    looks: list[_Look | None] = [
        {name: sure for name, sure in attack["found"].items() if sure >= certainty} for attack in tally.rounds
    ]
    return [*looks, None] if tally.rounds[-1]["rewritten"] else looks


def _at(looks: Sequence[_Look | None], number: int) -> _Look | None:
    """Return the findings after so many rewritings, or the last ones."""
    return looks[min(number, len(looks) - 1)]
