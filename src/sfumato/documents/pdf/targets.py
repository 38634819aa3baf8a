"""Where bookmarks, links and buttons lead: places of the file, addresses, programs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any
from urllib.parse import unquote

from sfumato.documents.pdf.entries import entries
from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

_FITS = entries("XYZ Fit FitH FitV FitR FitB FitBH FitBV")
_NAMED = ("/NextPage", "/PrevPage", "/FirstPage", "/LastPage", "/Print", "/GoBack", "/GoForward")
_STATES = ("/ON", "/OFF", "/Toggle")
_LONGEST = 16
_DEEPEST = 64


def named_places(work: Work) -> None:
    """Read the named destinations, and take them out of the file: who uses one is led to its place."""
    root = work.pdf.Root
    found = dict[bytes, Any]()
    old = root.get("/Dests")
    if isa(old, "Dictionary"):
        found.update((key[1:].encode("utf-8", "surrogateescape"), value) for key, value in old.items())
    names = root.get("/Names")
    tree = names.get("/Dests") if isa(names, "Dictionary") else None
    if isa(tree, "Dictionary"):
        found.update(leaves(tree, "/Names"))
    if found and work.rule("names", "the named destinations") != KEEP:
        work.named = found
        for holder, key in ((root, "/Dests"), (names, "/Dests")):
            if isa(holder, "Dictionary") and key in holder:
                del holder[key]


def leaves(tree: Any, key: str, depth: int = 0) -> Generator[tuple[Any, Any], None, None]:
    """Yield the keys (bytes, or numbers if ``key`` is /Nums) and the values of a tree."""
    if depth > _DEEPEST or not isa(tree, "Dictionary"):
        return
    rows = tree.get(key)
    if isa(rows, "Array"):
        for at in range(0, len(rows) - 1, 2):
            yield (bytes(rows[at]) if isa(rows[at], "String") else rows[at]), rows[at + 1]
    kids = tree.get("/Kids")
    for kid in kids if isa(kids, "Array") else ():
        yield from leaves(kid, key, depth + 1)


def place(work: Work, value: Any) -> Any:
    """Return a destination that is a place on a page of this file, or None."""
    import pikepdf

    if isa(value, "Name") or isa(value, "String"):
        if not work.named:
            return value
        key = str(value)[1:].encode("utf-8", "surrogateescape") if isa(value, "Name") else bytes(value)
        value = work.named.get(key)
    if isa(value, "Dictionary"):
        value = value.get("/D")
    if not isa(value, "Array") or len(value) < 2 or str(value[1]) not in _FITS:
        return None
    target = value[0]
    if isa(target, "Dictionary"):
        if target.objgen not in work.pages:
            return None
    elif not isinstance(target, int):
        return None
    plain = [each for each in list(value)[2:6] if each is None or not isa(each, "String")]
    return pikepdf.Array([target, value[1], *(each if _is_number(each) else None for each in plain)])


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__float__") and not hasattr(value, "objgen")


def settle(work: Work, holder: Any, key: str, where: str) -> Generator[Slot, None, None]:
    """Yield the texts of the action, or the destination, that is under ``key`` of ``holder``; replace it there."""
    if key not in holder:
        return
    value = holder[key]
    if isa(value, "Dictionary") and "/S" in value:
        new = yield from action(work, value, where)
    else:
        new = place(work, value)
    if new is None:
        del holder[key]
    else:
        holder[key] = new


def triggers(work: Work, holder: Any, where: str) -> Generator[Slot, None, None]:
    """Yield the texts of the actions that ``holder`` takes when something happens."""
    value = holder.get("/AA")
    if not isa(value, "Dictionary"):
        return
    for key in sorted(value.keys()):
        yield from settle(work, value, key, f"{where}, event {sorted(value.keys()).index(key) + 1}")
    if not len(value.keys()):
        del holder["/AA"]


def action(work: Work, value: Any, where: str, depth: int = 0) -> Generator[Slot, None, Any]:
    """Yield the texts of an action. Return what remains of it, or None."""
    import pikepdf

    if depth > _LONGEST or not isa(value, "Dictionary"):
        return None
    kind, new = str(value.get("/S")), pikepdf.Dictionary(S=value.get("/S"))
    following = value.get("/Next")
    if kind == "/GoTo":
        found = place(work, value.get("/D"))
        kept = found is not None
        if kept:
            new["/D"] = found
    elif kind == "/URI":
        kept = yield from _address(work, value, new, where)
    elif kind == "/Named":
        kept = str(value.get("/N")) in _NAMED
        new["/N"] = value.get("/N")
    elif kind == "/SetOCGState":
        state = value.get("/State")
        rows = [each for each in state if str(each) in _STATES or work.is_layer(each)] if isa(state, "Array") else []
        new["/State"], kept = pikepdf.Array(rows), True
    elif kind in ("/GoToR", "/GoToE", "/Thread"):
        kept = work.rule("links", where) == KEEP
        new = value
    else:
        kept = work.rule("programs", where) == KEEP
        new = value
    if new is value and kept:
        return new
    more = list(following) if isa(following, "Array") else [following] if following is not None else []
    rest = []
    for each in more[:_LONGEST]:
        rest.append((yield from action(work, each, where, depth + 1)))
    rest = [each for each in rest if each is not None]
    if not kept:
        return rest[0] if len(rest) == 1 else None
    if rest:
        new["/Next"] = pikepdf.Array(rest)
    return new


def _address(work: Work, value: Any, new: Any, where: str) -> Generator[Slot, None, bool]:
    address = value.get("/URI")
    if not isa(address, "String"):
        return False
    does = work.rule("links", where)
    if does == TREAT:
        text = unquote(str(address), errors="replace")
        if text.lower().startswith("file:"):  # a path of a machine
            return False
        slot = Slot(text, f"{where}, link target")
        yield slot
        does = DROP if slot.edits else KEEP
    new["/URI"] = address
    return does == KEEP
