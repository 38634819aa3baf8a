"""What a page shows and hides, tag by tag: one text is all of a block, whatever tags lie inside it."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from sfumato.documents.names import Names, treated
from sfumato.documents.rules import DROP, KEEP, TREAT, Refused
from sfumato.documents.slot import Edit, Slot
from sfumato.documents.web import html_spaces
from sfumato.documents.web.html_attributes import Page, is_for_programs
from sfumato.documents.web.html_headings import Headings
from sfumato.documents.web.html_joints import Joint
from sfumato.documents.web.html_json import json_treated
from sfumato.documents.web.html_known import BLOCKS, ENDING_P, INLINE, PROGRAMS, VOID
from sfumato.documents.web.html_parts import part_of
from sfumato.documents.web.html_style import Sheet, styled
from sfumato.documents.web.html_tokens import FOREIGN, SPACE, Token, references, tokens
from sfumato.documents.web.sourced import Sourced

_ENDED_BY = {
    "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "option": {"option"}, "optgroup": {"option", "optgroup"},
    "tr": {"tr", "td", "th"}, "td": {"td", "th"}, "th": {"td", "th"}, "body": {"head"},
    "tbody": {"tr", "td", "th", "thead", "tbody"}, "tfoot": {"tr", "td", "th", "tbody", "thead"},
}  # fmt: skip
_SUPPORTED = "Annotations|EmptyParas|Fields|FootNotes|Lists|MisalignedColumns|NestedAnchors|TextWrap"
_IF = rf"\[if (?:[\s!|&()\d.]|\b(?:true|false|IE|mso|vml|[gl]te?|support(?:{_SUPPORTED}))\b){{1,60}}\]"
_CONDITION = re.compile(rf"{_IF}|\[endif\]", re.IGNORECASE)
_CONDITIONAL = re.compile(rf"({_IF}>)(.*)(<!\[endif\])", re.IGNORECASE | re.DOTALL)
_DOCTYPE = re.compile(
    r"<!doctype html(?:\s+public\s+\"-//W3C//DTD X?HTML [\w. ]+//EN\"(?:\s+\"http://www\.w3\.org/[\w./-]+\")?"
    r"|\s+system\s+\"about:legacy-compat\")?\s*>", re.IGNORECASE,
)  # fmt: skip
_INSTRUCTION = re.compile(r"\?xml version=[\"']1\.\d[\"'](?: encoding=[\"'][\w-]+[\"'])?(?: standalone=\"\w+\")? ?\?")
_DEEPEST = 2000
_PREFORMATTED = ("pre", "textarea", "listing", "xmp")
_PLAIN_NAME = re.compile(r"[a-zA-Z_][\w:.-]*")
_END = re.compile(rf"</[a-zA-Z][\w:.-]*[{SPACE}]*>")
_PLAIN_COMMENT = re.compile(r"<!--\s*-->")
_COMMENT_SIGNS = re.compile(r"^(?=-?>)|(?<=-)(?=-!?>)")
_CHARSET = re.compile(r"charset\s*=\s*[\w-]+", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    name: str
    action: str
    tag: bool = True
    spaced: bool = False


@dataclass(slots=True)
class Body:
    """The state of one traversal. PRIVATE."""

    page: Page
    written: list[str] = field(default_factory=list, repr=False)
    open: list[_Open] = field(default_factory=list)
    block: Sourced = field(default_factory=Sourced, repr=False)
    begun: int = 0
    preformatted: int = 0
    spaces: int = 0
    foreign: int = 0
    spaced: bool = True
    joint: Joint = field(default_factory=Joint)
    headings: Headings = field(default_factory=Headings, repr=False)

    def rewritten(self, source: str) -> Generator[Slot, None, str]:
        """Yield the texts of a page or a part of one; return it with their edits and its white space between signs.

        See :mod:`html_spaces`. Raise Refused.
        """
        self.begun = self.page.tags
        for token in tokens(source):
            yield from self._handle(token)
        yield from self._end_of_block()
        return "".join(self.written)

    @property
    def _action(self) -> str:
        return self.open[-1].action if self.open else TREAT

    def _handle(self, token: Token) -> Generator[Slot, None, None]:
        self.joint.see(token)
        if token.kind == "end":
            yield from self._end(token)
        elif token.kind == "start":
            self._imply_ends(token.name)
            if self._action == DROP:
                self._open(token, DROP)
            else:
                yield from self._start(token)
        elif self._action == DROP:
            pass
        elif self._action == KEEP and token.kind != "doctype":
            self.block.add("", token.source, stays=True)
        elif token.kind == "text":
            self._text(token.source, token.name)
        elif token.kind == "cdata":
            self._text(token.text.replace("&", "&amp;").replace("<", "&lt;"), "")
        elif token.kind == "comment":
            self.block.add("", (yield from self._comment(token)), stays=True)
        elif token.kind == "raw":
            self.block.add("", (yield from self._raw(token)), stays=True)
        elif token.kind == "doctype":
            known = _DOCTYPE.fullmatch(token.source) or self._keeps_unknown()
            self.block.add("", token.source if known else "<!DOCTYPE html>", stays=True)
        elif _CONDITION.fullmatch(token.text) or _INSTRUCTION.fullmatch(token.text) or self._keeps_unknown():
            self.block.add("", token.source, stays=True)

    def _keeps_unknown(self) -> bool:
        return self.page.visit.rule("unknown", f"{self.page.within}tag {self.page.tags + 1}") == KEEP

    def _start(self, token: Token) -> Generator[Slot, None, None]:
        name, page = token.name, self.page
        place = f"{page.within}tag {page.tags + 1}"
        if self._action == KEEP:
            self._open(token, KEEP)
            self._add(token.source)
        elif name not in INLINE | BLOCKS | PROGRAMS:
            action = page.visit.rule("unknown", place)
            self._open(token, TREAT, tag=action == KEEP)
            if action == KEEP:
                self._add(token.source)
        else:
            part = part_of(token)
            action = page.visit.rule(part, place) if part else TREAT
            self._open(token, action)
            if action != DROP and name not in INLINE:
                yield from self._end_of_block()
                self.headings.start(name, token.attributes)
            if action == KEEP:
                self._add(token.source)
            elif action != DROP and (name != "meta" or self._has_meta(token, place)):
                self._add((yield from self._tag(token, place)), "\n" if name == "br" else "", name != "wbr")
                self.spaced = self.spaced or name == "br"

    def _add(self, source: str, shown: str = "", stays: bool = True) -> None:
        self.page.tags += 1
        self.block.add(shown, source, stays)

    def _end(self, token: Token) -> Generator[Slot, None, None]:
        place = next((i for i in range(len(self.open) - 1, -1, -1) if self.open[i].name == token.name), None)
        name, action = token.name, self._action if place is None else self.open[place].action
        tag = action == KEEP or name in INLINE | BLOCKS if place is None else self.open[place].tag
        if place is not None:
            self._close(place)
        if action == DROP or not tag:
            return
        if name in BLOCKS:
            yield from self._end_of_block()
            self.headings.end(name)
        plain = name != "xmp" and (_END.fullmatch(token.source) or (token.attributes and self._keeps_unknown()))
        self._add(token.source if plain else f"</{'pre' if name == 'xmp' else name}>")

    def _open(self, token: Token, action: str, *, tag: bool = True) -> None:
        foreign = self.foreign > 0 or token.name in FOREIGN
        if token.name not in VOID and not (foreign and token.source.endswith("/>")):
            if len(self.open) >= _DEEPEST:
                raise Refused(f"{self.page.within}elements lie more than {_DEEPEST:,} deep; save the page again")
            self.open.append(_Open(token.name, action, tag, html_spaces.shown_by(token, self.page.spaced)))
            self.spaces += self.open[-1].spaced
            self.preformatted += token.name in _PREFORMATTED
            self.foreign += token.name in FOREIGN

    def _close(self, place: int) -> None:
        self.spaces -= sum(each.spaced for each in self.open[place:])
        self.preformatted -= sum(each.name in _PREFORMATTED for each in self.open[place:])
        self.foreign -= sum(each.name in FOREIGN for each in self.open[place:])
        del self.open[place:]

    def _imply_ends(self, name: str) -> None:
        ended = _ENDED_BY.get(name, set()) | ({"p"} if name in ENDING_P else set())
        while ended:
            place = len(self.open) - 1
            while place >= 0 and self.open[place].name in INLINE:
                place -= 1
            if place < 0 or self.open[place].name not in ended:
                return
            self._close(place)

    def _tag(self, token: Token, place: str) -> Generator[Slot, None, str]:
        new, page = dict[str, str](), self.page
        for name in token.attributes:
            where = f"{place}, attribute {len(new) + 1}"
            if not _PLAIN_NAME.fullmatch(name):
                value = None
            elif name == "srcdoc":
                inner = Page(page.visit.inside(where), page.contents, names=Names(f"{where}, "), within=f"{where}, ")
                value = html_spaces.settled(
                    (yield from Body(inner).rewritten(token.attributes[name])), token.attributes[name]
                )
            else:
                value = yield from page.attribute(token, name, where)
            if value is not None:
                if name.startswith("data-"):
                    name = "data-" + (yield from page.names.named(name[5:], page.visit))
                new[name] = value
        if page.charset and token.name == "meta":
            _declare(new, page.charset)
        if token.normal and new == token.attributes and token.name != "xmp":
            return html_spaces.tag_loose(token.source, new)
        name = "pre" if token.name == "xmp" else token.name
        attributes = "".join(f' {key}="{escaped(value)}"' for key, value in new.items())
        return html_spaces.tag_loose(f"<{name}{attributes}{' /' if token.source.endswith('/>') else ''}>", new)

    def _has_meta(self, token: Token, place: str) -> bool:
        """Return whether a tag of ``meta`` remains: those for programs do, those about the page are properties."""
        if "content" not in token.attributes or is_for_programs(token.attributes):
            return True
        return self.page.visit.rule("properties", place) != DROP

    def _raw(self, token: Token) -> Generator[Slot, None, str]:
        page, place = self.page, f"{self.page.within}tag {self.page.tags}"
        if token.name == "style":
            page.spaced.update(html_spaces.selected(token.text))
            return html_spaces.sheet_loose(
                (yield from styled(token.text, Sheet(page.visit, page.names, page.link, place)))
            )
        if token.name == "xmp":
            self._text(escaped(token.text), token.name)
            return ""
        if token.name == "script":  # treated: what programs read about a page
            return (yield from json_treated(token.text, place))
        inner = Page(page.visit, page.contents, page.charset, page.names, f"{place}, ")
        return (yield from Body(inner).rewritten(token.text))

    def _comment(self, token: Token) -> Generator[Slot, None, str]:
        text, page = token.text, self.page
        if not text.strip():
            return token.source if _PLAIN_COMMENT.fullmatch(token.source) else ""
        page.comments += 1
        place = f"{page.within}comment {page.comments}"
        if (match := _CONDITIONAL.fullmatch(text)) and "<!--" not in match[2]:
            action = page.visit.rule("comments", place)
            if action != TREAT:
                return token.source if action == KEEP else ""
            inner = Page(page.visit, page.contents, page.charset, page.names, f"{place}, ")
            new: str | None = match[1] + (yield from Body(inner).rewritten(match[2])) + match[3]
        else:
            new = yield from treated(page.visit, "comments", text, place)
            new = new and html_spaces.lines_loose(new)
        if new is None:
            page.comments -= 1
            return ""
        plain = token.source.endswith("-->") and not token.source.endswith("--!>")
        same = plain and html_spaces.unchanged(new) == text
        return f"<!--{new if same else _COMMENT_SIGNS.sub(' ', new)}-->"

    def _text(self, source: str, name: str) -> None:
        for shown, each in references(source):
            if not self.preformatted and each[:1] in SPACE:
                space = len(each) - len(each.lstrip(SPACE))
                run = each[:space] if self.spaces else html_spaces.loose(each[:space])
                self.block.add("" if self.spaced else " ", run)
                shown, each, self.spaced = shown[space:], each[space:], True
            if shown and self.joint.parts(self.block.shown, shown) and not self.spaced:
                self.block.add(" ", "")
            self.block.add(shown, each)
            self.spaced = shown[-1] in SPACE if shown else self.spaced

    def _end_of_block(self) -> Generator[Slot, None, None]:
        block, self.block = self.block, Sourced()
        text, edits = block.text.rstrip(), list[Edit]()
        if text.strip():
            slot = self.headings.slot(text, f"{self.page.within}text {self.begun}")
            yield slot
            edits = list(slot.edits)
        self.begun, self.spaced, self.joint = self.page.tags + 1, True, Joint()
        self.written.append(html_spaces.decided(block.written(edits, escaped), bool(text.strip())))


def _declare(attributes: dict[str, str], charset: str) -> None:
    if "charset" in attributes:
        attributes["charset"] = charset
    if attributes.get("http-equiv", "").lower() == "content-type":
        attributes["content"] = _CHARSET.sub(f"charset={charset}", attributes.get("content", ""))


def escaped(text: str) -> str:
    """Return ``text`` as a page writes it, in a block or between quotation marks."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("\0", "")
    )
