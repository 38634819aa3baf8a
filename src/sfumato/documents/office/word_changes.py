"""What a reader of a Word document may not see: tracked changes, hidden text, marks of comments, wrappers."""

from __future__ import annotations

from typing import Any

from sfumato.documents.office.office_names import long, words
from sfumato.documents.office.scrub import Part, remove, unwrap
from sfumato.documents.rules import DROP, KEEP


def _tags(text: str) -> tuple[str, ...]:
    return tuple(long(name) for name in sorted(words(text)))


_P, _R, _PPR = long("w:p"), long("w:r"), long("w:pPr")
_ROW, _CELL, _TABLE = long("w:tr"), long("w:tc"), long("w:tbl")
_DELETED, _INSERTED = _tags("w:del w:moveFrom"), _tags("w:ins w:moveTo")
_MARKS = _tags("w:rPr w:trPr w:tcPr w:ctrlPr m:ctrlPr w:numPr")
_FORMER = _tags(
    "w:rPrChange w:pPrChange w:tblPrChange w:tblPrExChange w:trPrChange w:tcPrChange w:sectPrChange w:tblGridChange "
    "w:numberingChange w:moveFromRangeStart w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd w:cellIns "
    "w:cellMerge w:customXmlInsRangeStart w:customXmlInsRangeEnd w:customXmlDelRangeStart w:customXmlDelRangeEnd "
    "w:customXmlMoveFromRangeStart w:customXmlMoveFromRangeEnd w:customXmlMoveToRangeStart w:customXmlMoveToRangeEnd "
    "w14:conflictIns w14:conflictDel w14:customXmlConflictInsRangeStart w14:customXmlConflictInsRangeEnd "
    "w14:customXmlConflictDelRangeStart w14:customXmlConflictDelRangeEnd"
)
_CELL_GONE = long("w:cellDel")
_COMMENTS = _tags("w:commentRangeStart w:commentRangeEnd w:commentReference w:annotationRef")
_BOUND = _tags("w:dataBinding w15:dataBinding w:placeholder")
_WRAPPERS = _tags("w:smartTag w:customXml")
_WRAPPED = _tags("w:smartTagPr w:customXmlPr")
_HIDDEN = long("w:vanish")
_STYLED = _tags("w:rStyle w:pStyle")
_SHOWN = _tags("w:t w:delText w:tab w:ptab w:br w:cr w:sym w:noBreakHyphen w:softHyphen w:drawing w:pict w:object")
_OFF = ("0", "false", "off")


def settle(part: Part) -> None:
    """Settle what becomes of changes, hidden text and marks of comments, before the texts are read."""
    for element in [*part.root.iter(*_WRAPPERS)]:
        for child in element.iterchildren(*_WRAPPED):
            remove(child)
        unwrap(element)
    _settle_changes(part)
    _settle_hidden(part)
    if part.visit.rules.properties != KEEP:  # what fills the controls is not there, or is treated
        for element in [*part.root.iter(*_BOUND)]:
            remove(element)
    if part.visit.rules.comments == DROP:
        for element in [*part.root.iter(*_COMMENTS)]:
            remove(element)


def _settle_changes(part: Part) -> None:
    changes = [*part.root.iter(*_DELETED, *_INSERTED, *_FORMER, _CELL_GONE)]
    actions = [part.visit.rule("changes", part.at(f"change {number}")) for number in range(1, len(changes) + 1)]
    if DROP in actions:
        for element in changes:
            _accept(element)


def _accept(element: Any) -> None:
    """Accept one change: what was deleted is gone, and what was inserted is text like any other."""
    parent = element.getparent()
    if parent is None:  # it was inside of another one
        return
    if element.tag == _CELL_GONE:
        _remove_up(element, _CELL)
    elif parent.tag in _MARKS:
        remove(element)
        if element.tag in _DELETED and parent.tag == long("w:trPr"):
            _remove_up(parent, _ROW)
        elif element.tag in _DELETED and (above := parent.getparent()) is not None and above.tag == _PPR:
            _join(above.getparent())
    elif element.tag in _INSERTED:
        unwrap(element)
    else:
        remove(element)


def _remove_up(element: Any, tag: str) -> None:
    """Remove the row or cell that an element is in, and the table or row that has no other."""
    found = next(element.iterancestors(tag), None)
    above = found.getparent() if found is not None else None
    if above is None:
        return
    above.remove(found)
    if above.tag in (_TABLE, _ROW) and above.find(tag) is None:
        if above.tag == _ROW:
            _remove_up_from(above)
        else:
            _remove_table(above)


def _remove_up_from(row: Any) -> None:
    table = row.getparent()
    table.remove(row)
    if table.find(_ROW) is None:
        _remove_table(table)


def _remove_table(table: Any) -> None:
    parent = table.getparent()
    follows = table.getnext()
    if parent.tag == _CELL and (follows is None or follows.tag != _P):
        parent.insert(parent.index(table), table.makeelement(_P))
    parent.remove(table)


def _join(paragraph: Any) -> None:
    """Join a paragraph whose mark was deleted with the one that follows it."""
    follows = paragraph.getnext()
    while follows is not None and follows.tag != _P and follows.tag not in (_TABLE, long("w:sectPr")):
        follows = follows.getnext()
    if follows is None or follows.tag != _P:
        return
    place = 1 if len(follows) and follows[0].tag == _PPR else 0
    for child in [each for each in paragraph if each.tag != _PPR]:
        follows.insert(place, child)
        place += 1
    paragraph.getparent().remove(paragraph)


def _settle_hidden(part: Part) -> None:
    """Ask what becomes of each run that is not shown, and remove what it holds if it is dropped."""
    for run in _hidden_runs(part):
        if part.visit.rule("hidden", part.place) == DROP:
            for child in [*run.iterchildren(*_SHOWN)]:
                run.remove(child)


def _hidden_runs(part: Part) -> list[Any]:
    styles: set[str] = part.shared.get("hidden styles", set())
    runs = list[Any]()
    for mark in part.root.iter(_HIDDEN):
        above = mark.getparent().getparent()
        if mark.get(long("w:val"), "1") not in _OFF and above is not None and above.tag == _R:
            runs.append(above)
    for mark in part.root.iter(*_STYLED) if styles else ():
        if mark.get(long("w:val")) in styles:
            above = mark.getparent().getparent()
            runs += [above] if above.tag == _R else above.iterchildren(_R)
    return list(dict.fromkeys(runs))


def hidden_styles(root: Any) -> set[str]:
    """Return the styles whose text is not shown."""
    return {
        style.get(long("w:styleId"), "")
        for style in root.iter(long("w:style"))
        for mark in style.iter(_HIDDEN)
        if mark.get(long("w:val"), "1") not in _OFF
    }
