"""The whole job: sanitize, attack that very release, judge it, and only then give it a name.

The verdict and its figures are computed from the originals. No ε covers them; the statement says so, and each attempt
is counted and, with a ledger, charged. A release that is not accepted is removed. An attempt that was charged and
then stopped stays hidden, and can be resumed; what any other run left, the next one removes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.models import Encoder
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.policies import build_policy
from sfumato.errors import OutputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import facts_of
from sfumato.evaluation.studies.files import remembering
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.protection.attacking import Attacked, attacked
from sfumato.protection.attempts import Attempts, decided_by, hidden, made_private
from sfumato.protection.bundle import publish, seal
from sfumato.protection.judging import Judged, failing, judged, loosened
from sfumato.protection.needs import checked_needs
from sfumato.protection.originals import Marked, Originals, marked, read_originals, read_release
from sfumato.protection.outcome import Outcome
from sfumato.protection.request import Request, check_input, public
from sfumato.protection.reviewing import Review, review_of
from sfumato.protection.signing import Signer
from sfumato.protection.trying import Tried, changes, tried
from sfumato.release.files import Released
from sfumato.release.remains import told as remains_told
from sfumato.run.execute import execute
from sfumato.storage.atomic import leaving_nothing, put, writing
from sfumato.types import Stages, silent

_ON_TRIAL = 200
"""The most texts on which a change of the policy is tried."""
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
    if request.release.exists() and not request.overwrite:
        raise OutputError(f"{request.release.name} exists; choose another name, or replace it with --force.")
    check_input(request)
    originals = read_originals(request.input, request.files)
    for need in checked_needs(request, originals):
        tell(f"{need.sentence}.")
    if request.key.exists():
        Signer.of_file(request.key)  # one that cannot be used is refused before anything is built
    bench, encoder = remembering(request.plan), SentenceEncoder()  # domains are too large to be remembered
    sanitizer = build_policy(request.policy, encoder=encoder, progress=partial(stages, "Preparing"))
    review = review_of(request, sanitizer.detector)
    if review is not None:
        sanitizer = replace(sanitizer, detector=review.detector)
    marks = marked(sanitizer, originals.documents, originals.record_of, partial(stages, "Looking for values"))
    needs = checked_needs(request, originals, marks, None if review is None else review.missed)
    made_private(request.private)
    with hidden(request) as place:
        folder, data = place.folder, place.data
        begun: list[tuple[Signer, Attempts, int]] = []

        def begin_attempt() -> None:
            signer = Signer.of_file(request.key)  # made here, so that a refused run leaves no key
            attempts = Attempts.of(request.key, signer, (document.text for document in originals.documents))
            number = place.attempt(decided_by(request), partial(attempts.begun, request.policy.fingerprint))
            begun.append((signer, attempts, number))
            begin()

        try:
            run = replace(request.run(data, place.resumes), method=sanitizer, decisions=None)
            released = execute(run, stages, begin=begin_attempt)
        finally:
            _move_private(folder, request.private)
        [(signer, attempts, number)] = begun
        release = read_release(data, request.files, originals)
        sources = {"original": facts_of(request.input, len(originals)), "release": facts_of(data, len(originals))}
        attack = attacked(
            originals, release, marks, replace(bench, release=data), None if review is None else review.missed,
            request.private / "evaluation", stages, sources,
        )  # fmt: skip
        judgements = judged(request.policy, attack.measured)
        accepted = not failing(judgements)
        attempts.ended(number, accepted)
        outcome = Outcome(
            accepted, judgements, attack, originals.ids, _ids(originals, attack), released.statement, number,
            _notes(review, number, attack.finding.words_only), "" if review is None else review.sentence,
            loosened=loosened(request.policy), remains=_remains(released),
        )  # fmt: skip
        if not accepted:
            build = partial(_built, sanitizer.detector, encoder)
            best = {need.best.name: need.best.end for need in needs}  # where no change can help
            failed = [each for each in failing(judgements) if each.measured and each.end != best[each.name]]
            trials = _trials(request, build, originals, marks, attack, failed, bench, stages)
            outcome = replace(outcome, tried=tuple(trials))
        outcome = replace(outcome, page=_page(request, outcome))
        _write_hits(request, originals, attack)
        _keep_decisions(request)
        if accepted:
            _complete(request, folder, data, outcome, signer)
            publish(folder, request.release, request.overwrite)
            outcome = replace(outcome, folder=request.release)
    return outcome


def _remains(released: Released) -> tuple[str, ...]:
    """Return what the release still shows of the originals, in sentences; an attempt that resumed may not know it."""
    done = released.summary
    return () if done is None else tuple(remains_told(done.returned, done.remains))


def _ids(originals: Originals, attack: Attacked) -> tuple[str, ...]:
    """Return the ids of the texts of everyone whom at least one attacker finds, the surest first."""
    ids, people = originals.ids, originals.people
    return tuple(ids[place] for person in attack.finding.records for place in people[person])


def _notes(review: Review | None, attempt: int, words_only: bool) -> tuple[str, ...]:
    tried = f"This was attempt {attempt} at these texts, as the signing key counts, whatever its release was called."
    looked = "The limits say nothing of an attacker who knows something else."
    left = ["With so many records, people were looked for by words, and not by meaning."] if words_only else []
    reviewed = [review.for_readers] if review is not None and review.sentence else []
    return (*left, *reviewed, looked, _BIT, tried)


def _trials(
    request: Request, build: Callable[[Policy], Sanitizer], originals: Originals, marks: Marked, attack: Attacked,
    failed: Sequence[Judged], bench: Bench, stages: Stages,
) -> list[Tried]:  # fmt: skip
    """Return what changes of the policy do to the limits that ``failed``, tried on a sample of the texts."""
    if not (request.trials and failed):
        return []
    places = np.random.default_rng(request.seed).permutation(len(originals))[:_ON_TRIAL].tolist()
    sample = originals.at(sorted(places))
    known = Marked(
        [marks.replaced[place] for place in sorted(places)], [marks.kept[place] for place in sorted(places)]
    )
    plan = replace(request.plan.only(_needed(failed).__contains__), sample=min(request.sample, 100))
    bench = replace(bench, plan=plan, limits_alone=True)

    def measure(policy: Policy) -> tuple[Judged, ...]:
        releases = [release.text for release in build(policy).sanitize_batch(sample.documents)]
        measured = attacked(sample, releases, known, bench, attack.measured.missed).measured
        return tuple(judgement for judgement in judged(policy, measured) if judgement.is_asked)

    candidates = [*changes(request.policy, _suspects(marks, attack, failed), all(each.is_floor for each in failed))]
    return tried(request.policy, candidates, failed, measure, partial(stages, "Trying changes"))


def _built(detector: Detector, encoder: Encoder, policy: Policy) -> Sanitizer:
    """Return the sanitizer of ``policy`` with a detector and an encoder that are loaded."""
    return replace(build_policy(policy, encoder=encoder), detector=detector)


def _suspects(marks: Marked, attack: Attacked, failed: Sequence[Judged]) -> list[str]:
    """Return the kinds that most likely let a limit fail, the most likely first."""
    if all(judgement.is_floor for judgement in failed):
        return list(marks.kinds)
    left = [kind for own in attack.left.values() for kind in {each.kind for each in own}]
    rates = {kind: attack.finding.by_kind[kind].value for kind in attack.finding.by_kind}
    ranked = sorted(rates, key=lambda kind: -rates[kind])
    return list(dict.fromkeys([*sorted(set(left), key=left.count, reverse=True), *ranked]))


def _needed(failed: Sequence[Judged]) -> set[str]:
    """Return the studies without which a limit cannot be judged."""
    return {"tokens", "utility", *(["linkage"] if any(each.name == "insiders" for each in failed) else [])}


def _page(request: Request, outcome: Outcome) -> Path:
    """Write the page for the owner, and return where it is."""
    path = request.private / "report.html"
    put(path, outcome.page_for_owner().encode(), private=True)
    return path


def _complete(request: Request, folder: Path, data: Path, outcome: Outcome, signer: Signer) -> None:
    """Write what goes with the data, and sign everything."""
    statement = data.with_name(f"{data.name}.privacy.json")
    content = json.loads(statement.read_text(encoding="utf-8"))
    content["accepted"] = outcome.as_json()
    files = {
        statement.name: json.dumps(content, indent=2, ensure_ascii=False) + "\n",
        "policy.toml": public(request.policy).as_toml(),
        "report.html": outcome.page_for_readers(),
    }
    if ledger := content.get("ledger"):
        files["ledger.json"] = json.dumps(ledger, indent=2) + "\n"
    for name, text in files.items():
        put(folder / name, text.encode("utf-8", "backslashreplace"))
    with writing(folder):
        folder.chmod(0o755)
    seal(folder, {**request.facts(), **outcome.as_json()}, signer)


def _write_hits(request: Request, originals: Originals, attack: Attacked) -> None:
    """Write the records of whom at least one attacker finds, and which, for a review to show them first."""
    people, records, finding = originals.people, originals.record_of, attack.finding
    hits = {
        records[place]: [f"replaced values, {way}" for way in finding.ways[person]]
        for person in finding.records
        for place in people[person]
    }
    lines = (json.dumps({"record": record, "by": ways}) + "\n" for record, ways in hits.items())
    put(request.private / "hits.jsonl", "".join(lines).encode(), private=True)


def _keep_decisions(request: Request) -> None:
    """Copy the decisions of the review into the folder for the owner."""
    if request.decisions is None:
        return
    path = request.private / "decisions.jsonl"
    if not (path.exists() and path.samefile(request.decisions)):
        with writing(path):
            put(path, request.decisions.read_bytes(), private=True)


def _move_private(folder: Path, private: Path) -> None:
    """Move what is for the owner alone: records that were set aside, and who cannot pay."""
    with writing(private):
        for path in (*folder.glob("*.quarantine.jsonl"), *folder.glob("*.refused.jsonl")):
            path.replace(private / path.name)
