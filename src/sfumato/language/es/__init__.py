"""Spanish. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.packaged import Packaged


class Spanish(Packaged):
    """Spanish: as it is written in Spain and America."""

    code = "es"
    further = frozenset({"agreement", "cues"})
