"""CODE: record numbers, case numbers, account numbers and every other identifier.

A code is drawn from a list of its own. The prefix ZZ is what ISO 3166 leaves to its users, so that no country has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.kinds.unseen import LONGEST, Unseen

_CODE = re.compile(
    r"(?=\D*\d)(?=.{4})(?:(?:No|no|NO|Nr|nr|Ref|ref|ID|id)\.? ?|[#№] ?)?"
    r"(?:[^\W\d]*[./:#-]?\d[\w./:#-]*|[A-Z]{1,5}\d*)(?: [A-Z\d./:-]+){0,8}"
)
"""A word with a digit or a few capitals, and words of capitals and digits behind it: "Article 6" is no code."""


@dataclass(frozen=True)
class Code(Unseen):
    """Identifiers of any shape. Every text can be read as one."""

    name: ClassVar[str] = "CODE"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield ZZ-00001 to ZZ-99999."""
        return (f"ZZ-{number:05d}" for number in range(1, 100_000))

    def looks_like_one(self, text: str) -> bool:
        """Return True: a code may have any shape."""
        return True

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` has a digit and no words, as most codes have."""
        return len(text) <= LONGEST and _CODE.fullmatch(text.strip()) is not None
