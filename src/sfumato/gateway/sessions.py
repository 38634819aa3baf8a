"""Sessions: a secret of its own for each, what its pseudonyms mean, and what was sanitized in it already.

All of it is PRIVATE, and in memory unless the user has it kept (:mod:`sfumato.gateway.keeping`). A session ends when
it was not used for a while, or when too many are open; then its map and its memory are gone. Two clients with
different tokens never share a session, whatever name they give it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sfumato.errors import InputError
from sfumato.gateway.claims import Claims
from sfumato.storage.keys import keyed

_RESPONSES, _SIGNED, _VALUES, _CLAIMS = 1_000, 10_000, 20_000, 100_000
ENTRY = 2_000
"""Characters that a remembered text takes beside its own."""


@dataclass(frozen=True)
class Sanitized:
    """What became of a text. PRIVATE.

    Attributes:
        text: The text that may leave.
        names: The originals of the pseudonyms in it.
        kinds: The kinds that were replaced.
        kept: What was kept, in parts.
        values: The direct identifiers that were replaced, with their kinds.
        drawn: The draws of other values.
    """

    text: str = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    kinds: tuple[str, ...] = ()
    kept: tuple[str, ...] = field(default=(), repr=False)
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    drawn: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass
class Session:
    """One conversation, or all those of a client that names none. ``owner`` is the client, who pays for it."""

    id: str
    owner: str
    key: bytes = field(repr=False)
    named: bool
    most: int
    used: float = 0.0
    names: dict[str, str] = field(default_factory=dict, repr=False)
    values: dict[str, str] = field(default_factory=dict, repr=False)
    signed: OrderedDict[str, None] = field(default_factory=OrderedDict, repr=False)
    memo: OrderedDict[bytes, Sanitized] = field(default_factory=OrderedDict, repr=False)
    responses: OrderedDict[str, Mapping[str, str]] = field(default_factory=OrderedDict, repr=False)
    saying: dict[int, tuple[str, str]] = field(default_factory=dict, repr=False)
    """What the upstream wrote last, and its restored form, by the number of the answer."""
    claims: Claims = field(default_factory=Claims, repr=False)
    size: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Requests are sanitized in one thread, and answers restored in another."""

    def sanitized(self, text: str) -> Sanitized | None:
        """Return what became of ``text`` in this session; None if it is new."""
        return self._remembered(self._mark(text))

    def make_room(self) -> None:
        """Forget what became of texts before too many names are taken, unless the session has to keep them."""
        if not self.named and len(self.claims.owners) > _CLAIMS:
            with self.turn:
                self.memo.clear()
                self.claims, self.size = Claims(), 0

    def learn(self, text: str, made: Sanitized) -> None:
        """Remember what became of ``text``, as long as there is room."""
        self._remember(self._mark(text), made)
        if self.named:
            self.names |= made.names
            self.values |= made.values
            if len(self.values) > _VALUES:
                raise InputError("The session holds too many values; begin another one.")

    def answered_before(self, text: str) -> Sanitized | None:
        """Return what the upstream wrote, of which ``text`` is the restored form; None for anything else.

        Only what comes back as the model's own words may be looked for here: words of a user are looked at.
        """
        return self._remembered(self._mark(text, "answer"))

    def learn_answer(self, text: str, written: Sanitized) -> None:
        """Remember what the upstream ``written`` has, of which ``text`` is the restored form."""
        self._remember(self._mark(text, "answer"), written)

    def says(self, number: int, written: str, made: str, names: Mapping[str, str]) -> None:
        """Remember what the upstream has ``written`` so far of an answer, and forget the shorter form of it."""
        before, shorter = self.saying.get(number, ("", ""))
        self.saying[number] = written, made
        if written.startswith(before):
            self._forget(self._mark(shorter, "answer"))
        if made:
            self.learn_answer(made, Sanitized(written, {name: names[name] for name in names if name in written}))

    def sign(self, digests: Iterable[str]) -> None:
        """Remember what the upstream signed."""
        self.signed |= dict.fromkeys(digests)
        while len(self.signed) > _SIGNED:
            self.signed.popitem(last=False)

    def answered(self, response: str, names: Mapping[str, str]) -> None:
        """Remember which pseudonyms a response may hold that the upstream keeps."""
        self.responses[response] = names
        while len(self.responses) > _RESPONSES:
            self.responses.popitem(last=False)

    def names_of(self, response: str) -> Mapping[str, str] | None:
        """Return the pseudonyms of an earlier ``response``; None if it is not known."""
        names = self.responses.get(response)
        return self.names if names is not None and self.named else names

    @property
    def user(self) -> str:
        """Return a name for the upstream that tells nothing of the user."""
        return f"user-{keyed(self.key, 'user').hex()[:16]}"

    def _mark(self, text: str, what: str = "text") -> bytes:
        return keyed(self.key, what, text)

    def _remembered(self, mark: bytes) -> Sanitized | None:
        with self.turn:
            made = self.memo.get(mark)
            if made is not None:
                self.memo.move_to_end(mark)
            return made

    def _forget(self, mark: bytes) -> None:
        with self.turn:
            old = self.memo.pop(mark, None)
            self.size -= 0 if old is None else ENTRY + len(old.text)

    def _remember(self, mark: bytes, made: Sanitized) -> None:
        self._forget(mark)
        with self.turn:
            self.memo[mark] = made
            self.size += ENTRY + len(made.text)
            while self.size > self.most and len(self.memo) > 1:
                _, old = self.memo.popitem(last=False)
                self.size -= ENTRY + len(old.text)


@dataclass
class Sessions:
    """All sessions of a server.

    Attributes:
        seconds: How long a session is kept that is not used.
        most: How many sessions are kept of a client.
        characters: How many sanitized characters a session remembers.
    """

    seconds: float = 3600.0
    most: int = 1000
    characters: int = 4_000_000
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _open: OrderedDict[tuple[str, str], Session] = field(default_factory=OrderedDict, repr=False)

    def of(self, client: str, name: str) -> Session:
        """Return the session called ``name`` of a ``client``; that of all its other requests for an empty name."""
        now = time.monotonic()
        session = self._open.get((client, name))
        if session is None or now - session.used > self.seconds:
            key = keyed(self.key, "session", client, name)  # the same conversation later has the same draws
            session = Session(keyed(key, "id").hex()[:16], client, key, bool(name), self.characters)
            self._open[client, name] = session
        session.used = now
        self._open.move_to_end((client, name))
        own = [place for place in self._open if place[0] == client]
        for place in own[:-1]:  # the last one is this one
            if len(own) > self.most or now - self._open[place].used > self.seconds:
                del self._open[place]
                own.remove(place)
        return session

    def every(self) -> list[tuple[tuple[str, str], Session]]:
        """Return all sessions with client and name, those that were used last at the end."""
        return list(self._open.items())

    def put(self, place: tuple[str, str], session: Session) -> None:
        """Open a ``session`` again that was kept."""
        self._open[place] = session

    def __len__(self) -> int:
        return len(self._open)
