"""The folder that the owner of a release alone can open."""

from __future__ import annotations

from pathlib import Path

from sfumato.storage.atomic import writing
from sfumato.storage.locations import check_path


def made_private(folder: Path) -> Path:
    """Return ``folder``, made if need be and closed to all but its owner. Raise OutputError."""
    check_path(folder)
    with writing(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    return folder
