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
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sfumato.abstract.chat import Answer, ChatModel, Question, Spent
from sfumato.errors import ConfigurationError
from sfumato.models.chat.answers import KeptAnswers
from sfumato.models.chat.exchange import ExchangeError, Limits, Line, Received, line
from sfumato.models.local_model import readable

URL, KEY = "SFUMATO_CHAT_URL", "SFUMATO_CHAT_KEY"
_WHOLE = 10.0
"""The time limit of a whole answer, as a multiple of the limit of silence."""
_LONGEST_WAIT = 60.0
_AGAIN = frozenset({200, 408, 409, 425, 429, 500, 502, 503, 504})  # 200: the body held no completion
_ABOUT_ONE = frozenset({400, 413, 422})
_REASONS = {
    200: "what it sends is no chat completion",
    401: "it refuses the key",
    403: "it refuses the key",
    404: "it knows no such model, or the address is not that of an OpenAI-compatible endpoint",
    429: "it takes too few questions at a time (HTTP 429)",
}
_MAY_BE_REFUSED = ("temperature", "seed", "max_tokens")


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
            received, sent = None, _body(self.model, question, self._refused)
            try:
                received = connection.post(f"{self.url}/chat/completions", json.dumps(sent).encode())
            except ExchangeError as failure:
                why = Lost(str(failure))
                if not failure.again:
                    return why
            if received is not None:
                reply = _answer(received) if received.status == 200 else None
                if reply is not None:
                    return reply
                status = received.status
                why = Lost(_REASONS.get(status, f"it sends HTTP {status}"), status in _ABOUT_ONE)
            if received is not None and received.status not in _AGAIN:
                setting = _refused_setting(received, sent)
                if setting is None:
                    return why
                self._refused.add(setting)
                left += 1  # the same question again, without the refused setting
            elif left:
                time.sleep(_asked_wait(received) or min(_LONGEST_WAIT, wait * (1.0 + 0.25 * random.random())))
                wait *= 2
        return why


class Lost(NamedTuple):
    """A question without an answer: ``why``, and whether it concerns this question only (it may be too long)."""

    why: str
    one_only: bool = False


def _body(model: str, question: Question, refused: Collection[str] = ()) -> dict[str, Any]:
    """Return the body of the request. ``refused`` settings are left out; ``max_tokens`` then uses its newer name."""
    setting = {"temperature": question.temperature, "seed": question.vote, "max_tokens": question.most_tokens}
    if "max_tokens" in refused:
        setting["max_completion_tokens"] = question.most_tokens
    turns = [
        {"role": "system", "content": readable(question.system)},
        {"role": "user", "content": readable(question.user)},
    ]
    taken = {name: value for name, value in setting.items() if name not in refused}
    return {"model": model, "messages": turns, **taken}


def _refused_setting(received: Received, sent: Mapping[str, Any]) -> str | None:
    """Return the setting of ``sent`` that the refusal ``received`` names, if not every endpoint takes it."""
    try:
        named = str(received.json()["error"]["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return named if named in _MAY_BE_REFUSED and named in sent else None


def _answer(received: Received) -> Answer | None:
    """Return the text of a completion; None if the endpoint sent something else."""
    try:
        content = received.json()
        text = content["choices"][0]["message"]["content"]
        used = content.get("usage") or {}
        tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return Answer(readable(text), *tokens) if isinstance(text, str) else None


def _asked_wait(received: Received | None) -> float | None:
    """Return the seconds that the endpoint asks to wait, at most a minute; None if it asks for none."""
    try:
        wait = float((received and received.retry_after) or 0.0)
    except ValueError:
        return None
    return min(wait, _LONGEST_WAIT) if wait > 0.0 else None  # None for NaN, too
