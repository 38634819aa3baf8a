"""The codes of fields in Word: what they lead to and name is text; one of no known kind keeps its result alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from sfumato.documents.office.office_names import long, words
from sfumato.documents.office.office_values import DATE, NUMBER, usual
from sfumato.documents.office.package import NOWHERE
from sfumato.documents.office.scrub import Part, remove
from sfumato.documents.office.word_text import in_part
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot
from sfumato.documents.xml import fit

_LINKS = words("HYPERLINK INCLUDETEXT INCLUDEPICTURE INCLUDE LINK DDE DDEAUTO IMPORT DATABASE RD FILENAME TEMPLATE")
_TO_BOOKMARKS = words("REF PAGEREF NOTEREF FTNREF GOTOBUTTON SET ASK")
_KNOWN = (
    _LINKS
    | _TO_BOOKMARKS
    | words(
        "= ADDRESSBLOCK ADVANCE AUTHOR AUTONUM AUTONUMLGL AUTONUMOUT AUTOTEXT AUTOTEXTLIST BARCODE "
        "BIBLIOGRAPHY BIDIOUTLINE CITATION COMMENTS COMPARE CREATEDATE DATE DISPLAYBARCODE DOCPROPERTY "
        "DOCVARIABLE EDITTIME EMBED EQ FILESIZE FILLIN FORMCHECKBOX FORMDROPDOWN FORMTEXT GLOSSARY "
        "GREETINGLINE IF INDEX INFO KEYWORDS LASTSAVEDBY LISTNUM MACROBUTTON MERGEBARCODE MERGEFIELD "
        "MERGEREC MERGESEQ NEXT NEXTIF NUMCHARS NUMPAGES NUMWORDS PAGE PRINT PRINTDATE PRIVATE QUOTE REVNUM "
        "SAVEDATE SECTION SECTIONPAGES SEQ SHAPE SKIPIF STYLEREF SUBJECT SYMBOL TA TC TIME TITLE TOA TOC "
        "USERADDRESS USERINITIALS USERNAME XE"
    )
)
_FIXED = words(
    "mergeformat charformat arabic roman alphabetic ordinal cardtext ordtext dollartext hex upper lower firstcap "
    "caps table figure tabelle abbildung equation word picture document excel sheet bitmap acroexch package"
)
_TOKEN = re.compile(r'\\[@#*!A-Za-z](?=["\s]|$)|"[^"]*"?|[^\s"]+')


@dataclass(slots=True)
class _Field:
    """A field whose end has not been read yet."""

    chars: list[Any] = field(default_factory=list)
    codes: list[Any] = field(default_factory=list)
    ended: bool = False
    unlinked: bool = False


def of_field(part: Part, element: Any) -> Iterator[Slot]:
    """Follow the begin, the separator and the end of fields; treat the code when it is complete."""
    open_fields: list[_Field] = part.shared.setdefault(f"fields of {part.name}", [])
    kind = element.get(long("w:fldCharType"))
    if kind == "begin":
        open_fields.append(_Field([element]))
        return
    if not open_fields:
        part.doomed.append(element)
        return
    current = open_fields[-1]
    current.chars.append(element)
    if not current.ended:
        current.ended = True
        yield from _complete(part, current)
    if kind == "end":
        open_fields.pop()
        if current.unlinked:
            part.doomed += current.chars


def of_code(part: Part, element: Any) -> Iterator[Slot]:
    """Take a piece of a code, which is treated when the code is complete."""
    open_fields: list[_Field] = part.shared.setdefault(f"fields of {part.name}", [])
    if open_fields and not open_fields[-1].ended:
        open_fields[-1].codes.append(element)
        part.kept.add(element)
    yield from ()


def of_simple(part: Part, element: Any, key: str, code: str) -> Iterator[Slot]:
    """Treat the code of a field that is one element."""
    new = yield from _treated(part, code)
    if new is None:
        part.unwrapped.append(element)
        element.set(key, "")
    elif new != code:
        element.set(key, fit(new))


def close_fields(part: Part) -> None:
    """Remove the codes of fields that never end."""
    for current in part.shared.pop(f"fields of {part.name}", []):
        for element in current.chars + current.codes:
            remove(element)


def _complete(part: Part, current: _Field) -> Iterator[Slot]:
    code = "".join([element.text or "" for element in current.codes])
    new = yield from _treated(part, code)
    if new is None:
        current.unlinked = True
        part.doomed += current.codes
    elif new != code and current.codes:
        current.codes[0].text = fit(new)
        current.codes[0].set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        for element in current.codes[1:]:
            element.text = None
    part.kept.difference_update(current.codes)


def _treated(part: Part, code: str) -> Generator[Slot, None, str | None]:
    """Yield a code if it holds what people wrote; return it with its edits, or None if the field goes."""
    place = part.at(f"code {part.counts['code'] + 1}")
    kind, private, code = _read(code, part.renamed["w:bookmarkStart@w:name"])
    if kind and kind not in _KNOWN:
        action = part.visit.rule("unknown", place)
    else:
        action = part.visit.rule("links", place) if private and kind in _LINKS else TREAT
    if action == DROP:
        return None
    in_part(part, "code")
    if not private or action == KEEP:
        return code
    slot = Slot(unquote(code) if kind in _LINKS else code, place)
    yield slot
    if not slot.edits:
        return code
    return f' {kind} "{NOWHERE}" ' if kind in _LINKS else slot.new


def _read(code: str, bookmark: Callable[[str], str]) -> tuple[str, bool, str]:
    """Return the kind of a code, whether it holds what people wrote, and the code with the new names of bookmarks."""
    kind, private, new, done, switch, arguments = "", False, "", 0, "", 0
    for found in _TOKEN.finditer(code):
        token = found.group().strip('"')
        new += code[done : found.start()]
        done = found.end()
        written = found.group()
        if not kind:
            kind = "=" if token.startswith("=") else token.upper()
            private = private or (kind == "=" and not _formula(token))
        elif token.startswith("\\") and len(token) < 4 and not written.startswith('"'):
            switch = token
        else:
            arguments += 1
            if (kind in _TO_BOOKMARKS and arguments == 1) or (
                switch in ("\\l", "\\b") and kind in ("HYPERLINK", "TOC", "INDEX")
            ):
                written = written.replace(token, bookmark(token))
            elif not _is_fixed(token, switch):
                private = True
            switch = ""
        new += written
    return kind, private, new + code[done:]


def _formula(token: str) -> bool:
    return all(
        usual(word) or word.upper() in ("SUM", "ABOVE", "LEFT", "BELOW", "PAGE")
        for word in re.findall("[A-Za-z]+", token)
    )


def _is_fixed(token: str, switch: str) -> bool:
    if switch in ("\\@", "\\#"):
        return DATE.fullmatch(token) is not None or NUMBER.fullmatch(token) is not None
    if NUMBER.fullmatch(token):
        return len(token) < 7
    known = all(word in _FIXED or usual(word) for word in re.findall(r"[^\W\d_]+", token.lower()))
    return known and len(re.sub(r"\D", "", token)) < 7
