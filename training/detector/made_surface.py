"""How a text looks: letter case, typing errors, spaces, line breaks and markup, with the marks moved along."""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """Some characters, and what they are."""

    text: str
    label: str | None = None
    telling: bool = False
    origin: str | None = None


_KEYS = {
    "a": "sq",
    "e": "wr",
    "i": "uo",
    "o": "ip",
    "n": "mb",
    "r": "et",
    "s": "ad",
    "t": "ry",
    "l": "k",
    "h": "gj",
    "d": "sf",
    "c": "xv",
}
_BESIDE = (" ", " at ")
_FIXED = {"CODE", "EMAIL", "URL", "IP", "USERNAME", "PHONE"}
_VOWEL = re.compile(r"[aeiouAEIO]")
_ARTICLE = re.compile(r"(?:^|[\s(\"])([Aa])( +)$")


def joined(pieces: list[Piece], language: str = "en") -> list[Piece]:
    """Join neighbours without a mark, and a date with the time beside it; in English write ``an`` before a vowel."""
    out: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if out and out[-1].label is None:
            before = out[-1].text
            match = _ARTICLE.search(before) if language == "en" else None
            if (
                match
                and _VOWEL.match(piece.text)
                and not re.match(r"(?:[Uu]ni|[Oo]ne|[Ee]u|[AEIO] ?\d|[A-Z]{2})", piece.text)
            ):
                before = f"{before[: match.end(1)]}n{match[2]}"
            if piece.label is None:
                out[-1] = Piece(before + piece.text)
                continue
            out[-1] = Piece(before)
            if piece.label == "DATE" and before in _BESIDE and len(out) > 1 and out[-2].label == "DATE":
                whole = out[-2].text + before + piece.text
                out[-2:] = [out[-2]._replace(text=whole)]
                continue
        out.append(piece)
    return out


def dressed(pieces: list[Piece], rng: random.Random, prose: bool) -> list[Piece]:
    """Change the look of a text now and then."""
    if rng.random() < 0.45:
        return pieces
    ways = [_lower, _typing, _typing, _spaces, _typing_inside, _no_commas, _names_up, _tight]
    if prose:
        ways += [scanned, _upper, _wrapped, _wrapped, _markup, _quoted, _long_dashes]
    for way in rng.sample(ways, 1 if rng.random() < 0.75 else 2):
        pieces = way(pieces, rng)
    return pieces


def _lower(pieces: list[Piece], _: random.Random) -> list[Piece]:
    return [piece._replace(text=piece.text.lower().replace("i̇", "i")) for piece in pieces]


def _upper(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    if rng.random() < 0.5:
        return pieces
    return [piece if piece.label in ("URL", "EMAIL") else piece._replace(text=piece.text.upper()) for piece in pieces]


def _names_up(pieces: list[Piece], _: random.Random) -> list[Piece]:
    return [
        piece._replace(text=piece.text.upper()) if piece.label == "PERSON" and len(piece.text) > 2 else piece
        for piece in pieces
    ]


def _misspelt(text: str, rng: random.Random, rate: float) -> str:
    letters = list(text)
    place = 1
    while place < len(letters) - 1:
        if letters[place].islower() and letters[place + 1].islower() and rng.random() < rate:
            error = rng.randrange(4)
            if error == 0:
                letters[place], letters[place + 1] = letters[place + 1], letters[place]
            elif error == 1:
                del letters[place]
            elif error == 2:
                letters.insert(place, letters[place])
            elif letters[place] in _KEYS:
                letters[place] = rng.choice(_KEYS[letters[place]])
            place += 2
        place += 1
    return "".join(letters)


def _typing(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    rate = rng.choice((0.005, 0.01, 0.03))
    return [piece if piece.label else Piece(_misspelt(piece.text, rng, rate)) for piece in pieces]


def _typing_inside(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    return [
        piece
        if piece.label in _FIXED
        else piece._replace(text=_misspelt(piece.text, rng, 0.05 if piece.label else 0.004))
        for piece in pieces
    ]


def _spaces(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    gap = rng.choice(("  ", "  ", "\u00a0"))
    every = rng.random() < 0.3
    return [
        piece if piece.label in _FIXED and gap != "\u00a0" else piece._replace(
            text=re.sub(r"(?<=\S) (?=\S)", lambda _: gap if every or rng.random() < 0.08 else " ", piece.text)
        )
        for piece in pieces
    ]  # fmt: skip


def _no_commas(pieces: list[Piece], _: random.Random) -> list[Piece]:
    return [piece if piece.label else Piece(re.sub(r"[,.](?=\s|$)", "", piece.text)) for piece in pieces]


def _tight(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    if rng.random() < 0.5:
        return pieces
    return [piece if piece.label else Piece(re.sub(r"([:,;.]) (?=\S|$)", r"\1", piece.text)) for piece in pieces]


def _long_dashes(pieces: list[Piece], _: random.Random) -> list[Piece]:
    return [
        piece if piece.label else Piece(piece.text.replace(" - ", " – ").replace("'", "’").replace("...", "…"))
        for piece in pieces
    ]


def _wrapped(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Break lines at a width, inside marks too."""
    width, column = rng.choice((40, 60, 72, 72, 78)), 0
    out = []
    for piece in pieces:
        words = re.split(r"( |\n)", piece.text)
        for place, word in enumerate(words):
            if word == " " and place + 1 < len(words) and column + 1 + len(words[place + 1]) > width:
                words[place] = "\n"
                column = 0
            elif word == "\n":
                column = 0
            else:
                column += len(word)
        out.append(piece._replace(text="".join(words)))
    return out


def scanned(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Confuse letters as a scanner does, or, seldom, as somebody does who hides a name in another script."""
    pairs: tuple[tuple[str, str], ...] = (
        ("rn", "m"),
        ("l", "1"),
        ("O", "0"),
        ("I", "l"),
        ("e", "c"),
        ("h", "b"),
        ("S", "5"),
        (",", "."),
        ("m", "rn"),
    )
    if rng.random() < 0.2:
        pairs = (("a", "а"), ("e", "е"), ("o", "о"), ("c", "с"), ("p", "р"))
    rate = rng.choice((0.01, 0.03, 0.08))
    out = []
    for piece in pieces:
        text = piece.text
        for right, wrong in pairs if piece.label not in _FIXED else ():
            text = re.sub(right, lambda match: wrong if rng.random() < rate else match[0], text)  # noqa: B023
        out.append(piece._replace(text=text))
    return out


def _quoted(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Begin each line with a sign of quotation."""
    sign = rng.choice(("> ", "> ", ">> ", "| "))
    out = [Piece(sign)]
    for piece in pieces:
        out.append(piece if piece.label else Piece(piece.text.replace("\n", f"\n{sign}")))
    return out


def _markup(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Put marked values, or paragraphs, into signs of HTML or Markdown."""
    before, after = rng.choice(
        (
            ("<b>", "</b>"),
            ("**", "**"),
            ("<span>", "</span>"),
            ("*", "*"),
            ("_", "_"),
            ("[", "]"),
            ('"', '"'),
            ("<td>", "</td>"),
        )
    )
    if rng.random() < 0.4:
        line = rng.choice(("<br>\n", "<br/>", "</p>\n<p>", "\\n", "&nbsp;\n"))
        return [piece if piece.label else Piece(piece.text.replace("\n", line)) for piece in pieces]
    kind = rng.choice([piece.label for piece in pieces if piece.label] or ["PERSON"])
    out = []
    for piece in pieces:
        out += [Piece(before), piece, Piece(after)] if piece.label == kind else [piece]
    return out


def record_of(pieces: list[Piece]) -> tuple[str, list[dict[str, Any]]]:
    """Return the characters and the marks; a mark neither begins nor ends with a space."""
    text, entities = "", []
    for piece in pieces:
        start = len(text)
        text += piece.text
        if piece.label:
            start += len(piece.text) - len(piece.text.lstrip())
            mark = {
                "start": start,
                "end": start + len(piece.text.strip()),
                "label": piece.label,
                "telling": piece.telling,
            }
            if piece.origin:
                mark["origin"] = piece.origin
            entities.append(mark)
    return text, entities
