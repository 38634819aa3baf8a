"""What a run of evolve keeps in its folder, so that it can resume: candidates, noisy votes, texts. PRIVATE.

Noisy votes are paid for when they are drawn, and they are drawn once. They are written to the disk, whole and synced,
before anything looks at them. So a run that was stopped either has the votes of a round, and uses these, or lost a
round of which nobody has seen anything: it votes again, with fresh noise, and the claim is the same. What would break
the claim is to look first: a run that fails *because of* its votes and then draws again has chosen among draws.
A file that cannot be read is therefore an error, and never a reason to draw again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import ConfigurationError


@dataclass(frozen=True)
class KeptRounds:
    """What one run keeps in its ``workspace``. ``mark`` is a hash of the settings of that run."""

    workspace: Workspace
    mark: str

    def find(self, name: str) -> Any:
        """Return what was kept under ``name``; None if nothing was.

        Raise OutputError for a file that cannot be read, ConfigurationError for one of a run with other settings.
        """
        kept = self.workspace.kept(f"evolve-{name}")
        if kept is None:
            return None
        if not isinstance(kept, dict) or kept.get("run") != self.mark:
            raise ConfigurationError(
                f"What was kept as {name} is of a run with other settings; give the same ones, or start a new run, "
                "which costs its epsilon again."
            )
        return kept["content"]

    def keep(self, name: str, content: Any) -> None:
        """Write ``content`` (JSON types) under ``name``, whole and synced when this returns."""
        self.workspace.keep(f"evolve-{name}", {"run": self.mark, "content": content})
