"""The wire format of OpenAI-compatible endpoints: what a question looks like there, and what may come back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from sfumato.abstract.chat import Answer, Question
from sfumato.models.chat.exchange import Received
from sfumato.models.local_model import readable

LONGEST_WAIT = 60.0
_AGAIN = frozenset({200, 408, 409, 425, 429, 500, 502, 503, 504})  # 200: what it held was no completion
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
    """A question without an answer: why, and whether that is about this question only (it may be too long)."""

    why: str
    one_only: bool = False


def body(model: str, question: Question, refused: Collection[str] = ()) -> dict[str, Any]:
    """What is sent. ``refused`` settings are left out, ``max_tokens`` goes by its newer name then."""
    setting = {"temperature": question.temperature, "seed": question.vote, "max_tokens": question.most_tokens}
    if "max_tokens" in refused:
        setting["max_completion_tokens"] = question.most_tokens
    turns = [
        {"role": "system", "content": readable(question.system)},
        {"role": "user", "content": readable(question.user)},
    ]
    taken = {name: one for name, one in setting.items() if name not in refused}
    return {"model": model, "messages": turns, **taken}


def refused_setting(received: Received, sent: Mapping[str, Any]) -> str | None:
    """The setting of ``sent`` that the refusal ``received`` names, where it is one that not every endpoint takes."""
    try:
        named = str(received.json()["error"]["param"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return named if named in _MAY_BE_REFUSED and named in sent else None


def answer(received: Received) -> Answer | None:
    """The text of a completion; None where the endpoint gave something else."""
    try:
        content = received.json()
        text = content["choices"][0]["message"]["content"]
        used = content.get("usage") or {}
        tokens = int(used.get("prompt_tokens") or 0), int(used.get("completion_tokens") or 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    return Answer(readable(text), *tokens) if isinstance(text, str) else None


def again(status: int) -> bool:
    """Whether another try may help."""
    return status in _AGAIN


def lost(status: int) -> Lost:
    """What to say of a response without an answer."""
    return Lost(_REASONS.get(status, f"it sends HTTP {status}"), status in _ABOUT_ONE)


def asked_wait(received: Received | None) -> float | None:
    """The seconds that the endpoint asks for, at most a minute; None where it says nothing of them."""
    try:
        wait = float((received and received.retry_after) or 0.0)
    except ValueError:
        return None
    return min(wait, LONGEST_WAIT) if wait > 0.0 else None  # nor for NaN
