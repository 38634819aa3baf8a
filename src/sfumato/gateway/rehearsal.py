"""What would go out of a recorded request, before and after: nothing is sent, and nothing is paid."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.5rem;vertical-align:top;"
    "text-align:left;white-space:pre-wrap;overflow-wrap:anywhere;width:50%}mark{background:#ffd54a}"
)


@dataclass(frozen=True)
class Rehearsed:
    """What a request becomes. PRIVATE: it holds what was replaced."""

    path: str
    texts: Mapping[str, str] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    marks: Mapping[str, int]
    body: bytes = field(repr=False)

    def lines(self) -> Iterator[str]:
        """Yield what would happen, without any text."""
        changed = sum(text != made for text, made in self.texts.items())
        yield f"{self.path}: {len(self.texts):,} different texts, {changed:,} of them changed. Nothing was sent."
        told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.marks.items()))
        yield f"Replaced: {told or 'nothing'}. Restored in the answer: {len(self.names):,} pseudonyms."

    def page(self) -> str:
        """Return a page with every text before and after. PRIVATE."""
        rows = "".join(
            f"<tr><td>{escape(text)}</td><td>{_marked(made, self.names)}</td></tr>"
            for text, made in self.texts.items()
        )
        told = "".join(f"<p>{escape(line)}</p>" for line in self.lines())
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>What would go out</title>'
            f"<style>{_STYLE}</style>"
            f"<h1>What would go out</h1>{told}<p>This page holds private text.</p>"
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
    return Rehearsed(dialect.path, looked.texts, looked.names, looked.marks, sent)


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


def _marked(text: str, names: Mapping[str, str]) -> str:
    made = escape(text)
    for name in names:
        made = made.replace(escape(name), f"<mark>{escape(name)}</mark>")
    return made
