"""Portuguese. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.lists import words_of
from sfumato.language.packaged import Packaged


class Portuguese(Packaged):
    """Portuguese: as it is written in Portugal and Brazil."""

    code = "pt"
    further = frozenset({"agreement", "cues"})
    contracted = words_of(
        "o a os as do da dos das no na nos nas ao à a\u0300 aos às pelo pela pelos pelas num numa dum duma em de e"
    )

    def article_before(self, before: str, after: str, name: str, definite: bool | None) -> tuple[str, str]:
        """Return the text ``before`` a place, and its ``name``: "no Porto", and "em Lisboa"."""
        from sfumato.language.pt.agreement import article_before

        return (before if definite is None else article_before(before, name, definite, self)), name
