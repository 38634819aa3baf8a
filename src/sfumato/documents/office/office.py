"""The walk over a package of Office: which parts are kept, and in what order they are walked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from typing import IO, Any, NamedTuple

from sfumato.documents.formats import Seen, format_of, nested
from sfumato.documents.office.package import Output, Package, Relation, opened
from sfumato.documents.office.scrub import Part
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused, Rules, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.xml import parsed, written


@dataclass(frozen=True, slots=True)
class Kind:
    """What becomes of the parts to which relationships of one kind lead.

    Attributes:
        place: What such a part is called, such as "header". It is numbered where a package can have more of them.
        walk: Walks over it, or None if it is kept as it is.
        rule: Which rule says what becomes of it, or "" if it is of the body.
        single: Whether a package has one of them.
        gone: Whether it is never kept.
        last: Whether it is walked after the others, because it repeats what they say.
    """

    place: str
    walk: Callable[[Part], Iterator[Slot]] | None = None
    rule: str = ""
    single: bool = False
    gone: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class Begun:
    """What is known of a package before its parts are walked.

    Attributes:
        places: The place of each part whose order the package itself does not say, such as a slide.
        renamed: Gives the new names of what is named in an attribute, such as a bookmark.
        shared: What the walks over its parts share.
    """

    places: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Office:
    """A format of Office: its ending, the content types of its main part, and the kinds of its parts.

    ``begin`` reads a package before its parts are walked.
    """

    ending: str
    types: Mapping[str, str]
    kinds: Mapping[str, Kind]
    begin: Callable[[Package, str, Visit], Begun]


class _Planned(NamedTuple):
    name: str
    kind: Kind
    place: str
    action: str


LINKS = frozenset(("hyperlink", "image", "video", "audio", "media", "slide", "oleObject", "externalLinkPath"))
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080000000"
    "03a7e9b550000000a49444154789c63b8010000da00d9104d04980000000049454e44ae426082"
)
"""What a picture is that was dropped: one grey point."""
PICTURE_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
_ENDINGS = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "message/rfc822": ".eml",
    "application/pdf": ".pdf",
}


def walk_package(file: IO[bytes], visit: Visit, target: IO[bytes] | None, office: Office) -> Iterator[Slot]:
    """Yield the texts of a package of Office, and write it. Raise Refused, without what a library says of it."""
    reason = ""
    try:
        with opened(file, office.ending) as package:
            output = Output(package, target)
            try:
                yield from _walk(package, visit, output, office)
            except _OF_LIBRARIES:
                reason = f"it holds something that is not as {office.ending} files are; save it again"
            finally:
                output.end()
    except Refused as refused:
        reason = str(refused)
    if reason:  # raised here, it has no context that quotes the file
        raise Refused(reason)


_OF_LIBRARIES = (KeyError, IndexError, AttributeError, TypeError, ValueError, RecursionError)


def _walk(package: Package, visit: Visit, output: Output, office: Office) -> Iterator[Slot]:
    main = package.main(office.types, office.ending)
    package.set_type(main, office.types[package.type_of(main)])
    begun = office.begin(package, main, visit)
    planned = sorted(_plan(package, visit, office, begun.places), key=lambda each: each.kind.last)
    output.begin()
    for each in planned:
        part = Part(package, each.name, visit, each.place, shared=begun.shared, renamed=begun.renamed)
        if each.action == DROP:
            svg = "svg" in package.type_of(each.name)
            output.add(each.name, PICTURE_SVG if svg else PICTURE)
        elif each.kind.rule == "attachments" and each.action == TREAT:
            content = yield from nested(_file_name(package, each.name), package.read(each.name), visit, each.place)
            output.add(each.name, content or b"")
        elif each.kind.walk is None or each.action == KEEP:
            output.add(each.name, package.read(each.name))
        else:
            yield from _walked(part, each.kind, each.kind.walk, output)
            unlink_uncalled(package, each.name, begun.shared)
        output.add_relations(each.name)


def _walked(part: Part, kind: Kind, walk: Callable[[Part], Iterator[Slot]], output: Output) -> Iterator[Slot]:
    """Yield the texts of a part, and write it: at once, if it is one that another file had and that has no text."""
    content, visit, notes = part.package.read(part.name), part.visit, part.visit.notes.copy()
    key = (walk, visit.rules, blake2b(content).digest())
    alike = not kind.rule and not part.package.relations(part.name) and len(content) <= _LARGEST_ALIKE
    if alike and key in _ALIKE:
        output.add(part.name, _ALIKE[key])
        return
    part.root = parsed(content)
    del content
    texts = 0
    for texts, slot in enumerate(walk(part), 1):  # noqa: B007
        yield slot
    output.add_tree(part.name, part.root)
    if alike and part.alone and not texts and notes == visit.notes:
        if len(_ALIKE) >= _MOST_ALIKE:
            _ALIKE.clear()
        _ALIKE[key] = written(part.root)
    part.root = None


_ALIKE: dict[tuple[Any, Rules, bytes], bytes] = {}
"""What is written of parts that files share byte for byte, such as styles: of those that hold no text of anyone, and
of which nothing else of a file decides what is written."""
_MOST_ALIKE, _LARGEST_ALIKE = 32, 1 << 20


def unlink_uncalled(package: Package, name: str, shared: dict[str, Any]) -> None:
    """Drop the relationships of a part that lead outside, and which nothing in it calls: nobody treated them."""
    called: set[tuple[str, str]] = shared.setdefault("links", set())
    for relation in list(package.relations(name).values()):
        if relation.external and (name, relation.id) not in called:
            package.unlink(name, relation.id)


def _plan(package: Package, visit: Visit, office: Office, places: Mapping[str, str]) -> Iterator[_Planned]:
    taken, seen = Counter[str](), set[str]()
    for owner, relation in package.reached():
        if relation.external:
            if relation.kind not in LINKS or not owner:
                visit.notes["properties", DROP] += 1
                package.unlink(owner, relation.id)
        elif relation.part not in package.names:
            package.unlink(owner, relation.id)
        elif relation.part not in seen:
            seen.add(relation.part)
            ink = package.type_of(relation.part) == "application/inkml+xml"
            kind = office.kinds.get("ink" if ink else relation.kind) or UNKNOWN
            place = places.get(relation.part) or _numbered(package, relation.part, kind)
            taken[place] += 1
            place += f", copy {taken[place]}" if taken[place] > 1 else ""
            yield from _planned(package, visit, relation, kind, place)
    below = below_dropped(package, seen)
    for name in [each for each in package.names if each not in seen]:
        if name not in below and visit.rule("unknown", "a part that nothing leads to") == KEEP:
            yield _Planned(name, UNKNOWN, "", KEEP)
        else:
            package.drop(name)


def _numbered(package: Package, name: str, kind: Kind) -> str:
    """Return the place of a part, by the number that its name has and keeps."""
    found = re.search(r"([0-9]+)\.\w+$", package.new_name(name))
    return kind.place if kind.single or found is None else f"{kind.place} {found[1]}"


def below_dropped(package: Package, seen: set[str]) -> set[str]:
    """Return the parts to which only those lead that are dropped."""
    below, ahead = set[str](), [name for name in seen if name not in package.names]
    while ahead:
        for relation in package.relations(ahead.pop()).values():
            if relation.part and relation.part not in below | seen:
                below.add(relation.part)
                ahead.append(relation.part)
    return below


def _planned(package: Package, visit: Visit, relation: Relation, kind: Kind, place: str) -> Iterator[_Planned]:
    name = relation.part
    if kind.gone:
        visit.notes["properties", DROP] += 1
    action = DROP if kind.gone else visit.rule(kind.rule, place) if kind.rule else TREAT
    if kind.rule == "attachments" and action == TREAT and format_of(_file_name(package, name)) is None:
        action = visit.rule("unknown", place)
    if action != DROP:
        yield _Planned(name, kind, place, action)
    elif kind.rule == "images" and relation.kind == "image":
        if "svg" not in package.type_of(name):
            package.set_type(name, "image/png")
            package.rename(name, f"{package.new_name(name).rpartition('.')[0]}.png")
        yield _Planned(name, kind, place, DROP)
    else:
        package.drop(name)


def _file_name(package: Package, name: str) -> str:
    return f"file{_ENDINGS.get(package.type_of(name), '')}"


UNKNOWN = Kind("part", rule="unknown")


def opened_again(library: Callable[[IO[bytes]], Any], file: IO[bytes]) -> Any:
    """Return what a library reads from a written file. Raise Refused, without what it says of the file."""
    file.seek(0)
    try:
        return library(file)
    except Exception:  # an error of any kind may quote the file
        pass
    raise Refused("what was written could not be opened again")


def in_raw(file: IO[bytes], ending: str) -> Iterator[Seen]:
    """Yield every string that a written package holds, as its parts hold it, except what the format has fixed."""
    from sfumato.documents.office.office_raw import strings_of

    with opened(file, ending) as package:
        for number, (name, content) in enumerate(package.members(), 1):
            place = f"part {number}"
            yield Seen(place, name, raw=True)
            if (form := format_of(name)) is not None:
                yield from (
                    Seen(f"{place}, {each.place}", each.text, each.raw) for each in form.strings(BytesIO(content))
                )
            for text in strings_of(content):
                yield Seen(place, text, raw=True)
