"""Forms, tables, JSON and logs: the same values without sentences."""

from __future__ import annotations

from collections.abc import Callable

from made_grammar import parsed, sections
from made_surface import Piece
from made_world import World

_LAYOUTS = (
    "colon",
    "colon",
    "colon",
    "tab",
    "pipe",
    "equals",
    "json",
    "json",
    "dots",
    "newline",
    "xml",
    "yaml",
    "bracket",
    "wide",
)


def form(world: World) -> tuple[str, list[Piece]]:
    """Write a form about one person, a table of several, or a log."""
    shape = world.rng.random()
    if shape < 0.5:
        return "form", _fields(world)
    if shape < 0.75 or world.section("log.line") is None:
        return "table", _table(world)
    return "log", _log(world)


def _rows(world: World, most: int) -> list[tuple[str, str]]:
    """Return names of fields and the templates of their values, in the order of the list with some left out."""
    names = sorted(name for name in sections(world.language) if name.startswith("field."))
    section = sections(world.language)[world.rng.choice(names)]
    lines = list(section.lines[world.part])
    picked = sorted(world.rng.sample(range(len(lines)), min(len(lines), world.rng.randint(3, most))))
    if world.rng.random() < 0.3:
        world.rng.shuffle(picked)
    world.used.extend(lines[place].identifier for place in picked)
    rows = []
    for place in picked:
        label, _, value = lines[place].text.partition(" => ")
        rows.append((world.rng.choice(label.split("/")), value))
    return rows


def _fields(world: World) -> list[Piece]:
    rng, layout = world.rng, world.rng.choice(_LAYOUTS)
    rows = _rows(world, 14)
    case: Callable[[str], str] = rng.choice((str, str, str, str.upper, str.lower, _snake))
    if layout in ("json", "xml", "yaml", "equals") and rng.random() < 0.8:
        case = rng.choice((_snake, _snake, _camel))
    width = max(len(label) for label, _ in rows) + 2
    out: list[Piece] = []
    head = world.section("form.head")
    if head and layout not in ("json", "yaml") and rng.random() < 0.5:
        out += [*world.template("form.head"), Piece("\n")]
    out.append(Piece({"json": "{", "xml": "<record>\n"}.get(layout, "")))
    pretty = rng.random() < 0.6
    for number, (label, value) in enumerate(rows):
        name = case(label)
        before, after = _around(layout, name, width, pretty, number == len(rows) - 1)
        out += [Piece(before), *world.write(parsed(value)), Piece(after)]
    out.append(Piece({"json": "\n}" if pretty else "}", "xml": "</record>"}.get(layout, "")))
    return out


def _around(layout: str, name: str, width: int, pretty: bool, last: bool) -> tuple[str, str]:
    if layout == "json":
        return (f'\n  "{name}": "' if pretty else f'"{name}":"'), '"' if last else '",'
    end = "" if last else "\n"
    return {
        "colon": (f"{name}: ", end),
        "tab": (f"{name}\t", end),
        "pipe": (f"| {name} | ", f" |{end}"),
        "equals": (f"{name}=", "" if last else "\n" if pretty else "; "),
        "dots": (f"{name} {'.' * max(3, width + 8 - len(name))} ", end),
        "newline": (f"{name}\n", f"{end}{end}"),
        "xml": (f"  <{name.replace(' ', '_')}>", f"</{name.replace(' ', '_')}>\n"),
        "yaml": (f"{name}: ", end),
        "bracket": (f"[{name}] ", end if pretty else "" if last else " "),
        "wide": (f"{name}:".ljust(width + 3), end),
    }[layout]


def _snake(name: str) -> str:
    return "_".join(name.replace(".", "").replace("-", " ").lower().replace("i̇", "i").split())


def _camel(name: str) -> str:
    first, *rest = name.replace(".", "").replace("-", " ").lower().replace("i̇", "i").split()
    return first + "".join(word.title() for word in rest)


def _table(world: World) -> list[Piece]:
    """Several people, one a line, with a head or without."""
    rng = world.rng
    rows = _rows(world, 6)
    joint = rng.choice((",", ",", ", ", "\t", "\t", " | ", ";", "|", "   "))
    out: list[Piece] = []
    if rng.random() < 0.7:
        case: Callable[[str], str] = rng.choice((str, str, str.upper, _snake))
        out.append(Piece(joint.join(case(label) for label, _ in rows) + "\n"))
    used = world.used
    for number in range(rng.randint(2, 7)):
        row = World(rng, world.part, world.language)
        row.country, row.day, row.style = world.country, world.day, world.style
        if number:
            out.append(Piece("\n"))
        for place, (_, value) in enumerate(rows):
            if place:
                out.append(Piece(joint))
            cell = row.write(parsed(value))
            if joint in (",", ", ") and any("," in piece.text for piece in cell):
                cell = [Piece('"'), *cell, Piece('"')]
            out += cell
    world.used = used
    return out


def _log(world: World) -> list[Piece]:
    """Some lines of one or two templates of a log."""
    out: list[Piece] = []
    for number in range(world.rng.randint(2, 8)):
        if number:
            out.append(Piece("\n"))
        out += world.template("log.line")
    return out
