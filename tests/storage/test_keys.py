"""Every secret key comes through one reader: its owner alone can read it, and it could have been drawn at random."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import call, write_jsonl, write_key, write_vectors
from sfumato.batch.worker_sanitizer import sanitizer_of_worker
from sfumato.building.policies import randomness_of_policy
from sfumato.errors import ConfigurationError, LedgerError, SfumatoError
from sfumato.files import FileOptions
from sfumato.ledger.accounts import read_key
from sfumato.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.protection.signing import Signer
from sfumato.storage.keys import FEWEST_VALUES, checked_key, read_secret, secret_of

WEAK = {
    "zeros": bytes(32),
    "one letter": b"k" * 64,
    "seven values": bytes(range(7)) * 10,
    "a word": b"password" * 8,
    "short": bytes(range(31)),
}


def _policy(key: Path) -> Any:
    return randomness_of_policy(Policy.load("clinical").with_changes({"randomness.pin": str(key)}))


def _batch(key: Path) -> Any:
    return sanitizer_of_worker(
        f"{key} {key.stat().st_mode}", "redaction", None, {"detect": "words"}, FileOptions(), key
    )


READERS: dict[str, Callable[[Path], Any]] = {
    "any": lambda key: read_secret(key, "the key"),
    "map": lambda key: secret_of(key),
    "ledger": read_key,
    "policy": _policy,
    "batch": _batch,
}
HOLDERS: dict[str, Callable[[bytes], Any]] = {
    "pin": PinnedRandomness,
    "map": lambda key: secret_of(key),
    "redaction": lambda key: sfumato.build("redaction", detect="words", key=key),
    "hash": lambda key: checked_key(key, "A hash"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("weak", WEAK)
def test_a_key_that_nobody_drew_is_refused_in_every_file(tmp_path: Path, reader: str, weak: str) -> None:
    with pytest.raises(SfumatoError, match="sfumato key"):
        READERS[reader](write_key(tmp_path / "key", WEAK[weak]))


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("weak", WEAK)
def test_a_key_that_nobody_drew_is_refused_in_python(holder: str, weak: str) -> None:
    with pytest.raises(ConfigurationError, match="sfumato key") as refused:
        HOLDERS[holder](WEAK[weak])
    assert WEAK[weak].hex() not in str(refused.value)


def test_a_weak_key_of_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_MAP_KEY", bytes(32).hex())
    with pytest.raises(ConfigurationError, match="sfumato key"):
        secret_of(None)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
@pytest.mark.parametrize("reader", [*READERS, "signature"])
def test_a_key_that_others_can_open_is_refused(tmp_path: Path, reader: str, mode: int) -> None:
    path = tmp_path / "key"
    if reader == "signature":
        Signer.of_file(path)
    else:
        write_key(path)
    read = Signer.of_file if reader == "signature" else READERS[reader]
    read(path)
    path.chmod(mode)
    with pytest.raises(SfumatoError, match="chmod 600"):
        read(path)


@pytest.mark.parametrize("reader", [*READERS, "signature"])
def test_a_folder_is_no_key(tmp_path: Path, reader: str) -> None:
    read = Signer.of_file if reader == "signature" else READERS[reader]
    with pytest.raises((ConfigurationError, LedgerError), match="cannot be read"):
        read(tmp_path)


def test_the_commands_refuse_it_before_they_write(tmp_path: Path) -> None:
    vectors, source = write_vectors(tmp_path), write_jsonl(tmp_path / "in.jsonl", [{"id": "1", "text": "the cat"}])
    by = ("-m", "santext", "-e", 1, "--set", f"vocabulary={vectors}", "--detect", "words", "--id-field", "id")
    for given in (
        ("sanitize", source, "-o", tmp_path / "out.jsonl", *by, "--pin"),
        ("sanitize", source, "-o", tmp_path / "out.jsonl", "-m", "redaction", "--map", tmp_path / "map", "--map-key"),
        ("protect", source, "-o", tmp_path / "out", "--policy", "clinical", "--anyway", "--key"),
    ):
        key = write_key(tmp_path / "key")
        key.chmod(0o644)
        ran = call(*given, key)
        assert ran.code == 2
        assert "Others can read" in ran.err
        assert "chmod 600" in ran.err
        assert not list(tmp_path.glob("out*"))
        key.unlink()


def test_the_rule_never_refuses_a_key_that_was_drawn() -> None:
    """Keys of 32 bytes, and of 64 hexadecimal digits, which have the fewest values of all that are in use."""
    for bytes_drawn, letters in ((32, 256), (64, 16)):
        assert _probability_of_fewer(FEWEST_VALUES, bytes_drawn, letters) < 1e-12
    for _ in range(1000):
        checked_key(os.urandom(32), "A test")
        checked_key(os.urandom(32).hex().encode(), "A test")


def _probability_of_fewer(least: int, drawn: int, letters: int) -> float:
    """P(fewer than ``least`` different values among ``drawn`` uniform ones), by the chain of occupancy, exactly."""
    state = np.zeros(letters + 1)
    state[0] = 1.0
    values = np.arange(letters + 1)
    for _ in range(drawn):
        stay = state * values / letters
        stay[1:] += state[:-1] * (letters - values[:-1]) / letters
        state = stay
    return float(state[:least].sum())
