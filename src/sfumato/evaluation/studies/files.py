"""Evaluation of two files: the results go to a folder."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sfumato.attacks.mask_inference import Guesser
from sfumato.errors import OutputError
from sfumato.evaluation.bench import Bench
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.people import first_of_each, one_each, with_held_out
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.remembering import RememberingEncoder
from sfumato.evaluation.run import Named, Results, evaluate, write
from sfumato.evaluation.studies.guarantee import GuaranteeStudy
from sfumato.evaluation.studies.table import made_by, studies
from sfumato.files import FileOptions
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.masked.embedded import embedded_masked
from sfumato.storage.locations import check_path


def evaluate_files(original: Path, release: Path, folder: Path, plan: Plan, progress: Named | None = None) -> Results:
    """Evaluate ``release`` against ``original``; ``folder`` gets results.json and what a stopped run needs.

    Raise InputError for files that cannot be read, ConfigurationError for a chat model that does not answer, and
    OutputError, before anything is measured, for a folder that cannot be written.
    """
    check_folder(folder)
    return evaluate_pairs(read_files(original, release, plan), folder, remembering(plan, release), progress)


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
    before, after = plain.reading(people), replace(plain, fields=(plan.released_field or plan.field,))
    if not plan.one_to_one:
        after = replace(after, id_field=None)  # a synthetic record belongs to nobody, so it need not have an id
    pairs = read_pairs(original, release, before, after, plan.one_to_one)
    most = plan.texts_per_unit or 1
    if plan.unit_field is not None:
        pairs = first_of_each(pairs, plan.unit_field, most)
    if plan.held_out is not None:
        pairs = with_held_out(pairs, Path(plan.held_out), before)
    return pairs if plan.unit_field is None else one_each(pairs, plan.unit_field, plan.seed, most)


def remembering(plan: Plan, release: Path | None = None) -> Bench:
    """Return a bench whose models remember: several studies, and several evaluations, read the same records.

    ``release`` is the file that may have a statement beside it.
    """
    return Bench(plan, RememberingEncoder(SentenceEncoder()), release=release, guesser=Guesser(embedded_masked()))


def evaluate_pairs(pairs: Pairs, folder: Path, bench: Bench, progress: Named | None = None) -> Results:
    """Evaluate records that were read already, with what is on the ``bench`` and the chat model of its plan."""
    plan = bench.plan
    planned = studies(replace(bench, chat=plan.chat.made(folder) if plan.chat else None))
    setting = {**plan.setting, "encoder": bench.encoder.id}
    if isinstance(guarantee := planned.get("guarantee"), GuaranteeStudy):
        setting["statement"] = guarantee.fingerprint
    results = evaluate(pairs, planned, folder, setting, progress, made_by(plan))
    write(folder / "results.json", results.as_text())
    return results
