"""A chat model behind an OpenAI-compatible endpoint that the user named.

The address comes from the argument or from ``SFUMATO_CHAT_URL``, the key from ``SFUMATO_CHAT_KEY``. The questions may
hold private text. Only from this file does it leave the machine, to the given address and nowhere else. Answers are
kept in a folder by a hash of model and question, unless that is turned off.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import urlsplit

from sfumato.abstract.chat import Answer, ChatModel, Question, Spent
from sfumato.errors import ConfigurationError
from sfumato.models.chat.completions import LONGEST_WAIT, Lost, again, answer, asked_wait, body, lost, refused_setting
from sfumato.models.chat.exchange import ExchangeError, Limits, Line, line
from sfumato.models.chat.kept_answers import KeptAnswers

URL, KEY = "SFUMATO_CHAT_URL", "SFUMATO_CHAT_KEY"
_WHOLE = 10.0
"""The time limit of a whole answer, as a multiple of the limit of silence."""


@dataclass
class Endpoint(ChatModel):
    """The chat model ``model`` at ``url`` (…/v1). ``folder`` keeps answers; None keeps none.

    ``at_once`` questions are sent at a time. Each is tried ``tries`` times, with waits that double from
    ``first_wait`` seconds (or that the endpoint asks for, up to a minute). ``timeout`` is the most seconds of
    silence, and a whole answer may take ten times as long. After ``patience`` lost questions in a row the endpoint
    counts as down.
    """

    model: str
    url: str | None = field(default=None, repr=False)
    folder: Path | None = None
    tries: int = 5
    at_once: int = 8
    timeout: float = 60.0
    first_wait: float = 1.0
    patience: int = 16
    spent: Spent = field(default_factory=Spent)
    _lost: list[str] = field(default_factory=list, init=False, repr=False)
    """The reasons of the questions lost since the last answer."""
    _refused: set[str] = field(default_factory=set, init=False, repr=False)
    """The settings that this model refuses."""

    def __post_init__(self) -> None:
        url = (self.url or os.environ.get(URL) or "").strip().rstrip("/").removesuffix("/chat/completions")
        try:
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            named = "@" in parts.netloc
        except ValueError:
            usable = named = False
        if not usable:
            raise ConfigurationError(
                f"A chat model needs an address: set {URL}, for example to http://localhost:8000/v1, and {KEY}; "
                "or use local:NAME for a model on this machine."
            )
        if named:  # it would replace the key
            raise ConfigurationError(
                "The address of the chat model holds a user's name or a password; leave them out of it, and put the "
                f"endpoint's key into {KEY}."
            )
        self.url = url

    @property
    def id(self) -> str:
        """Return the name of the model; not its address, which may hold a secret."""
        return self.model

    @property
    def place(self) -> str:
        """Return the host and the port alone, because the rest of an address may hold a secret."""
        parts = urlsplit(self.url or "")
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    @property
    def way(self) -> str:
        """Return where questions go, and whether others can read them on the way."""
        parts = urlsplit(self.url or "")
        open_way = parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")
        return f"go to {self.place}" + (", UNENCRYPTED (http): use https" if open_way else "")

    def _line(self) -> AbstractContextManager[Line]:
        """Return connections that carry the key. Raise ConfigurationError for a key that cannot be sent."""
        key = (os.environ.get(KEY) or "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError(f"The key in {KEY} holds characters that no key has; set it again.")
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        return line(Limits(self.timeout, _WHOLE * self.timeout, at_once=self.at_once), headers)

    @cached_property
    def _kept(self) -> KeptAnswers:
        return KeptAnswers(self.folder, (self.model, str(self.url)))

    def ready(self) -> None:
        """Ask one question that holds no private text.

        Raise ConfigurationError with the reason if it gets no answer.
        """
        with self._line() as connection:
            reply = self._asked(connection, self.greeting, min(2, self.tries))
        self.spent.add(None if isinstance(reply, Lost) else reply)
        if isinstance(reply, Lost):
            raise self._down(reply.why)

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Return answers in order. A question that finally fails gives None, and the others continue.

        Raise ConfigurationError if the endpoint seems to be down; earlier answers are kept.
        """
        # the connections are closed first: a run that is stopped does not wait for answers
        with ThreadPoolExecutor(max_workers=max(1, self.at_once)) as pool, self._line() as connection:
            answers = list(pool.map(partial(self._reply, connection), questions))
        for reply in answers:
            self.spent.add(reply)
        if len(self._lost) >= self.patience:
            why = self._lost[-1]
            self._lost.clear()
            raise self._down(why)
        return answers

    def _down(self, why: str) -> ConfigurationError:
        return ConfigurationError(
            f"The chat model {self.model!r} at {self.place} does not answer: {why}. Check {URL}, {KEY} and the name; "
            "then run the same command again, which resumes where this one stopped."
        )

    def _reply(self, connection: Line, question: Question) -> Answer | None:
        known = self._kept.find(question)
        if known is not None or len(self._lost) >= self.patience:
            return known
        reply = self._asked(connection, question, self.tries)
        if isinstance(reply, Lost):
            if not reply.one_only:
                self._lost.append(reply.why)
            return None
        self._lost.clear()
        self._kept.keep(question, reply)
        return reply

    def _asked(self, connection: Line, question: Question, tries: int) -> Answer | Lost:
        wait, why = self.first_wait, Lost("nothing was asked")
        left = tries
        while left:
            left -= 1
            received, sent = None, body(self.model, question, self._refused)
            try:
                received = connection.post(f"{self.url}/chat/completions", json.dumps(sent).encode())
            except ExchangeError as failure:
                why = Lost(str(failure))
                if not failure.again:
                    return why
            if received is not None:
                reply = answer(received) if received.status == 200 else None
                if reply is not None:
                    return reply
                why = lost(received.status)
            if received is not None and not again(received.status):
                setting = refused_setting(received, sent)
                if setting is None:
                    return why
                self._refused.add(setting)
                left += 1  # the same question again, without the refused setting
            elif left:
                time.sleep(asked_wait(received) or min(LONGEST_WAIT, wait * (1.0 + 0.25 * random.random())))
                wait *= 2
        return why
