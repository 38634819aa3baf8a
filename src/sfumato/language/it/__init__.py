"""Italian. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.packaged import Packaged


class Italian(Packaged):
    """Italian: as it is written in Italy and Switzerland."""

    code = "it"
    further = frozenset({"agreement", "cues"})
    elided = ("l", "d", "dell", "all", "dall", "nell", "sull", "coll", "un", "quell", "c")

    def joined(self, article: str, phrase: str) -> str:
        """Return ``article`` and ``phrase`` in a row: "il museo", "l'ospedale", "lo studio"."""
        from sfumato.language.it.agreement import with_article

        return with_article(article, phrase)
