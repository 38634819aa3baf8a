"""A release of synthetic records: nobody's record is in it, so that other attacks judge it.

A coin for each person decides who is held out of the synthesis. The records of all others, the members, are
synthesized with (ε, δ) for a whole record or person. What an attacker finds of people held out is found without their
records. Each figure is what is found of the members beyond that.

The guarantee holds for everybody in the input. Let D' be D with one person more. Fix the coins of the people of D: as
no coin depends on another person, they are drawn alike for D and D'. Then the members of D' are those of D, or those
and the one person, by that person's coin; in both cases the two laws of the output are (ε, δ)-close. So are the
mixtures over all coins, by joint convexity of the hockey-stick divergence. That subsampling makes them closer is not
used. Planted canaries are records of their own, as many and drawn alike for D and D', so that both hold them.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.attacks.canaries import Canary
from sfumato.attacks.canary_planting import new_key
from sfumato.attacks.claims import ClauseSplitter
from sfumato.building.policies import build_policy
from sfumato.building.synthesizers import public_files
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs, facts_of
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.canaries import RECOVERED
from sfumato.evaluation.studies.copies import COPIED, NEAREST
from sfumato.evaluation.studies.files import RememberingSplitter, evaluate_pairs, remembering
from sfumato.evaluation.studies.membership import AREA, DIFFERENCE, HELD_OUT, PEOPLE
from sfumato.files import FileOptions, has_fields, kind_of, open_source
from sfumato.ledger.ledger import kept_ledger
from sfumato.metrics.estimates import Estimate, nothing
from sfumato.policy.limits import ATTACKERS, Accept
from sfumato.policy.synthesizing import Synthesize
from sfumato.protection.attacking import Attacked, FoundAgain, estimate_of, joined, named, of_register
from sfumato.protection.attempts import MEMBERS, Hidden, made_private
from sfumato.protection.judging import Judged, Measured
from sfumato.protection.originals import Marked, Originals, marked
from sfumato.protection.paying import Payment
from sfumato.protection.request import Request
from sfumato.protection.sides import Sides, drawn, stopped
from sfumato.protection.telling import Group, Telling, group
from sfumato.protection.trying import Tried
from sfumato.release.job import RunOptions
from sfumato.release.plans import check_synthesis_caps
from sfumato.run.synthesize_file import planned_by, synthesized
from sfumato.storage.atomic import remove
from sfumato.synthesis.publishing import write_records
from sfumato.synthesis.request import Planned
from sfumato.synthesis.workspace import RunFolder
from sfumato.types import Stages
from sfumato.vocabularies.private import refuse_private

_COPIED_WORDS = 20
_PEOPLE, _CANARIES = "people.json", "canaries.json"


class Written(NamedTuple):
    """What was written: the statement of its guarantee, and what it still shows of the originals, for the owner."""

    statement: Mapping[str, Any]
    remains: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Synthesizing:
    """A release of synthetic records. PRIVATE: it knows who is a member."""

    request: Request
    originals: Originals
    plan: Planned
    sides: Sides

    review = ""

    @classmethod
    def of(cls, request: Request, originals: Originals) -> Synthesizing:
        """Return how ``request`` synthesizes. Raise ConfigurationError for what cannot be, or for too few people."""
        if request.decisions is not None:
            raise ConfigurationError("A review is about marked values, and nothing is marked here; leave it out.")
        if request.input.is_dir() or not (has_fields(request.input) or kind_of(request.input) == "txt"):
            raise InputError("Synthetic records are written into a file such as .jsonl, .csv or .parquet; give one.")
        asked = request.policy.synthesize
        plan = planned_by(request.policy)
        public = [*public_files(asked.method, asked.options), *(source.path for source in plan.synthesizer.sources)]
        refuse_private(public, [request.input])
        note = request.private / MEMBERS / _PEOPLE
        people = stopped(note, originals) if request.resume else drawn(len(originals.people), asked.held_out or 0.0)
        return cls(request, originals, plan, Sides.of(originals, asked.texts_per_unit, people))

    @property
    def said(self) -> Sequence[str]:
        """Return what readers hear of how it was made."""
        asked = self.request.policy.synthesize
        planted = f"{asked.canaries:,} records with made-up secrets were read as well, which are nobody's."
        return (
            f"About {asked.held_out or 0.0:.0%} of the people were held out of the synthesis, at random. Every "
            "figure about people is what was found of those who took part beyond those who did not.",
            *([planted] if asked.canaries else []),
        )

    def release(self, place: Hidden, stages: Stages, begin: Callable[[], None]) -> Written:
        """Write the records; ``begin`` is called before anything is drawn."""
        request, policy = self.request, self.request.policy
        path = self._kept(place)
        ledger_url, key = request.ledger or policy.ledger, request.ledger_key or policy.ledger_key
        with kept_ledger(ledger_url, key, policy.budget.budget) as ledger:
            if ledger is not None:
                check_synthesis_caps(ledger.budget, policy.fields.subject)
            payment = None if ledger is None else Payment(ledger, place.data)
            if place.resumes and place.data.exists():  # it was written before it stopped, and nothing is drawn
                begin()
            else:
                self._synthesize(path, place, stages, begin, payment)
            if payment is not None and not payment.is_published:
                payment.publish()
        statement = place.data.with_name(f"{place.data.name}.privacy.json")
        return Written(json.loads(statement.read_text(encoding="utf-8")))

    def _kept(self, place: Hidden) -> Path:
        """Return the file with the records of the members, kept until the attempt ends."""
        path = place.members / f"members{''.join(place.data.suffixes)}"
        if not place.resumes:
            remove(place.members)
            made_private(place.members)
            self.sides.save(place.members / _PEOPLE)
            asked = self.request.policy.synthesize
            planted = self._planted(place.members / _CANARIES) if asked.canaries else ()
            records = list(self.sides.records(self._text_field, tuple(asked.codes), planted))
            write_records(path, path.name, str(kind_of(path)), records, self._text_field, private=True)
        return path

    def _planted(self, path: Path) -> Sequence[Canary]:
        """Return new canaries, whose key is kept at ``path``."""
        key = new_key("phone", self.request.policy.synthesize.canaries, seed=secrets.randbits(64))
        key.save(path)
        return key.canaries

    def _synthesize(
        self, path: Path, place: Hidden, stages: Stages, begin: Callable[[], None], payment: Payment | None
    ) -> None:
        """Write records in the manner of those of the members in ``path``."""
        asked = self.request.policy.synthesize
        files = FileOptions(fields=(self._text_field,), lines=kind_of(path) == "txt")
        resume = place.resumes and RunFolder(place.data, "", "").folder.exists()
        synthesized(
            self.plan, path, place.data, RunOptions(files, overwrite=not resume, resume=resume),
            public=public_files(asked.method, asked.options), stages=stages, begin=begin,
            pay=None if payment is None else partial(payment.reserve, self.sides.payers(), self.plan, place.resumes),
        )  # fmt: skip

    @property
    def _text_field(self) -> str:
        return self.request.files.fields[0]

    def attacked(self, data: Path, stages: Stages) -> Attacked:
        """Return what all attacks find in the records ``data``."""
        texts = [document.text for chunk in self._read(data) for document in chunk.documents]
        bench = remembering(_plan(self.request, self.request.private / MEMBERS / _CANARIES))
        bench = replace(bench, splitter=RememberingSplitter(ClauseSplitter()), release=data)
        marks = self._marks(stages)
        values = joined(marks.every, self.originals.people)
        studies = evaluate_pairs(self._pairs(texts, data), self.request.private / "evaluation", bench, named(stages))
        rates = self._rates(texts, values, bench, stages)
        by_name = {study.name: study for study in studies.studies}
        copies = by_name.get("copies")
        measured = Measured(
            found_again=rates, token_guess=None, identifiers_left=None, missed=None,
            utility=estimate_of(copies, NEAREST, **{PEOPLE: HELD_OUT}),
            membership=_worst(by_name.get("membership")),
            copied=estimate_of(copies, COPIED, words=_COPIED_WORDS, **{PEOPLE: DIFFERENCE}),
            canaries=estimate_of(by_name.get("canaries"), RECOVERED),
        )  # fmt: skip
        nobody = FoundAgain(rates["acquaintances"], {}, ())
        return Attacked(measured, studies.studies, studies.facts, nobody, {}, of_synthesis=True)

    def tried(self, attack: Attacked, judgements: Sequence[Judged], stages: Stages) -> list[Tried]:
        """Return nothing: another synthesis costs its ε again, and is not tried."""
        return []

    def _read(self, data: Path) -> Any:
        return open_source(data, FileOptions(fields=self.request.files.fields, lines=True)).chunks()

    def _marks(self, stages: Stages) -> Marked:
        """Return what a register and an acquaintance know: the values that the policy's detectors mark."""
        policy = replace(self.request.policy, synthesize=Synthesize(), accept=Accept())
        documents, records = self.originals.documents, self.originals.record_of
        return marked(build_policy(policy), documents, records, partial(stages, "Looking for values"))

    def _pairs(self, texts: Sequence[str], data: Path) -> Pairs:
        """Return what may be read of each person: of members, and of people held out."""
        documents, ids = self.originals.documents, self.originals.ids
        members, others = self.sides.judged
        firsts = [self.originals.people[person][0] for person in members]
        nothing_released = [None] * len(members)
        return Pairs(
            ids=[ids[place] for place in firsts],
            originals=[self.sides.text(person) for person in members],
            released=nothing_released,
            strays=texts,
            fields=[documents[place].metadata for place in firsts],
            released_fields=nothing_released,
            stray_fields=[{} for _ in texts],
            sources={"original": facts_of(self.request.input, len(documents)), "release": facts_of(data, len(texts))},
            held_out=[
                (ids[place], (self.sides.text(person), documents[place].metadata))
                for person in others
                for place in self.originals.people[person][:1]
            ],
        )

    def _rates(
        self, texts: Sequence[str], values: Sequence[Mapping[str, tuple[str, ...]]], bench: Bench, stages: Stages
    ) -> dict[str, dict[str, Estimate]]:
        """Return how many people each attacker finds, beyond people held out."""
        if not texts:
            return {name: {"": nothing("people")} for name in ATTACKERS}
        stages("Attacking: people", 0.0)
        splitter = bench.splitter or ClauseSplitter()
        telling = Telling(texts, bench.encoder, splitter, bench.plan.seed)
        groups = [self._group(people, values, splitter) for people in self.sides.judged]
        registers = [Group([of_register(own) for own in people.values], people.claims) for people in groups]
        known = [people.knowing_claims(bench.plan.claims, bench.plan.seed) for people in groups]
        rates = {
            "outsiders": telling.rates(*(people.knowing_values() for people in registers)),
            "acquaintances": telling.rates(*(people.knowing_values() for people in groups)),
            "insiders": telling.rates(*known),
        }
        stages("Attacking: people", 1.0)
        return rates

    def _group(self, people: Sequence[int], values: Sequence[Mapping[str, tuple[str, ...]]], splitter: Any) -> Group:
        return group([values[person] for person in people], [self.sides.text(person) for person in people], splitter)


def _plan(request: Request, canaries: Path) -> Plan:
    """Return the attacks on synthetic records and their measures; ``canaries`` is the key of planted ones."""
    plan = Plan(attacks=("linkage", "copies", "membership"), metrics=("surface",), one_to_one=False)
    if request.policy.synthesize.canaries:
        plan = replace(plan, attacks=(*plan.attacks, "canaries"), canaries=str(canaries))
    return replace(plan, claims=request.policy.against.facts, sample=request.sample, seed=request.seed)


def _worst(study: Study | None) -> Estimate | None:
    """Return the area that tells most; None if there is none. One below 0.5 tells as much as one above."""
    areas = [figure.estimate for figure in (() if study is None else study.figures) if figure.name == AREA]
    folded = [
        area if area.value >= 0.5 else replace(area, value=1 - area.value, low=1 - area.high, high=1 - area.low)
        for area in areas
    ]
    both = [replace(area, high=max(area.high, 1 - area.low)) for area in folded]
    return max(both, key=lambda area: area.high if math.isfinite(area.high) else math.inf, default=None)
