"""Numbers and dates of cells as their formats show them, and the values that such texts mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from sfumato.documents.sheets import cell_dates
from sfumato.documents.sheets.cell_codes import sections_of
from sfumato.documents.sheets.cell_dates import Dates

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);\\("$"#,##0\\)',
    6: '"$"#,##0_);[Red]\\("$"#,##0\\)', 7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
    8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "m/d/yyyy h:mm", 37: "#,##0_);\\(#,##0\\)", 38: "#,##0_);[Red]\\(#,##0\\)",
    39: "#,##0.00_);\\(#,##0.00\\)", 40: "#,##0.00_);[Red]\\(#,##0.00\\)",
    41: '_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The formats that a file names by their number alone; those of dates and money as in the United States."""

_LONGEST_CODE = 255
_MOST_POWER = 15
_MOST_DIGITS = 16
"""So many digits a program keeps of a number; one that the file gives more of is shown as it is."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of cells, which shows numbers and dates.

    Attributes:
        code: Its code, such as "0.00%".
        dates: What shows and reads its dates, if it is one of dates.
    """

    code: str
    dates: Dates | None = None
    _sections: Sequence[_Section] = field(default=(), repr=False)

    def show(self, value: float, raw: str) -> str:
        """Return ``value``, written ``raw``, as the format shows it; if it hides a part of it, as it is.

        A date that is shown as its year is a whole date; a result that is shown with two decimals is all of them.
        """
        shown = self._shown(value) if len(raw.partition(".")[0]) <= _MOST_DIGITS else None
        if shown and any(_same(back, value, self.dates) for back in self._read(shown)):
            return shown
        whole = self.dates.whole(value) if self.dates else None
        return whole if whole is not None else whole_number(raw)

    def read(self, text: str) -> str | None:
        """Return the number that a cell holds in order to show ``text`` by this format, or None."""
        values = [*self._read(text), self.dates.read_whole(text) if self.dates else None, _number(text)]
        for value in values:
            if value is not None and self.show(value, raw := _raw(value)) == text:
                return raw
        return None

    def _shown(self, value: float) -> str | None:
        if self.dates:
            return self.dates.show(value)
        section, value, signed = self._section(value)
        return None if section is None else section.show(value, signed)

    def _section(self, value: float) -> tuple[_Section | None, float, bool]:
        sections = self._sections
        if not sections or any(each.condition for each in sections):
            chosen = next((each for each in sections if each.holds(value) or each is sections[-1]), None)
            return chosen, abs(value), value < 0
        if value < 0 and len(sections) > 1:
            return sections[1], -value, False
        return sections[2] if value == 0 and len(sections) > 2 else sections[0], abs(value), value < 0

    def _read(self, text: str) -> Iterator[float]:
        if self.dates:
            value = self.dates.read(text)
            yield from () if value is None else [value]
            return
        signs = not any(each.condition for each in self._sections)
        for number, section in enumerate(self._sections):
            value = section.read(text)
            if value is not None:
                yield -value if number == 1 and value and signs else value


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a format of numbers: literals around digits."""

    tokens: Sequence[tuple[str, str]]
    pattern: re.Pattern[str] | None
    condition: str
    general: bool
    decimals: int
    scale: int
    grouped: bool
    power: bool

    def holds(self, value: float) -> bool:
        """Return whether the section has a condition, and ``value`` meets it."""
        found = re.fullmatch(r"([<>=]+)(.+)", self.condition)
        if not found:
            return False
        other = float(found[2])
        met = {"<": value < other, ">": value > other, "=": value == other}
        return met.get(
            found[1], {"<=": value <= other, ">=": value >= other, "<>": value != other}.get(found[1], False)
        )

    def show(self, value: float, signed: bool) -> str | None:
        if self.general:
            inner = whole_number(repr(value))
            text = "".join(inner if kind == "general" else token for kind, token in self.tokens)
        elif self.pattern is None or self.power:
            return None
        else:
            exact = Decimal(repr(value)).scaleb(self.scale)
            rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP) if abs(exact) < 1e25 else None
            if rounded is None:
                return None
            text = self._filled(rounded)
        return f"-{text}" if signed and text else text

    def _filled(self, number: Decimal) -> str:
        whole, _, part = f"{number:f}".partition(".")
        point = next((index for index, (kind, _) in enumerate(self.tokens) if kind == "point"), len(self.tokens))
        left = _integer(self.tokens[:point], whole.lstrip("0"), self.grouped)
        right, used = "", 0
        for kind, token in self.tokens[point:]:
            if kind == "digit":
                digit, rest = part[used], part[used:].strip("0")
                right += digit if token == "0" or rest else " " if token == "?" else ""
                used += 1
            else:
                right += token
        return left + right

    def read(self, text: str) -> float | None:
        if self.general:
            around = [token for kind, token in self.tokens if kind != "general"]
            return _number(text) if not any(around) else None
        found = self.pattern.fullmatch(text) if self.pattern else None
        if not found:
            return None
        digits = "".join(group or "" for group in found.groups()).replace(",", "").replace(" ", "")
        try:
            return float(Decimal(digits if digits.strip("-.") else "0").scaleb(-self.scale))
        except InvalidOperation:
            return None


def _integer(tokens: Sequence[tuple[str, str]], digits: str, grouped: bool) -> str:
    """Lay the digits of an integer over its placeholders from the right, as masks of phone numbers need."""
    places = [index for index, (kind, _) in enumerate(tokens) if kind == "digit"]
    out, left = [token if kind != "digit" else "" for kind, token in tokens], digits
    laid = 0
    for index in reversed(places):
        last = index == places[0]
        take = left if last else left[-1:]
        left = left[: len(left) - len(take)]
        if not take:
            take = {"0": "0", "?": " ", "#": ""}[tokens[index][1]]
        piece = ""
        for digit in reversed(take):
            piece = digit + ("," if grouped and laid and laid % 3 == 0 and digit != " " else "") + piece
            laid += 1
        out[index] = piece
    return "".join(out) if places else digits + "".join(out) if not tokens else "".join(out)


def format_of(code: str, epoch_1904: bool = False) -> Format:
    """Return the format that ``code`` says. One that is not understood shows every value whole."""
    if len(code) > _LONGEST_CODE:
        return Format(code)
    split = sections_of(code)
    if any(kind in ("date", "elapsed", "half") for kind, _ in split[0]):
        return Format(code, Dates.of(split[0], epoch_1904))
    return Format(code, None, [_section(tokens) for tokens in split[:3]])


def is_text(code: str) -> bool:
    """Return whether a format shows numbers as they were typed."""
    return code.strip() == "@"


def _section(tokens: Sequence[tuple[str, str]]) -> _Section:
    plain = _plain(tokens)
    kinds = [kind for kind, _ in plain]
    digits = [index for index, kind in enumerate(kinds) if kind == "digit"]
    point = kinds.index("point") if "point" in kinds else len(plain)
    general, power = "general" in kinds, "power" in kinds
    scale = 2 * sum(token == "%" for kind, token in plain if kind == "sign")
    commas = [index for index, (kind, token) in enumerate(plain) if kind == "sign" and token == ","]
    last = digits[-1] if digits else -1
    grouped = any(digits and digits[0] < index < min(point, last) for index in commas)
    scale -= 3 * sum(index > last or (index == point - 1 and index > 0) for index in commas if digits)
    kept = [each for index, each in enumerate(plain) if not (digits and index in commas)]
    decimals = sum(kind == "digit" for kind, _ in plain[point:])
    known = not power and kinds.count("point") < 2 and not any(
        kind == "sign" and token in "/@" for kind, token in plain
    )  # fmt: skip
    pattern = _pattern(kept, grouped) if digits and known else None
    condition = next((token for kind, token in tokens if kind == "condition"), "")
    return _Section(kept, pattern, condition, general, decimals, scale, grouped, power)


def _plain(tokens: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the tokens of a section of numbers; what fills or colours is left out."""
    plain = list[tuple[str, str]]()
    for kind, token in tokens:
        if kind == "fraction":
            plain += [("point", "."), *(("digit", each) for each in token[1:])]
        elif kind == "space":
            plain.append(("quoted", " "))
        elif kind not in ("fill", "other", "condition"):
            plain.append((kind, token))
    while plain and plain[-1] == ("quoted", " "):
        plain.pop()
    while plain and plain[0] == ("quoted", " "):
        plain.pop(0)
    return plain


def _pattern(tokens: Sequence[tuple[str, str]], grouped: bool) -> re.Pattern[str]:
    pattern, left = "(-?)", True
    for index, (kind, token) in enumerate(tokens):
        if kind == "digit":
            first = left and all(each != "digit" for each, _ in tokens[:index])
            one = r"[\d,]" if grouped and left else r"\d"
            pattern += f"({one}*)" if first or (grouped and left) else r"([\d ]?)"
        elif kind == "point":
            pattern, left = pattern + r"(\.)", False
        else:
            pattern += re.escape(token)
    return re.compile(pattern)


def whole_number(raw: str) -> str:
    """Return a number as it is typed: with all its digits, and a power of ten only where they would be many."""
    number = Decimal(raw)
    if number == 0:
        return "0"
    digits = f"{number:f}"
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return digits if len(digits) <= _MOST_POWER + 10 else f"{number:E}"


_NUMBER = re.compile(r"-?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?([eE][+-]?\d{1,3})?")


def _number(text: str) -> float | None:
    plain = text.strip()
    if not _NUMBER.fullmatch(plain) or not any(each.isdigit() for each in plain.lower().split("e")[0]):
        return None
    return float(plain.replace(",", ""))


def _raw(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _same(one: float, other: float, dates: Dates | None) -> bool:
    limit = cell_dates.HALF_A_MILLISECOND if dates else 1e-14 * max(abs(one), abs(other))
    return abs(one - other) <= limit
