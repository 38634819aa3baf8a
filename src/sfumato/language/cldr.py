"""Names of months and weekdays from the data of Unicode (babel), for languages that write them in small letters."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.language.dates import Names


def months_of(code: str, others: Mapping[str, int] | None = None) -> Names:
    """Return the months of a language; ``others`` are more spellings, and their numbers from 0."""
    return _names(code, "months", range(1, 13), others or {})


def weekdays_of(code: str, others: Mapping[str, int] | None = None) -> Names:
    """Return the weekdays of a language, Monday first."""
    return _names(code, "days", range(7), others or {})


def _names(code: str, kind: str, numbers: range, others: Mapping[str, int]) -> Names:
    from babel import Locale

    listed = getattr(Locale(code), kind)["format"]
    full, brief = (
        tuple(listed[width][number].lower().removesuffix(".") for number in numbers)
        for width in ("wide", "abbreviated")
    )
    short = {name: number for number, name in enumerate(brief) if name not in full}
    return Names(full, short | dict(others), brief)
