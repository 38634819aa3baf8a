"""What would go out of a recorded request, before and after: nothing is sent, and nothing is paid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

from sfumato.errors import InputError
from sfumato.gateway.app import DIALECTS
from sfumato.gateway.dialects import Dialect
from sfumato.gateway.replacing import replaced
from sfumato.gateway.sessions import Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.shapes import Walk
from sfumato.gateway.shield import Shield
from sfumato.gateway.slots import RefusedError, parsed
from sfumato.gateway.turns import finished

_SIGNS, _MOST_SIGNS = re.compile(r"\w+|\s+|[^\w\s]"), 3_000
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.5rem;vertical-align:top;"
    "text-align:left;white-space:pre-wrap;overflow-wrap:anywhere;width:50%}mark{background:#ffd54a}"
    "mark.drawn{background:#b3d9ff}mark.was{background:#e6e6e6}"
)


@dataclass(frozen=True)
class Rehearsed:
    """What a request becomes. PRIVATE: it holds what was replaced."""

    path: str
    texts: Mapping[str, str] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    marks: Mapping[str, int]
    body: bytes = field(repr=False)
    others: int = 0

    def lines(self) -> Iterator[str]:
        """Yield what would happen, without any text."""
        changed = sum(text != made for text, made in self.texts.items())
        yield f"{self.path}: {len(self.texts):,} different texts, {changed:,} of them changed. Nothing was sent."
        told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.marks.items()))
        yield f"Replaced: {told or 'nothing'}. Restored in the answer: {len(self.names):,} pseudonyms."
        if self.others:
            yield f"In another language than the policy reads: {self.others:,}; names in them may pass."

    def page(self) -> str:
        """Return a page with every text before and after. PRIVATE."""
        rows = "".join(
            "<tr><td>{}</td><td>{}</td></tr>".format(*_marked(text, made, self.names))
            for text, made in self.texts.items()
        )
        told = "".join(f"<p>{escape(line)}</p>" for line in self.lines())
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>What would go out</title>'
            f"<style>{_STYLE}</style>"
            f"<h1>What would go out</h1>{told}<p>This page holds private text.</p>"
            "<p>Sent: <mark>a pseudonym</mark>, restored in the answer; <mark class=drawn>drawn or replaced</mark>, "
            "which is not undone.</p>"
            f"<table><thead><tr><th>written</th><th>sent</th></tr></thead><tbody>{rows}</tbody></table></html>\n"
        )


def rehearsed(path: Path, shield: Shield, settings: Settings) -> Rehearsed:
    """Return what becomes of the request in the file ``path``. Raise InputError, or what the gateway would answer."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path.name} cannot be read ({error.strerror}).") from None
    body = parsed(content)
    dialect = dialect_of(body)
    walk, session = Walk.by(settings), Sessions().of("rehearsal", "rehearsal")
    dialect.look(walk, body)
    looked = finished(replaced(walk, shield.without_till, session))
    dialect.prepared(body, session.user)
    sent = json.dumps(body, ensure_ascii=False, indent=1).encode()
    return Rehearsed(dialect.path, looked.texts, looked.names, looked.marks, sent, looked.others)


def dialect_of(body: Mapping[str, object]) -> Dialect:
    """Return the dialect whose shape ``body`` has. Raise RefusedError, with what the most likely one refuses."""
    first: RefusedError | None = None
    likely = sorted(DIALECTS, key=lambda dialect: ("input" in body) != (dialect.path == "/v1/responses"))
    for dialect in likely:
        try:
            dialect.look(Walk(images=True), json.loads(json.dumps(body)))
        except RefusedError as error:
            first = first or error
        else:
            return dialect
    assert first is not None
    raise first


def _marked(text: str, made: str, names: Mapping[str, str]) -> tuple[str, str]:
    """Return both texts as HTML, with what differs marked; of long ones only the pseudonyms."""
    before, after = (_SIGNS.findall(each) for each in (text, made))
    known = {word for name in names for word in _SIGNS.findall(name)}
    if max(len(before), len(after)) > _MOST_SIGNS:
        return escape(text), "".join(_mark(each, "" if each in names else None) for each in after)
    written, sent = list[str](), list[str]()
    for what, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        was, put = "".join(before[first:last]), after[begin:end]
        differs = what != "equal"
        written.append(_mark(was, "was" if differs else None))
        is_name = not known.isdisjoint(put)
        sent.append(_mark("".join(put), ("" if is_name else "drawn") if differs else None))
    return "".join(written), "".join(sent)


def _mark(text: str, kind: str | None) -> str:
    """Return ``text`` as HTML, marked as a ``kind`` of change; as it is for None."""
    if kind is None or not text:
        return escape(text)
    return f"<mark class={kind}>{escape(text)}</mark>" if kind else f"<mark>{escape(text)}</mark>"
