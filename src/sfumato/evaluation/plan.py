"""What is asked of an evaluation, and the studies that answer it: two files in, a folder with results out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.attacks.attributes import EmbeddingClassifier, WordClassifier
from sfumato.attacks.disclosure import EmbeddingJudge
from sfumato.attacks.linkage import Knowledge, held
from sfumato.errors import ConfigurationError
from sfumato.evaluation.attributes import AttributeStudy
from sfumato.evaluation.linkage import LinkageStudy
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.run import Measured, Named, Results, evaluate, write
from sfumato.evaluation.tokens import TokenStudy
from sfumato.evaluation.utility import UtilityStudy
from sfumato.files import FileOptions
from sfumato.models.embedded import SentenceEncoder
from sfumato.models.embedded_masked import embedded_masked

ATTACKS = ("linkage", "tokens", "attributes")
METRICS = ("utility",)


@dataclass(frozen=True)
class Plan:
    """What is measured, and how: which of :data:`ATTACKS` and :data:`METRICS`.

    ``id_field`` joins the records (None: their order), unless ``one_to_one`` is False; ``released_field`` names the
    text field of the release where it differs. ``labels`` are fields that an attacker infers, ``tasks`` fields that
    the release is for. The attacker of the linkage holds ``claims`` claims of the kind ``knowledge``. ``sample``
    records (words) are drawn for what takes longest. Raises ConfigurationError for what cannot be.
    """

    attacks: tuple[str, ...] = ATTACKS
    metrics: tuple[str, ...] = METRICS
    id_field: str | None = None
    field: str = "text"
    released_field: str | None = None
    labels: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    knowledge: Knowledge = "random"
    claims: int = 3
    sample: int = 1000
    dense: bool = False
    one_to_one: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        for given, known, what in ((self.attacks, ATTACKS, "attack"), (self.metrics, METRICS, "metric")):
            for name in given:
                if name not in known:
                    raise ConfigurationError(f"There is no {what} {name!r}; choose from {', '.join(known)}.")
        if self.sample < 1:
            raise ConfigurationError("A sample has at least one record.")
        held([], self.knowledge, self.claims, self.seed)  # refuses what it cannot hold

    @property
    def setting(self) -> dict[str, Any]:
        """Everything that decides a figure beside the files, for the results."""
        return {name: list(one) if isinstance(one, tuple) else one for name, one in asdict(self).items()}

    def made(self, encoder: SentenceEncoder) -> Mapping[str, Measured]:
        """The studies asked for, in the order of the report; that of attributes only where there are any."""
        dense = True if self.dense else None
        judge = EmbeddingJudge(encoder)
        every: dict[str, Measured] = {
            "linkage": LinkageStudy(encoder, judge, self.knowledge, self.claims, self.sample, dense, seed=self.seed),
            "tokens": TokenStudy(embedded_masked(), self.sample, self.seed),
            "attributes": AttributeStudy(
                (WordClassifier(), EmbeddingClassifier(encoder)), self.labels, self.tasks, self.seed
            ),
            "utility": UtilityStudy(encoder, self.sample, self.seed),
        }
        if not (self.labels or self.tasks):
            del every["attributes"]
        return {name: study for name, study in every.items() if name in (*self.attacks, *self.metrics)}


def evaluate_files(original: Path, release: Path, folder: Path, plan: Plan, progress: Named | None = None) -> Results:
    """Evaluate ``release`` against ``original``; ``folder`` gets results.json and what a stopped run needs.

    Raises InputError for files that cannot be read and OutputError, before anything is measured, for a folder that
    cannot be written.
    """
    check_folder(folder)
    return evaluate_pairs(read_files(original, release, plan), folder, plan, progress)


def check_folder(folder: Path) -> None:
    """Raises OutputError where ``folder`` cannot be made or written."""
    write(folder / ".writable", "")
    (folder / ".writable").unlink()


def read_files(original: Path, release: Path, plan: Plan) -> Pairs:
    """Both files as the plan says. Raises InputError for files that cannot be read."""
    before = FileOptions(fields=(plan.field,), id_field=plan.id_field)
    after = FileOptions(fields=(plan.released_field or plan.field,), id_field=plan.id_field)
    return read_pairs(original, release, before, after, plan.one_to_one)


def evaluate_pairs(pairs: Pairs, folder: Path, plan: Plan, progress: Named | None = None) -> Results:
    """The same for records that were read already."""
    encoder = SentenceEncoder()
    results = evaluate(pairs, plan.made(encoder), folder, {**plan.setting, "encoder": encoder.id}, progress)
    write(folder / "results.json", results.as_text())
    return results
