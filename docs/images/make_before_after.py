"""Draw docs/images/before-after.svg: one shipped record, and what three methods make of it.

The runs are seeded, so that anybody gets the same picture from ``python docs/images/make_before_after.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from pathlib import Path

import sfumato

HERE = Path(__file__).parent
RECORDS = HERE.parents[1] / "examples" / "records.jsonl"
TARGET = HERE / "before-after.svg"
SHOWN, SEED = "support-003", 7
COLUMNS, LINE, LETTER = 50, 19, 8.0
"""Characters in a line of a panel, pixels from line to line, pixels of a character."""
PADDING, GAP, HEAD = 16, 14, 50
PRIVATE, DRAWN = "#ffd9c7", "#cdeccd"
Span = tuple[int, int]


@dataclass(frozen=True)
class Panel:
    """A text with a heading, a line below it, and spans on a coloured ground."""

    title: str
    about: str
    text: str
    spans: list[Span]
    colour: str

    @property
    def lines(self) -> list[Span]:
        """Bounds of its lines, broken at blanks."""
        return [match.span() for match in re.finditer(rf"\S(?:.{{0,{COLUMNS - 2}}}\S)?(?=\s|$)", self.text)]


def panels() -> list[Panel]:
    """The record, and what each method makes of it."""
    record = next(row for row in map(json.loads, RECORDS.open(encoding="utf-8")) if row["id"] == SHOWN)
    document = sfumato.Document(record["text"], id=record["id"], metadata=record)
    marked = [(span["start"], span["end"]) for span in record["spans"]]

    def made(method: str, about: Callable[[int], str], **options: object) -> Panel:
        if method.startswith("policy "):
            sanitizer: sfumato.Sanitizer = sfumato.build_policy(method.removeprefix("policy "))
        else:
            sanitizer = sfumato.build(method, **options)  # type: ignore[arg-type]
        release = sanitizer.sanitize(document, sfumato.SeededRandomness(SEED))
        epsilon = options.get("epsilon")
        title = f"{method}, ε = {epsilon:g}" if isinstance(epsilon, float) else method
        spans = [(replacement.start, replacement.end) for replacement in release.replacements]
        return Panel(title, about(release.draws), release.text, _changed(spans, release.text, record["text"]), DRAWN)

    return [
        Panel("before", "the marked spans are private", record["text"], marked, PRIVATE),
        made("redaction", lambda _: "pseudonyms; no formal guarantee", detect="identifiers"),
        made("policy support", lambda draws: f"{draws} draws, each with a guarantee"),
        made("dp-mlm", lambda draws: f"{draws} draws, each with a guarantee", epsilon=12.0, detect="words"),
    ]


def _changed(spans: list[Span], text: str, original: str) -> list[Span]:
    """Return the spans of ``text`` that do not say what the original says in the same place."""
    kept = [
        block for block in SequenceMatcher(None, original, text, autojunk=False).get_matching_blocks() if block.size
    ]
    inside = [(block.b, block.b + block.size) for block in kept]
    return [span for span in spans if not any(first <= span[0] and span[1] <= last for first, last in inside)]


def drawn(shown: list[Panel]) -> str:
    """Return the picture: two panels beside each other, on a light ground of their own."""
    width = COLUMNS * LETTER + 2 * PADDING
    height = HEAD + LINE * max(len(panel.lines) for panel in shown) + PADDING
    parts = []
    for number, panel in enumerate(shown):
        x, y = GAP + number % 2 * (width + GAP), GAP + number // 2 * (height + GAP)
        parts.append(f'<g transform="translate({x:g} {y:g})">{_panel(panel, width, height)}</g>')
    across, down = 2 * width + 3 * GAP, len(shown) // 2 * (height + GAP) + GAP
    style = (
        "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1d2228;"
        "white-space:pre}.title{font-weight:bold}.about{fill:#5b6470}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {down:g}" role="img">\n'
        "<title>A support ticket, and what redaction, clusant and dp-mlm make of it</title>\n"
        f"<style>{style}</style>\n"
        f'<rect width="{across:g}" height="{down:g}" rx="10" fill="#e9edf1"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _panel(panel: Panel, width: float, height: float) -> str:
    parts = [
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#ffffff" stroke="#c3cad2"/>',
        f'<text class="title" x="{PADDING}" y="26">{escape(panel.title)}</text>',
        f'<text class="about" x="{width - PADDING:g}" y="26" text-anchor="end">{escape(panel.about)}</text>',
    ]
    for row, (start, end) in enumerate(panel.lines):
        y = HEAD + LINE * row
        for first, last in panel.spans:
            left, right = max(first, start), min(last, end)
            if left < right:
                x, wide = PADDING + (left - start) * LETTER - 2, (right - left) * LETTER + 4
                size = f'width="{wide:g}" height="{LINE - 2}"'
                parts.append(f'<rect x="{x:g}" y="{y}" {size} rx="3" fill="{panel.colour}"/>')
        words, long = escape(panel.text[start:end]), (end - start) * LETTER
        parts.append(f'<text x="{PADDING}" y="{y + 13}" textLength="{long:g}">{words}</text>')
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(drawn(panels()), encoding="utf-8")
