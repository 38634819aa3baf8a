"""HTML fragments that a notebook shows. Everything put in is escaped; there is no script and no style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "text-align: left; vertical-align: top; padding: .2em .8em .2em 0"
_TEXT = f"{_CELL}; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; max-width: 34em"
_BAR = "background: #2b6cb0; height: .8em; min-width: 1px"


def escaped(value: object) -> str:
    """Return ``value`` as text of an HTML page; "?" replaces a lone surrogate, which no page can hold."""
    return escape(str(value).encode("utf-8", "replace").decode("utf-8"))


def caption(title: object) -> str:
    """Return a line above a table."""
    return f"<p><strong>{escaped(title)}</strong></p>"


def table(rows: Iterable[Sequence[object]], header: Sequence[object] = ()) -> str:
    """Return a table of ``rows``, below its ``header`` if there is one."""
    head = "".join(f'<th style="{_CELL}">{escaped(name)}</th>' for name in header)
    lines = ["".join(f'<td style="{_CELL}">{escaped(cell)}</td>' for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in (head, *lines) if line)}</table>"


def bars(rows: Sequence[tuple[object, float]]) -> str:
    """Return a list of names with their numbers, each with a bar as long as its share of the largest one."""
    most = max((number for _, number in rows), default=0.0) or 1.0
    body = "".join(
        f'<tr><td style="{_CELL}">{escaped(name)}</td><td style="{_CELL}">{number:.3g}</td>'
        f'<td style="width: 12em"><div style="{_BAR}; width: {100 * number / most:.1f}%"></div></td></tr>'
        for name, number in rows
    )
    return f"<table>{body}</table>"


def columns(titles: Sequence[str], texts: Sequence[str]) -> str:
    """Return ``texts``, which :func:`marked` made, side by side below their ``titles``."""
    head = "".join(f'<th style="{_CELL}">{escaped(title)}</th>' for title in titles)
    body = "".join(f'<td style="{_TEXT}">{text}</td>' for text in texts)
    return f"<table><tr>{head}</tr><tr>{body}</tr></table>"


def marked(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Return ``text`` with its ``spans`` marked. They are sorted and disjoint; the label shows on pointing."""
    parts, done = [], 0
    for start, end, label in spans:
        parts += [escaped(text[done:start]), f'<mark title="{escaped(label)}">{escaped(text[start:end])}</mark>']
        done = end
    return "".join([*parts, escaped(text[done:])])
