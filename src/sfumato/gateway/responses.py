"""OpenAI's responses: `/v1/responses`.

Every event of a stream has a number, and every text is said again when its part, its item and the whole are done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from sfumato.gateway.chat_completions import OF_USERS, ChatCompletions
from sfumato.gateway.dialects import Restoring, Stream, UnknownError
from sfumato.gateway.images import RESPONSES_IMAGE
from sfumato.gateway.restoring import JSON, PLAIN
from sfumato.gateway.shapes import (
    JSON_TEXT,
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
    Said,
    Shape,
    fields,
    scalars,
)
from sfumato.gateway.sse import DONE, Event

_PARTS = ByType(
    {
        "input_text": fields(type=SCALAR, text=TEXT),
        "output_text": fields(type=SCALAR, text=TEXT, annotations=TREE, logprobs=TREE),
        "refusal": fields(type=SCALAR, refusal=TEXT),
        "summary_text": fields(type=SCALAR, text=TEXT),
        "reasoning_text": fields(type=SCALAR, text=TEXT),
        "input_image": RESPONSES_IMAGE,
    }
)
_CALL = scalars("type id call_id name status namespace")
_ITEMS: dict[str, Shape] = {
    "message": Fields({**scalars("type id status phase"), "role": ROLE, "content": Either(TEXT, Each(_PARTS))}),
    "function_call": Said(Fields({**_CALL, "arguments": JSON_TEXT})),
    "function_call_output": Fields({**_CALL, "output": Either(TEXT, Each(_PARTS))}),
    "custom_tool_call": Said(Fields({**_CALL, "input": TEXT})),
    "custom_tool_call_output": Fields({**_CALL, "output": Either(TEXT, Each(_PARTS))}),
    "reasoning": Said(
        Fields(
            {
                **scalars("type id status"),
                "summary": Each(_PARTS),
                "content": Each(_PARTS),
                "encrypted_content": SIGNED,
            }
        )
    ),
    "item_reference": fields(**scalars("type id")),
}
_TOOL = ByType(
    {
        "function": Fields({**scalars("type name strict"), "description": TEXT, "parameters": SCHEMA}),
        "custom": Fields({**scalars("type name"), "description": TEXT, "format": SCHEMA}),
    }
)
_NAMES = (
    "model stream temperature top_p max_output_tokens max_tool_calls parallel_tool_calls previous_response_id store "
    "truncation service_tier background prompt_cache_retention top_logprobs"
)
_DELTAS = {
    "response.output_text": PLAIN, "response.refusal": PLAIN, "response.reasoning_text": PLAIN,
    "response.reasoning_summary_text": PLAIN, "response.custom_tool_call_input": PLAIN,
    "response.function_call_arguments": JSON, "response.mcp_call_arguments": JSON,
    "response.code_interpreter_call_code": PLAIN,
}  # fmt: skip
_WHOLE = frozenset(
    f"response.{name}"
    for name in (
        "created", "in_progress", "queued", "completed", "incomplete", "failed", "output_item.added",
        "output_item.done", "content_part.added", "content_part.done", "reasoning_summary_part.added",
        "reasoning_summary_part.done", "output_text.annotation.added",
    )
) | {"error"}  # fmt: skip
_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "error"})


class Responses(ChatCompletions):
    """Requests with `input`, which may continue a response that the upstream keeps."""

    path: ClassVar[str] = "/v1/responses"
    keeps: ClassVar[bool] = True
    request: ClassVar[Fields] = Fields(
        {
            **scalars(_NAMES),
            **OF_USERS,
            "input": Either(TEXT, Each(ByType(_ITEMS, usual="message"))),
            "instructions": TEXT,
            "tools": Each(_TOOL),
            "tool_choice": Either(SCALAR, fields(**scalars("type name"))),
            "metadata": TREE,
            "include": Each(SCALAR),
            "reasoning": fields(**scalars("effort summary generate_summary")),
            "text": fields(
                verbosity=SCALAR,
                format=fields(type=SCALAR, name=SCALAR, description=TEXT, schema=SCHEMA, strict=SCALAR),
            ),
            "stream_options": fields(include_obfuscation=SCALAR),
        }
    )  # fmt: skip

    def prepared(self, body: dict[str, Any], user: str) -> None:
        """Name the user by a name that tells nothing, and ask for no probabilities."""
        super().prepared(body, user)
        if isinstance(body.get("include"), list):
            body["include"] = [name for name in body["include"] if "logprobs" not in str(name)]

    def stream(self, restoring: Restoring) -> Stream:
        """Return what restores events."""
        return _Events(restoring)

    def error_event(self, kind: str, message: str) -> Event:
        """Return an error event."""
        return Event("error", "").saying({"type": "error", "code": "sfumato", "message": message, "param": None})


class _Events(Stream):
    def __init__(self, restoring: Restoring) -> None:
        super().__init__(restoring)
        self._number = 0

    def feed(self, event: Event) -> Iterator[Event]:
        if event.data == DONE:
            yield event
            return
        for told in self._told(event, event.content):
            content = told.content
            if "sequence_number" in content:
                content["sequence_number"] = self._number
            self._number += 1
            yield told.saying(content)

    def _told(self, event: Event, content: Any) -> Iterator[Event]:
        kind = content.get("type") if isinstance(content, dict) else None
        if not isinstance(kind, str):
            raise UnknownError("The upstream sent an event of an unknown form.")
        stem, _, last = kind.rpartition(".")
        if stem in _DELTAS and last == "delta":
            yield self._delta(event, content, stem)
        elif stem in _DELTAS and last == "done":
            key = _part(content, stem)
            yield from self.parts.close(lambda other: other == key)
            yield event.saying(self._restored(content, stem))
        elif kind in _WHOLE:
            yield from self._closed(kind, content)
            self.ended |= kind in _LAST
            yield event.saying(self.restoring.tree(content))
        else:
            raise UnknownError("The upstream sent an event that the gateway does not know.")

    def _closed(self, kind: str, content: dict[str, Any]) -> Iterator[Event]:
        """Yield what was held back of parts whose end nobody announced."""
        if kind == "response.output_item.done":
            index = content.get("output_index")
            yield from self.parts.close(lambda key: key[2] == index)
        elif kind in _LAST:
            yield from self.parts.close()

    def _delta(self, event: Event, content: dict[str, Any], stem: str) -> Event:
        told = {name: value for name, value in content.items() if name not in ("logprobs", "obfuscation")}

        def say(text: str) -> Event:
            return Event(event.name and f"{stem}.delta", "").saying({**told, "delta": text})

        return say(self.parts.feed(_part(content, stem), str(content.get("delta") or ""), _DELTAS[stem], say))

    def _restored(self, content: dict[str, Any], stem: str) -> Any:
        """Return the text of a part that is done, as its deltas were restored."""
        names, counts = self.restoring.names, self.restoring.counts
        made = self.restoring.tree(content)
        for key in ("text", "refusal", "arguments", "input", "code"):
            if isinstance(content.get(key), str):
                made[key] = names.restored(content[key], _DELTAS[stem], counts)
        return made


def _part(content: dict[str, Any], stem: str) -> tuple[Any, ...]:
    """Return what tells a part from another."""
    inner = content.get("content_index", content.get("summary_index"))
    return stem, content.get("item_id"), content.get("output_index"), inner
