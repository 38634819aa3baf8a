"""Sessions over a restart: sealed, read once, and as they were."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from sfumato.errors import ConfigurationError, InputError
from sfumato.gateway.keeping import load, save
from sfumato.gateway.sessions import Sanitized, Sessions
from sfumato.gateway.settings import Settings

ANNA = Sanitized(
    "I am PERSON_1A2B3C4D.", {"PERSON_1A2B3C4D": "Anna"}, ("PERSON",), ("I am ", "."), {"Anna": "PERSON"}
)
SECRET = secrets.token_bytes(32)


def filled() -> Sessions:
    sessions = Sessions()
    for client, name in (("a", "talk"), ("b", ""), ("a", "")):
        session = sessions.of(client, name)
        session.learn(
            "I am Anna.",
            Sanitized(
                "I am PERSON_1A2B3C4D.", {"PERSON_1A2B3C4D": "Anna"}, ("PERSON",), ("I am ", "."), {"Anna": "PERSON"}
            ),
        )
        session.sign(["digest"])
        session.answered("resp_1", {"PERSON_1A2B3C4D": "Anna"})
    return sessions


def test_sessions_continue_as_they_were_and_the_file_goes(tmp_path: Path) -> None:
    before, path = filled(), tmp_path / "sessions.sealed"
    save(before, path, SECRET)
    assert b"Anna" not in path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0
    after = Sessions()
    assert load(after, path, SECRET) == 3
    assert not path.exists()
    for client, name in (("a", "talk"), ("b", ""), ("a", "")):
        old, new = before.of(client, name), after.of(client, name)
        assert (old.id, old.owner, old.key, old.named) == (new.id, new.owner, new.key, new.named)
        assert (old.names, old.values, old.signed) == (new.names, new.values, new.signed)
        assert new.sanitized("I am Anna.") == old.sanitized("I am Anna.")
        assert new.names_of("resp_1") == old.names_of("resp_1")
    assert load(Sessions(), path, SECRET) == 0


def test_a_session_that_was_not_used_is_old_when_it_is_read(tmp_path: Path) -> None:
    before, path = filled(), tmp_path / "sessions.sealed"
    before.of("a", "talk").used -= 7200
    save(before, path, SECRET)
    after = Sessions()
    load(after, path, SECRET)
    assert not after.of("a", "talk").names


def test_another_key_or_a_changed_file_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sealed"
    save(filled(), path, SECRET)
    with pytest.raises(InputError):
        load(Sessions(), path, secrets.token_bytes(32))
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(InputError):
        load(Sessions(), path, SECRET)
    assert path.exists()


@pytest.mark.parametrize("named", [{"sessions": "x"}, {"sessions_key": "k"}])
def test_sessions_and_their_key_are_named_together(named: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="name both files, or none"):
        Settings(**named)  # type: ignore[arg-type]
