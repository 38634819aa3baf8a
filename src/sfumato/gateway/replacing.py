"""Every text that a walk found is looked at, and what may leave is put in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sfumato.gateway.sessions import Session
from sfumato.gateway.shapes import Walk
from sfumato.gateway.shield import Looked, Shield
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.turns import Steps
from sfumato.text.guarding import Traces

_WORD = re.compile(r"[^\W_]+")


def replaced(walk: Walk, shield: Shield, session: Session) -> Steps[Looked]:
    """Put what may leave into the places of ``walk``, in steps, and return what became of the texts.

    What the upstream said in this session goes back as it was, where the model is the one who says it: it is neither
    drawn nor paid for. Raise RefusedError and what :meth:`Shield.look` raises; then some places may be changed.
    """
    of_model = dict.fromkeys(text for slot in walk.slots if slot.is_said for text in slot.texts)
    known = {text: made for text in of_model if (made := session.answered_before(text)) is not None}
    of_others = {text for slot in walk.slots if not slot.is_said for text in slot.texts}
    asked = [text for text in walk.texts if text not in known or text in of_others]
    looked = yield from shield.looking(session, asked)
    _check_names(walk, looked.names.values())
    said = {**looked.texts, **{text: made.text for text, made in known.items()}}
    for slot in walk.slots:
        slot.put(said if slot.is_said else looked.texts)
    names = {pseudonym: original for made in known.values() for pseudonym, original in made.names.items()}
    return looked._replace(names={**names, **looked.names})


def _check_names(walk: Walk, originals: Iterable[str]) -> None:
    """Raise RefusedError if a name of a program holds a whole name of somebody in the texts, however it is joined."""
    people = {name: "PERSON" for name in originals if len(_WORD.findall(name)) > 1}
    known = Traces(people)
    for name, place in walk.names.items():
        if people and any(known.find(" ".join(_WORD.findall(name)))):
            raise RefusedError(f"{place} holds what is replaced in the texts; rename it.")
