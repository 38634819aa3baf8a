"""OpenAI's chat completions: `/v1/chat/completions`."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, ClassVar

from sfumato.gateway.dialects import LEFT_OUT, Dialect, Restoring, Stream, UnknownError
from sfumato.gateway.images import CHAT_IMAGE
from sfumato.gateway.restoring import JSON, PLAIN
from sfumato.gateway.shapes import (
    JSON_TEXT,
    REPLACED,
    ROLE,
    SCALAR,
    SCHEMA,
    TEXT,
    TREE,
    ByType,
    Each,
    Either,
    Fields,
    Shape,
    fields,
    scalars,
)
from sfumato.gateway.sse import DONE, Event

CACHE = {"cache_control": fields(**scalars("type ttl"))}
_PARTS = ByType(
    {
        "text": Fields({"type": SCALAR, "text": TEXT, **CACHE}),
        "refusal": fields(type=SCALAR, refusal=TEXT),
        "image_url": CHAT_IMAGE,
    }
)
_CALLED = fields(name=SCALAR, arguments=JSON_TEXT)
_CALLS = Each(
    ByType(
        {
            "function": Fields({**scalars("id type index"), "function": _CALLED}),
            "custom": Fields({**scalars("id type index"), "custom": fields(name=SCALAR, input=TEXT)}),
        },
        usual="function",
    )
)
_MESSAGE = Fields(
    {
        "role": ROLE, "content": Either(TEXT, Each(_PARTS)), "name": TEXT, "refusal": TEXT, "tool_calls": _CALLS,
        "function_call": _CALLED, "tool_call_id": SCALAR, "reasoning_content": TEXT, "annotations": TREE,
        **CACHE,
    }
)  # fmt: skip
FUNCTION = fields(name=SCALAR, description=TEXT, parameters=SCHEMA, strict=SCALAR)
OF_USERS: dict[str, Shape] = dict.fromkeys(("user", "safety_identifier", "prompt_cache_key"), REPLACED)
_CHOICE: Shape = Either(SCALAR, fields(type=SCALAR, function=fields(name=SCALAR), custom=fields(name=SCALAR)))
_NUMBERS = (
    "model temperature top_p n stream max_tokens max_completion_tokens presence_penalty frequency_penalty seed "
    "service_tier store parallel_tool_calls reasoning_effort verbosity top_k min_p repetition_penalty "
    "prompt_cache_retention logprobs top_logprobs"
)


class ChatCompletions(Dialect):
    """Requests with the whole conversation in `messages`, and answers in `choices`."""

    path: ClassVar[str] = "/v1/chat/completions"
    request: ClassVar[Fields] = Fields(
        {
            **scalars(_NUMBERS),
            **OF_USERS,
            "messages": Each(_MESSAGE),
            "tools": Each(
                ByType(
                    {
                        "function": Fields({"type": SCALAR, "function": FUNCTION, **CACHE}),
                        "custom": fields(type=SCALAR, custom=fields(name=SCALAR, description=TEXT, format=SCHEMA)),
                    }
                )
            ),
            "functions": Each(FUNCTION),
            "tool_choice": _CHOICE,
            "function_call": _CHOICE,
            "stop": Either(TEXT, Each(TEXT)),
            "metadata": TREE,
            "logit_bias": TREE,
            "modalities": Each(SCALAR),
            "stream_options": fields(**scalars("include_usage include_obfuscation")),
            "prediction": fields(type=SCALAR, content=Either(TEXT, Each(_PARTS))),
            "response_format": fields(
                type=SCALAR, json_schema=fields(name=SCALAR, description=TEXT, schema=SCHEMA, strict=SCALAR)
            ),
        }
    )

    def prepared(self, body: dict[str, Any], user: str) -> None:
        """Name the user by a name that tells nothing, and ask for no probabilities."""
        for key in OF_USERS:
            if body.get(key):
                body[key] = user
        for key in ("logprobs", "top_logprobs"):
            body.pop(key, None)

    def stream(self, restoring: Restoring) -> Stream:
        """Return what restores chunks."""
        return _Chunks(restoring)

    def error(self, kind: str, message: str) -> dict[str, Any]:
        """Return OpenAI's error."""
        return {"error": {"message": message, "type": kind, "param": None, "code": "sfumato"}}

    def error_event(self, kind: str, message: str) -> Event:
        """Return an error as a chunk."""
        return Event("", "").saying(self.error(kind, message))


_KNOWN = frozenset(
    {"role", "content", "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning", "annotations"}
)


class _Chunks(Stream):
    def feed(self, event: Event) -> Iterator[Event]:
        if event.data == DONE:
            yield from self.parts.close()
            self.ended = True
            yield event
            return
        chunk = event.content
        if not isinstance(chunk, dict) or not isinstance(chunk.get("choices", []), list):
            raise UnknownError("The upstream sent a chunk of an unknown form.")
        if "error" in chunk:
            yield event.saying(self.restoring.tree(chunk))
            return
        told = {name: value for name, value in chunk.items() if name not in LEFT_OUT}
        told["choices"] = []
        for choice in chunk.get("choices", []):
            yield from self._choice(event, chunk, choice, told["choices"])
        yield event.saying(told)

    def _choice(self, event: Event, chunk: dict[str, Any], choice: Any, told: list[Any]) -> Iterator[Event]:
        """Restore one choice into ``told``; yield what was held back of it if it ends."""
        made = {name: value for name, value in choice.items() if name not in LEFT_OUT}
        delta = made["delta"] = dict(choice.get("delta") or {})
        if unknown := delta.keys() - _KNOWN:
            raise UnknownError(f"The upstream sent a delta that is not known ({len(unknown)} keys).")
        index = choice.get("index", 0)

        def say(path: tuple[Any, ...], text: str) -> Event:
            rest = {**{key: value for key, value in chunk.items() if key not in (*LEFT_OUT, "usage")}}
            return event.saying(
                {**rest, "choices": [{"index": index, "delta": _at(path, text), "finish_reason": None}]}
            )

        def restore(holder: Any, key: str, path: tuple[Any, ...], kind: str) -> None:
            if isinstance(holder.get(key), str):
                holder[key] = self.parts.feed((index, *path), holder[key], kind, lambda text: say(path, text))

        for key in ("content", "refusal", "reasoning_content", "reasoning"):
            restore(delta, key, (key,), PLAIN)
        if delta.get("annotations"):
            delta["annotations"] = self.restoring.tree(delta["annotations"])
        calls = delta["tool_calls"] = copy.deepcopy(delta.get("tool_calls")) or []
        for call in calls:
            number = call.get("index", 0)
            restore(call.get("function") or {}, "arguments", ("tool_calls", number, "function", "arguments"), JSON)
            restore(call.get("custom") or {}, "input", ("tool_calls", number, "custom", "input"), PLAIN)
        if not calls:
            del delta["tool_calls"]
        if isinstance(delta.get("function_call"), dict):
            delta["function_call"] = dict(delta["function_call"])
            restore(delta["function_call"], "arguments", ("function_call", "arguments"), JSON)
        if choice.get("finish_reason") is not None:
            held = list(self.parts.close(lambda key: key[0] == index))
            if _says_something(delta):  # its own text comes before the rest that was held back of it
                yield event.saying(
                    {**chunk, "choices": [{**made, "finish_reason": None}]}
                    if "usage" not in chunk
                    else {
                        **{key: value for key, value in chunk.items() if key != "usage"},
                        "choices": [{**made, "finish_reason": None}],
                    }
                )
                made["delta"] = {}
            yield from held
        told.append(made)


def _says_something(delta: dict[str, Any]) -> bool:
    return any(value not in ("", None) for value in delta.values())


def _at(path: tuple[Any, ...], text: str) -> dict[str, Any]:
    """Return the delta with ``text`` at ``path``."""
    if path[0] == "tool_calls":
        _, number, kind, key = path
        return {"tool_calls": [{"index": number, kind: {key: text}}]}
    return {path[0]: {path[1]: text}} if len(path) > 1 else {path[0]: text}
