"""What a run keeps in its private folder, so that it can resume: memberships, and the finished texts of each group.

Memberships must stay: a unit that moved to another group on resuming would pay in two groups. Finished texts must
stay: to write one again would be a second release.

A text that was begun and lost costs nothing. Its tokens were neither kept nor shown, and the run that resumes draws
the text afresh. So what is released is one draw of each text from its law, as without a stop. That holds because a
stop has nothing to do with what was drawn: no step here fails, waits or reports by the drawn tokens of an unfinished
text. Progress counts finished texts, which are released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.synthesizer import Workspace
from sfumato.errors import ConfigurationError
from sfumato.synthesis.predict.groups import Membership

_MEMBERSHIP = "predict-groups"


@dataclass(frozen=True)
class Kept:
    """What one run keeps in its ``workspace``, which belongs to that run alone. PRIVATE."""

    workspace: Workspace

    def membership(self, units: int) -> Membership | None:
        """Return the memberships that an earlier start drew for so many ``units``; None if there was none.

        Raise ConfigurationError if there were not so many.
        """
        kept = self.workspace.kept(_MEMBERSHIP)
        if kept is None:
            return None
        if len(kept["groups"]) != units:
            raise ConfigurationError(
                "The run that was stopped had other input; resume it with the same input, or start a new run, which "
                "costs its epsilon again."
            )
        return Membership(tuple(kept["groups"]), tuple(kept["texts"]))

    def keep_membership(self, membership: Membership) -> None:
        """Keep what was drawn, before it is used."""
        self.workspace.keep(_MEMBERSHIP, {"groups": membership.groups, "texts": membership.texts})

    def texts(self, group: int) -> list[str]:
        """Return the finished texts of ``group``, in order."""
        kept = self.workspace.kept(_finished(group))
        return [] if kept is None else [str(text) for text in kept["finished"]]

    def keep_texts(self, group: int, texts: Sequence[str]) -> None:
        """Keep the finished ``texts`` of ``group``."""
        self.workspace.keep(_finished(group), {"finished": list(texts)})


def _finished(group: int) -> str:
    return f"predict-group-{group:06d}"
