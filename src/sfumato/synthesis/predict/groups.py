"""Secret groups: which unit's text is an example for which synthetic texts.

Each unit draws one of its texts, and one of the groups of that text's control code. The draws are uniform, secret and
independent; they depend on the unit's own codes and on public numbers alone. So a unit more or less changes one group
and leaves the law of all other memberships as it is.

Groups compose in parallel, and in secret. Let A be the memberships of all other units and g the draw of unit x.
(A, g) has the same law with x in the data and without (then g is drawn for nobody). Given (A, g), only group g
differs, and its tokens are nρ-zCDP. Groups share no randomness, and none reads another's texts or members. So the run
is what :mod:`sfumato.privacy.allocation` bounds: g is drawn uniformly among the groups of the text's code, which are
:attr:`Groups.least` or more.

The groups of a code follow from the codes wanted, which are public or were paid for. A code with fewer groups than
``least`` of its own shares groups with others like it, and with codes that nobody wants. If these together have too
few, the rarest of the frequent codes join them. A unit for which there is no group is an example for nothing. Group
sizes are random; nothing is divided by them.

**What is kept.** The private folder of the run keeps memberships and the finished texts of each group, so that the
run can resume. Memberships must stay: a unit that moved to another group on resuming would pay in two groups.
Finished texts must stay: to write one again would be a second release.

A text that was begun and lost costs nothing. Its tokens were neither kept nor shown, and the run that resumes draws
the text afresh. So what is released is one draw of each text from its law, as without a stop. That holds because a
stop has nothing to do with what was drawn: no step here fails, waits or reports by the drawn tokens of an unfinished
text. Progress counts finished texts, which are released.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.privacy.sampling import LawTable
from sfumato.types import FloatArray, IntArray

NOWHERE = -1
_MEMBERSHIP = "predict-groups"


@dataclass(frozen=True, slots=True)
class Groups:
    """Public groups.

    Attributes:
        texts: For each group, by index, which of the wanted texts it writes.
        own: For each code with groups of its own, their numbers.
        shared: The numbers of the groups that all other codes share.
    """

    texts: tuple[tuple[int, ...], ...]
    own: Mapping[int, range]
    shared: range

    @property
    def least(self) -> int:
        """Return the least number of groups that a unit with any draws among."""
        return min(len(groups) for groups in (*self.own.values(), self.shared) if groups)

    def of(self, code: int) -> range:
        """Return the numbers of the groups that a text of ``code`` may be an example for."""
        return self.own.get(code, self.shared)


@dataclass(frozen=True, slots=True)
class Membership:
    """The group of each unit (-1: none) and which of its texts is shown there. PRIVATE."""

    groups: tuple[int, ...] = field(repr=False)
    texts: tuple[int, ...] = field(repr=False)

    def examples(self, units: Sequence[Unit]) -> dict[int, list[str]]:
        """Return the texts that are the examples of each group that has any."""
        shown: dict[int, list[str]] = {}
        for unit, group, text in zip(units, self.groups, self.texts, strict=True):
            if group != NOWHERE:
                shown.setdefault(group, []).append(unit.texts[text])
        return shown


def formed(wanted: Sequence[int], groups: int, texts_per_group: int, least: int) -> Groups:
    """Return about ``groups`` groups for the ``wanted`` codes, in proportion; none writes more than its texts.

    Every unit with a group draws it among ``least`` or more, which is at most ``groups``. Where fewer texts are
    wanted than there are groups, some groups write nothing.
    """
    of_code: dict[int, list[int]] = {}
    for index, code in enumerate(wanted):
        of_code.setdefault(code, []).append(index)

    def share(texts: int) -> int:
        return groups * texts // len(wanted)

    by_number = sorted(of_code, key=lambda code: len(of_code[code]))
    own = [code for code in by_number if share(len(of_code[code])) >= least]
    rare = len(wanted) - sum(len(of_code[code]) for code in own)
    while rare and own and share(rare) < least:
        rare += len(of_code[own.pop(0)])
    texts: list[tuple[int, ...]] = []

    def added(indices: Sequence[int]) -> range:
        first, count = len(texts), max(-(-len(indices) // texts_per_group), share(len(indices)))
        texts.extend(tuple(part.tolist()) for part in np.array_split(np.array(indices), count))
        return range(first, len(texts))

    numbers = {code: added(of_code[code]) for code in sorted(own)}
    others = [index for index, code in enumerate(wanted) if code not in numbers]
    shared = added(others) if others else range(0)
    return Groups(tuple(texts), numbers, shared)


def joined(units: Sequence[Unit], groups: Groups, workspace: Workspace) -> Membership:
    """Return which group each of ``units`` is in, by secret draws of its own."""
    uniforms = np.array([workspace.uniforms("group", number, 2) for number in range(len(units))]).reshape(-1, 2)
    texts = _drawn([len(unit.texts) for unit in units], uniforms[:, 0])
    choices = [
        groups.of(unit.codes[text]) if text != NOWHERE else range(0) for unit, text in zip(units, texts, strict=True)
    ]
    picked = _drawn([len(choice) for choice in choices], uniforms[:, 1])
    chosen = [choice[index] if choice else NOWHERE for choice, index in zip(choices, picked, strict=True)]
    return Membership(tuple(chosen), tuple(int(text) for text in texts))


def _drawn(counts: Sequence[int], uniforms: FloatArray) -> IntArray:
    """Return for each of ``counts`` a number below it, all alike probable; -1 for a count of 0."""
    several = np.array(counts, dtype=np.int64)
    picked = np.full(len(several), NOWHERE, dtype=np.int64)
    for count in np.unique(several[several > 0]):
        rows = np.flatnonzero(several == count)
        law = LawTable.from_weights(np.ones((1, int(count))))
        picked[rows] = law.draw(np.zeros(len(rows), dtype=np.int64), uniforms[rows])
    return picked


@dataclass(frozen=True)
class KeptTexts:
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
