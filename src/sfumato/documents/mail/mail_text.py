"""Plain texts of mail: a paragraph is one text, without the signs of quoted lines."""

from __future__ import annotations

import re
from collections.abc import Generator

from sfumato.documents.rules import KEEP, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.web.sourced import Sourced

_QUOTED = re.compile(r"(?:[ ]?[>|])+[ ]?(?![>|])")
_EMPTY = re.compile(r"(?:[ ]?[>|])*")
_LOCKED = "-----BEGIN PGP MESSAGE-----"
_PACKED = re.compile(
    r"^(?:[>|] ?)*-----BEGIN (?!PGP SIGNED MESSAGE)[A-Z0-9 ]+-----[ ]*$.*?"
    r"(?:^(?:[>|] ?)*-----END [A-Z0-9 ]+-----[ ]*$|\Z)"
    r"|^begin [0-7]{3,4} [^\n]+\n(?:[!-`]{1,62}[ ]*\n)+`?\n?end$"
    r"|^=ybegin .*?(?:^=yend[^\n]*$|\Z)"
    r"|^(?:[>|] ?)*(?=[A-Za-z0-9+/]*[g-zG-Z+/])[A-Za-z0-9+/]{60,}={0,2}$(?:\n(?:[>|] ?)*[A-Za-z0-9+/]+={0,2}$)*",
    re.DOTALL | re.MULTILINE,
)
_SOURCE = re.compile(r"^[>| ]*Content-Transfer-Encoding:[ ]*base64", re.IGNORECASE | re.MULTILINE)
_PACKED_PARTS = re.compile(r"^[>| \t]*[A-Za-z0-9+/]{8,}={0,2}[ ]*$", re.MULTILINE)
"""A mail that shows the source of another one, as reports of failure do, has packed lines of any length."""


def treated_text(
    text: str, visit: Visit, within: str, *, flowed: bool = False, joined: bool = False
) -> Generator[Slot, None, str]:
    """Yield the paragraphs of a plain text; return it with their edits. Raise Refused.

    Lines that end in a space are one line, if the text is ``flowed``; if they are ``joined``, the space goes.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if _LOCKED in text:
        raise Refused("it holds an encrypted text (PGP); save it decrypted")
    for packed in (_PACKED, _PACKED_PARTS) if _SOURCE.search(text) else (_PACKED,):
        text = packed.sub(lambda match: match[0] if visit.rule("unknown", f"{within}text") == KEEP else "", text)
    written, paragraph, number = list[str](), Sourced(), 0
    for line in [*text.split("\n"), None]:
        if line is not None and not _EMPTY.fullmatch(line):
            _add_line(paragraph, line, flowed, joined)
            continue
        if paragraph.sources:
            number += 1
            written.append((yield from _treated(paragraph, f"{within}paragraph {number}")))
            paragraph = Sourced()
        if line is not None:
            written.append(line)
    return "\n".join(written)


def _add_line(paragraph: Sourced, line: str, flowed: bool, joined: bool) -> None:
    sign = match[0] if (match := _QUOTED.match(line)) else ""
    if paragraph.sources:
        soft = flowed and paragraph.sources[-1].endswith(" ") and paragraph.sources[-1] != "-- "
        if soft and joined:
            paragraph.shown[-1] = paragraph.shown[-1].removesuffix(" ")
        paragraph.add("" if soft else "\n", f"\n{sign}")
    else:
        paragraph.add("", sign)
    paragraph.add(line[len(sign) :], line[len(sign) :])


def _treated(paragraph: Sourced, place: str) -> Generator[Slot, None, str]:
    slot = Slot(paragraph.text, place)
    if slot.text.strip():
        yield slot
    if not slot.edits:
        return paragraph.written((), str)
    written = re.sub(r"\n{2,}", "\n", paragraph.written(slot.edits, str))
    return written if written.strip(" >|\n") else " "
