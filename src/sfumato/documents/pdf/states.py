"""The states of buttons, which people name: "Yes", or what a box stands for."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from sfumato.documents.pdf.streams import isa
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import DROP, KEEP, TREAT
from sfumato.documents.slot import Slot

_USUAL = re.compile(r"/(Off|Yes|No|On|[A-Z]?\d{0,3})")


def named_states(work: Work, note: Any) -> Generator[Slot, None, None]:
    """Yield the names of the states of a button, and replace them in what it looks like and in its value."""
    looks = note.get("/AP")
    for key in ("/N", "/R", "/D") if isa(looks, "Dictionary") else ():
        states = looks.get(key)
        if isa(states, "Dictionary") and not isa(states, "Stream"):
            for name in sorted(states.keys()):
                new = yield from _state(work, name)
                if new != name:
                    states[new] = states[name]
                    del states[name]
    yield from state_at(work, note, "/AS")


def state_at(work: Work, holder: Any, key: str) -> Generator[Slot, None, None]:
    """Yield the name of a state under ``key`` of ``holder``, and replace it there."""
    import pikepdf

    if isa(holder.get(key), "Name"):
        holder[key] = pikepdf.Name((yield from _state(work, str(holder[key]))))


def _state(work: Work, name: str) -> Generator[Slot, None, str]:
    if _USUAL.fullmatch(name):
        return name
    if name not in work.states:
        number = work.number("state")
        does = work.rule("names", f"state {number}")
        if does == TREAT:
            slot = Slot(name[1:], f"state {number}")
            yield slot
            does = DROP if slot.edits else KEEP
        work.states[name] = name if does == KEEP else f"/State{number}"
    return work.states[name]
