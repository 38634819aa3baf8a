"""Layers that a reader can show or hide."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

_USES = {"/Print": "/PrintState", "/View": "/ViewState", "/Export": "/ExportState"}
_DEEPEST = 16


def hidden_layers(work: Work) -> None:
    """Find out which layers there are, and which are hidden."""
    properties = work.pdf.Root.get("/OCProperties")
    groups = properties.get("/OCGs") if isa(properties, "Dictionary") else None
    if not isa(groups, "Array"):
        return
    work.layers = {each.objgen for each in groups if isa(each, "Dictionary")}
    usual = properties.get("/D")
    usual = usual if isa(usual, "Dictionary") else {}
    off = _members(usual.get("/OFF"))
    work.off = (work.layers - _members(usual.get("/ON"))) | off if usual.get("/BaseState") == "/OFF" else off


def walk_layers(work: Work) -> Generator[Slot, None, None]:
    """Yield the names of layers, and keep of them what shows and hides them."""
    import pikepdf

    root = work.pdf.Root
    properties = root.get("/OCProperties")
    if not isa(properties, "Dictionary") or not isa(properties.get("/OCGs"), "Array"):
        if "/OCProperties" in root:
            del root["/OCProperties"]
        return
    groups = [each for each in properties["/OCGs"] if isa(each, "Dictionary")]
    for number, group in enumerate(groups, 1):
        yield from _layer(work, group, number)
    usual = properties.get("/D")
    usual = usual if isa(usual, "Dictionary") else pikepdf.Dictionary()
    new = pikepdf.Dictionary()
    for key in ("/BaseState", "/ListMode"):
        if isa(usual.get(key), "Name"):
            new[key] = usual[key]
    for key in ("/ON", "/OFF", "/Locked", "/Order", "/RBGroups"):
        if isa(usual.get(key), "Array"):
            new[key] = _order(work, usual[key])
    root.OCProperties = pikepdf.Dictionary(OCGs=pikepdf.Array(groups), D=new)


def _layer(work: Work, group: Any, number: int) -> Generator[Slot, None, None]:
    import pikepdf

    does = work.rule("names", f"layer {number}")
    if does == TREAT:
        slot = Slot(str(group.get("/Name", "")), f"layer {number}")
        if slot.text.strip():
            yield slot
        does = DROP if slot.edits else KEEP
    name = str(group.get("/Name", "")) if does == KEEP else f"Layer {number}"
    uses = group.get("/Usage")
    plain = pikepdf.Dictionary()
    for key, state in _USES.items():
        found = uses.get(key) if isa(uses, "Dictionary") else None
        if isa(found, "Dictionary") and str(found.get(state)) in ("/ON", "/OFF"):
            plain[key] = pikepdf.Dictionary({state: found[state]})
    for key in list(group.keys()):
        del group[key]
    group.Type, group.Name = pikepdf.Name.OCG, pikepdf.String(name)
    if len(plain.keys()):
        group.Usage = plain


def _order(work: Work, rows: Any, depth: int = 0) -> Any:
    """Return an order of layers without its labels."""
    import pikepdf

    new = pikepdf.Array()
    for each in rows:
        if isa(each, "Array") and depth < _DEEPEST:
            new.append(_order(work, each, depth + 1))
        elif work.is_layer(each):
            new.append(each)
    return new


def _members(rows: Any) -> set[tuple[int, int]]:
    return {each.objgen for each in rows if isa(each, "Dictionary")} if isa(rows, "Array") else set()


def membership(work: Work, value: Any) -> Any:
    """Return what says to which layers something belongs, without anything else, or None."""
    import pikepdf

    if work.is_layer(value):
        return value
    if not isa(value, "Dictionary") or value.get("/Type") != "/OCMD":
        return None
    groups = value.get("/OCGs")
    groups = groups if isa(groups, "Array") else [groups]
    new = pikepdf.Dictionary(Type=pikepdf.Name.OCMD, OCGs=pikepdf.Array([g for g in groups if work.is_layer(g)]))
    if str(value.get("/P")) in ("/AllOn", "/AnyOn", "/AnyOff", "/AllOff"):
        new.P = value["/P"]
    return new
