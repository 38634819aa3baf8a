"""A comparison: every release of a plan is made, evaluated and kept, so that a stopped comparison resumes."""

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
from sfumato.errors import ConfigurationError, OtherRunError, SfumatoError
from sfumato.evaluation.bench import Bench, Measured, Results, evaluate, write
from sfumato.evaluation.comparison.methods import NOTHING, Method
from sfumato.evaluation.comparison.plan import Comparison, Finished, reading
from sfumato.evaluation.comparison.runs import Run, Runs, paths_of, statement_of
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.files import RememberingEncoder, RememberingSplitter, check_folder, made_by, studies
from sfumato.files import FileOptions, has_fields, open_source
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.run.execute import execute
from sfumato.run.request import Request
from sfumato.types import Progress, part_of
from sfumato.vocabularies.private import refuse_private

REDACTED = "…"
"""The sign that replaces every word in the baseline that keeps nothing."""

_MAKING = 0.3  # about this share of a run's time passes until its release is there


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: its ``results``, or the ``reason`` why there are none.

    ``promise`` is the summary of the statement beside the release; ``new`` tells whether anything had to be done.
    """

    run: Run
    results: Results | None = None
    reason: str | None = None
    promise: str | None = None
    new: bool = True


def compare(comparison: Comparison, folder: Path, progress: Progress | None = None) -> list[Outcome]:
    """Make and evaluate every run that ``folder`` does not hold yet; return all outcomes in the order of the plan.

    A run that fails with an error of sfumato is listed with the reason, and the others continue. Raise OutputError,
    before anything is made, if ``folder`` cannot be written.
    """
    open_source(comparison.file, FileOptions())  # refuses a file without records
    for needed in (folder, folder / "releases"):
        check_folder(needed)
    runs = Runs(comparison, folder)
    every = [(run, runs.state(run) != "there") for run in runs]
    workshop, outcomes, done, todo = _Workshop(runs), [], 0, max(1, sum(new for _, new in every))
    for run, new in every:
        outcomes.append(workshop.outcome(run, part_of(progress, done / todo, 1 / todo)))
        done += new
    return outcomes


@dataclass(eq=False)
class _Workshop:
    """Makes and evaluates runs one after the other; parts that several runs need are made once."""

    runs: Runs
    _last: tuple[Method, float | None, Sanitizer | str] | None = None

    @property
    def comparison(self) -> Comparison:
        return self.runs.comparison

    def outcome(self, run: Run, progress: Progress) -> Outcome:
        """Return the outcome of ``run``."""
        try:
            if isinstance(run.source, Method) and not self.runs.released(run):
                self._release(run, run.source, part_of(progress, 0.0, _MAKING))
            path = self.runs.results(run)
            if (kept := _kept(path)) is not None:
                return Outcome(run, kept, None, self._promise(run), False)
            results = self._evaluated(run, path, part_of(progress, _MAKING, 1 - _MAKING))
            return Outcome(run, results, None, self._promise(run))
        except SfumatoError as error:
            return Outcome(run, None, self._shown(str(error), run))

    def _release(self, run: Run, method: Method, progress: Progress) -> None:
        """Make the release of ``run`` and its statement."""
        path = self.runs.release(run)
        assert path is not None
        assert run.seed is not None
        sanitizer = self._sanitizer(method, run.budget, part_of(progress, 0.0, 0.5))
        # Labels and tasks are those of the originals, so no other field is released, and they decide no release.
        keep = () if has_fields(self.comparison.file) else None
        files = replace(self._read, keep=keep)
        # The releases are seeded: anyone who reads one can undo its draws.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.chmod(0o700)
        # Only this program writes to a name that ends with a hash, so a file there is left from a stopped run.
        options = RunOptions(files, overwrite=True, resume=True, private=True)
        request = Request(sanitizer, self.comparison.file, path, options, SeededRandomness(run.seed))

        def stages(stage: str, share: float) -> None:
            progress(0.5 + 0.5 * share if stage == "Sanitizing" else 0.5)

        try:
            execute(request, stages)
        except OtherRunError:  # left by a run that failed before the input was touched, or before an upgrade
            execute(replace(request, options=replace(options, resume=False)), stages)

    def _sanitizer(self, method: Method, budget: float | None, progress: Progress) -> Sanitizer:
        """Return the sanitizer of a method at a budget.

        The last one is kept for all its seeds, and so is its failure.
        """
        if self._last is None or self._last[0] is not method or self._last[1] != budget:
            self._last = None  # frees its tables before the next are made
            try:
                built: Sanitizer | str = _built(method, budget, self.comparison, progress)
            except SfumatoError as error:
                built = str(error)
            self._last = (method, budget, built)
        if isinstance(self._last[2], str):
            raise ConfigurationError(self._last[2])
        return self._last[2]

    def _evaluated(self, run: Run, path: Path, progress: Progress) -> Results:
        """Return the results of ``run``, kept at ``path`` if no study failed."""
        parts = {
            name: part_of(progress, number / len(self._studies), 1 / len(self._studies))
            for number, name in enumerate(self._studies)
        }
        setting = {**self.comparison.evaluation.setting, "encoder": self._encoder.id}
        fields = [str(getattr(run.source, name, None)) for name in ("field", "id_field")]
        made_with = [*made_by(self.comparison.evaluation), *fields]
        results = evaluate(self._pairs(run), self._studies, path.parent, setting, parts.get, made_with)
        failed = any(left.again for study in results.studies for left in study.skipped)
        # The next call tries the failed studies again; evaluate keeps the others.
        write(path.with_name(f"incomplete-{path.name}") if failed else path, results.as_text())
        return results

    def _pairs(self, run: Run) -> Pairs:
        plan, source = self.comparison.evaluation, run.source
        if isinstance(source, Method) and source.baseline:
            before = self._originals
            texts = _redacted(before.originals) if source.mechanism == NOTHING else before.originals
            facts: dict[str, str | int] = {"name": source.mechanism, "records": len(before)}
            return replace(before, released=texts, sources={**before.sources, "release": facts})
        path = self.runs.release(run)
        assert path is not None
        after = self._read
        if isinstance(source, Finished):
            after = replace(after, fields=(source.field,), id_field=source.id_field)
        return read_pairs(
            self.comparison.file, path, reading(self.comparison), after, plan.one_to_one, plan.read_along
        )

    @property
    def _read(self) -> FileOptions:
        """Return how releases of the input are read: without labels and tasks, which are those of the originals."""
        return replace(reading(self.comparison), labels=())

    @cached_property
    def _originals(self) -> Pairs:
        """Return the originals, each with itself as its release."""
        return read_pairs(
            self.comparison.file, self.comparison.file, reading(self.comparison),
            read_along=self.comparison.evaluation.read_along,
        )  # fmt: skip

    @cached_property
    def _encoder(self) -> RememberingEncoder:
        return RememberingEncoder(SentenceEncoder(self.comparison.evaluation.encoder))

    @cached_property
    def _studies(self) -> Mapping[str, Measured]:
        """Return the studies of the plan, which share their results on the originals."""
        splitter = RememberingSplitter(ClauseSplitter())
        return studies(Bench(self.comparison.evaluation, self._encoder, splitter=splitter))

    def _shown(self, reason: str, run: Run) -> str:
        """Return ``reason`` with the names of files alone: it appears in the results, and a path discloses the
        machine.
        """
        named = [self.comparison.file, self.runs.folder / "releases", self.runs.folder]
        if isinstance(run.source, Method):
            named += paths_of(run.source.options)
        else:
            named.append(run.source.file)
        paths = {str(form) for path in named for form in (path, path.resolve())}
        for path in sorted(paths, key=len, reverse=True):
            if os.sep in path and (Path(path).is_absolute() or Path(path).exists()):  # not "owner/model"
                reason = reason.replace(path, Path(path).name)
        return reason

    def _promise(self, run: Run) -> str | None:
        path = self.runs.release(run)
        if path is None or run.kind == "file":
            return None
        try:
            return str(json.loads(statement_of(path).read_text(encoding="utf-8"))["summary"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _built(method: Method, budget: float | None, comparison: Comparison, progress: Progress) -> Sanitizer:
    """Return the sanitizer that `sfumato sanitize` would build."""
    refuse_private(
        method.offer.files(method.options), [comparison.file]
    )  # before their content is embedded and cached
    options = dict(method.options)
    if isinstance(options.get("encoder"), str):
        options["encoder"] = SentenceEncoder(options["encoder"])
    if "given" in method.offer.detectors:
        options["spans_field"] = comparison.spans
    if (secret := method.secret) is not None:
        options["key"] = secret
    if method.budget != "epsilon":
        options[method.budget] = budget
    epsilon = budget if method.budget == "epsilon" else None
    try:
        return build(method.mechanism, epsilon, progress=progress, **options)
    except SfumatoError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError) as error:  # an option of the wrong type
        raise ConfigurationError(
            f"{method.name} cannot be built with these options ({type(error).__name__}); check their types."
        ) from None


def _redacted(texts: Any) -> list[str]:
    """Return ``texts`` with the same sign in place of every word."""
    redacted = []
    for text, bounds in zip(texts, word_bounds(texts), strict=True):
        ends = [0, *(end for _, end in bounds)]
        gaps = [text[end:start] for end, (start, _) in zip(ends, bounds, strict=False)]
        redacted.append("".join(f"{gap}{REDACTED}" for gap in gaps) + text[ends[-1] :])
    return redacted


def _kept(path: Path) -> Results | None:
    """Return the results at ``path``; None if there are none, or broken ones."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Results(content, [Study.from_json(study) for study in content.pop("studies")])
    except (OSError, ValueError, KeyError, TypeError):
        return None
