"""A folder that holds a release with everything that is said of it, signed; it gets its name whole or not at all.

It is signed over its files: in-toto Statement v1 in a DSSE v1 envelope, one signature, one way to write it.
An envelope is read only if it is byte for byte what :func:`sealed` writes for its content. So no byte of it, white
space and the last bits of its base64 among them, can change without notice.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.protection.signing import Signer, Verifier
from sfumato.storage.atomic import put, remove, sync_folder, writing
from sfumato.storage.digests import digest_of

PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:sfumato:release:1"
SUMS = "SHA256SUMS"
ENVELOPE = "release.dsse.json"
PUBLIC_KEY = "signer.pub"


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


def is_regular(path: Path) -> bool:
    """Return whether ``path`` is a file, and no link to one. Raise OSError if that cannot be seen."""
    return stat.S_ISREG(path.lstat().st_mode)


def names_in(folder: Path, closed: list[Path] | None = None) -> Iterator[str]:
    """Yield the name of everything below ``folder``, with / between its parts; no folder that holds something.

    An empty folder has a name that ends in /. Links are named and never followed. A folder that cannot be read goes
    into ``closed``, because what is in it is not known; without that list it raises OSError.
    """
    waiting = [folder]
    while waiting:
        each = waiting.pop()
        try:
            with os.scandir(each) as entries:
                folders = {Path(entry): entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError:
            if closed is None:
                raise
            closed.append(each)
            continue
        if not folders and each != folder:
            yield each.relative_to(folder).as_posix() + "/"
        waiting += [path for path, is_folder in folders.items() if is_folder]
        yield from (path.relative_to(folder).as_posix() for path, is_folder in folders.items() if not is_folder)


def sums_of(digests: Mapping[str, str]) -> bytes:
    """Return the content of SHA256SUMS, as ``sha256sum --check`` reads it."""
    return b"".join(_line(digests[name], name) for name in sorted(digests))


def _line(digest: str, name: str) -> bytes:
    """Return a line of SHA256SUMS; a name with a line end or a backslash is escaped, and the line begins with one."""
    escaped = name.replace("\\", r"\\").replace("\n", r"\n").replace("\r", r"\r")
    return (b"" if escaped == name else b"\\") + f"{digest}  ".encode() + os.fsencode(escaped) + b"\n"


def seal(folder: Path, predicate: Mapping[str, Any], key: Signer) -> None:
    """Add the public key, SHA256SUMS and the signed envelope to the files of ``folder``. Raise OutputError."""
    with writing(folder):
        put(folder / PUBLIC_KEY, key.public.pem)
        names = list(names_in(folder))
        if odd := next((name for name in names if not is_regular(folder / name)), None):
            raise OutputError(f"{odd} is no file that a sum describes; remove it.")
        digests = {name: digest_of(folder / name) for name in names}
        put(folder / SUMS, sums_of(digests))
        digests[SUMS] = digest_of(folder / SUMS)
        put(folder / ENVELOPE, sealed(digests, predicate, key))
        sync_folder(folder)


def publish(hidden: Path, folder: Path, overwrite: bool) -> None:
    """Give the complete folder ``hidden`` the name ``folder``, in place of an earlier one if ``overwrite``.

    Raise OutputError if there is one and it is to stay.
    """
    with writing(folder):
        earlier = hidden.with_name(f"{hidden.name}-replaced")
        if folder.exists():
            if not overwrite:
                raise OutputError(f"{folder.name} exists; choose another name, or replace it with --force.")
            os.replace(folder, earlier)
        os.replace(hidden, folder)
        sync_folder(folder.parent)
        remove(earlier)
