"""Which part of a document a tag of a page begins: its properties, its programs, or what it hides."""

from __future__ import annotations

import re

from sfumato.documents.web.html_known import HIDDEN, PROGRAMS
from sfumato.documents.web.html_tokens import Token

_NOT_SHOWN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|(?:font-size|opacity|max-height)\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)


def part_of(token: Token) -> str | None:
    """Return which part of a document a tag begins; None for its body."""
    if token.name == "script" and token.attributes.get("type", "").strip().lower() == "application/ld+json":
        return "properties"
    if token.name in PROGRAMS:
        return "programs"
    if token.name == "xml":
        return "properties"
    hidden = (
        token.name in HIDDEN
        or "hidden" in token.attributes
        or (token.name == "input" and token.attributes.get("type", "").lower() == "hidden")
        or _NOT_SHOWN.search(token.attributes.get("style", ""))
    )
    return "hidden" if hidden else None
