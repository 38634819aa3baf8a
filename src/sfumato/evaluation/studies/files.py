"""An evaluation of two files by a plan: its records, its studies with the models that they need, and its results.

The results go to a folder. Runs of a comparison share their originals, which an encoder and a
splitter remember, so that they are read only once.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import registry
from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import ClauseSplitter
from sfumato.attacks.mask_inference import Guesser
from sfumato.attacks.population_files import LISTED
from sfumato.building.chat import causal_model
from sfumato.errors import OutputError
from sfumato.evaluation.bench import Bench, ChatStudy, Measured, Named, Results, evaluate, write
from sfumato.evaluation.pairs import Pairs, first_of_each, one_each, read_pairs, with_held_out
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.studies.answers import answering
from sfumato.evaluation.studies.guarantee import GuaranteeStudy
from sfumato.evaluation.studies.membership import MemberGap, trained_id
from sfumato.evaluation.studies.population import population_id
from sfumato.files import FileOptions
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.encoders.tunable import TunableModel
from sfumato.models.entailment import EntailmentModel
from sfumato.models.masked.embedded import embedded_masked
from sfumato.storage.digests import digest_of
from sfumato.storage.locations import check_path
from sfumato.types import FloatArray, Progress

_PHRASES = 40_000  # vectors kept: about 120 MB
_CHARACTERS = 40_000_000  # of the texts whose claims are kept


@dataclass(frozen=True, eq=False)
class Memory:
    """Results for texts, in memory only; the results that were used longest ago are dropped first.

    ``most`` bounds the sum of the ``weight`` of the texts that are kept.
    """

    most: int
    weight: Callable[[str], int] = lambda _: 1
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict, repr=False)  # texts are private

    def get(self, texts: Sequence[str], make: Callable[[list[str]], Sequence[Any]]) -> list[Any]:
        """Return one result a text; ``make`` is called once, for the texts that are not remembered."""
        distinct = list(dict.fromkeys(texts))
        new = [text for text in distinct if text not in self.kept]
        results = dict(zip(new, make(new), strict=True)) if new else {}
        answers = {text: results[text] if text in results else self.kept[text] for text in distinct}
        for text, answer in answers.items():
            self.kept[text] = answer
            self.kept.move_to_end(text)
        full = sum(map(self.weight, self.kept))
        while self.kept and full > self.most:
            full -= self.weight(self.kept.popitem(last=False)[0])
        return [answers[text] for text in texts]


@dataclass(frozen=True, eq=False)
class RememberingEncoder:
    """``encoder``, with the vectors of the texts that fit into the memory (3 KB each by default)."""

    encoder: Encoder
    memory: Memory = field(default_factory=lambda: Memory(_PHRASES), repr=False)

    @property
    def id(self) -> str:
        """Return the identifier of ``encoder``."""
        return self.encoder.id

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self.encoder.dimensions

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return vectors (n, dimensions) of ``phrases``; new phrases take one call of ``encoder``."""
        vectors = self.memory.get(phrases, lambda new: self._rows(new, progress))
        return np.array(vectors, dtype=np.float64).reshape(len(phrases), self.dimensions)

    def _rows(self, new: list[str], progress: Progress | None) -> list[FloatArray]:
        return [row.copy() for row in self.encoder.encode(new, progress)]  # a view would hold all of them


@dataclass(frozen=True, eq=False)
class RememberingSplitter:
    """A splitter that parses a text once."""

    splitter: Any
    memory: Memory = field(default_factory=lambda: Memory(_CHARACTERS, len), repr=False)

    @property
    def description(self) -> str:
        """Return the splitter's description."""
        return str(self.splitter.description)

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the claims of each text, as the splitter finds them."""
        return self.memory.get(texts, lambda new: self.splitter.split(new, progress))


def check_folder(folder: Path) -> None:
    """Raise OutputError if ``folder`` cannot be made or written. Folders made for the check are removed again."""
    check_path(folder)
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    trial = folder / f".sfumato-{secrets.token_hex(8)}.tmp"  # another evaluation may try the same folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.touch(exist_ok=False)
        trial.unlink()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"{folder} cannot be written ({reason}); choose another folder for -o.") from None
    for path in missing:
        with suppress(OSError):  # the other evaluation may have written there
            path.rmdir()


def read_files(original: Path, release: Path, plan: Plan) -> Pairs:
    """Read both files by the plan. Raise InputError for files that cannot be read."""
    labels, people = (*plan.labels, *plan.tasks), [plan.unit_field] if plan.unit_field is not None else []
    plain = FileOptions(fields=(plan.field,), id_field=plan.id_field, labels=labels, adjustable=False)
    before = plain.reading(people)
    after = replace(plain, fields=(plan.released_field or plan.field,)).reading(plan.population_fields)
    if not plan.one_to_one:
        after = replace(after, id_field=None)  # a synthetic record belongs to nobody, so it need not have an id
    pairs = read_pairs(original, release, before, after, plan.one_to_one, plan.read_along)
    most = plan.texts_per_unit or 1
    if plan.unit_field is not None:
        pairs = first_of_each(pairs, plan.unit_field, most)
    if plan.held_out is not None:
        pairs = with_held_out(pairs, Path(plan.held_out), before, ids_name_people=plan.unit_field is None)
    return pairs if plan.unit_field is None else one_each(pairs, plan.unit_field, plan.seed, most)


def remembering(plan: Plan, release: Path | None = None) -> Bench:
    """Return a bench whose models remember: several studies, and several evaluations, read the same records.

    ``release`` is the file that may have a statement beside it.
    """
    return Bench(
        plan, RememberingEncoder(SentenceEncoder(plan.encoder)), release=release, guesser=Guesser(embedded_masked())
    )


def evaluate_pairs(pairs: Pairs, folder: Path, bench: Bench, progress: Named | None = None) -> Results:
    """Evaluate records that were read already, with what is on the ``bench`` and the chat model of its plan."""
    plan = bench.plan
    planned = studies(replace(bench, chat=plan.chat.made(folder) if plan.chat else None))
    setting = {**plan.setting, "encoder": bench.encoder.id}
    if isinstance(guarantee := planned.get("guarantee"), GuaranteeStudy):
        setting["statement"] = guarantee.fingerprint
    stated = [GuaranteeStudy(bench.release).fingerprint] if bench.release and "linkage" in planned else []
    results = evaluate(pairs, planned, folder, setting, progress, [*made_by(plan), *stated])
    write(folder / "results.json", results.as_text())
    return results


def studies(bench: Bench) -> Mapping[str, Measured]:
    """Return the studies of the plan for which everything is on the ``bench``, in the order of the report."""
    plan, chat, measured = bench.plan, bench.chat, dict[str, Measured]()
    noted = registry.studies(registry.NOTED) if plan.rounds is not None else {}
    for name in registry.studies():
        if name in (*plan.attacks, *plan.metrics, *noted):
            kind = registry.study_class(name)
            if bench.has(kind.needs):
                made = kind.of(bench)
                if kind.compared and not plan.one_to_one:
                    made = MemberGap(made, kind.compared)
                counts_itself = "chat" in kind.needs
                measured[name] = ChatStudy(made, chat) if chat and kind.may_ask and not counts_itself else made
    return measured


def chat_studies(plan: Plan) -> Plan:
    """Return ``plan`` with those of its studies alone that may ask a language model."""
    return plan.only(lambda name: registry.study_class(name).may_ask)


def made_by(plan: Plan) -> list[str]:
    """Return the identities of the models and other packages that ``plan`` names. Not for the results.

    Two models of one name are not one, nor are two versions of a package.
    """
    identities = [embedded_masked().id, ClauseSplitter().description]
    identities += [TunableModel(plan.classifier).id] if plan.classifier is not None else []
    identities += [causal_model(plan.causal).id] if plan.causal is not None else []
    answers = answering(plan) if "answers" in plan.metrics else None
    identities += [causal_model(answers).id] if answers is not None else []
    identities += [trained_id(plan.trained)] if plan.trained is not None else []
    identities += [EntailmentModel(plan.entailment).id] if plan.entailment is not None else []
    identities += [digest_of(Path(name)) for name in (plan.rounds, plan.canaries) if name is not None]
    identities += [population_id(plan.population or LISTED)] if plan.counts_a_population else []
    own = {**registry.STUDIES, **registry.METRICS}
    others = {name: row for name, row in registry.studies().items() if name not in own}
    identities += [
        f"{others[name].place} {others[name].about}" for name in (*plan.attacks, *plan.metrics) if name in others
    ]
    return [*identities, *(plan.chat.identity if plan.chat else ())]
