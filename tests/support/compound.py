"""Compound files of Microsoft, as far as messages of Outlook need them: olefile reads them and cannot write them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI, _LEAST = 512, 64, 4096

Storage = dict[str, Any]
"""Streams (bytes) and other storages by name."""


def compound(storage: Storage) -> bytes:
    """Return a compound file with what ``storage`` holds."""
    entries: list[dict[str, Any]] = []
    _enter("Root Entry", storage, entries, kind=5)
    mini, mini_fat = bytearray(), list[int]()
    sectors, fat = bytearray(), list[int]()
    for entry in entries:
        content = entry.get("content")
        if content is None:
            continue
        if len(content) < _LEAST:
            entry["start"] = _chain(content, mini, mini_fat, _MINI) if content else _END
        else:
            entry["start"] = _chain(content, sectors, fat, _SECTOR)
    entries[0]["start"], entries[0]["size"] = _chain(bytes(mini), sectors, fat, _SECTOR) if mini else _END, len(mini)
    mini_start = _chain(struct.pack(f"<{len(mini_fat)}I", *mini_fat), sectors, fat, _SECTOR, 0xFF) if mini else _END
    directory = b"".join(_entry(each) for each in entries)
    directory_start = _chain(directory, sectors, fat, _SECTOR)
    fat_sectors = 1
    while (len(fat) + fat_sectors) * 4 > fat_sectors * _SECTOR:
        fat_sectors += 1
    places = list(range(len(fat), len(fat) + fat_sectors))
    fat += [_FAT] * fat_sectors
    fat += [_FREE] * (fat_sectors * _SECTOR // 4 - len(fat))
    mini_sectors = -(-len(mini_fat) * 4 // _SECTOR)
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, fat_sectors,
        directory_start, 0, _LEAST, mini_start, mini_sectors, _END, 0,
    ) + struct.pack("<109I", *places, *[_FREE] * (109 - len(places)))  # fmt: skip
    return header + bytes(sectors) + struct.pack(f"<{len(fat)}I", *fat)


def _enter(name: str, content: Any, entries: list[dict[str, Any]], kind: int = 1) -> int:
    number = len(entries)
    entry: dict[str, Any] = {"name": name, "kind": kind, "child": _FREE, "right": _FREE, "start": 0, "size": 0}
    entries.append(entry)
    if isinstance(content, bytes):
        entry |= {"kind": 2, "content": content, "size": len(content)}
        return number
    before = None
    for key, each in sorted(content.items(), key=lambda item: (len(item[0]), item[0].upper())):
        child = _enter(key, each, entries)
        if before is None:
            entry["child"] = child
        else:
            entries[before]["right"] = child
        before = child
    return number


def _entry(entry: Mapping[str, Any]) -> bytes:
    name = entry["name"].encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ", name, len(name) + 2, entry["kind"], 1, _FREE, entry["right"], entry["child"], 0,
        entry["start"], entry["size"],
    )  # fmt: skip


def _chain(content: bytes, sectors: bytearray, table: list[int], size: int, fill: int = 0) -> int:
    start, count = len(table), -(-len(content) // size)
    table += [*range(start + 1, start + count), _END]
    sectors += content.ljust(count * size, bytes([fill]))
    return start


_STRING, _BINARY, _INTEGER, _TIME, _OBJECT = 0x001F, 0x0102, 0x0003, 0x0040, 0x000D


def message(
    properties: Mapping[int, Any],
    recipients: list[Mapping[int, Any]] | None = None,
    attachments: list[Mapping[int, Any]] | None = None,
    *,
    inside: bool = False,
) -> Storage:
    """Return the storage of a message with ``properties`` by number; a storage among them is a message inside."""
    recipients, attachments = recipients or [], attachments or []
    head = struct.pack("<8xIIII", len(recipients), len(attachments), len(recipients), len(attachments))
    storage = _with(properties, head if inside else head + bytes(8))
    for number, each in enumerate(recipients):
        storage[f"__recip_version1.0_#{number:08X}"] = _with(each, bytes(8))
    for number, each in enumerate(attachments):
        storage[f"__attach_version1.0_#{number:08X}"] = _with(each, bytes(8))
    if not inside:
        storage["__nameid_version1.0"] = {"__substg1.0_00020102": b"", "__substg1.0_00030102": b""}
    return storage


def _with(properties: Mapping[int, Any], head: bytes) -> Storage:
    storage, stream = Storage(), head
    for number, value in sorted(properties.items()):
        kind, data, payload = _STRING, b"", bytes(8)
        if isinstance(value, str):
            data = value.encode("utf-16-le")
            payload = struct.pack("<II", len(data) + 2, 0)
        elif isinstance(value, bytes):
            kind, data, payload = _BINARY, value, struct.pack("<II", len(value), 0)
        elif isinstance(value, dict):
            kind, payload = _OBJECT, struct.pack("<iI", -1, 1)
            storage[f"__substg1.0_{number:04X}{kind:04X}"] = value
        elif number in (0x0039, 0x0E06):
            kind, payload = _TIME, struct.pack("<Q", value)
        else:
            kind, payload = _INTEGER, struct.pack("<iI", value, 0)
        stream += struct.pack("<HHI", kind, number, 6) + payload
        if kind in (_STRING, _BINARY):
            storage[f"__substg1.0_{number:04X}{kind:04X}"] = data
    return storage | {"__properties_version1.0": stream}
