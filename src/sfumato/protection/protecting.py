"""The whole job: sanitize, attack that very release, judge it, and only then give it a name.

The verdict and its figures are computed from the originals. No ε covers them; the statement says so, and each attempt
is counted and, with a ledger, charged. A release that is not accepted is removed. An attempt that was charged and
then stopped stays hidden, and can be resumed; what any other run left, the next one removes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.models import Encoder
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.chat import chat_use
from sfumato.building.policies import build_policy
from sfumato.errors import OutputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import facts_of
from sfumato.evaluation.studies.files import remembering
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.polishing.polish import polish_began, polished_in_place
from sfumato.protection.attacking import Attacked, attacked
from sfumato.protection.attempts import Attempts, Hidden, decided_by, forget_finished, hidden, made_private
from sfumato.protection.bundle import publish
from sfumato.protection.completing import complete, keep_decisions, move_private, write_hits, write_page
from sfumato.protection.judging import Judged, failing, judged, loosened
from sfumato.protection.needs import Need, checked_needs
from sfumato.protection.originals import Marked, Originals, marked, of_release, read_originals, read_release
from sfumato.protection.outcome import Outcome
from sfumato.protection.request import Request, check_input
from sfumato.protection.reviewing import Review, review_of
from sfumato.protection.signing import Signer
from sfumato.protection.synthesizing import Synthesizing, Written
from sfumato.protection.trying import Change, Tried, broad_changes, changes, instead, tried
from sfumato.release.remains import told as remains_told
from sfumato.run.execute import execute
from sfumato.storage.atomic import leaving_nothing
from sfumato.types import Stages, silent

_ON_TRIAL, _IN_A_GAP = 200, 80
"""The most texts on which a change of the policy is tried, and that where all limits hold already."""
_SLOW = {"token_guess_upper"}
"""What no change that is tried in a gap makes worse, and what takes longest."""
_BIT = (
    "Whether a release is accepted, and every figure of this page and of the limits, is computed from the originals. "
    "No epsilon covers them, nor the choice of a policy after an attempt that was not accepted."
)


@typed
def protect_request(
    request: Request, stages: Stages | None = None, tell: Callable[[str], None] | None = None
) -> Outcome:
    """Protect ``request.input``: NAME.release if the release is accepted, and NAME.private in any case.

    ``tell`` hears first how many people each limit needs. Raise ConfigurationError, InputError, OutputError,
    GuaranteeError and those of a ledger as :func:`sfumato.sanitize_file` does. Nothing has a name then.
    """
    with leaving_nothing(request.private, request.release) as begin:
        return _protected(request, stages or silent, tell or (lambda _: None), begin)


def _protected(request: Request, stages: Stages, tell: Callable[[str], None], begin: Callable[[], None]) -> Outcome:
    """Do the work of :func:`protect_request`; ``begin`` is called when nothing can be refused any more."""
    forget_finished(request)
    if request.release.exists() and not request.overwrite:
        raise OutputError(f"{request.release.name} exists; choose another name, or replace it with --force.")
    check_input(request)
    originals = read_originals(request.input, request.files)
    for need in checked_needs(request, originals):
        tell(f"{need.sentence}.")
    if request.key.exists():
        Signer.of_file(request.key)  # one that cannot be used is refused before anything is built
    made = (
        Synthesizing.of(request, originals)
        if request.policy.synthesize
        else Sanitizing.of(request, originals, stages)
    )
    made_private(request.private)
    with hidden(request) as place:
        begun: list[tuple[Signer, Attempts, int]] = []

        def begin_attempt() -> None:
            signer = Signer.of_file(request.key)  # made here, so that a refused run leaves no key
            attempts = Attempts.of(request.key, signer, (document.text for document in originals.documents))
            number = place.attempt(decided_by(request), partial(attempts.begun, request.policy.fingerprint))
            begun.append((signer, attempts, number))
            begin()

        try:
            written = made.release(place, stages, begin_attempt)
        finally:
            move_private(place.folder, request.private)
        [(signer, attempts, number)] = begun
        attack = made.attacked(place.data, stages)
        judgements = judged(request.policy, attack.measured)
        accepted = not failing(judgements)
        attempts.ended(number, accepted)
        outcome = Outcome(
            accepted, judgements, attack, originals.ids, _ids(originals, attack), written.statement, number,
            _notes(made.said, number, attack.finding.words_only), made.review, loosened=loosened(request.policy),
            remains=written.remains,
        )  # fmt: skip
        outcome = replace(outcome, tried=tuple(made.tried(attack, judgements, stages)))
        if not request.policy.synthesize:
            outcome = replace(outcome, instead=tuple(instead(judgements, len(originals.people))))
        outcome = replace(outcome, page=write_page(request, outcome))
        write_hits(request, originals, attack)
        keep_decisions(request)
        if accepted:
            complete(request, place.folder, place.data, outcome, signer)
            publish(place.folder, request.release, request.overwrite)
            outcome = replace(outcome, folder=request.release)
    return outcome


@dataclass(frozen=True, eq=False)
class Sanitizing:
    """A release in which values are treated: each text of it belongs to an original."""

    request: Request
    originals: Originals
    sanitizer: Sanitizer
    encoder: Encoder
    bench: Bench
    marks: Marked
    corrections: Review | None
    needs: Sequence[Need]
    polishing: ChatModel | None = None

    @classmethod
    def of(cls, request: Request, originals: Originals, stages: Stages) -> Sanitizing:
        """Return how ``request`` treats ``originals``, with everything built. Raise what cannot be."""
        bench, encoder = remembering(request.plan), SentenceEncoder()  # domains are too large to be remembered
        polishing = chat_use("[polish]", request.policy.polish.chat_model).model if request.policy.polish else None
        sanitizer = build_policy(request.drawn_by, encoder=encoder, progress=partial(stages, "Preparing"))
        review = review_of(request, sanitizer.detector)
        if review is not None:
            sanitizer = sanitizer.with_parts(detector=review.detector)
        marks = marked(sanitizer, originals.documents, originals.record_of, partial(stages, "Looking for values"))
        needs = checked_needs(request, originals, marks, None if review is None else review.missed)
        return cls(request, originals, sanitizer, encoder, bench, marks, review, needs, polishing)

    @property
    def review(self) -> str:
        """Return what the random sample of a review says, for the owner."""
        return "" if self.corrections is None else self.corrections.sentence

    @property
    def said(self) -> Sequence[str]:
        """Return what readers hear of how it was made."""
        return [self.corrections.for_readers] if self.review and self.corrections is not None else []

    def release(self, place: Hidden, stages: Stages, begin: Callable[[], None]) -> Written:
        """Write the release; ``begin`` is called before the first draw."""
        files = replace(of_release(self.request.files), keep=self.request.files.keep or ())  # spans would be wrong
        if self.polishing is not None and place.resumes and polish_began(place.data):
            begin()  # everything is drawn
            return Written(polished_in_place(place.data, self.polishing, files, stages))
        run = replace(self.request.run(place.data, place.resumes), method=self.sanitizer, decisions=None)
        released = execute(run, stages, begin=begin)
        done = released.summary  # an attempt that resumes may not know what remains
        statement: Mapping[str, Any] = released.statement
        if self.polishing is not None:
            statement = polished_in_place(place.data, self.polishing, files, stages)
        return Written(statement, () if done is None else tuple(remains_told(done.returned, done.remains)))

    def attacked(self, data: Path, stages: Stages) -> Attacked:
        """Return what all attacks find in the release ``data``."""
        originals, request = self.originals, self.request
        release = read_release(data, request.input, request.files, originals, request.private)
        sources = {"original": facts_of(request.input, len(originals)), "release": facts_of(data, len(originals))}
        missed = None if self.corrections is None else self.corrections.missed
        bench = replace(self.bench, release=data)
        return attacked(
            originals, release, self.marks, bench, missed, request.private / "evaluation", stages, sources
        )

    def tried(self, attack: Attacked, judgements: Sequence[Judged], stages: Stages) -> list[Tried]:
        """Return what changes of the policy do to the limits that fail, tried on a sample of the texts.

        Insiders who find people are a gap also where the policy sets no limit for them.
        """
        best = {need.best.name: need.best.end for need in self.needs}  # where no change can help
        failed = [each for each in failing(judgements) if each.measured and each.end != best[each.name]]
        gap = [each for each in judgements if each.name == "insiders" and each.state == "not safe"]
        failed += [each for each in gap if each not in failed]
        if not (self.request.trials and failed):
            return []
        limits = [each for each in failed if each.is_asked]
        count = _ON_TRIAL if limits else _IN_A_GAP
        places = sorted(np.random.default_rng(self.request.seed).permutation(len(self.originals))[:count].tolist())
        sample, marks = self.originals.at(places), self.marks
        known = Marked([marks.replaced[place] for place in places], [marks.kept[place] for place in places])
        asked = {each.name for each in judgements if each.is_asked}
        names = {each.name for each in failed} | (asked if limits else asked - _SLOW)
        plan = self.request.plan.only(_needed(names).__contains__)
        bench = replace(self.bench, plan=replace(plan, sample=min(plan.sample, 100)), limits_alone=True)

        def measure(policy: Policy, without: str) -> tuple[Judged, ...]:
            built = build_policy(policy, encoder=self.encoder).with_parts(detector=self.sanitizer.detector)
            texts = [release.text for release in built.sanitize_batch(sample.documents)]
            left = [bool(without) and key[0] == without for key in sample.keys]
            releases = [None if out else text for out, text in zip(left, texts, strict=True)]
            measured = attacked(sample, releases, known, bench, attack.measured.missed).measured
            likeness = Judged("utility_lower", 0.0, measured.utility, is_asked=False)
            every = {each.name: each for each in (likeness, *judged(policy, measured))}
            return tuple(each for each in every.values() if each is likeness or each.name in names)

        policy, candidates = self.request.drawn_by, list[Change]()
        if limits:
            candidates += changes(policy, _suspects(marks, attack, limits), all(each.is_floor for each in limits))
        if gap:
            candidates += broad_changes(policy, marks.every_kind, self.request.files.fields)
        return tried(policy, candidates, failed, measure, partial(stages, "Trying changes"))


def _ids(originals: Originals, attack: Attacked) -> tuple[str, ...]:
    """Return the ids of the texts of everyone whom at least one attacker finds, the surest first."""
    ids, people = originals.ids, originals.people
    return tuple(ids[place] for person in attack.finding.records for place in people[person])


def _notes(said: Sequence[str], attempt: int, words_only: bool) -> tuple[str, ...]:
    tried = f"This was attempt {attempt} at these texts, as the signing key counts, whatever its release was called."
    looked = "The limits say nothing of an attacker who knows something else."
    left = ["With so many records, people were looked for by words, and not by meaning."] if words_only else []
    return (*left, *said, looked, _BIT, tried)


def _suspects(marks: Marked, attack: Attacked, failed: Sequence[Judged]) -> list[str]:
    """Return the kinds that most likely let a limit fail, the most likely first."""
    if all(judgement.is_floor for judgement in failed):
        return list(marks.kinds)
    left = [kind for own in attack.left.values() for kind in {each.kind for each in own}]
    rates = {kind: attack.finding.by_kind[kind].value for kind in attack.finding.by_kind}
    ranked = sorted(rates, key=lambda kind: -rates[kind])
    return list(dict.fromkeys([*sorted(set(left), key=left.count, reverse=True), *ranked]))


def _needed(limits: Collection[str]) -> set[str]:
    """Return the studies without which these ``limits`` cannot be judged, and the likeness to the originals."""
    of = {"insiders": "linkage", "token_guess_upper": "tokens", "population_unique_upper": "population"}
    return {"utility", *(study for name, study in of.items() if name in limits)}
