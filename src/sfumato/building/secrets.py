"""Secret keys are files of their own, which no run reads for anything else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import ConfigurationError


def check_secrets(secrets: Iterable[Path | None], read: Sequence[Path]) -> None:
    """Refuse a key in a file that the run reads for something else: anyone who has that file has the key."""
    keys = [path for path in secrets if path is not None and path.is_file()]
    for key in keys:
        for path in read:
            inside = path.is_dir() and key.resolve().is_relative_to(path.resolve())
            if inside or (path.exists() and key.samefile(path)):
                raise ConfigurationError(
                    f"{key.name} is no secret key: this run reads it for something else. Make one with "
                    "`sfumato key FILE`."
                )
