"""Draw docs/images/house.svg: the rooms of the package, floor by floor, and the walk of a private text through them.

Floors come from the import contract in pyproject.toml, what a room is for from its own docstring, so the picture
says what the code says. ``python docs/images/make_house.py`` draws it again; a test compares.
"""

from __future__ import annotations

import ast
import textwrap
import tomllib
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = Path(__file__).with_name("house.svg")
WALK = ("files", "detectors", "engines", "mechanisms", "privacy", "engines", "files")
"""The rooms that a private text passes, in order; docs/architecture.md says what happens in each."""
ACROSS, ROW, LOW_ROW, GAP, PAD, BADGE = 1040, 92, 56, 10, 12, 11


@dataclass(frozen=True)
class Room:
    """A folder of the package, or a module of its root."""

    name: str
    about: str


def floors() -> list[list[Room]]:
    """Return the rooms of each floor, the top one first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    return [[_room(name.strip()) for name in layer.split("|")] for layer in layers]


def _room(name: str) -> Room:
    folder = ROOT / "src" / "sfumato" / name
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    about = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0].replace("`", "")
    return Room(name, about)


def drawn(rows: list[list[Room]]) -> str:
    """Return the picture: a row for each floor, a numbered badge for each step of the walk."""
    heights = [LOW_ROW if len(row) == 1 else ROW for row in rows]
    tops = [GAP + sum(heights[:number]) + number * GAP for number in range(len(rows))]
    parts = [_floor(row, top, height) for row, top, height in zip(rows, tops, heights, strict=True)]
    height = tops[-1] + heights[-1] + GAP
    style = (
        "text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1d2228}.name{font-weight:bold;font-size:14px}"
        ".about{fill:#5b6470}.step{font-weight:bold;fill:#ffffff}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {ACROSS} {height}" role="img">\n'
        "<title>The rooms of sfumato; a room imports only from the floors below it</title>\n"
        f"<style>{style}</style>\n"
        f'<rect width="{ACROSS}" height="{height}" rx="10" fill="#e9edf1"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _floor(row: list[Room], top: int, height: int) -> str:
    width = (ACROSS - GAP) / len(row) - GAP
    boxes = [(GAP + number * (width + GAP), _box(room, width, height)) for number, room in enumerate(row)]
    return "\n".join(f'<g transform="translate({left:g} {top})">{box}</g>' for left, box in boxes)


def _box(room: Room, width: float, height: int) -> str:
    steps = [number for number, name in enumerate(WALK, 1) if name == room.name]
    fill = "#fff1e6" if steps else "#ffffff"
    lines = textwrap.wrap(room.about, int((width - 2 * PAD) / 6.4))[:4]
    parts = [
        f'<rect width="{width:g}" height="{height}" rx="6" fill="{fill}" stroke="#c3cad2"/>',
        f'<text class="name" x="{PAD}" y="22">{escape(room.name)}</text>',
        *(
            f'<text class="about" x="{PAD}" y="{42 + 15 * line}">{escape(words)}</text>'
            for line, words in enumerate(lines)
        ),
    ]
    for number, step in enumerate(reversed(steps)):
        x, y = width - PAD - BADGE - number * (2 * BADGE + 6), height - PAD - BADGE + 4
        parts.append(f'<circle cx="{x:g}" cy="{y}" r="{BADGE}" fill="#c2410c"/>')
        parts.append(f'<text class="step" x="{x:g}" y="{y + 4}" text-anchor="middle">{step}</text>')
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(drawn(floors()), encoding="utf-8")
