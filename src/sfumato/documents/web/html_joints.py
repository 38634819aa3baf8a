"""Words that only tags part: a page shows "Schmidt<sup>1</sup>" and "<b>Anna</b><b>44</b>" as two words each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.documents.web.html_tokens import Token

_RAISED = ("rt", "sup", "sub")


@dataclass(slots=True)
class Joint:
    """The tags since the last text of a block: an element's "end", the "start" of one behind it, or a raised one."""

    kind: str = ""

    def see(self, token: Token) -> None:
        """Note a tag."""
        if token.kind in ("start", "end") and token.name in _RAISED:
            self.kind = token.name
        elif token.kind == "start" and self.kind == "end":
            self.kind = "start"
        elif token.kind == "end" and not self.kind:
            self.kind = "end"

    def parts(self, shown: Sequence[str], text: str) -> bool:
        """Return whether the tags part a word from what is ``shown`` before it, and forget them.

        A name is not found in "Schmidt44". Letters of one word may be in several elements: "<b>A</b>nna", "M<sup>me".
        """
        kind, self.kind = self.kind, ""
        before = next((each for each in reversed(shown) if each), " ")[-1]
        if not kind or not (before.isalnum() and text[0].isalnum()):
            return False
        if kind == "rt":
            return True
        if kind in _RAISED:
            return before.isalpha() and (text[0].isdigit() or before.islower())
        changes = before.islower() and text[0].isupper()
        return kind == "start" and (changes or before.isalpha() != text[0].isalpha())
