"""How many records have something that the detector missed, from a random sample that a person read.

No ε says this, because a guarantee begins where a mark is. A record of the sample counts as missed if, after the
review, a mark of it holds a letter or a digit that the detector had left unmarked or given another kind. Two labels
of one kind are no miss, because a release treats them alike. The detector counts with its lists and with the
decisions for all records as they were when the sample was drawn: what was decided for a single record corrects that
record alone, and what was decided later would hide a miss. A record of the sample that nobody read counts as missed,
because a reviewer could leave out the difficult ones.

What was unmarked or relabelled for all records after the draw changes records that nobody read, so that the sample
says nothing about the release: then there is no figure, and :func:`silence_of` says why.

The bound is exact (Clopper and Pearson, 1934), one-sided at 95 %. A sample is drawn without replacement, for which it
is wider than needed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.decisions import Decisions
from sfumato.detectors.reviewed import Reviewed
from sfumato.errors import InputError
from sfumato.review.texts import Texts
from sfumato.review.treated import TreatmentOf, by_label, kind_in
from sfumato.text.marks import Finding

LEVEL = 0.95
_SILENCE = (
    "After the sample was drawn, marks were removed or relabelled everywhere, so that it says nothing about the "
    "release; begin a new review with a new sample."
)


@dataclass(frozen=True)
class SampledMisses:
    """What a person saw in a random sample of records.

    Attributes:
        sampled: Records in the sample.
        read: Records of the sample that the person read.
        missed: Records of these in which the detector had missed something.
        records: Records of the file.
    """

    sampled: int
    read: int
    missed: int
    records: int

    @property
    def counted(self) -> int:
        """Return the records that count as missed: those with a miss, and those that nobody read."""
        return self.missed + self.sampled - self.read

    @property
    def upper(self) -> float:
        """Return the bound on the share of records with a miss."""
        if self.counted >= self.sampled:
            return 1.0
        from scipy.stats import binomtest  # half a second, which a review without a sample does not take

        interval = binomtest(self.counted, self.sampled, alternative="less").proportion_ci(LEVEL, "exact")
        return float(interval.high)

    @property
    def sentence(self) -> str:
        """Return the finding in one sentence. The bound is rounded up."""
        percent = min(100.0, math.ceil(1000 * self.upper) / 10)
        unread = self.sampled - self.read
        aside = f" ({_counted(unread, 'record')} of the sample not read, which count as misses)" if unread else ""
        return (
            f"{_counted(self.missed, 'miss', 'misses')} in {_counted(self.read, 'record')}{aside}: at most "
            f"{percent:.1f} % of records have one ({LEVEL:.0%})."
        ).replace("95%", "95 %")

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, for a statement."""
        return {**asdict(self), "upper": self.upper, "level": LEVEL, "sentence": self.sentence}


def sample_of(detector: Detector, texts: Texts) -> dict[str, Any]:
    """Return what a sample is about: the number of records, and digests of the texts and of the detector."""
    setting = hashlib.sha256(detector.setting.encode("utf-8", "surrogatepass")).hexdigest()
    return {"records": texts.records, "texts": texts.digest, "detector": setting}


def check_sample(decisions: Decisions, detector: Detector, texts: Texts) -> None:
    """Raise InputError if a sample was drawn from other texts, or to be marked by another detector."""
    sample = decisions.sample
    if sample is None:
        return
    if sample.facts["of"] != sample_of(detector, texts) or any(
        record >= texts.records for record in sample.facts["records"]
    ):
        raise InputError(
            f"{decisions.name}, line {sample.line}: the sample is of other texts, or of another detector; begin a "
            "new review, or use the file and the policy of this one."
        )


def silence_of(decisions: Decisions) -> str | None:
    """Return in one sentence why a sample that was drawn gives no figure; None if it gives one, or if none was."""
    sample = decisions.sample
    silent = sample is not None and sample.facts["records"] and decisions.loosened_after(sample.line)
    return _SILENCE if silent else None


def sampled_misses(
    decisions: Decisions, detector: Detector, texts: Texts, treatment_of: TreatmentOf = by_label
) -> SampledMisses | None:
    """Return what the sample shows about ``detector``; None without a sample, or where :func:`silence_of` says why.

    ``treatment_of`` says the kind of a mark, as the policy of the release does. Raise InputError if the sample is of
    other texts or another detector, or if a text cannot be searched.
    """
    check_sample(decisions, detector, texts)
    sample = decisions.sample
    if sample is None or not sample.facts["records"] or silence_of(decisions) is not None:
        return None
    records = sample.facts["records"]
    before = Reviewed(detector, decisions.general_before(sample.line))
    after = Reviewed(detector, decisions)
    read = [record for record in records if record in decisions.read]
    missed = sum(_has_miss(texts, record, before, after, treatment_of) for record in read)
    return SampledMisses(len(records), len(read), missed, texts.records)


def _has_miss(texts: Texts, record: int, before: Detector, after: Detector, treatment_of: TreatmentOf) -> bool:
    documents = texts.of(record)
    pairs = zip(documents, before.findings(documents), after.findings(documents), strict=True)
    return any(_corrects(document.text, old, new, treatment_of) for document, old, new in pairs)


def _corrects(text: str, old: Sequence[Finding], new: Sequence[Finding], treatment_of: TreatmentOf) -> bool:
    """Return whether a letter or a digit in a ``new`` mark is in no ``old`` mark of the same kind."""
    same = {mark[:3] for mark in old}
    changed = [mark for mark in new if mark[:3] not in same]
    kinds: list[str | None] = [None] * len(text)
    for mark in old if changed else ():  # the text decides a kind too, and reading all of it takes long
        kinds[mark.start : mark.end] = [kind_in(text, mark, treatment_of)] * (mark.end - mark.start)
    return any(
        kinds[place] != kind and text[place].isalnum()
        for mark, kind in ((mark, kind_in(text, mark, treatment_of)) for mark in changed)
        for place in range(mark.start, mark.end)
    )


def _counted(count: int, name: str, several: str | None = None) -> str:
    return f"{count:,} {name if count == 1 else several or f'{name}s'}"
