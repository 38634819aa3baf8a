"""Dates and times of cells: days since 1900 or 1904, shown and read by the code of a format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Self

from sfumato.language.en.calendar import MONTHS, WEEKDAYS

HALF_A_MILLISECOND = 0.0005 / 86_400
_DAY_OF_1900 = datetime(1899, 12, 30)
_DAY_OF_1904 = datetime(1904, 1, 1)
_NO_DAY, _MOST = 60, 2_958_466
"""The day 60 since 1900 is the 29th of February, which that year did not have."""
_MONTHS, _DAYS = ([name.capitalize() for name in names.full] for names in (MONTHS, WEEKDAYS))
_WHOLE = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d))?(?:(?:^| )(\d\d):(\d\d):(\d\d(?:\.\d{1,3})?))?")

_SILENT = ("literal", "ddd", "dddd")

_Token = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Dates:
    """What shows and reads the dates of a format.

    Attributes:
        tokens: What it shows in turn: ("yyyy", ""), ("literal", "/") and so on. None if it shows what is not known.
        epoch_1904: Whether days are counted from 1904.
        pattern: What its texts look like.
    """

    tokens: Sequence[_Token] | None
    epoch_1904: bool
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, tokens: Sequence[_Token], epoch_1904: bool) -> Self:
        """Return what shows and reads dates by the ``tokens`` of a format."""
        mine = _resolved(tokens)
        return cls(
            mine, epoch_1904, None if mine is None else re.compile("".join(map(_pattern, mine)), re.IGNORECASE)
        )

    def show(self, value: float) -> str | None:
        """Return a date as the format shows it, or None if it shows none."""
        when = self._when(value)
        if self.tokens is None or when is None:
            return None
        half = any(kind == "half" for kind, _ in self.tokens)
        shortest = next((len(kind) for kind, _ in reversed(self.tokens) if kind.startswith("fraction")), 0)
        when = when if shortest else _whole_seconds(when)
        return "".join(_shown(kind, token, when, value, half) for kind, token in self.tokens)

    def read(self, text: str) -> float | None:
        """Return the days that a text means by the format, or None."""
        found = self.pattern.fullmatch(text) if self.pattern and self.tokens is not None else None
        if not found or self.tokens is None:
            return None
        kinds = [kind.rstrip("0123456789") for kind, _ in self.tokens if kind not in _SILENT]
        return self._joined(dict(zip(kinds, found.groups(), strict=True)))

    def whole(self, value: float) -> str | None:
        """Return a date and its time as ISO 8601 writes them, or None if ``value`` is no date."""
        when = self._when(value)
        if when is None:
            return None
        time = f"{when:%H:%M:%S}" + (f".{when.microsecond // 1000:03}" if when.microsecond >= 1000 else "")
        if value < 1:
            return time
        return f"{when:%Y-%m-%d}" + (f" {time}" if when.time().isoformat() != "00:00:00" else "")

    def read_whole(self, text: str) -> float | None:
        """Return the days that a date of ISO 8601 means, or None."""
        found = _WHOLE.fullmatch(text) if text else None
        if not found:
            return None
        year, month, day, hour, minute, second = found.groups()
        parts = {"yyyy": year, "mm": month, "dd": day, "hh": hour, "nn": minute}
        if second:
            parts |= {"ss": second[:2], "fraction": second[2:]}
        return self._joined({kind: part for kind, part in parts.items() if part})

    def _when(self, value: float) -> datetime | None:
        if not 0 <= value < _MOST or (not self.epoch_1904 and _NO_DAY <= value < _NO_DAY + 1):
            return None
        start = _DAY_OF_1904 if self.epoch_1904 else _DAY_OF_1900
        early = not self.epoch_1904 and 1 <= value < _NO_DAY
        return start + timedelta(days=early, milliseconds=round(value * 86_400_000))

    def _joined(self, parts: dict[str, str]) -> float | None:
        """Return the days of the ``parts`` of a date, as its tokens name them."""
        by_letter = {kind[0]: text for kind, text in parts.items() if not kind.startswith(("half", "f", "["))}
        try:
            seconds = _seconds(by_letter, parts)
            if not any(letter in by_letter for letter in "ymd"):
                return seconds / 86_400
            year, month, day = by_letter["y"], by_letter.get("m", "1"), by_letter.get("d", "1")
            when = datetime(_year(year), _month(month), int(day))
        except (KeyError, ValueError):
            return None
        days = (when - (_DAY_OF_1904 if self.epoch_1904 else _DAY_OF_1900)).days
        if not self.epoch_1904 and days <= _NO_DAY:
            days -= 1
        return None if days < (0 if self.epoch_1904 else 1) else days + seconds / 86_400


def _seconds(by_letter: dict[str, str], parts: dict[str, str]) -> float:
    hour = int(by_letter.get("h", "0"))
    if "half" in parts:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if parts["half"].lower().startswith("p") else 0)
    minute = int(by_letter.get("n", "0"))
    second = int(by_letter.get("s", "0")) + float(f"0{parts.get('fraction', '')}")
    total = hour * 3600 + minute * 60 + second
    for kind, scale in (("[h", 3600), ("[n", 60), ("[s", 1)):
        total += scale * sum(int(text) for name, text in parts.items() if name.startswith(kind))
    if hour > 23 or minute > 59 or second >= 60:
        raise ValueError
    return total


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) > 2 else year + (2000 if year < 30 else 1900)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    return [name[: len(text)].lower() for name in _MONTHS].index(text.lower()) + 1


def _resolved(tokens: Sequence[_Token]) -> list[_Token] | None:
    """Return the tokens with minutes told from months, or None if one is not known."""
    mine = list[_Token]()
    for kind, token in tokens:
        lower = token.lower()
        if kind == "date":
            mine.append((lower if lower[0] != "y" else "yy" if len(lower) < 3 else "yyyy", ""))
        elif kind == "elapsed":
            mine.append((f"[{lower.replace('m', 'n')}]", ""))
        elif kind == "half":
            mine.append(("half", token))
        elif kind == "fraction":
            mine.append((f"fraction{len(token) - 1}", ""))
        elif kind == "space":
            mine.append(("literal", " "))
        elif kind in ("quoted", "escaped", "money", "sign", "point"):
            mine.append(("literal", token))
        elif kind not in ("fill", "other"):
            return None
    _tell_minutes(mine)
    while mine and mine[-1][0] == "literal" and not mine[-1][1].strip():
        mine.pop()
    known = {*"dmhsn", "dd", "ddd", "dddd", "mm", "mmm", "mmmm", "hh", "ss", "nn", "yy", "yyyy", "half", "literal"}
    kinds = [kind for kind, _ in mine]
    fine = all(kind in known or kind.startswith(("fraction", "[")) or "@" in kind for kind in kinds)
    told = [kind.strip("[")[0] if kind != "half" else kind for kind in kinds if kind not in _SILENT]
    return mine if fine and len(set(told)) == len(told) else None


def _tell_minutes(tokens: list[_Token]) -> None:
    times = [(index, kind) for index, (kind, _) in enumerate(tokens) if kind not in ("literal", "half")]
    for number, (index, kind) in enumerate(times):
        before = times[number - 1][1] if number else ""
        after = times[number + 1][1] if number + 1 < len(times) else ""
        if kind in ("m", "mm") and (before.strip("[").startswith("h") or after.strip("[").startswith("s")):
            tokens[index] = ("n" * len(kind), "")


def _pattern(token: _Token) -> str:
    kind, text = token
    if kind == "literal":
        return re.escape(text)
    if kind == "half":
        return "(AM|PM)" if "/" in text and len(text) > 3 else "(A|P)"
    if kind.startswith("["):
        return r"(\d{1,7})"
    if kind.startswith("fraction"):
        return rf"(\.\d{{{int(kind[8:])}}})"
    if kind in ("ddd", "dddd"):
        return f"(?:{'|'.join(name[:3] if kind == 'ddd' else name for name in _DAYS)})"
    if kind in ("mmm", "mmmm"):
        return f"({'|'.join(name[:3] if kind == 'mmm' else name for name in _MONTHS)})"
    return {"yyyy": r"(\d{4})", "yy": r"(\d\d)"}.get(kind, r"(\d\d)" if len(kind) == 2 else r"(\d{1,2})")


def _whole_seconds(when: datetime) -> datetime:
    return (when + timedelta(microseconds=500_000)).replace(microsecond=0) if when.microsecond else when


def _shown(kind: str, token: str, when: datetime, value: float, half: bool) -> str:
    hour = (when.hour % 12 or 12) if half else when.hour
    total = round(value * 86_400)
    if kind == "literal":
        return token
    if kind == "half":
        names = token.split("/")
        return names[when.hour >= 12]
    if kind.startswith("fraction"):
        return f".{when.microsecond:06}"[: int(kind[8:]) + 1]
    if kind.startswith("["):
        scale = {"h": 3600, "n": 60, "s": 1}[kind[1]]
        return f"{total // scale:0{len(kind) - 2}}"
    day: date = when.date()
    shown = {
        "yyyy": f"{day.year:04}", "yy": f"{day.year % 100:02}", "mmmm": _MONTHS[day.month - 1],
        "mmm": _MONTHS[day.month - 1][:3], "dddd": _DAYS[day.weekday()], "ddd": _DAYS[day.weekday()][:3],
    }  # fmt: skip
    if kind in shown:
        return shown[kind]
    number = {"d": day.day, "m": day.month, "h": hour, "n": when.minute, "s": when.second}[kind[0]]
    return f"{number:0{len(kind)}}"
