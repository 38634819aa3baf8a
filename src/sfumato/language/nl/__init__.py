"""Dutch. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.packaged import Packaged


class Dutch(Packaged):
    """Dutch: as it is written in the Netherlands, Belgium and Suriname."""

    code = "nl"
    further = frozenset({"agreement", "cues"})
