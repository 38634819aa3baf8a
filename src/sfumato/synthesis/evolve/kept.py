"""What a run of evolve keeps in its folder, so that it can resume: candidates, noisy votes, texts. PRIVATE.

Noisy votes are paid for when they are drawn, and they are drawn once. They are written to the disk, whole and synced,
before anything looks at them. So a run that was stopped either has the votes of a round, and uses these, or lost a
round of which nobody has seen anything: it votes again, with fresh noise, and the claim is the same. What would break
the claim is to look first: a run that fails *because of* its votes and then draws again has chosen among draws.
A file that cannot be read is therefore an error, and never a reason to draw again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, InputError
from sfumato.storage.atomic import regular, sync_folder, whole, writing


@dataclass(frozen=True)
class KeptRounds:
    """Files of one run in ``folder``, for its owner alone. ``mark`` is a hash of the settings of that run."""

    folder: Path
    mark: str

    def find(self, name: str) -> Any:
        """Return what was kept under ``name``; None if nothing was.

        Raise InputError for a file that cannot be read, ConfigurationError for one of a run with other settings.
        """
        path = self._path(name)
        try:
            if not regular(path).exists():
                return None
            kept = json.loads(path.read_text(encoding="utf-8"))
            mark, content = kept["run"], kept["content"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                f"{path.name}, which an earlier part of this run kept, cannot be read; begin a new run, which spends "
                "its epsilon again."
            ) from None
        if mark != self.mark:
            raise ConfigurationError(
                f"{path.name} was kept by a run with other settings; give the same ones, or begin a new run, which "
                "spends its epsilon again."
            )
        return content

    def keep(self, name: str, content: Any) -> None:
        """Write ``content`` (JSON types) under ``name``: whole, for its owner alone, and synced when this returns."""
        path = self._path(name)
        with writing(path):
            with whole(path, private=True) as file:
                file.write(json.dumps({"run": self.mark, "content": content}).encode())
            sync_folder(self.folder)

    def _path(self, name: str) -> Path:
        return self.folder / f"evolve-{name}.json"
