"""Subtitles (WebVTT and SRT): cues, speakers, notes and styles. Lines of times and positions stay as they are."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from html import unescape
from io import StringIO
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.names import Names, is_public, treated
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.web.html_style import Sheet, styled
from sfumato.documents.web.sourced import Sourced

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?P<settings>[^\n]*)")
_SETTING = re.compile(
    r"vertical:(?:rl|lr)|(?:line|position|size):-?\d{1,4}(?:\.\d{1,8})?%?(?:,(?:start|center|end|line-left|line-right))?|align:(?:start|center|middle|end|left|right)"
    r"|[XY][12]:\d{1,4}"
)
_PIECE = re.compile(
    r"<(?P<end>/?)(?P<name>v|c|i|b|u|ruby|rt|lang|font|s)(?P<classes>(?:\.[^\s<>.&]+)*)(?:[ \t]+(?P<about>[^<>]*))?>"
    r"|<(?:\d{1,4}:)?\d{1,2}:\d{1,2}\.\d{1,3}>|\{\\an?\d{1,2}\}|&(?:[a-zA-Z]+|#[xX]?[0-9a-fA-F]+);|[\u200b\u2060\ufeff\u00ad]|[^<&{\u200b\u2060\ufeff\u00ad]+|."
)
_MAP = r"(?:LOCAL:[\d:.]{5,13}|MPEGTS:\d{1,10})"
_UNSEEN = frozenset("\u200b\u2060\ufeff\u00ad")
_HEAD = re.compile(
    rf"X-TIMESTAMP-MAP={_MAP},{_MAP}|Kind: ?(?:subtitles|captions|descriptions|chapters|metadata)"
    r"|Language: ?[a-zA-Z]{2,3}(?:-[a-zA-Z]{2})?"
)
_SHARE = r"\d{1,4}(?:\.\d{1,8})?%?"
_REGION = re.compile(rf"(?:width|lines|regionanchor|viewportanchor):{_SHARE}(?:,{_SHARE})?|scroll:up")
_FEW_DIGITS = 3
_COLOUR = re.compile(r"color=[\"']?#?(?:[0-9a-fA-F]{3}){1,2}[\"']?")


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of subtitles; see ``formats.Walk``."""
    mark, text = _text(file.read())
    ends = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    new = yield from _Subtitles(visit, text.startswith("WEBVTT")).written(text)
    if target is not None:
        target.write(mark + new.replace("\n", ends).encode("utf-16-le" if mark[:1] == b"\xff" else "utf-8"))


def _text(content: bytes) -> tuple[bytes, str]:
    mark = next((mark for mark in (b"\xef\xbb\xbf", b"\xff\xfe") if content.startswith(mark)), b"")
    try:
        text = content[len(mark) :].decode("utf-16-le" if mark == b"\xff\xfe" else "utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise Refused("it is not a text in UTF-8; save it as UTF-8")
    return mark, text


@dataclass(slots=True)
class _Subtitles:
    """The state of one traversal. PRIVATE."""

    visit: Visit
    vtt: bool
    names: Names = field(default_factory=Names, repr=False)
    cues: int = 0
    notes: int = 0

    def written(self, text: str) -> Generator[Slot, None, str]:
        if not self.vtt and not any(_TIMES.fullmatch(line) for line in text.split("\n")):
            raise Refused("it holds no line with the times of a cue; save it as WebVTT or SRT")
        body = text.rstrip("\n")
        blocks = re.split(r"(\n\n+)", body)
        for number in range(0, len(blocks), 2):
            first = self.vtt and number == 0
            blocks[number] = yield from (self._head(blocks[0]) if first else self._block(blocks[number]))
        return "".join(blocks) + text[len(body) :]

    def _head(self, block: str) -> Generator[Slot, None, str]:
        lines = block.split("\n")
        title = lines[0][6:]
        written = ["WEBVTT"]
        if title.strip() and (new := (yield from treated(self.visit, "properties", title.strip(), "header"))):
            written[0] += f" {_one_line(new)}"
        for number, line in enumerate(lines[1:], 1):
            if _TIMES.fullmatch(line):  # no empty line comes after the head
                return "\n".join(written) + "\n" + (yield from self._block("\n".join(lines[number:])))
            if _HEAD.fullmatch(line):
                written.append(line)
            elif new := (yield from treated(self.visit, "properties", line, f"header, line {len(written)}")):
                written.append(_one_line(new))
        return "\n".join(written)

    def _block(self, block: str) -> Generator[Slot, None, str]:
        lines = block.split("\n")
        times = [number for number, line in enumerate(lines) if _TIMES.fullmatch(line)]
        if not times:
            return (yield from self._without_times(block, lines))
        starts = [0, *(self._begins(lines, number) for number in times[1:])]
        written = []
        for start, end, at in zip(starts, [*starts[1:], len(lines)], times, strict=True):
            written.append((yield from self._cue(lines[start:end], at - start)))
        return "\n".join(written)

    def _begins(self, lines: list[str], number: int) -> int:
        return (
            number - 1 if lines[number - 1].strip().isdigit() and not _TIMES.fullmatch(lines[number - 1]) else number
        )

    def _cue(self, lines: list[str], at: int) -> Generator[Slot, None, str]:
        self.cues += 1
        place, written = f"cue {self.cues}", list[str]()
        for line in lines[:at]:
            written.append((yield from self._identifier(line)))
        written.append((yield from self._times(lines[at])))
        if lines[at + 1 :]:
            written.append((yield from self._payload("\n".join(lines[at + 1 :]), place)))
        return "\n".join(written)

    def _identifier(self, line: str) -> Generator[Slot, None, str]:
        """Yield what a cue is called, unless it is a number that counts the cues; SRT has numbers alone."""
        is_number = line.strip().isdecimal()
        counted = (str(self.cues - 1), str(self.cues))
        if is_number and (len(line.strip()) <= _FEW_DIGITS or line.strip() in counted):
            return line
        name = yield from self.names.named(line, self.visit)
        return name if name == line or self.vtt or not is_number else str(self.cues)

    def _times(self, line: str) -> Generator[Slot, None, str]:
        match = _TIMES.fullmatch(line)
        settings = match["settings"] if match else ""
        kept = list[str]()
        for setting in settings.split():
            if setting.startswith("region:"):
                kept.append("region:" + (yield from self.names.named(setting[7:], self.visit)))
            elif _SETTING.fullmatch(setting):
                kept.append(setting)
        if kept == settings.split():
            return line
        return " ".join([line[: len(line) - len(settings)].rstrip(), *kept])

    def _payload(self, source: str, place: str) -> Generator[Slot, None, str]:
        """Yield the text of a cue after those who speak it, whose names lead it."""
        text, leads, reading = Sourced(), list[str](), False
        for match in _PIECE.finditer(source):
            if match["name"] or match[0] == "</>":
                reading |= match["name"] == "rt"
                text.add("", (yield from self._tag(match, place, leads)), stays=True)
            elif match[0].startswith(("<", "{")) and len(match[0]) > 1:
                text.add("", match[0])
            else:
                shown = unescape(match[0])
                if reading and text.text[-1:].isalnum():  # the reading of a name is no part of its word
                    text.add(" ", "")
                text.add("" if shown in _UNSEEN else shown, match[0])
                reading = False
        slot = Slot(text.text, f"{place}, text", lead=f"{leads[0]}: " if leads else "")
        if slot.text.strip():
            yield slot
        edits = [edit._replace(output=_in_cue(edit.output)) for edit in slot.edits]
        written = text.written(edits, _escaped if self.vtt else str)
        return re.sub(r"\n{2,}", "\n", written).strip("\n") if edits else written

    def _tag(self, match: re.Match[str], place: str, leads: list[str]) -> Generator[Slot, None, str]:
        if match["end"]:
            return f"</{match['name']}>"
        classes = ""
        for name in filter(None, match["classes"].split(".")):
            classes += "." + (name if is_public(name) else (yield from self.names.named(name, self.visit)))
        about = (match["about"] or "").strip()
        if match["name"] == "v" and about:
            slot = Slot(unescape(about), f"{place}, speaker {len(leads) + 1}")
            yield slot
            leads.append(slot.text)
            about = about if slot.new == slot.text else _escaped(_one_line(slot.new)).replace(">", "&gt;")
        elif not (
            is_public(about) or _COLOUR.fullmatch(about) or re.fullmatch(r"[a-zA-Z]{2,3}(-[a-zA-Z]{2})?", about)
        ):
            about = ""
        if about == (match["about"] or "").strip() and classes == match["classes"]:
            return match[0]
        return f"<{match['name']}{classes}{' ' if about else ''}{about}>"

    def _without_times(self, block: str, lines: list[str]) -> Generator[Slot, None, str]:
        """Treat a note, a style, a region, or what a cue says after an empty line."""
        self.notes += 1
        place = f"block {self.notes}"
        word = lines[0].split(None, 1)[0] if lines[0].strip() else ""
        if not self.vtt:
            return (yield from self._payload(block, place)) if block.strip() else block
        if word == "STYLE" and lines[0].strip() == "STYLE":
            sheet = Sheet(self.visit, self.names, self._link, place)
            return "STYLE\n" + (yield from styled("\n".join(lines[1:]), sheet))
        if word == "REGION":
            return (yield from self._region(lines))
        part, begin = ("comments", "NOTE") if word == "NOTE" else ("hidden", "")
        text = block.removeprefix(begin)
        new = yield from treated(self.visit, part, text.strip(), place)
        if new == text.strip():
            return block
        if new is None:
            self.notes -= 1
            return "NOTE" if begin else ""
        return f"{begin} {new}".strip().replace("-->", "->")

    def _region(self, lines: list[str]) -> Generator[Slot, None, str]:
        kept = ["REGION"]
        for setting in " ".join(lines).split()[1:]:
            if setting.startswith("id:"):
                kept.append("id:" + (yield from self.names.named(setting[3:], self.visit)))
            elif _REGION.fullmatch(setting):
                kept.append(setting)
        return "\n".join(kept)

    def _link(self, url: str, place: str) -> Generator[Slot, None, str | None]:
        return (yield from treated(self.visit, "links", url, place))


def _in_cue(text: str) -> str:
    return re.sub(r"\n{2,}", "\n", text).replace("-->", "->")


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("-->", "->")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of subtitles as webvtt-py reads them, and its lines."""
    import webvtt

    _, text = _text(file.read())
    try:
        read = webvtt.from_string(text) if text.startswith("WEBVTT") else webvtt.from_buffer(StringIO(text), "srt")
        captions = [(str(each.text), str(each.raw_text), str(each.voice or "")) for each in read.captions]
    except (webvtt.errors.MalformedFileError, webvtt.errors.MalformedCaptionError):
        captions = []
    for number, each in enumerate(captions, 1):
        for seen in each:
            yield Seen(f"cue {number}", seen)
    for number, line in enumerate(text.splitlines(), 1):
        if not _TIMES.fullmatch(line):
            yield Seen(f"line {number}", line, raw=True)
            yield Seen(f"line {number}", unescape(line), raw=True)
