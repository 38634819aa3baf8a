"""Keep sessions over a restart: a file that is sealed by a key of the user's, written when the server ends.

What a session knows is what the gateway hides. So it lies on a disk only if the user asks for it, encrypted and
authenticated (:mod:`sfumato.storage.sealing`), and is read once: the file goes when it was read.
"""

from __future__ import annotations

import base64
import json
import time
from collections import OrderedDict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sfumato.errors import InputError
from sfumato.gateway.claims import Claims
from sfumato.gateway.sessions import ENTRY, Sanitized, Session, Sessions
from sfumato.storage import created, writing
from sfumato.storage.sealing import MOST, Sealer, opened

_FORM = 2


def save(sessions: Sessions, path: Path, secret: bytes) -> None:
    """Write ``sessions`` to ``path``, sealed by ``secret``; one that is too large is left out. Raise OutputError."""
    with writing(path), created(path, private=True) as file:
        sealer = Sealer(file, secret)
        sealer.write(sessions.key)
        for place, session in sessions.every():
            frame = json.dumps(_written(place, session)).encode("utf-8", "surrogatepass")
            if len(frame) <= MOST:
                sealer.write(frame)
        sealer.close()


def load(sessions: Sessions, path: Path, secret: bytes) -> int:
    """Put what was saved at ``path`` into ``sessions``, remove the file, and return how many sessions it held.

    Raise InputError for a file of another key, or one that was changed.
    """
    count = 0
    try:
        with path.open("rb") as file:
            frames = opened(file, secret, path.name)
            key = next(frames)
            for frame in frames:
                if frame:
                    place, session = _read(json.loads(frame), sessions.characters)
                    sessions.put(place, session)
                    count += 1
    except FileNotFoundError:
        return 0
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{path.name} holds no sessions that this server can read; move it away.") from None
    sessions.key = key
    path.unlink()
    return count


def _written(place: tuple[str, str], session: Session) -> dict[str, Any]:
    return {
        "form": _FORM,
        "place": list(place),
        "id": session.id,
        "owner": session.owner,
        "key": base64.b64encode(session.key).decode(),
        "age": max(0.0, time.monotonic() - session.used),
        "names": session.names,
        "values": session.values,
        "claims": asdict(session.claims),
        "signed": list(session.signed),
        "memo": [[base64.b64encode(mark).decode(), asdict(made)] for mark, made in session.memo.items()],
        "responses": [[name, dict(names)] for name, names in session.responses.items()],
    }


def _read(facts: dict[str, Any], most: int) -> tuple[tuple[str, str], Session]:
    if facts["form"] != _FORM:
        raise ValueError
    client, name = facts["place"]
    session = Session(facts["id"], facts["owner"], base64.b64decode(facts["key"]), bool(name), most)
    session.used = time.monotonic() - float(facts["age"])
    session.names, session.values = dict(facts["names"]), dict(facts["values"])
    session.claims = Claims(**facts["claims"])
    session.signed = OrderedDict.fromkeys(facts["signed"])
    for mark, made in facts["memo"]:
        own = Sanitized(**{**made, "kinds": tuple(made["kinds"]), "kept": tuple(made["kept"])})
        session.memo[base64.b64decode(mark)] = own
        session.size += ENTRY + len(own.text)
    session.responses = OrderedDict((response, names) for response, names in facts["responses"])
    return (client, name), session
