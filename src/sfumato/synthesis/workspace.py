"""The hidden folder of a run: what was paid for and must not be paid twice. Only its owner can read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import ConfigurationError, OutputError
from sfumato.privacy.randomness import Randomness
from sfumato.storage import remove
from sfumato.storage.atomic import sync_folder

_MANIFEST = "run"


@dataclass(frozen=True)
class RunFolder:
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
        workspace = Workspace(self.folder, randomness, self.setting)
        with suppress(FileNotFoundError):
            remove(self._leaving)
        if resume and not self.folder.exists():
            raise OutputError(f"No stopped run into {self.output.name} was found; leave out --resume.")
        if self.folder.exists():
            same = workspace.kept(_MANIFEST) == self.run
            if resume and not same:
                raise OutputError(
                    f"What an earlier run left beside {self.output.name} belongs to another input, other options or "
                    "another program; run the same command again, or start again with --force. What it spent adds up."
                )
            if not resume and not replace:
                raise OutputError(
                    f"A run into {self.output.name} was stopped; go on with --resume, or start again with --force: "
                    "what it spent then adds to the cost."
                )
            if not resume:
                self.remove()
        self.folder.mkdir(mode=0o700, exist_ok=True)
        os.chmod(self.folder, 0o700)
        if workspace.kept(_MANIFEST) is None:
            workspace.keep(_MANIFEST, self.run)
        return workspace

    @contextmanager
    def unless_unpaid(self) -> Iterator[None]:
        """Remove the folder if the block fails before anything was paid: it would only be in the next run's way."""
        try:
            yield
        except BaseException:
            if [path.stem for path in self.folder.iterdir()] == [_MANIFEST]:
                self.remove()
            raise

    def remove(self) -> None:
        """Remove the folder with everything in it; under another name first, so that no half of it is resumed."""
        with suppress(FileNotFoundError):
            remove(self._leaving)
        os.replace(self.folder, self._leaving)
        sync_folder(self.folder.parent)
        remove(self._leaving)

    @property
    def _leaving(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.removed")


def check_randomness(randomness: Randomness) -> None:
    """Refuse pinned randomness: what depends on all records together would repeat its noise for other records."""
    if randomness.keyed and randomness.private:
        raise ConfigurationError(
            "Synthesis takes no pinned randomness: its noise would be the same for an input that was edited, and the "
            "difference of two releases would show the edit; leave it out."
        )
