"""The checks of a comparison's inputs, before the first release is made: each with the fields to guess in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.errors import InputError
from sfumato.evaluation.comparison.plan import Comparison
from sfumato.evaluation.pairs import Pairs, records_of
from sfumato.evaluation.results import Skipped
from sfumato.evaluation.studies.attributes import not_inferable
from sfumato.files import FileOptions


def check_inputs(comparisons: Sequence[Comparison]) -> list[tuple[Comparison, list[Skipped]]]:
    """Read every input with the fields that are guessed in it; return for each what cannot be measured, and why.

    Raise InputError for an input that cannot be read, and for fields that an input lacks: all of them at once.
    """
    read = [(comparison, _originals(comparison)) for comparison in comparisons]
    lacking = [line for comparison, pairs in read for line in _lacking(comparison, pairs)]
    if lacking:
        several = "" if len(read) == 1 else ", or give each [[input]] its own label and task (an empty list for none)"
        raise InputError(f"No record {'; none '.join(lacking)}; correct the name in the plan{several}.")
    plans = [(comparison, pairs, comparison.evaluation) for comparison, pairs in read]
    return [(comparison, not_inferable(pairs, plan.labels, plan.tasks)) for comparison, pairs, plan in plans]


def _originals(comparison: Comparison) -> Pairs:
    """Return the records of the input, each as its own release."""
    records = records_of(comparison.file, reading(comparison))
    texts, own = [text for _, (text, _) in records], [record for _, (_, record) in records]
    return Pairs([name for name, _ in records], texts, texts, fields=own, released_fields=own)


def reading(comparison: Comparison) -> FileOptions:
    """Return how the input is read."""
    plan = comparison.evaluation
    labels = (*plan.labels, *plan.tasks)
    return FileOptions(fields=(plan.field,), id_field=plan.id_field, labels=labels, adjustable=False)


def _lacking(comparison: Comparison, pairs: Pairs) -> Iterator[str]:
    plan = comparison.evaluation
    for role, names in (("label", plan.labels), ("task", plan.tasks)):
        for name in names:
            if all(value is None for value in pairs.values(name)):
                yield f"of {comparison.file.name} has the field {name!r} ({role})"
