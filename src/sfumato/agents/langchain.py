"""A middleware for agents of LangChain: a model sees pseudonyms and drawn values, and the agent sees originals.

Messages are sanitized on the way to the model, by a policy as in the gateway. Answers, and the arguments of tools in
them, are restored on the way back, so that the agent keeps and its tools get what was written. A thread of the agent
is a session: one value has one pseudonym in it, and is drawn and paid for once.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain.agents.middleware import (
    AgentMiddleware,
    ModelRequest,
    ModelResponse,
    TracePolicy,
    omit_payload,
)
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from pydantic import BaseModel

from sfumato.errors import ConfigurationError, InputError
from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.dialects import Restoring
from sfumato.gateway.images import CHAT_IMAGE, LANGCHAIN_IMAGE
from sfumato.gateway.restoring import Names
from sfumato.gateway.sessions import Sanitized, Session, Sessions
from sfumato.gateway.settings import REALISTIC, TYPED
from sfumato.gateway.shapes import (
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
from sfumato.gateway.slots import Slot
from sfumato.gateway.working import Worker
from sfumato.policy import Policy

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
_ANSWER = "\0answer\0"
"""Before a text of the model in the memory of a session: the same words of a user are drawn and paid for."""


@dataclass(frozen=True)
class _Sent:
    """A request that may go out, with what restores its answer. PRIVATE."""

    request: ModelRequest[Any]
    session: Session = field(repr=False)
    restoring: Restoring = field(repr=False)


@dataclass(frozen=True)
class _Opened:
    """The texts of a request, in copies of its parts. PRIVATE.

    ``answered`` has what an earlier answer was before it was restored, by the place of its text among the ``slots``.
    Such a text is what the model said itself, so that it goes back as it was, and is neither drawn nor paid for.
    """

    session: Session = field(repr=False)
    messages: list[dict[str, Any]] = field(repr=False)
    tools: list[dict[str, Any]] = field(repr=False)
    slots: list[Slot] = field(repr=False)
    answered: Mapping[int, Mapping[str, Sanitized]] = field(repr=False)

    @property
    def texts(self) -> list[str]:
        """Return the texts that have to be looked at."""
        return [text for place, slot in enumerate(self.slots) for text in slot.texts if text not in self._own(place)]

    def put(self, looked: Looked) -> Names:
        """Put what may go out in its place, and return what restores the answer."""
        names = {**looked.names, **(self.session.names if self.session.named else {})}
        for place, slot in enumerate(self.slots):
            own = self._own(place)
            slot.put({**looked.texts, **{text: made.text for text, made in own.items()}})
            for made in own.values():
                names |= made.names
        return Names(names)

    def _own(self, place: int) -> Mapping[str, Sanitized]:
        return self.answered.get(place, {})


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
        opened = self._opened(request)
        shield, session, texts = self._worker.shield, opened.session, opened.texts
        looked = self._worker.waits(lambda: shield.looking(session, texts), session.owner)
        sent = _sanitized(request, opened, looked)
        return _restored(handler(sent.request), sent)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Send ``request`` sanitized, and return its answer restored."""
        opened = self._opened(request)
        looked = await self._worker.look(opened.session, opened.texts, _WAIT)
        sent = _sanitized(request, opened, looked)
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
        session = self._session()
        system = [] if request.system_message is None else [request.system_message]
        walk, answered = Walk(images=self._images, signed=session.signed), dict[int, dict[str, Sanitized]]()
        messages = list[dict[str, Any]]()
        for number, message in enumerate([*system, *request.messages]):
            messages.append(_parts(message))
            before = len(walk.slots)
            _MESSAGE.look(walk, {"": messages[-1]}, "", f"messages[{number}]")
            if isinstance(message, AIMessage):
                answered |= {place: _answered(session, walk.slots[place]) for place in range(before, len(walk.slots))}
        tools = [copy.deepcopy(convert_to_openai_tool(tool)) for tool in request.tools]
        _TOOLS.look(walk, {"": tools}, "", "tools")
        return _Opened(session, messages, tools, walk.slots, answered)

    def _with_originals(self, request: ToolCallRequest) -> ToolCallRequest:
        session = self._session()
        names = Names(dict(session.names) if session.named else {})
        call: Any = {**request.tool_call, "args": Restoring(names).tree(request.tool_call["args"])}
        return request.override(tool_call=call)


def _parts(message: BaseMessage) -> dict[str, Any]:
    """Return a copy of what a model may get of ``message``."""
    return {name: copy.deepcopy(getattr(message, name, None)) for name in _CONTENTS if hasattr(message, name)}


def _answered(session: Session, slot: Slot) -> dict[str, Sanitized]:
    """Return what the model said, by those texts of ``slot`` that it was restored to."""
    known = {text: session.sanitized(_ANSWER + text) for text in slot.texts}
    return {text: made for text, made in known.items() if made is not None}


def _sanitized(request: ModelRequest[Any], opened: _Opened, looked: Looked) -> _Sent:
    names = opened.put(looked)
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
    return _Sent(request.override(**changed), opened.session, Restoring(names))


def _restored(response: Any, sent: _Sent) -> ModelResponse[Any]:
    """Return what the model answered, with originals. Raise InputError for an answer of a form that is not known."""
    if isinstance(response, BaseMessage):
        response = ModelResponse(result=[response])
    if not isinstance(response, ModelResponse):
        raise InputError("The model's answer has a form that cannot be restored; let the middleware be the last.")
    restoring, messages = sent.restoring, list[BaseMessage]()
    for message in response.result:
        said = _parts(message)
        told = {name: restoring.tree(value) for name, value in said.items()}
        _remember(said, told, sent)
        messages.append(message.model_copy(update=told))
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


def _remember(said: Any, told: Any, sent: _Sent) -> None:
    """Note what the model ``said`` where the agent was ``told`` it."""
    if isinstance(said, str) and isinstance(told, str):
        names = {name: own for name, own in sent.restoring.names.originals.items() if name in said}
        sent.session.learn(_ANSWER + told, Sanitized(said, names))
    elif isinstance(said, dict) and isinstance(told, dict):
        for name in said.keys() & told.keys():
            _remember(said[name], told[name], sent)
    elif isinstance(said, list) and isinstance(told, list):
        for own, other in zip(said, told, strict=True):
            _remember(own, other, sent)
