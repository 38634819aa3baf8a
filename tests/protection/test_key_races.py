"""The signing key of one run is not touched by another that begins or is refused at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.protection import signing
from sfumato.protection.signing import Signer


def test_a_key_that_another_run_has_made_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "signing.key"
    own = Signer.of_file(path)
    before = path.read_bytes()
    signing._make(path)  # of a run that looked for the file before it was there
    assert path.read_bytes() == before
    assert Signer.of_file(path).public.pem == own.public.pem
    assert path.stat().st_mode & 0o777 == 0o600
