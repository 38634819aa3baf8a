"""Header lines of mail: what a person reads in one, and how it is written again."""

from __future__ import annotations

import binascii
import re
from collections.abc import Generator
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import Header, decode_header
from email.headerregistry import HeaderRegistry
from hashlib import blake2b

from sfumato.documents.charsets import text_of
from sfumato.documents.slot import Slot, spread

NOBODY = "nobody@address.invalid"
"""The address of a mailbox whose own one was changed into what is no address. Its text becomes the name."""
_ENCODED = re.compile(r"=\?[^?\s]*\?[bBqQ]\?[^?]*\?=")
_SAME = re.compile(r"[\s\"<>,;()\\]")
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*", re.ASCII)
_IDENTIFIER = re.compile(r"<[^<>\s]+>")
_CONTROLS = re.compile(r"[ ]*[\0-\x1f\x7f\x85\u2028\u2029][\0-\x20\x7f\x85\u2028\u2029]*")
_PACKED = re.compile(r"[A-Za-z0-9+/]{16,}")
_MOST_ENCODINGS = 5


@dataclass(slots=True)
class Threads:
    """The numbers of messages, by which answers find what they answer. PRIVATE."""

    _numbers: dict[bytes, int] = field(default_factory=dict, repr=False)

    def numbered(self, value: str) -> str:
        """Return the ids in ``value``, each as the number of its message."""
        return " ".join(f"<{self._number(each)}@message.invalid>" for each in _IDENTIFIER.findall(value))

    def _number(self, identifier: str) -> int:
        digest = blake2b(identifier.encode("utf-8", "surrogateescape"), digest_size=12).digest()
        return self._numbers.setdefault(digest, len(self._numbers) + 1)


def decoded(raw: str) -> str | None:
    """Return what a person reads in the ``raw`` value of a header; None if it cannot be read."""
    text = text_of(re.sub(r"[\r\n]+", "", raw).encode("utf-8", "surrogateescape"), "us-ascii")
    for _ in range(_MOST_ENCODINGS):
        if text is None or not _ENCODED.search(text):
            return None if text is None else _CONTROLS.sub(" ", text).strip()
        text = _decoded_once(text)
    return None


def _decoded_once(text: str) -> str | None:
    try:
        pieces = decode_header(text)
    except HeaderParseError:
        return None
    texts = [
        piece if isinstance(piece, str) else text_of(piece, (charset or "utf-8").partition("*")[0])
        for piece, charset in pieces
    ]
    return None if None in texts else "".join(map(str, texts))


def packed_in(text: str) -> list[bytes]:
    """Return what the packed bytes in ``text`` say, which nobody reads: keys, times and ids of programs."""
    runs = [run for run in _PACKED.findall(text) if any(map(str.islower, run)) and any(map(str.isupper, run[1:]))]
    return [binascii.a2b_base64(run[: len(run) // 4 * 4].encode()) for run in runs]


def header_line(name: str, text: str) -> bytes:
    """Return a header line of ``text``, folded."""
    text = " ".join(text.split())
    plain = text.isascii() and "=?" not in text
    value = Header(text, "us-ascii" if plain else "utf-8", header_name=name, maxlinelen=76).encode(linesep="\n")
    return f"{name}: {value}\n".encode("ascii")


def text_header(name: str, raw: str, text: str, place: str) -> Generator[Slot, None, bytes]:
    """Yield the ``text`` of a header; return its line."""
    slot = Slot(text, place, lead=f"{name}: ")
    if text:
        yield slot
    return as_it_was(name, raw) if slot.new == text and is_plain(raw) else header_line(name, slot.new)


def address_header(name: str, raw: str, text: str, place: str) -> Generator[Slot, None, bytes]:
    """Yield the names and addresses of a header; return its line. One that is no list of them is a text."""
    mailboxes = _mailboxes(_CONTROLS.sub(" ", re.sub(r"[\r\n]+", "", raw)), text) or _mailboxes(text, text)
    if not mailboxes:
        mailboxes = [(text, "")] if text else []
        pieces = [[text]] if text else []
    else:
        pieces = [_pieces(*mailbox) for mailbox in mailboxes]
    if not pieces:
        return b""
    flat = [piece for number, each in enumerate(pieces) for piece in ([", "] if number else []) + each]
    slot = Slot("".join(flat), place, lead=f"{name}: ")
    yield slot
    if slot.new == slot.text and is_plain(raw):
        return as_it_was(name, raw)
    new, written, at = spread(flat, slot.edits), list[str](), 0
    for (_, address), each in zip(mailboxes, pieces, strict=True):
        at += bool(written)
        written.append(_mailbox(address, each, new[at : at + len(each)]))
        at += len(each)
    return f"{name}: ".encode() + ",\n ".join(filter(None, written)).encode("ascii") + b"\n"


def _mailboxes(source: str, text: str) -> list[tuple[str, str]]:
    """Return the names and addresses in ``source``; none if its ``text`` holds more, such as a comment or a group."""
    try:
        header = HeaderRegistry()("To", source)
        groups = [(group.display_name, group.addresses) for group in getattr(header, "groups", ())]
        found = [(str(each.display_name), str(each.addr_spec)) for _, group in groups for each in group]
    except Exception:  # of the parser, whose messages quote the header
        return []
    composed = "".join(shown + address for shown, address in found)
    return [] if any(name for name, _ in groups) or _SAME.sub("", composed) != _SAME.sub("", text) else found


def _pieces(shown: str, address: str) -> list[str]:
    if address == NOBODY:
        return [shown]
    return [shown, " <", address, ">"] if shown else [address]


def _mailbox(address: str, pieces: list[str], new: list[str]) -> str:
    """Return a mailbox as it is written, with the ``new`` texts of its ``pieces``."""
    text = " ".join("".join(new).split())
    if len(pieces) == 4 and new[1] == " <" and new[3] == ">" and is_address(new[2]):
        return f"{phrase(new[0])} <{new[2]}>" if new[0].strip() else new[2]
    if len(pieces) == 1 and address not in ("", NOBODY) and is_address(new[0]):
        return new[0]
    return f"{phrase(text)} <{NOBODY}>" if text else ""


def phrase(text: str) -> str:
    """Return the name of a mailbox as it is written."""
    text = " ".join(text.split())
    if text.isascii() and "=?" not in text:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return Header(text, "utf-8", maxlinelen=60).encode(linesep="\n")


def is_address(text: str) -> bool:
    """Return whether ``text`` is an address to which mail can go."""
    return _ADDRESS.fullmatch(text) is not None


def is_plain(raw: str) -> bool:
    """Return whether a header says what a person reads in it: nothing is encoded in it."""
    return raw.isascii() and "=?" not in raw and re.search(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]", raw) is None


def as_it_was(name: str, raw: str) -> bytes:
    """Return the lines of a header that nothing changed."""
    lines = [line for line in re.split(r"[\r\n]+", raw) if line.strip()]
    return f"{name}: {lines[0].strip() if lines else ''}\n".encode() + b"".join(
        f" {line.strip()}\n".encode() for line in lines[1:]
    )
