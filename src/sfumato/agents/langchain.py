"""A middleware for agents of LangChain: a model sees pseudonyms and drawn values, and the agent sees originals.

Messages are sanitized on the way to the model, by a policy as in the gateway. Answers, and the arguments of tools in
them, are restored on the way back, so that the agent keeps and its tools get what was written. A thread of the agent
is a session: one value has one pseudonym in it, and is drawn and paid for once.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from langchain.agents.middleware import (
    AgentMiddleware,
    ModelRequest,
    ModelResponse,
    TracePolicy,
    omit_payload,
)
from langchain_core.messages import BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from pydantic import BaseModel

from sfumato.errors import ConfigurationError, InputError
from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.dialects import Restoring
from sfumato.gateway.restoring import Names
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.settings import REALISTIC, TYPED
from sfumato.gateway.shapes import (
    IMAGE,
    JSON_TEXT,
    SCALAR,
    SIGNED,
    TEXT,
    TREE,
    ByType,
    Each,
    Either,
    Fields,
    Walk,
    scalars,
)
from sfumato.gateway.shield import Looked
from sfumato.gateway.working import Worker
from sfumato.policy import Policy

_BLOCKS = ByType(
    {
        "text": Fields({**scalars("type id index"), "text": TEXT, "annotations": TREE, "cache_control": TREE}),
        "refusal": Fields({"type": SCALAR, "refusal": TEXT}),
        "tool_use": Fields({**scalars("type id index name"), "input": TREE, "partial_json": JSON_TEXT}),
        "tool_call": Fields({**scalars("type id index name"), "args": TREE}),
        "tool_result": Fields({**scalars("type tool_use_id is_error"), "content": TREE}),
        "image": IMAGE, "image_url": IMAGE, "thinking": SIGNED, "redacted_thinking": SIGNED,
    }
)  # fmt: skip
"""A reasoning block of another form is refused, as any unknown block is: nobody has looked at it."""
_STRING_OR_BLOCK = Either(TEXT, _BLOCKS)
_MESSAGE = Fields(
    {
        "content": Either(TEXT, Each(_STRING_OR_BLOCK)),
        "name": TEXT,
        "tool_calls": Each(Fields({**scalars("type id name"), "args": TREE})),
        "invalid_tool_calls": Each(Fields({**scalars("type id name"), "args": TEXT, "error": TEXT})),
        "additional_kwargs": TREE,
    }
)
_TOOLS = ChatCompletions.request.shapes["tools"]
_CONTENTS = tuple(_MESSAGE.shapes)
_WAIT = 60.0


@dataclass(frozen=True)
class _Sent:
    """A request that may go out, with what restores its answer. PRIVATE."""

    request: ModelRequest[Any]
    session: Session = field(repr=False)
    restoring: Restoring = field(repr=False)


@dataclass(frozen=True)
class _Opened:
    """The texts of a request, in copies of its parts."""

    messages: list[dict[str, Any]] = field(repr=False)
    tools: list[dict[str, Any]] = field(repr=False)
    walk: Walk = field(repr=False)

    @property
    def texts(self) -> list[str]:
        return [text for slot in self.walk.slots for text in slot.texts]

    def put(self, looked: Looked) -> None:
        for slot in self.walk.slots:
            slot.put(looked.texts)


class SanitizingMiddleware(AgentMiddleware[Any, Any, Any]):
    """Sanitizes what an agent's model gets by a policy, and restores what it answers.

    Args:
        policy: The policy, the name of one that comes with sfumato, or a file.
        pseudonyms: typed, such as PERSON_1A2B3C4D, or realistic.
        images: Pass images on, in which nothing is found.

    Raises:
        ConfigurationError: The policy cannot treat texts one by one.
        InputError: A message holds what cannot be sanitized; nothing was sent.
        BudgetError: The conversation cannot pay; nothing was sent.
    """

    trace_policy = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)

    def __init__(self, policy: Policy | str = "chat", *, pseudonyms: str = TYPED, images: bool = False) -> None:
        super().__init__()
        if pseudonyms not in (TYPED, REALISTIC):
            raise ConfigurationError(f"pseudonyms are {TYPED} or {REALISTIC}.")
        chosen = policy if isinstance(policy, Policy) else Policy.load(policy)
        self.tools = ()
        self._images, self._sessions = images, Sessions()
        self._worker = Worker.of_policy(chosen, pseudonyms)

    def close(self) -> None:
        """Close the ledger, and forget all sessions."""
        self._worker.close()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Send ``request`` sanitized, and return its answer restored."""
        session, opened = self._session(), self._opened(request)
        looked = self._worker.waits(lambda: self._worker.shield.look(session, opened.texts))
        sent = _sanitized(request, session, opened, looked)
        return _restored(handler(sent.request), sent)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Send ``request`` sanitized, and return its answer restored."""
        session, opened = self._session(), self._opened(request)
        looked = await self._worker.look(session, opened.texts, _WAIT)
        sent = _sanitized(request, session, opened, looked)
        return _restored(await handler(sent.request), sent)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Run a tool with originals, also for a call that did not come from the model in this thread."""
        return handler(self._with_originals(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Run a tool with originals, also for a call that did not come from the model in this thread."""
        return await handler(self._with_originals(request))

    def _session(self) -> Session:
        """Return the session of the thread that runs; that of all others for one without a name."""
        try:
            named = get_config().get("configurable", {}).get("thread_id", "")
        except RuntimeError:  # outside an agent
            named = ""
        return self._sessions.of("langchain", str(named))

    def _opened(self, request: ModelRequest[Any]) -> _Opened:
        """Return copies of the parts of ``request``, and where their texts are. Raise RefusedError."""
        system = [] if request.system_message is None else [request.system_message]
        messages = [_parts(message) for message in (*system, *request.messages)]
        tools = [copy.deepcopy(convert_to_openai_tool(tool)) for tool in request.tools]
        walk = Walk(images=self._images, signed=self._session().signed)
        for number, message in enumerate(messages):
            _MESSAGE.look(walk, {"": message}, "", f"messages[{number}]")
        _TOOLS.look(walk, {"": tools}, "", "tools")
        return _Opened(messages, tools, walk)

    def _with_originals(self, request: ToolCallRequest) -> ToolCallRequest:
        session = self._session()
        names = Names(dict(session.names) if session.named else {})
        call: Any = {**request.tool_call, "args": Restoring(names).tree(request.tool_call["args"])}
        return request.override(tool_call=call)


def _parts(message: BaseMessage) -> dict[str, Any]:
    """Return a copy of what a model may get of ``message``."""
    return {name: copy.deepcopy(getattr(message, name, None)) for name in _CONTENTS if hasattr(message, name)}


def _sanitized(request: ModelRequest[Any], session: Session, opened: _Opened, looked: Looked) -> _Sent:
    opened.put(looked)
    own = [request.system_message] if request.system_message is not None else []
    made = [
        message.model_copy(update={**parts, "response_metadata": {}})
        for message, parts in zip([*own, *request.messages], opened.messages, strict=True)
    ]
    tools: list[Any] = [
        tool if convert_to_openai_tool(tool) == told else told
        for tool, told in zip(request.tools, opened.tools, strict=True)
    ]
    changed: Any = {"messages": made[len(own) :], "tools": tools}
    if own:
        changed["system_message"] = made[0]
    names = Names({**looked.names, **(session.names if session.named else {})})
    return _Sent(request.override(**changed), session, Restoring(names))


def _restored(response: Any, sent: _Sent) -> ModelResponse[Any]:
    """Return what the model answered, with originals. Raise InputError for an answer of a form that is not known."""
    if isinstance(response, BaseMessage):
        response = ModelResponse(result=[response])
    if not isinstance(response, ModelResponse):
        raise InputError("The model's answer has a form that cannot be restored; let the middleware be the last.")
    restoring = sent.restoring
    messages = [
        message.model_copy(update={name: restoring.tree(value) for name, value in _parts(message).items()})
        for message in response.result
    ]
    sent.session.sign(restoring.signed)
    structured = response.structured_response
    if isinstance(structured, BaseModel):
        structured = type(structured).model_validate(restoring.tree(structured.model_dump()))
    elif structured is not None:
        if not isinstance(structured, dict | list | str | int | float):
            raise InputError(
                "A structured answer is restored as JSON or as a model of pydantic; ask for one of them."
            )
        structured = restoring.tree(structured)
    return ModelResponse(result=messages, structured_response=structured)
