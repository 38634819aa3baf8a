"""What a language model could still tell of each text, round after round: read from what ``-m iterative`` noted.

The attacker is the model that rewrote the texts, so what another one could tell may be more: these figures are no
proof of anything, and the other studies measure the release itself.
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

TOLD = "could be told"
ANY = "any of them"


@dataclass(frozen=True)
class RoundsStudy(Measure):
    """The rounds noted in the file ``path``. A finding counts with a certainty of ``certainty`` or more.

    With ``by_id`` the records have ids, and a file that holds none of them is about others.
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
        """For each number of rewritings the share of texts that gave each attribute away.

        A text that was done earlier stays as it was; one of which the last look is missing is left out of that round,
        as are texts without a release. Raises InputError for a file that was not written by a run.
        """
        lines = {id: tally for id, by, tally in read_journal(self.path) if by == "iterative"}
        own = set(pairs.ids)
        if self.by_id and lines and not any(id in own or id.rpartition("/")[0] in own for id in lines):
            why = f"no id in {self.path.name} is that of a record here; give the rounds of this very release"
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
                figures.append(Figure(TOLD, share(hits, len(there), "texts"), setting, private="low"))
        facts: dict[str, Any] = {"texts": len(looked), "lost": sum(one.lost for one in lines.values())}
        return Study("rounds", figures, facts={**facts, "certainty": self.certainty})


_Look = Mapping[str, int]


def _looks(tally: Tally, certainty: int) -> list[_Look | None]:
    """What was found in the text as it was written first, after one rewriting, after two ...; None: not known."""
    found: list[_Look | None] = [
        {name: sure for name, sure in one["found"].items() if sure >= certainty} for one in tally.rounds
    ]
    return [*found, None] if tally.rounds[-1]["rewritten"] else found


def _at(looks: Sequence[_Look | None], number: int) -> _Look | None:
    """The look after so many rewritings, or the last one."""
    return looks[min(number, len(looks) - 1)]
