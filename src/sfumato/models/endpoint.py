"""A chat model behind an OpenAI-compatible endpoint that the user named.

The address comes from the argument or from ``SFUMATO_CHAT_URL``, the key from ``SFUMATO_CHAT_KEY``. The questions may
hold private text: this is the one place from which it leaves the machine, to the address given and nowhere else.
Answers are kept in a folder by a hash of model and question, unless that is turned off.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.chat import Answer, ChatModel, Question, Spent
from sfumato.errors import ConfigurationError, MissingExtraError

URL, KEY = "SFUMATO_CHAT_URL", "SFUMATO_CHAT_KEY"
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


@dataclass
class Endpoint(ChatModel):
    """``model`` at ``url`` (…/v1). ``folder`` keeps answers; None keeps none.

    Each question is tried ``tries`` times, with waits that double from ``first_wait`` seconds (or what the endpoint
    asks for, up to a minute), ``at_once`` questions at a time, ``timeout`` seconds each.
    """

    model: str
    url: str | None = None
    folder: Path | None = None
    tries: int = 5
    at_once: int = 8
    timeout: float = 60.0
    first_wait: float = 1.0
    spent: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        self.url = (self.url or os.environ.get(URL) or "").rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise ConfigurationError(
                f"A chat model needs an address: set {URL}, for example to http://localhost:8000/v1, and {KEY}."
            )

    @property
    def id(self) -> str:
        """The name of the model; not its address, which may hold a secret."""
        return self.model

    @cached_property
    def _client(self) -> Any:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("A chat endpoint needs httpx; type: pip install 'sfumato[evaluate]'") from None
        key = os.environ.get(KEY)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(timeout=self.timeout, headers=headers, trust_env=False)

    def replies(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Answers in order; what failed for good is None, and the rest goes on."""
        with ThreadPoolExecutor(max_workers=max(1, self.at_once)) as pool:
            found = list(pool.map(self._reply, questions))
        for answer in found:
            self.spent.add(answer)
        return found

    def _reply(self, question: Question) -> Answer | None:
        place = self._place(question)
        if place is not None and place.is_file():
            kept = json.loads(place.read_text(encoding="utf-8"))
            return Answer(kept["text"], kept["tokens_in"], kept["tokens_out"], cached=True)
        answer = self._asked(question)
        if place is not None and answer is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_suffix(f".{os.getpid()}-{random.getrandbits(32):08x}.tmp")
            unfinished.write_text(json.dumps(asdict(answer)), encoding="utf-8")
            unfinished.replace(place)
        return answer

    def _place(self, question: Question) -> Path | None:
        if self.folder is None:
            return None
        key = json.dumps([self.model, self.url, asdict(question)], sort_keys=True)
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _asked(self, question: Question) -> Answer | None:
        import httpx

        turns = [{"role": "system", "content": question.system}, {"role": "user", "content": question.user}]
        body = {
            "model": self.model, "messages": turns, "temperature": question.temperature,
            "max_tokens": question.most_tokens, "seed": question.vote,
        }  # fmt: skip
        wait = self.first_wait
        for left in range(self.tries - 1, -1, -1):
            try:
                found = self._client.post(f"{self.url}/chat/completions", json=body)
            except httpx.HTTPError:
                found = None
            if found is not None and found.status_code == 200:
                answer = _answer(found)
                if answer is not None:
                    return answer
            elif found is not None and found.status_code not in _AGAIN:
                return None
            if left:
                time.sleep(min(60.0, _asked_wait(found) or wait * (1.0 + 0.25 * random.random())))
                wait *= 2
        return None


def _answer(found: Any) -> Answer | None:
    """The text of a completion; None where the endpoint gave something else."""
    try:
        content = found.json()
        text = content["choices"][0]["message"]["content"]
        used = content.get("usage") or {}
        tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    return Answer(text, *tokens) if isinstance(text, str) else None


def _asked_wait(found: Any) -> float | None:
    try:
        return float(found.headers["retry-after"])
    except (AttributeError, KeyError, ValueError):
        return None
