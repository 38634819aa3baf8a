"""French. Each part is loaded when it is first asked for."""

from __future__ import annotations

from sfumato.language.packaged import Packaged


class French(Packaged):
    """French: as it is written in France, Belgium, Switzerland and Canada."""

    code = "fr"
    further = frozenset({"agreement", "cues"})
    elided = ("l", "d", "qu", "jusqu", "lorsqu", "puisqu", "s", "n", "j", "m", "c")

    def joined(self, article: str, phrase: str) -> str:
        """Return ``article`` and ``phrase`` in a row: "le musée", "l'hôpital"."""
        from sfumato.language.fr.elision import elides

        return f"l'{phrase}" if article.lower() in ("le", "la") and elides(phrase) else f"{article} {phrase}"
