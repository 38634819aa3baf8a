"""What a request of a LangChain agent may hold: messages, tools, settings of a call, and the format of an answer."""

from __future__ import annotations

import copy
from typing import Any

from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy

from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.images import CHAT_IMAGE, LANGCHAIN_IMAGE
from sfumato.gateway.messages import Messages
from sfumato.gateway.responses import Responses
from sfumato.gateway.shapes import (
    JSON_TEXT,
    SCALAR,
    SCHEMA,
    SIGNED,
    TEXT,
    TREE,
    ByType,
    Each,
    Either,
    Fields,
    fields,
    scalars,
)
from sfumato.gateway.slots import RefusedError

_BLOCKS = ByType(
    {
        "text": Fields({**scalars("type id index"), "text": TEXT, "annotations": TREE, "cache_control": TREE}),
        "refusal": Fields({"type": SCALAR, "refusal": TEXT}),
        "tool_use": Fields({**scalars("type id index name"), "input": TREE, "partial_json": JSON_TEXT}),
        "tool_call": Fields({**scalars("type id index name"), "args": TREE}),
        "tool_result": Fields({**scalars("type tool_use_id is_error"), "content": TREE}),
        "image": LANGCHAIN_IMAGE, "image_url": CHAT_IMAGE, "thinking": SIGNED, "redacted_thinking": SIGNED,
    }
)  # fmt: skip
"""A reasoning block of another form is refused, as any unknown block is: nobody has looked at it."""
_STRING_OR_BLOCK = Either(TEXT, _BLOCKS)
MESSAGE = Fields(
    {
        "content": Either(TEXT, Each(_STRING_OR_BLOCK)),
        "name": TEXT,
        "tool_calls": Each(Fields({**scalars("type id name"), "args": TREE})),
        "invalid_tool_calls": Each(Fields({**scalars("type id name"), "args": TEXT, "error": TEXT})),
        "additional_kwargs": TREE,
        **scalars("id tool_call_id"),
    }
)
TOOLS = ChatCompletions.request.shapes["tools"]
CHOICE = Either(SCALAR, fields(**scalars("type name disable_parallel_tool_use"), function=fields(name=SCALAR)))
FORMAT = fields(name=SCALAR, description=TEXT, schema=SCHEMA)
SETTINGS = Fields(
    {
        **{
            name: shape
            for dialect in (Messages, Responses, ChatCompletions)
            for name, shape in dialect.request.shapes.items()
            if name not in ("messages", "input", "tools", "functions", "system", "instructions")
        },
        **scalars("strict timeout max_retries stream_usage"),
        "tool_choice": CHOICE,
        "betas": Each(SCALAR),
    }
)
"""What an agent may set for one call; a text in it is looked at."""


def formats_of(given: Any) -> list[dict[str, Any]]:
    """Return what a model gets of the format of an answer. Raise RefusedError for one of an unknown kind."""
    if given is None:
        return []
    schema = given.schema if isinstance(given, AutoStrategy | ToolStrategy | ProviderStrategy) else given
    try:
        specs = ToolStrategy(schema).schema_specs
    except (TypeError, ValueError):
        raise RefusedError("response_format is of a kind that cannot be looked at; give a schema.") from None
    return [
        {"name": each.name, "description": each.description, "schema": copy.deepcopy(each.json_schema)}
        for each in specs
    ]
