"""The fonts that every reader of PDF has: Helvetica, Times and Courier."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

_FIXED, _SERIF, _ITALIC, _BOLD = 1, 2, 64, 1 << 18
_OF_COURIER = re.compile(r"courier|mono|consol|typewriter|fixed|cmtt", re.IGNORECASE)
_OF_HELVETICA = re.compile(r"sans|helvet|arial|verdana|calibri|tahoma|segoe|roboto|inter|cmss|gothic", re.IGNORECASE)
_OF_TIMES = re.compile(
    r"times|serif|roman|georgia|garamond|cambria|minion|palatino|book|century|cm[rb]|lm(r|bx)|nimbusrom",
    re.IGNORECASE,
)
_IS_BOLD = re.compile(r"bold|black|heavy|semibold|demi|cmb", re.IGNORECASE)
_IS_ITALIC = re.compile(r"italic|oblique|slanted|cmti|cmsl", re.IGNORECASE)
_STYLES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"),
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"),
}
_SAME = {
    "Arial": "Helvetica", "ArialMT": "Helvetica", "Arial,Bold": "Helvetica-Bold", "Arial-BoldMT": "Helvetica-Bold",
    "CourierNew": "Courier", "CourierNewPSMT": "Courier", "TimesNewRoman": "Times-Roman",
    "TimesNewRomanPSMT": "Times-Roman",
}  # fmt: skip
_FIRST, _LAST = 32, 255
SHORT_NAMES = {
    "Helvetica": "Helv", "Helvetica-Bold": "HeBo", "Helvetica-Oblique": "HeOb", "Helvetica-BoldOblique": "HeBO",
    "Times-Roman": "TiRo", "Times-Bold": "TiBo", "Times-Italic": "TiIt", "Times-BoldItalic": "TiBI",
    "Courier": "Cour", "Courier-Bold": "CoBo", "Courier-Oblique": "CoOb", "Courier-BoldOblique": "CoBO",
}  # fmt: skip
"""What they are called among the resources of a page."""


@dataclass(frozen=True)
class StandardFont:
    """One of the standard fonts."""

    name: str

    @cached_property
    def _widths(self) -> dict[str, int]:
        from pdfminer.fontmetrics import FONT_METRICS

        widths: dict[str, int] = FONT_METRICS[self.name][1]
        return widths

    def width(self, text: str) -> float:
        """Return the width of ``text`` in thousandths of the size."""
        return sum(self._widths.get(character, self._widths.get("?", 0)) for character in text)

    def written(self, text: str) -> tuple[bytes, float]:
        """Return ``text`` in WinAnsi, and its width for size 1. What is not in it becomes ASCII or "?"."""
        shown = "".join(map(_shown, text))
        return shown.encode("cp1252"), self.width(shown) / 1000

    @property
    def described(self) -> dict[str, Any]:
        """Its dictionary in a file, with its widths, so that all readers agree on them."""
        import pikepdf

        name = pikepdf.Name
        widths = [self.width(bytes([code]).decode("cp1252", "replace")) for code in range(_FIRST, _LAST + 1)]
        return {
            "/Type": name.Font, "/Subtype": name.Type1, "/BaseFont": name("/" + self.name),
            "/Encoding": name.WinAnsiEncoding, "/FirstChar": _FIRST, "/LastChar": _LAST, "/Widths": widths,
        }  # fmt: skip


@cache
def _shown(character: str) -> str:
    if character.isspace():
        return " "
    try:
        if character >= " ":
            character.encode("cp1252")
            return character
    except UnicodeEncodeError:
        pass
    if unicodedata.category(character) in ("Mn", "Cf"):
        return ""
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return "".join(each for each in plain if each >= " ") or "?"


@cache
def exact_font(name: str) -> StandardFont | None:
    """Return the standard font called ``name``, or None."""
    bare = name.partition("+")[2] or name
    bare = _SAME.get(bare, bare)
    return StandardFont(bare) if any(bare in styles for styles in _STYLES.values()) else None


@cache
def like_font(name: str, flags: int = 0) -> StandardFont:
    """Return the standard font that looks most like the one called ``name``, with the ``flags`` of its descriptor."""
    if (exact := exact_font(name)) is not None:
        return exact
    bare = name.partition("+")[2] or name
    if _OF_COURIER.search(bare) or flags & _FIXED:
        family = "Courier"
    elif _OF_HELVETICA.search(bare):
        family = "Helvetica"
    else:
        family = "Times" if _OF_TIMES.search(bare) or flags & _SERIF else "Helvetica"
    bold = bool(_IS_BOLD.search(bare) or flags & _BOLD)
    italic = bool(_IS_ITALIC.search(bare) or flags & _ITALIC)
    return StandardFont(_STYLES[family][bold + 2 * italic])
