"""What the dialects of language models share: which texts leave, and how answers and their streams come back.

A dialect names the shape of a request, restores a whole answer, and restores a stream event by event. Text of one
part of an answer arrives in several events; each part has a :class:`~sfumato.gateway.restoring.Restorer` of its own,
and what it holds back is sent before the event that ends the part.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.errors import InputError
from sfumato.gateway.restoring import JSON, PLAIN, Counts, Names, Restorer
from sfumato.gateway.shapes import Shape, Walk
from sfumato.gateway.slots import digest, leaves
from sfumato.gateway.sse import Event

LEFT_OUT = frozenset({"logprobs", "obfuscation"})
"""Tokens of the upstream with their probabilities would show pseudonyms in pieces, and padding hides lengths."""
_AS_JSON = frozenset({"arguments", "partial_json"})
_UNTOUCHED = frozenset({"encrypted_content", "signature", "data", "id", "type", "object", "model", "role"})


class UnknownError(InputError):
    """An event or a part that the gateway does not know, so that nothing of it is passed on."""


@dataclass
class Restoring:
    """An answer on its way back: the pseudonyms that are known, what was counted, and what the upstream signed."""

    names: Names
    counts: Counts = field(default_factory=Counts)
    signed: set[str] = field(default_factory=set)
    said: dict[str, str] = field(default_factory=dict, repr=False)
    """What the upstream wrote, by its restored form."""

    def sign(self, part: Any) -> None:
        """Note a part that the upstream signed: only such a part may come back as it is."""
        if part is not None:
            self.signed.add(digest(part))

    def remember(self, written: str, made: str, is_json: bool) -> None:
        """Note what the upstream has ``written`` of what was ``made`` of it: it may come back as history."""
        if not is_json:
            self.said[made] = written
            return
        try:
            pairs = zip(leaves(json.loads(made)), leaves(json.loads(written)), strict=True)
            self.said.update(pairs)
        except (ValueError, RecursionError):
            return

    def tree(self, value: Any, key: str = "") -> Any:
        """Return any JSON with the originals in its texts, except in what has to stay as it is."""
        if isinstance(value, str):
            if key == "encrypted_content":
                self.sign(value)
            if key in _UNTOUCHED:
                return value
            made = self.names.restored(value, JSON if key in _AS_JSON else PLAIN, self.counts)
            self.remember(value, made, key in _AS_JSON)
            return made
        if isinstance(value, dict):
            if value.get("type") in ("thinking", "redacted_thinking"):
                self.sign(value)
                return value
            return {name: self.tree(each, name) for name, each in value.items() if name not in LEFT_OUT}
        return [self.tree(each, key) for each in value] if isinstance(value, list) else value


class Parts:
    """The parts of an answer that arrives in a stream, each by its key."""

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring
        self._open: dict[tuple[Any, ...], tuple[Restorer, Callable[[str], Event]]] = {}

    def feed(self, key: tuple[Any, ...], piece: str, kind: str, say: Callable[[str], Event]) -> str:
        """Return what can be said of the part ``key`` after another ``piece``; ``say`` makes an event of its rest."""
        restorer, _ = self._open.get(key, (None, None))
        if restorer is None:
            restorer = Restorer(self._restoring.names, kind, self._restoring.counts)
        self._open[key] = restorer, say
        return restorer.feed(piece)

    def close(self, is_ended: Callable[[tuple[Any, ...]], bool] = lambda _: True) -> Iterator[Event]:
        """Yield the events with what was held back of the parts that end."""
        for key in [key for key in self._open if is_ended(key)]:
            restorer, say = self._open.pop(key)
            rest = restorer.end()
            self._restoring.remember(restorer.written, restorer.said, restorer.kind == JSON)
            if rest:
                yield say(rest)


class Stream(ABC):
    """Restores the events of one streamed answer."""

    def __init__(self, restoring: Restoring) -> None:
        self.restoring, self.parts = restoring, Parts(restoring)
        self.ended = False

    @abstractmethod
    def feed(self, event: Event) -> Iterator[Event]:
        """Yield what becomes of ``event``. Raise UnknownError for one of a form that is not known."""

    def broken(self) -> Iterator[Event]:
        """Yield what was held back when the upstream is gone in the middle."""
        yield from self.parts.close()


@dataclass(frozen=True)
class Dialect(ABC):
    """One interface of language models."""

    path: ClassVar[str]
    request: ClassVar[Shape]
    headers: ClassVar[tuple[str, ...]] = ()
    keeps: ClassVar[bool] = False
    """Whether the upstream keeps answers, which a later request may refer to."""

    def look(self, walk: Walk, body: Mapping[str, Any]) -> None:
        """Let ``walk`` find the texts of a request. Raise RefusedError for what cannot be sanitized."""
        self.request.look(walk, {"": body}, "", "")

    def key(self, key: str) -> dict[str, str]:
        """Return the headers with the upstream's ``key``."""
        return {"authorization": f"Bearer {key}"}

    @abstractmethod
    def prepared(self, body: dict[str, Any], user: str) -> None:
        """Change what would tell of the user in other ways than by text; ``user`` is a name that tells nothing."""

    def restored(self, body: Any, restoring: Restoring) -> Any:
        """Return a whole answer with its originals."""
        return restoring.tree(body)

    @abstractmethod
    def stream(self, restoring: Restoring) -> Stream:
        """Return what restores a streamed answer."""

    @abstractmethod
    def error(self, kind: str, message: str) -> dict[str, Any]:
        """Return an error as clients of this dialect read it."""

    @abstractmethod
    def error_event(self, kind: str, message: str) -> Event:
        """Return an error that ends a stream."""
