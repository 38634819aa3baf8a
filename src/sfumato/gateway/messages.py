"""Anthropic's messages: `/v1/messages`.

Thinking is signed by the upstream, so it is passed on as it is, and comes back only if it is known to be the
upstream's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from sfumato.gateway.chat_completions import CACHE
from sfumato.gateway.dialects import Dialect, Restoring, Stream, UnknownError
from sfumato.gateway.images import MESSAGES_IMAGE
from sfumato.gateway.restoring import JSON, PLAIN
from sfumato.gateway.shapes import (
    REPLACED,
    ROLE,
    SCALAR,
    SCHEMA,
    SIGNED,
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
from sfumato.gateway.sse import Event

_TEXT = Fields({"type": SCALAR, "text": TEXT, "citations": TREE, **CACHE})
_SOURCE = ByType(
    {
        "text": fields(type=SCALAR, media_type=SCALAR, data=TEXT),
        "content": fields(type=SCALAR, content=Either(TEXT, Each(_TEXT))),
    }
)
_PARTS: dict[str, Shape] = {
    "text": _TEXT,
    "image": MESSAGES_IMAGE,
    "document": Fields(
        {
            "type": SCALAR,
            "source": _SOURCE,
            "title": TEXT,
            "context": TEXT,
            "citations": fields(enabled=SCALAR),
            **CACHE,
        }
    ),
    "tool_use": Fields({**scalars("type id name"), "input": TREE, **CACHE}),
    "thinking": SIGNED,
    "redacted_thinking": SIGNED,
}
_RESULT = Fields(
    {**scalars("type tool_use_id is_error"), "content": Either(TEXT, Each(ByType(dict(_PARTS)))), **CACHE}
)
_TOOL = Fields({**scalars("type name strict"), "description": TEXT, "input_schema": SCHEMA, **CACHE})
_CONTENT = Either(TEXT, Each(ByType({**_PARTS, "tool_result": _RESULT})))


class Messages(Dialect):
    """Requests with the whole conversation in `messages`, and answers of content blocks."""

    path: ClassVar[str] = "/v1/messages"
    headers: ClassVar[tuple[str, ...]] = ("anthropic-version", "anthropic-beta")
    request: ClassVar[Fields] = Fields(
        {
            **scalars("model max_tokens temperature top_p top_k stream service_tier"),
            "messages": Each(fields(role=ROLE, content=_CONTENT)),
            "system": Either(TEXT, Each(_TEXT)),
            "stop_sequences": Each(TEXT),
            "metadata": fields(user_id=REPLACED),
            "thinking": fields(**scalars("type budget_tokens")),
            "output_config": fields(effort=SCALAR, format=fields(type=SCALAR, schema=SCHEMA)),
            "tool_choice": fields(**scalars("type name disable_parallel_tool_use")),
            "tools": Each(_TOOL),
        }
    )  # fmt: skip

    def key(self, key: str) -> dict[str, str]:
        """Return the headers with the upstream's ``key``."""
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def prepared(self, body: dict[str, Any], user: str) -> None:
        """Name the user by a name that tells nothing."""
        if isinstance(body.get("metadata"), dict) and body["metadata"].get("user_id"):
            body["metadata"] = {"user_id": user}

    def stream(self, restoring: Restoring) -> Stream:
        """Return what restores events."""
        return _Blocks(restoring)

    def error(self, kind: str, message: str) -> dict[str, Any]:
        """Return Anthropic's error."""
        return {"type": "error", "error": {"type": kind, "message": message}}

    def error_event(self, kind: str, message: str) -> Event:
        """Return an error event."""
        return Event("error", "").saying(self.error(kind, message))


_DELTAS = {"text_delta": ("text", PLAIN), "input_json_delta": ("partial_json", JSON)}
_SIGNED = frozenset({"thinking_delta", "signature_delta"})


class _Blocks(Stream):
    def __init__(self, restoring: Restoring) -> None:
        super().__init__(restoring)
        self._thinking: dict[Any, dict[str, Any]] = {}

    def feed(self, event: Event) -> Iterator[Event]:
        content = event.content
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "content_block_delta":
            yield from self._delta(event, content)
            return
        if kind == "content_block_stop":
            index = content.get("index")
            yield from self.parts.close(lambda key: key[0] == index)
            self.restoring.sign(self._thinking.pop(index, None))
        elif kind in ("message_start", "content_block_start", "message_delta", "error"):
            block = content.get("content_block")
            if isinstance(block, dict) and block.get("type") == "thinking":
                self._thinking[content.get("index")] = dict(block)
            content = self.restoring.tree(content)
        elif kind == "message_stop":
            yield from self.parts.close()
            self.ended = True
        elif kind != "ping":
            raise UnknownError("The upstream sent an event that the gateway does not know.")
        yield event.saying(content)

    def _delta(self, event: Event, content: dict[str, Any]) -> Iterator[Event]:
        delta, index = content.get("delta"), content.get("index")
        if not isinstance(delta, dict):
            raise UnknownError("The upstream sent a delta of an unknown form.")
        kind = str(delta.get("type"))
        if kind in _SIGNED:
            block, key = self._thinking.setdefault(index, {"type": "thinking"}), kind.removesuffix("_delta")
            block[key] = block.get(key, "") + str(delta.get(key) or "")
            yield event
        elif kind == "citations_delta":
            yield event.saying(self.restoring.tree(content))
        elif kind in _DELTAS:
            key, written = _DELTAS[kind]

            def say(text: str) -> Event:
                return event.saying({**content, "delta": {"type": kind, key: text}})

            yield say(self.parts.feed((index, key), str(delta.get(key) or ""), written, say))
        else:
            raise UnknownError("The upstream sent a delta that the gateway does not know.")
