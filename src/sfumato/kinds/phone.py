"""PHONE: telephone and fax numbers, replaced by numbers that the North American plan keeps for fiction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from sfumato.kinds.reserved import AREA, PHONES
from sfumato.kinds.unseen import Unseen

_BETWEEN = r"[ .\u00a0\u2011-]"
_EXTENSION = r"(?:,? ?(?:ext|extension|x)\.? ?[0-9]{1,6})?"
_DIGIT = r"(?:[ ./\u00a0\u2011-]?[0-9])"
_DIALLED = re.compile(
    rf"(?:\+[0-9]{_DIGIT}{{0,2}}(?:{_BETWEEN}?\(0\){_BETWEEN}?)?{_DIGIT}{{6,14}}|00[1-9]{_DIGIT}{{7,14}}"
    rf"|\([0-9]{{1,5}}\){_DIGIT}{{5,10}}|0[1-9]{_DIGIT}{{7,9}}){_EXTENSION}"
)
"""A number with a sign for abroad, with an area code in brackets, or with a zero first and nine digits or more."""
_AMERICAN = re.compile(rf"(?:1{_BETWEEN})?[2-9][0-9]{{2}}{_BETWEEN}(?:[0-9]{{3}}{_BETWEEN})?[0-9]{{4}}{_EXTENSION}")


@dataclass(frozen=True)
class Phone(Unseen):
    """Telephone numbers: those of North America, and others that begin as a number to dial does."""

    name: ClassVar[str] = "PHONE"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield the numbers 555-0100 to 555-0199 of many area codes."""
        form = PHONES["en_US"][0]
        places = (range(low, high + 1) for low, high in AREA)
        for area in ("".join(map(str, digits)) for digits in product(*places)):
            yield from (form.format(area=area).replace("##", f"{last:02d}") for last in range(100))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` is dialled as it is, whatever the signs between its digits."""
        plain = text.strip()
        return (_AMERICAN.fullmatch(plain) or _DIALLED.fullmatch(plain)) is not None
