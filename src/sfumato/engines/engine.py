"""The one engine: documents in, releases out, whatever the treatments are.

The way of a span: the detector marks and labels it; the label and the text decide its kind; a text that is marked
once is marked wherever else its record holds it; the treatment of its kind replaces it; all is joined. Draws come
first. What a method without a guarantee puts in may then be changed because of what it replaced, which is equal in
all texts that a guarantee compares; what draws replaced is never looked at again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from sfumato import version
from sfumato.abstract.batch import Batch, Made, Marking, Outputs, PlannedDraws
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.engines.assembly import joined
from sfumato.engines.families import Families
from sfumato.engines.holding import Holding
from sfumato.engines.parting import Parting
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.randomness import PINS, Randomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.text.guarding import guarded
from sfumato.text.marks import MarkedRecord, Marks, Spans
from sfumato.text.measures import KINDS as MEASURED
from sfumato.text.measures import Measures
from sfumato.text.occurrences import Occurrences
from sfumato.types import IntArray

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


@typed
@dataclass(frozen=True, eq=False)
class Engine(Sanitizer):
    """Sanitizes documents by treatments. Build one with `sfumato.build` or `sfumato.build_policy`, or of its parts.

    Attributes:
        detector: Finds the spans to replace.
        others: What is done with every span that no other treatment names.
        treated: What is done with some kinds of span, each kind in one treatment.
        kind_of: Returns the kind of a span from its label and its text; None where the label is the kind.
        subject_field: The field that names the person of a record, for draws for a person.
        held: Makes the releases of a record hold together, from the releases alone; None leaves them as drawn.
        families: Gives relatives one last name, from the releases alone; None leaves names as drawn.
        mended: Mends a release at the edges of what was put in; None leaves the draws bare.
        policy: The name and the fingerprint of the policy, for the statement.
        chat: The language model that the detector or the method asks, if one does.
        everywhere: Whether a text that is marked once is marked wherever else its record holds it.
        parting: Makes marks that nothing reads into marks that are read; None leaves the detector's.
        measures: Says which marks are doses, laboratory values and the like, which stay; None if none does.
        on_draws: Called with how many draws were made since the last call, by what takes long over a record.
        names: Finds the names of which it is counted for the owner how many are still there, where labels name none.
    """

    detector: Detector
    others: Treatment
    treated: Sequence[Treatment] = ()
    kind_of: Callable[[str, str], str] | None = None
    subject_field: str | None = None
    mended: Callable[[Release], Release] | None = None
    policy: Mapping[str, str] = field(default_factory=dict)
    everywhere: bool = True
    parting: Parting | None = None
    measures: Measures | None = None
    held: Holding | None = None
    families: Families | None = None
    chat: ChatUse | None = None
    on_draws: Callable[[int], None] | None = field(default=None, repr=False)
    names: Detector | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        kinds = [kind for treatment in self.treated for kind in treatment.kinds]
        if len(set(kinds)) < len(kinds):
            raise ConfigurationError("A kind is treated twice; name each kind in one treatment.")
        if self.others.kinds and self.others.guarantee is not None:
            raise ConfigurationError("What no treatment names cannot be drawn: a mechanism needs to know the kind.")
        if self.treated and (self.others.as_found or self.others.rewrites_whole_text):
            raise ConfigurationError(f"{self.others.name} takes all spans of a text; give it no other treatment.")
        object.__setattr__(self, "others", self.others.under(self.detector))

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(treatment.name for treatment in self.treatments))
        return f"Sanitizer({names or repr(self.others)}, {self.detector!r})"

    def __getstate__(self) -> dict[str, Any]:
        own = {each.name: getattr(self, each.name) for each in fields(self)}  # the setting is that of each process
        return {**own, "on_draws": None}  # a process has no terminal

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release, for ``--resume`` and for keyed draws.

        Raise ConfigurationError for a fact that is an address in memory, which no other process has.
        """
        treatments = self.every_treatment
        facts = {
            "program": [version.VERSION, ANALYSIS, PINS],
            "detector": self.detector.setting,
            "kinds": version.stable_name(type(self.kind_of)),
            "treatments": [[list(treatment.kinds), treatment.name, treatment.facts] for treatment in treatments],
            "subject": self.subject_field,
            "everywhere": self.everywhere,
            "mended": self.mended is not None,
            **({"measures": repr(self.measures)} if self.measures else {}),
            **({"held": repr(self.held)} if self.held else {}),
            **({"parting": repr(self.parting)} if self.parting else {}),
            **({"families": repr(self.families)} if self.families else {}),
        }
        told = json.dumps(facts, sort_keys=True, default=repr)
        if _ADDRESS.search(told):
            raise ConfigurationError(
                "A kind or a method is described by an address in memory, so that no other process would draw the "
                "same; give what it holds a __repr__ of its own, as a frozen dataclass has."
            )
        return hashlib.sha256(told.encode()).hexdigest()

    def suited_to(self, randomness: Randomness) -> Engine:
        """Return the sanitizer that draws by ``randomness``: by a key or a seed with repeatable models."""
        return self._repeatable if randomness.keyed else self

    @cached_property
    def _repeatable(self) -> Engine:
        treatments = [treatment.repeatable for treatment in self.every_treatment]
        if all(own is before for own, before in zip(treatments, self.every_treatment, strict=True)):
            return self
        return replace(self, treated=treatments[:-1], others=treatments[-1])

    def with_parts(self, detector: Detector | None = None, others: Treatment | None = None) -> Engine:
        """Return the sanitizer with another ``detector``, or with something else for all ``others``."""
        return replace(self, detector=detector or self.detector, others=others or self.others)

    def reporting(self, on_draws: Callable[[int], None] | None) -> Engine:
        """Return the same sanitizer, which reports after every step how many draws it made."""
        return replace(self, on_draws=on_draws)

    def records(self, documents: Sequence[Document]) -> list[MarkedRecord]:
        """Return the records of ``documents`` with what is replaced in each, by kind. Private."""
        return self._marking.records(documents, self.detector.detect(documents))

    def staying(self, documents: Sequence[Document], detected: Sequence[Spans]) -> list[list[bool]]:
        """Return for each mark that was ``detected`` whether a release shows what is there. Private.

        Raise ConfigurationError unless there are marks for each document.
        """
        if len(documents) != len(detected):
            raise ConfigurationError("Each document has marks of its own; give as many of them as documents.")
        return self._marking.staying(documents, detected)

    @cached_property
    def _marking(self) -> Marking:
        parted = None if self.parting is None else self.parting.pairs
        return Marking(self.kind_of, self._stays, self.others.as_found, self.everywhere, self.measures, parted)

    def _stays(self, kind: str) -> bool:
        treatment = self.every_treatment[self._number(kind)]
        return treatment.may_keep and treatment.keeps(kind)

    def _number(self, kind: str) -> int:
        """Return the number of the treatment of ``kind``."""
        return self._numbers.get(kind, len(self.treated))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {kind: number for number, treatment in enumerate(self.treated) for kind in treatment.kinds}

    @cached_property
    def _order(self) -> list[int]:
        """Return the numbers of the treatments, those that draw first."""
        every = self.every_treatment
        return sorted(range(len(every)), key=lambda number: every[number].guarantee is None)

    @cached_property
    def _built(self) -> dict[int, Treatment]:
        return {}

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. Raise InputError naming the document, never its text."""
        return self._released(documents, randomness)[0]

    def sanitize_marked(
        self, documents: Sequence[Document], randomness: Randomness | None = None
    ) -> tuple[list[Release], Marks | None]:
        """Return the releases, and the marks that they replace, if each has one replacement. PRIVATE."""
        if type(self).sanitize_batch is not _OWN:  # a way of its own, which is the one that counts
            return self.sanitize_batch(documents, randomness), None
        releases, batch = self._released(documents, randomness)
        return releases, batch.marks if self.others.mark_by_mark else None

    def _released(self, documents: Sequence[Document], randomness: Randomness | None) -> tuple[list[Release], Batch]:
        """Return the releases, and the batch that they were made of. Private."""
        source = randomness or SystemRandomness()
        suited = self.suited_to(source)
        if suited is not self:
            return suited._released(documents, source)
        source.check_names([document.names for document in documents])
        batch = Batch(self, documents, source, self.on_draws)
        made: list[Made] = []
        spent: list[dict[str, int]] = [{} for _ in documents]
        for treatment, places in self._treated(batch):
            put: list[Outputs] = [output for own in made for output in own.outputs]
            made.append(treatment.outputs(batch, places, put))
            for number in np.flatnonzero(made[-1].spent) if self.treatments else ():
                spent[number][treatment.kinds[0]] = int(made[-1].spent[number])
        releases = joined(batch, made)
        if self.treatments:
            releases = [replace(release, draws_by=own) for release, own in zip(releases, spent, strict=True)]
        for held in [own.held for own in (self.held, self.families) if own is not None]:
            owned = ((own.first, own.first + len(own.documents)) for own in batch.records)
            releases = [release for first, end in owned for release in held(releases[first:end])]
        if any(treatment.guards for treatment in self.every_treatment) and any(map(self._guards, batch.kinds)):
            releases = self._guarded(batch, releases)
        releases = releases if self.mended is None else [self.mended(release) for release in releases]
        return releases, batch

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return the draws of each document, without drawing; those of a record belong to its first document."""
        if self.guarantee is None and not self.treatments:
            raise ConfigurationError(
                "This method cannot say what it will draw before it draws, so that no ledger can reserve its cost; "
                "leave out the ledger, or choose another method."
            )
        batch = Batch(self, documents, SystemRandomness())
        planned: list[list[PlannedDraws]] = [[] for _ in documents]
        for treatment, places in self._treated(batch):
            for number, draws in treatment.planned(batch, places):
                planned[number].append(draws)
        return [tuple(own) for own in planned]

    def _treated(self, batch: Batch) -> Iterator[tuple[Treatment, IntArray]]:
        """Yield the treatments, those that draw first, and the places of each. A treatment is built when asked."""
        if not self.treated:
            yield self.others, np.arange(len(batch.owners))
            return
        numbers = list(map(self._number, batch.kinds))
        own, asked = np.array(numbers, dtype=np.int64), set(numbers)
        for number in filter(asked.__contains__, self._order):
            if number not in self._built:
                self._built[number] = self.every_treatment[number].built
            yield self._built[number], np.flatnonzero(own == number)

    def _guards(self, kind: str) -> bool:
        return self.every_treatment[self._number(kind)].guards

    def _guarded(self, batch: Batch, releases: Sequence[Release]) -> list[Release]:
        """Return ``releases`` without the texts that methods without a guarantee replaced."""
        guarded_releases: list[Release] = []
        for record in batch.records:
            known = self._guarded_texts(record)
            for number in range(record.first, record.first + len(record.documents)):
                guarded_releases.append(guarded(releases[number], number, known, self.everywhere))
        return guarded_releases

    def _guarded_texts(self, record: MarkedRecord) -> Occurrences:
        """Return what a method without a guarantee replaced, except what a measure of the record shows anyway."""
        rows = list(zip(record.texts, record.labels, strict=True))
        texts = {text for text, kind in rows if self._guards(kind)}
        if self.measures is not None and self.everywhere:
            never = {text for text, kind in rows if kind not in MEASURED and self._guards(kind)}
            texts -= self.measures.shown(record, texts - never)
        return Occurrences(texts, names=record.names)


_OWN = Engine.sanitize_batch
