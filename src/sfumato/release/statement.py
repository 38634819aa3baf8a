"""The privacy statement that lies beside every output: what is promised, what it cost, what stays visible."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato import version
from sfumato.abstract.detector import Around, Detector
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.documents.formats import FORMATS
from sfumato.privacy.composition import rounded_up
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.integer_law import BITS
from sfumato.privacy.randomness import Randomness
from sfumato.privacy.sampling import LOG_RESOLUTION
from sfumato.release.treated import ADDS_UP, Spent, median, promised, stated_treatments

_PACKAGES = (
    *("numpy", "scipy", "numba", "pyarrow", "torch", "transformers", "sentence-transformers", "spacy"),
    *("wordfreq", "stop-words", "pycountry", "faker"),
)


NO_GUARANTEE = (
    "No formal guarantee: nothing is proved about what this release still reveals. Measure it with "
    "`sfumato evaluate`."
)


OF_SUBJECTS = (
    "Draws for a subject are an exception: each depends on the key, the settings, the subject and the value alone. "
    "Two runs with one key show which values of a subject changed, and by how many days its dates moved"
)


def statement(
    sanitizer: Sanitizer,
    randomness: Randomness,
    draws_per_record: Mapping[int, int],
    quarantined: int = 0,
    file_format: str | None = None,
    keep: Sequence[str] | None = None,
    absent: int = 0,
    people: Mapping[int, int] | None = None,
    draws_by: Mapping[str, Mapping[int, int]] | None = None,
    people_by: Mapping[str, Mapping[int, int]] | None = None,
) -> dict[str, Any]:
    """The statement as JSON types. ``draws_per_record`` maps a number of draws to how many records spent it.

    ``keep`` names the other fields that stay, where not all do; ``absent`` counts texts that are null or missing.
    ``people`` maps what a person spent to how many people spent it, in a run with a subject field; else it is None.
    ``draws_by`` holds the draws of each treatment of a policy by records, and ``people_by`` by people.
    """
    sanitizer = sanitizer.suited_to(randomness)
    seen = visible(sanitizer, randomness, file_format, quarantined, keep, absent)
    if people is not None:
        each = " for each treatment" if sanitizer.treatments else ""
        seen.append(f"how many people the records are about, and the largest and the median total of a person{each}")
    counted = {"count": sum(draws_per_record.values()), "quarantined": quarantined, "texts_absent": absent}
    guarantee, described = sanitizer.guarantee, sanitizer.statement_fields()
    promises = guarantee is not None or bool(sanitizer.treatments)
    closing = {
        "detector": _detector(sanitizer, promises),
        "visible": seen,
        "randomness": _stamp(sanitizer, randomness) if promises else randomness.stamp_without_guarantee(),
        **({"resolution": _resolution(sanitizer)} if promises else {}),
        "versions": versions(sanitizer.implementation, *_classes(sanitizer.detector)),
    }
    origin = version.origin(sanitizer.implementation)
    if sanitizer.treatments:
        spent = Spent(sum(draws_per_record.values()), draws_by or {})
        of_people = None if people is None else Spent(sum(people.values()), people_by or {})
        return {**stated_treatments(sanitizer, randomness, spent, of_people), "records": counted, **closing}
    if guarantee is None:
        stated = {"summary": NO_GUARANTEE, "guarantee": None, "origin": origin}
        return {**stated, **described, "records": counted, **closing}
    told = summary(guarantee, randomness, sanitizer.implementation)
    return {
        "summary": f"{told}{_in_all(sanitizer, draws_per_record)}",
        "private": randomness.private,
        "mechanism": described.pop("mechanism"),
        "origin": origin,
        "epsilon_per_draw": described.pop("epsilon_per_draw", guarantee.epsilon),
        "calibration": described.pop("calibration", None),
        **promised(guarantee, sanitizer.certificate()),
        **described,
        "records": {**counted, **_spent(sanitizer, draws_per_record)},
        **({} if people is None else {"people": _of_people(sanitizer, people, draws_per_record)}),
        **closing,
    }


def _stamp(sanitizer: Sanitizer, randomness: Randomness) -> str:
    stamp = randomness.stamp_in_context() if sanitizer.in_context else randomness.stamp
    for_subjects = any(treatment.for_subjects for treatment in sanitizer.treatments)
    return f"{stamp}. {OF_SUBJECTS}" if for_subjects and randomness.keyed else stamp


def summary(guarantee: Guarantee, randomness: Randomness, implementation: type[Any]) -> str:
    """Return the promise in one or two sentences, and who answers for the ``implementation`` of another package."""
    what = {"one token": "replaced span", "one document": "document"}.get(guarantee.unit, "draw")
    text = f"Each {what} satisfies {guarantee}."
    if not version.is_own(implementation):
        maker = version.maker(implementation)
        text += f" The mechanism is from {maker}; its proof and certificate are not sfumato's."
    if not randomness.private:
        return f"NOT PRIVATE (a seeded run, for tests): {text}"
    return text


_LOOK = (
    "how each document looks: its styles, and its layout, which was made for the original text (where lines and "
    "pages break, how wide columns are); its parts and names that are kept; the order of files"
)


def visible(
    sanitizer: Sanitizer,
    randomness: Randomness,
    file_format: str | None,
    quarantined: int = 0,
    keep: Sequence[str] | None = None,
    absent: int = 0,
) -> list[str]:
    """What anyone who reads the release can see, whatever the guarantee."""
    named = "" if keep is None else f" that are named ({', '.join(keep) or 'none'})"
    spans = [
        "how many spans were replaced, where they stand, and their labels where the labels are released",
        "everything the detector did not mark, as it stands, except articles, capitals, spaces beside a replacement"
        if sanitizer.mends_edges
        else "everything the detector did not mark, as it stands (except the space before a word that was deleted)"
        if sanitizer.in_context
        else "everything the detector did not mark, byte for byte",
    ]
    if sanitizer.detector.reads_content:
        spans.append("that the detector marked these places and no others, which may depend on what the text says")
    seen = [
        *([] if sanitizer.rewrites_whole_text else spans),
        _LOOK
        if _of_documents(file_format)
        else f"the other fields of a record{named}, its id, and the order of records",
        *sanitizer.visible,
    ]
    if file_format in ("parquet", "shards of parquet") and keep is None:
        seen.append("the names and types of all columns, as they were")
    if quarantined:
        seen.append("that records are missing (quarantined)")
    if absent:
        seen.append("which texts are null or missing: they are passed on as they are")
    if randomness.keyed:
        what = "document" if sanitizer.in_context else "text's sequence of marked tokens"
        seen.append(f"whether a {what} was changed since an earlier pinned run with the same key and settings")
    if file_format is not None and file_format.startswith(("folder", "shards")) and not _of_documents(file_format):
        seen.append("file names")
    if file_format is not None and file_format.startswith("shards"):
        seen.append("which records are in which file")
    return seen


def _of_documents(file_format: str | None) -> bool:
    """Return whether an input that a statement calls ``file_format`` is a document, or several."""
    kinds = {form.name for form in FORMATS.values()} - {"text"}
    return file_format is not None and (file_format in kinds or file_format.endswith("of documents"))


def _detector(sanitizer: Sanitizer, promises: bool) -> dict[str, str]:
    """Return what is protected and what is not; ``promises`` says whether there is a guarantee to cover something."""
    if promises and sanitizer.rewrites_whole_text:
        return {
            "protects": "the whole text, which is rewritten",
            "leaves_unprotected": "nothing of the text",
            "note": "words are only counted, to know how many draws a text gets",
        }
    note = "what was not detected is in the release as it was"
    if promises:
        note = "the guarantee covers the spans that were detected; no guarantee covers detection itself"
    elif sanitizer.rewrites_whole_text:
        note = "no detected text with a letter or a digit is in the release; the rest is the model's"
    detector = sanitizer.detector
    return {"protects": detector.description, "leaves_unprotected": detector.unprotected, "note": note}


def _resolution(sanitizer: Sanitizer) -> str:
    """Return how near the drawn laws are to the certified ones; of a policy, over all treatments."""
    of_one, error = not sanitizer.treatments, sanitizer.relative_error
    if of_one and sanitizer.certificate().kind == "analytic":
        return "noise in 64-bit floating-point numbers; the analysis is over the real numbers"
    if of_one and not error:
        return f"probabilities are whole numbers of 2^-{BITS}, and the law that is drawn is exactly the certified one"
    if not error:
        return "every law that is drawn is exactly the certified one"
    near = f"that of the certified law to a relative error below {_rounded_up(error)}"
    return f"probabilities down to e^{LOG_RESOLUTION:.0f}, each {near}" if of_one else f"each probability is {near}"


def _rounded_up(error: float) -> str:
    """Return a relative error with one digit, rounded up, so that it stays a bound."""
    exponent = math.floor(math.log10(error))
    return f"{math.ceil(error / 10.0**exponent)}e{exponent:03d}"


def _classes(detector: Detector) -> list[type[Any]]:
    """Return the class of ``detector``, and of what it is around."""
    inner = _classes(detector.detector) if isinstance(detector, Around) else []
    return [type(detector), *inner]


def versions(*classes: type[Any]) -> dict[str, str]:
    """Versions of sfumato, Python and the packages that take part, also those that ``classes`` come from."""
    installed = {package: version.installed(package) for package in ("sfumato", *_PACKAGES)}
    known = {package: number for package, number in installed.items() if number is not None}
    for one in classes:
        known.update(version.packages_of(one))
    return {"sfumato": known.pop("sfumato"), "python": platform.python_version(), **known}


def _spent(sanitizer: Sanitizer, draws: Mapping[int, int]) -> dict[str, Any]:
    """What the records spent, where there are some."""
    if not draws:
        return {}
    figures = {"minimum": min(draws), "median": median(draws), "maximum": max(draws)}
    total = sum(number * records for number, records in draws.items())
    count = sum(draws.values())
    costs = {name: sanitizer.cost(number, count).as_dict() for name, number in figures.items()}
    return {"draws_per_record": {**figures, "total": total}, "cost_per_record": costs}


def _in_all(sanitizer: Sanitizer, draws: Mapping[int, int]) -> str:
    """Return a sentence with what the costliest record pays in all, where it pays for several draws."""
    most = max(draws, default=0)
    if most < 2 or sanitizer.spends_by_document:
        return ""
    total = rounded_up(sanitizer.cost(most, sum(draws.values())).pure)
    distance = sanitizer.guarantee.distance if sanitizer.guarantee is not None else None
    per = f" per unit of {distance} distance" if distance else ""
    return f" This is for one draw. The record with most draws took {most:,} and pays epsilon {total}{per} in all."


def _of_people(sanitizer: Sanitizer, people: Mapping[int, int], draws: Mapping[int, int]) -> dict[str, Any]:
    """What people spent over all their records in this run; ``draws`` are those of the records."""
    count = sum(people.values())
    counted: dict[str, Any] = {"count": count, "adds_up": ADDS_UP}
    if not count:
        return counted
    figures = {"median": median(people), "maximum": max(people)}
    costs = {name: sanitizer.cost_of_person(spent, draws, count).as_dict() for name, spent in figures.items()}
    if sanitizer.spends_by_document:
        costs = {name: {"documents": cost.pop("draws"), **cost} for name, cost in costs.items()}
    return {**counted, "cost_per_person": costs}
