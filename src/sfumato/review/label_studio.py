"""Label Studio's JSON: marks out as predictions of tasks, and a person's annotations back as decisions.

A region bears the kind of its mark, as the page of the review names it, because the labelling configuration lists
kinds. The label of a detector is still understood.

Label Studio runs in a browser, so its offsets count units of UTF-16. Each region brings its text; a region whose text
is not at its offsets is refused. https://labelstud.io/guide/predictions
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from sfumato.abstract.detector import Detector
from sfumato.detectors.decision import digest_of_text, of_mark
from sfumato.errors import InputError
from sfumato.review.texts import Texts
from sfumato.review.treated import TreatmentOf, by_label, kind_in
from sfumato.storage import regular
from sfumato.text.document import Document, readable
from sfumato.text.marks import Finding

_NAMES = {"from_name": "label", "to_name": "text", "type": "labels"}
Lines = list[dict[str, Any]]
Kinded = tuple[int, int, str, str]
"""Start, end, label and kind of a mark."""


def tasks_of(texts: Texts, detector: Detector, treatment_of: TreatmentOf = by_label) -> Iterator[dict[str, Any]]:
    """Yield a task for each text, with the marks of ``detector`` as predictions of their kinds. PRIVATE."""
    for record in range(texts.records):
        documents = texts.of(record)
        findings = detector.findings(documents) if documents else []
        for number, (document, own) in enumerate(zip(documents, findings, strict=True)):
            data = {"text": readable(document.text), "sfumato": _place(record, number, document)}
            regions = [
                _region(document.text, place, mark, kind_in(document.text, mark, treatment_of))
                for place, mark in enumerate(own)
            ]
            yield {"data": data, "predictions": [{"model_version": "sfumato", "result": regions}]}


def configuration(labels: Sequence[str]) -> str:
    """Return the labelling configuration for the tasks; ``labels`` are the kinds that a region may have."""
    rows = [f"    <Label value={quoteattr(label)}/>" for label in labels]
    text = '  <Text name="text" value="$text"/>'
    return "\n".join(["<View>", '  <Labels name="label" toName="text">', *rows, "  </Labels>", text, "</View>"])


def lines_of_tasks(
    path: Path, texts: Texts, detector: Detector, sample: Sequence[int], treatment_of: TreatmentOf = by_label
) -> Lines:
    """Return the decisions that lead from the marks of ``detector`` to the annotations in the file at ``path``.

    A text that was annotated counts as read, and its record too if all texts of it were annotated. Raise InputError,
    which names the task and never content.
    """
    annotated: dict[int, set[int]] = {}
    lines: Lines = []
    for number, task in enumerate(_tasks(path)):
        where = f"{path.name}, task {number}"
        regions = _annotation(task, where)
        if regions is None:
            continue
        record, text = _known(task, texts, where)
        if text in annotated.setdefault(record, set()):
            raise InputError(f"{where}: an earlier task is about the same text; keep one.")
        annotated[record].add(text)
        document = texts.of(record)[text]
        wanted = [_span(region, document.text, f"{where}, region {place}") for place, region in enumerate(regions)]
        findings = detector.findings(texts.of(record))[text]
        before = {(*mark[:3], kind_in(document.text, mark, treatment_of)) for mark in findings}
        lines += _changes(document, record, before, wanted, where)
    if not annotated:
        raise InputError(
            f"{path.name} holds no annotations, and so no decisions; annotate its tasks in Label Studio, and export "
            "the project as JSON (not JSON_MIN)."
        )
    chosen = frozenset(sample)
    done = [record for record, own in annotated.items() if len(own) == len(texts.numbers(record))]
    return lines + [{"action": "read", "record": record, "sampled": record in chosen} for record in done]


def _changes(
    document: Document, record: int, before: Set[Kinded], wanted: Sequence[tuple[int, int, str]], where: str
) -> Lines:
    """Return the decisions from the marks ``before`` to the regions ``wanted``, which bear a kind or a label."""
    ordered = sorted(wanted)
    if any(first[1] > second[0] for first, second in pairwise(ordered)):
        raise InputError(f"{where}: two regions overlap; keep one of them.")
    bounds = {region[:2] for region in ordered}
    gone = [mark[:3] for mark in sorted(before) if mark[:2] not in bounds]
    same = {(start, end, name) for start, end, label, kind in before for name in (label, kind)}
    marked = {mark[:2] for mark in before}
    return [
        *(of_mark(document, record, "remove", *mark, "here") for mark in gone),
        *(
            of_mark(document, record, "relabel" if region[:2] in marked else "add", *region, "here")
            for region in ordered
            if region not in same
        ),
    ]


def _tasks(path: Path) -> list[Any]:
    try:
        content = json.loads(regular(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, list):
        raise InputError(f"{path} is no list of tasks; export the project as JSON (not JSON_MIN).")
    return content


def _annotation(task: Any, where: str) -> list[Any] | None:
    """Return the regions of the one annotation of ``task``; None if nobody annotated it."""
    annotations = task.get("annotations", []) if isinstance(task, Mapping) else None
    if not isinstance(annotations, list) or not all(isinstance(each, Mapping) for each in annotations):
        raise InputError(f"{where}: it is no task of Label Studio; export the project as JSON (not JSON_MIN).")
    done = [each.get("result") for each in annotations if not each.get("was_cancelled")]
    if len(done) > 1:
        raise InputError(f"{where}: it has several annotations; keep one.")
    if done and not isinstance(done[0], list):
        raise InputError(f"{where}: its annotation has no result; export the project as JSON (not JSON_MIN).")
    return list(done[0]) if done else None


def _known(task: Mapping[str, Any], texts: Texts, where: str) -> tuple[int, int]:
    """Return the record and the number of the text that ``task`` is about."""
    data = task.get("data")
    place = data.get("sfumato") if isinstance(data, Mapping) else None
    record, text = (place.get("record"), place.get("text")) if isinstance(place, Mapping) else (None, None)
    if type(record) is int and type(text) is int and 0 <= record < texts.records and text >= 0:
        documents = texts.of(record)
        if text < len(documents) and _place(record, text, documents[text]) == place:
            return record, text
    raise InputError(f"{where}: it is about no text of the input; export the tasks of this input again.")


def _place(record: int, number: int, document: Document) -> dict[str, Any]:
    return {"record": record, "text": number, "text_sha256": digest_of_text(document.text)}


def _region(text: str, number: int, finding: Finding, kind: str) -> dict[str, Any]:
    start, end = _units(text[: finding.start]), _units(text[: finding.end])
    content = readable(text[finding.start : finding.end])
    value = {"start": start, "end": end, "text": content, "labels": [kind]}
    return {"id": f"mark-{number}", **_NAMES, "value": value}


def _span(region: Any, text: str, where: str) -> tuple[int, int, str]:
    value = region.get("value") if isinstance(region, Mapping) else None
    if isinstance(value, Mapping):
        labels, content = value.get("labels"), value.get("text")
        start, end = _points(text, value.get("start")), _points(text, value.get("end"))
        label = labels[0] if isinstance(labels, list) and len(labels) == 1 else None
        if (
            isinstance(label, str)
            and start is not None
            and end is not None
            and readable(text[start:end]) == content
            and content
        ):
            return start, end, label
    raise InputError(
        f"{where}: it is no region with one label whose text is at its offsets; correct it, or leave it out."
    )


def _units(text: str) -> int:
    """Return the length of ``text`` in units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def _points(text: str, units: Any) -> int | None:
    """Return how many characters of ``text`` have that many ``units`` of UTF-16; None if no character ends there."""
    if type(units) is not int or units < 0:
        return None
    content = readable(text).encode("utf-16-le")[: 2 * units]
    if len(content) != 2 * units:
        return None
    try:
        return len(content.decode("utf-16-le"))
    except UnicodeDecodeError:
        return None
