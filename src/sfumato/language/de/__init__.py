"""German. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.packaged import Packaged


class German(Packaged):
    """German: as it is written in Germany, Austria and Switzerland."""

    code = "de"
    capital_nouns = True
    further = frozenset({"agreement", "cues"})
