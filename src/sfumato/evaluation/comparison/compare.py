"""A comparison: every release of a plan made, evaluated and kept, so that a stopped one goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.attacks.claims import ClauseSplitter
from sfumato.building.build import build
from sfumato.detectors.words import word_bounds
from sfumato.errors import ConfigurationError, SfumatoError
from sfumato.evaluation.comparison.methods import NOTHING, Method, detected
from sfumato.evaluation.comparison.plan import Comparison, Finished
from sfumato.evaluation.comparison.runs import Run, Runs, option_files, paths_of, statement_of
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.remembering import RememberingEncoder, RememberingSplitter
from sfumato.evaluation.results import Study
from sfumato.evaluation.run import Measured, Results, evaluate, write
from sfumato.evaluation.studies.files import check_folder
from sfumato.evaluation.studies.table import made_by, studies
from sfumato.files import FileOptions, open_source
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.files import release_file
from sfumato.release.options import RunOptions
from sfumato.types import Progress
from sfumato.vocabularies.private import refuse_private

REDACTED = "…"
"""What every word becomes in the baseline that keeps nothing."""

_MAKING = 0.3  # of the time of a run, about, until its release is there


@dataclass(frozen=True)
class Outcome:
    """What came of a run: its results, or the reason why there are none.

    ``promise`` is the summary of the statement beside the release; ``anew`` says whether anything had to be done.
    """

    run: Run
    results: Results | None = None
    reason: str | None = None
    promise: str | None = None
    anew: bool = True


def compare(asked: Comparison, folder: Path, progress: Progress | None = None) -> list[Outcome]:
    """Make and evaluate whatever ``folder`` does not hold yet; every run in the order of the plan.

    A run that fails for a reason that can be told is listed with it, and the others go on. Raises OutputError, before
    anything is made, where ``folder`` cannot be written.
    """
    open_source(asked.file, FileOptions())  # refuses what is no file of records
    for place in (folder, folder / "releases"):
        check_folder(place)
    runs = Runs(asked, folder)
    every = [(run, runs.state(run) != "there") for run in runs]
    workshop, found, done, todo = _Workshop(runs), [], 0, max(1, sum(new for _, new in every))
    for run, new in every:
        found.append(workshop.outcome(run, _part(progress, done, todo)))
        done += new
    return found


def _part(progress: Progress | None, done: int, of: int) -> Progress:
    return lambda share: None if progress is None else progress(min(1.0, (done + min(1.0, share)) / of))


@dataclass(eq=False)
class _Workshop:
    """Makes and evaluates runs one after the other; what several of them need is made once."""

    runs: Runs
    _last: tuple[Method, float | None, Sanitizer | str] | None = None

    @property
    def asked(self) -> Comparison:
        return self.runs.comparison

    def outcome(self, run: Run, told: Progress) -> Outcome:
        """What came of ``run``."""
        try:
            if isinstance(run.source, Method) and not self.runs.released(run):
                self._release(run, run.source, lambda share: told(_MAKING * share))
            place = self.runs.results(run)
            if (kept := _kept(place)) is not None:
                return Outcome(run, kept, None, self._promise(run), False)
            results = self._evaluated(run, place, lambda share: told(_MAKING + (1 - _MAKING) * share))
            return Outcome(run, results, None, self._promise(run))
        except SfumatoError as error:
            return Outcome(run, None, self._shown(str(error), run))

    def _release(self, run: Run, method: Method, told: Progress) -> None:
        """The release of ``run`` and its statement."""
        place = self.runs.release(run)
        assert place is not None
        assert run.seed is not None
        sanitizer = self._sanitizer(method, run.budget, lambda share: told(0.5 * share))
        plan = self.asked.evaluation
        spans = self.asked.spans if "given" in detected(method.options) else None
        files = FileOptions(fields=(plan.field,), id_field=plan.id_field, spans_field=spans, adjustable=False)
        # The releases are seeded: whoever reads one can undo its draws.
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.parent.chmod(0o700)
        # Nobody else writes to a name that ends with a hash: what is there is the rest of a stopped run.
        release_file(
            sanitizer, self.asked.file, place, RunOptions(files, overwrite=True, resume=True, private=True),
            SeededRandomness(run.seed), lambda done, total, _: told(0.5 + 0.5 * done / max(1, total)),
        )  # fmt: skip

    def _sanitizer(self, method: Method, budget: float | None, told: Progress) -> Sanitizer:
        """The sanitizer of a method at a budget. The last one is kept for all its seeds, and so is its failure."""
        if self._last is None or self._last[0] is not method or self._last[1] != budget:
            self._last = None  # frees its tables before the next are made
            try:
                made: Sanitizer | str = _built(method, budget, self.asked, told)
            except SfumatoError as error:
                made = str(error)
            self._last = (method, budget, made)
        if isinstance(self._last[2], str):
            raise ConfigurationError(self._last[2])
        return self._last[2]

    def _evaluated(self, run: Run, place: Path, told: Progress) -> Results:
        """The results of ``run``, kept at ``place`` where no study failed."""
        names = list(self._studies)

        def told_of(name: str) -> Progress:
            return lambda share: told((names.index(name) + share) / len(names))

        setting = {**self.asked.evaluation.setting, "encoder": self._encoder.id}
        fields = [str(getattr(run.source, name, None)) for name in ("field", "id_field")]
        made_with = [*made_by(self.asked.evaluation), *fields]
        results = evaluate(self._pairs(run), self._studies, place.parent, setting, told_of, made_with)
        failed = any(left.again for study in results.studies for left in study.skipped)
        # What failed is tried again by the next call; the studies that did not fail are kept by evaluate.
        write(place.with_name(f"incomplete-{place.name}") if failed else place, results.as_text())
        return results

    def _pairs(self, run: Run) -> Pairs:
        plan, source = self.asked.evaluation, run.source
        if isinstance(source, Method) and source.baseline:
            before = self._originals
            texts = _redacted(before.originals) if source.mechanism == NOTHING else before.originals
            facts: dict[str, str | int] = {"name": source.mechanism, "records": len(before)}
            return replace(before, released=texts, sources={**before.sources, "release": facts})
        place = self.runs.release(run)
        assert place is not None
        after = self._read
        if isinstance(source, Finished):
            after = replace(after, fields=(source.field,), id_field=source.id_field)
        return read_pairs(self.asked.file, place, self._read, after, plan.one_to_one)

    @property
    def _read(self) -> FileOptions:
        """How the input and releases of it are read."""
        plan = self.asked.evaluation
        labels = (*plan.labels, *plan.tasks)
        return FileOptions(fields=(plan.field,), id_field=plan.id_field, labels=labels, adjustable=False)

    @cached_property
    def _originals(self) -> Pairs:
        """The originals beside themselves."""
        return read_pairs(self.asked.file, self.asked.file, self._read)

    @cached_property
    def _encoder(self) -> RememberingEncoder:
        return RememberingEncoder(SentenceEncoder())

    @cached_property
    def _studies(self) -> Mapping[str, Measured]:
        """The studies of the plan, which share what they found in the originals."""

        splitter = RememberingSplitter(ClauseSplitter())
        return studies(self.asked.evaluation, self._encoder, splitter=splitter)

    def _shown(self, reason: str, run: Run) -> str:
        """``reason`` with the names of files alone: it stands in the results, and a path tells of the machine."""
        named = [self.asked.file, self.runs.folder / "releases", self.runs.folder]
        if isinstance(run.source, Method):
            named += paths_of(run.source.options)
        else:
            named.append(run.source.file)
        places = {str(form) for one in named for form in (one, one.resolve())}
        for place in sorted(places, key=len, reverse=True):
            if os.sep in place and (Path(place).is_absolute() or Path(place).exists()):  # not "owner/model"
                reason = reason.replace(place, Path(place).name)
        return reason

    def _promise(self, run: Run) -> str | None:
        place = self.runs.release(run)
        if place is None or run.kind == "file":
            return None
        try:
            return str(json.loads(statement_of(place).read_text(encoding="utf-8"))["summary"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _built(method: Method, budget: float | None, asked: Comparison, told: Progress) -> Sanitizer:
    """What `sfumato sanitize` would build."""
    refuse_private(option_files(method.options), [asked.file])  # before anything of it is embedded and cached
    options = dict(method.options)
    if isinstance(options.get("encoder"), str):
        options["encoder"] = SentenceEncoder(options["encoder"])
    if options.get("detect") == "given":
        options["spans_field"] = asked.spans
    if (secret := method.secret) is not None:
        options["key"] = secret
    if method.budget != "epsilon":
        options[method.budget] = budget
    spent = budget if method.budget == "epsilon" else None
    try:
        return build(method.mechanism, spent, progress=told, **options)
    except SfumatoError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError) as error:  # an option of another type than it takes
        raise ConfigurationError(
            f"{method.name} cannot be built with these options ({type(error).__name__}); check their types."
        ) from None


def _redacted(texts: Any) -> list[str]:
    """``texts`` with the same sign in place of every word."""
    found = []
    for text, bounds in zip(texts, word_bounds(texts), strict=True):
        ends = [0, *(end for _, end in bounds)]
        gaps = [text[end:start] for end, (start, _) in zip(ends, bounds, strict=False)]
        found.append("".join(f"{gap}{REDACTED}" for gap in gaps) + text[ends[-1] :])
    return found


def _kept(place: Path) -> Results | None:
    """The results at ``place``; None where there are none, or broken ones."""
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        return Results(content, [Study.from_json(one) for one in content.pop("studies")])
    except (OSError, ValueError, KeyError, TypeError):
        return None
