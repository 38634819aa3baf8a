"""The wire format of OpenAI-compatible endpoints: requests for a question, and the possible responses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sfumato.abstract.chat import Answer, Question
from sfumato.models.chat.exchange import Received
from sfumato.models.local_model import readable

LONGEST_WAIT = 60.0
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


class Lost(NamedTuple):
    """A question without an answer: ``why``, and whether it concerns this question only (it may be too long)."""

    why: str
    one_only: bool = False


def body(model: str, question: Question, refused: Collection[str] = ()) -> dict[str, Any]:
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


def refused_setting(received: Received, sent: Mapping[str, Any]) -> str | None:
    """Return the setting of ``sent`` that the refusal ``received`` names, if not every endpoint takes it."""
    try:
        named = str(received.json()["error"]["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return named if named in _MAY_BE_REFUSED and named in sent else None


def answer(received: Received) -> Answer | None:
    """Return the text of a completion; None if the endpoint sent something else."""
    try:
        content = received.json()
        text = content["choices"][0]["message"]["content"]
        used = content.get("usage") or {}
        tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return Answer(readable(text), *tokens) if isinstance(text, str) else None


def again(status: int) -> bool:
    """Return whether another try may help."""
    return status in _AGAIN


def lost(status: int) -> Lost:
    """Return the reason for a response without an answer."""
    return Lost(_REASONS.get(status, f"it sends HTTP {status}"), status in _ABOUT_ONE)


def asked_wait(received: Received | None) -> float | None:
    """Return the seconds that the endpoint asks to wait, at most a minute; None if it asks for none."""
    try:
        wait = float((received and received.retry_after) or 0.0)
    except ValueError:
        return None
    return min(wait, LONGEST_WAIT) if wait > 0.0 else None  # None for NaN, too
