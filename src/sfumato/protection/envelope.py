"""A signed statement over files: in-toto Statement v1 in a DSSE v1 envelope, one signature, one way to write it.

An envelope is read only if it is byte for byte what :func:`sealed` writes for its content. So no byte of it, white
space and the last bits of its base64 among them, can change without notice.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import InputError
from sfumato.protection.signing import Signer, Verifier

PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:sfumato:release:1"


@dataclass(frozen=True)
class Envelope:
    """What was signed: ``digests`` are the SHA-256 of files by name, ``predicate`` what is said of them.

    ``key`` is the id of the key that claims to have signed.
    """

    digests: Mapping[str, str]
    predicate: Mapping[str, Any]
    key: str
    signature: bytes
    payload: bytes

    def is_signed_by(self, key: Verifier) -> bool:
        """Return whether ``key`` signed the envelope."""
        return self.key == key.id and key.has_signed(_encoded(self.payload), self.signature)


def sealed(digests: Mapping[str, str], predicate: Mapping[str, Any], key: Signer) -> bytes:
    """Return the envelope of ``digests`` and ``predicate``, signed by ``key``."""
    content = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digests[name]}} for name in sorted(digests)],
        "predicateType": PREDICATE,
        "predicate": predicate,
    }
    payload = _canonical(content)
    return _enveloped(payload, key.public.id, key.sign(_encoded(payload)))


def opened(content: bytes) -> Envelope:
    """Return the envelope that ``content`` holds; its signature is not checked yet. Raise InputError."""
    try:
        outer = json.loads(content)
        signed = outer["signatures"][0]
        payload, signature = _decoded(outer["payload"]), _decoded(signed["sig"])
        if _enveloped(payload, signed["keyid"], signature) != content:
            raise ValueError
        inner = json.loads(payload)
        if _canonical(inner) != payload or inner["_type"] != STATEMENT or inner["predicateType"] != PREDICATE:
            raise ValueError
        digests = {str(entry["name"]): str(entry["digest"]["sha256"]) for entry in inner["subject"]}
        return Envelope(digests, dict(inner["predicate"]), str(signed["keyid"]), signature, payload)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        pass
    raise InputError("the envelope is not one that sfumato writes; it was changed, or made by something else.")


def _encoded(payload: bytes) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding of ``payload``."""
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _enveloped(payload: bytes, key: str, signature: bytes) -> bytes:
    content = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD,
        "signatures": [{"keyid": key, "sig": base64.b64encode(signature).decode()}],
    }
    return _canonical(content)


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError from None


def _canonical(content: Any) -> bytes:
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False).encode() + b"\n"
