"""Files inside resources of FHIR: Attachment and Binary, whose bytes are base64."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Generator
from typing import Any

from sfumato.documents.health.exact_json import Number
from sfumato.documents.health.fhir_values import mask
from sfumato.documents.health.media import Text, bytes_of, is_picture, walked_file
from sfumato.documents.rules import DROP, KEEP, Refused, Visit
from sfumato.documents.slot import Slot


def attachment(
    node: dict[str, Any], key: str, visit: Visit, text: Text, place: str, record: int, fields: dict[str, str]
) -> Generator[Slot, None, None]:
    """Walk over the file in the element ``key`` of ``node``. What is changed loses its hash, and has a new size."""
    kind = str(node.get("contentType", ""))
    rule = visit.rule("images" if is_picture(kind) else "attachments", place)
    if rule == KEEP:
        return
    before = None if rule == DROP else bytes_of(node[key])
    after: bytes | None = None
    if before is not None:
        after = yield from walked_file(before, kind, visit, text, place, record, fields)
    elif rule != DROP:
        raise Refused(f"its base64 cannot be read, at {place}; write it again")
    if after is None or after != before:
        had_size = node.pop("size", None) is not None
        node.pop("hash", None)
        if after is not None and had_size:
            node["size"] = Number(str(len(after)))
    if after is None:
        mask(node, key)
    elif after != before:
        node[key] = b64encode(after).decode("ascii")
