"""The hidden folder of a run: what was paid for and must not be paid twice. Only its owner can read it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import OutputError
from sfumato.privacy.randomness import Randomness
from sfumato.storage import remove, whole

_MANIFEST, _PAID = "run.json", "paid.json"


@dataclass(frozen=True)
class Kept:
    """The folder of the run with the fingerprint ``run``, beside ``output``.

    ``setting`` is the public part of the fingerprint, on which the draws of a seed depend.
    """

    output: Path
    run: str
    setting: str

    @property
    def folder(self) -> Path:
        """Return the path of the folder."""
        return self.output.with_name(f".{self.output.name}.synthesis")

    def opened(self, randomness: Randomness, resume: bool, replace: bool) -> Workspace:
        """Return the workspace, empty or as this very run left it.

        Raise OutputError where another run left one, or this one did and is not to be resumed.
        """
        manifest = self.folder / _MANIFEST
        if self.folder.exists():
            same = _read(manifest).get("run") == self.run
            if resume and not same:
                raise OutputError(
                    f"What an earlier run left beside {self.output.name} belongs to another input, other options or "
                    "another program; run the same command again, or start anew with --force."
                )
            if not resume and not replace:
                raise OutputError(
                    f"A run into {self.output.name} was stopped; go on with --resume, or start anew with --force."
                )
            if not resume:
                remove(self.folder)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        os.chmod(self.folder, 0o700)
        if not manifest.exists():
            _write(manifest, {"run": self.run})
        return Workspace(self.folder, randomness, self.setting)

    def paid(self, name: str, spend: Callable[[], Any]) -> Any:
        """Return what ``spend`` returned, now or in the run that was stopped; it is kept before it is used.

        A run that was stopped between the draw and the keeping draws afresh: nothing of the first draw was kept.
        """
        known = _read(self.folder / _PAID)
        if name not in known:
            known[name] = spend()
            _write(self.folder / _PAID, known)
        return known[name]

    def remove(self) -> None:
        """Remove the folder with everything in it."""
        remove(self.folder)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(path: Path, content: dict[str, Any]) -> None:
    with whole(path, private=True) as file:
        file.write(json.dumps(content).encode())
