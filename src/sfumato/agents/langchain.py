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
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from pydantic import BaseModel

from sfumato.agents.langchain_shapes import CHOICE, FORMAT, MESSAGE, SETTINGS, TOOLS, formats_of
from sfumato.errors import ConfigurationError, InputError
from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.dialects import Restoring
from sfumato.gateway.messages import Messages
from sfumato.gateway.replacing import replaced
from sfumato.gateway.restoring import Names
from sfumato.gateway.sessions import Sanitized, Session, Sessions
from sfumato.gateway.settings import REALISTIC, TYPED
from sfumato.gateway.shapes import Each, Said, Walk
from sfumato.gateway.shield import Shield
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.turns import Steps
from sfumato.gateway.working import Worker
from sfumato.options.typed import typed
from sfumato.policy import Policy

_CONTENTS = tuple(MESSAGE.shapes)
_WAIT = 60.0


@dataclass(frozen=True)
class _Sent:
    """A request that may go out, with what restores its answer. PRIVATE."""

    request: ModelRequest[Any]
    session: Session = field(repr=False)
    restoring: Restoring = field(repr=False)


@dataclass(frozen=True)
class _Opened:
    """A request and copies of its parts, whose texts the ``walk`` found. PRIVATE.

    ``fixed`` are texts that go out as they are, or not at all: those of an answer's format.
    """

    request: ModelRequest[Any] = field(repr=False)
    session: Session = field(repr=False)
    walk: Walk = field(repr=False)
    messages: list[dict[str, Any]] = field(repr=False)
    tools: list[dict[str, Any]] = field(repr=False)
    settings: dict[str, Any] = field(repr=False)
    fixed: list[str] = field(repr=False)

    def sanitized(self, shield: Shield) -> Steps[_Sent]:
        """Return what may go out, in steps. Raise RefusedError and what :meth:`Shield.look` raises."""
        looked = yield from replaced(self.walk, shield, self.session)
        if any(looked.texts[text] != text for text in self.fixed):
            raise RefusedError(
                "response_format holds what has to be replaced, and the agent needs it as it is; write its names, "
                "descriptions and examples without data of people."
            )
        ChatCompletions().prepared(self.settings, self.session.user)
        Messages().prepared(self.settings, self.session.user)
        request = self.request
        own = [request.system_message] if request.system_message is not None else []
        made = [
            message.model_copy(update={**parts, "response_metadata": {}})
            for message, parts in zip([*own, *request.messages], self.messages, strict=True)
        ]
        tools: list[Any] = [
            tool if convert_to_openai_tool(tool) == told else told
            for tool, told in zip(request.tools, self.tools, strict=True)
        ]
        changed: Any = {"messages": made[len(own) :], "tools": tools, "model_settings": self.settings}
        if own:
            changed["system_message"] = made[0]
        names = Names({**looked.names, **(self.session.names if self.session.named else {})})
        return _Sent(request.override(**changed), self.session, Restoring(names))


@typed
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
        sent = self._worker.waits(lambda: opened.sanitized(self._worker.shield), opened.session.owner)
        return _restored(handler(sent.request), sent)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Send ``request`` sanitized, and return its answer restored."""
        opened = self._opened(request)
        sent = await self._worker.does(lambda: opened.sanitized(self._worker.shield), opened.session.owner, _WAIT)
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
        walk, messages = Walk(images=self._images, signed=session.signed), list[dict[str, Any]]()
        for number, message in enumerate([*system, *request.messages]):
            messages.append(_parts(message))
            shape = Said(MESSAGE) if isinstance(message, AIMessage) else MESSAGE
            shape.look(walk, {"": messages[-1]}, "", f"messages[{number}]")
        tools = [copy.deepcopy(convert_to_openai_tool(tool)) for tool in request.tools]
        TOOLS.look(walk, {"": tools}, "", "tools")
        settings = copy.copy(request.model_settings)
        SETTINGS.look(Walk(images=self._images), {"": settings}, "", "model_settings")  # before it is copied whole
        settings = copy.deepcopy(settings)
        SETTINGS.look(walk, {"": settings}, "", "model_settings")
        CHOICE.look(walk, {"": request.tool_choice}, "", "tool_choice")
        before = len(walk.slots)
        Each(FORMAT).look(walk, {"": formats_of(request.response_format)}, "", "response_format")
        fixed = [text for slot in walk.slots[before:] for text in slot.texts if not _is_small(text)]
        return _Opened(request, session, walk, messages, tools, settings, fixed)

    def _with_originals(self, request: ToolCallRequest) -> ToolCallRequest:
        session = self._session()
        names = Names(dict(session.names) if session.named else {})
        call: Any = {**request.tool_call, "args": Restoring(names).tree(request.tool_call["args"])}
        return request.override(tool_call=call)


def _is_small(text: str) -> bool:
    """Return whether ``text`` is a number such as a limit, which may have been drawn as the age of somebody."""
    return text.isdecimal() and len(text) < 5


def _parts(message: BaseMessage) -> dict[str, Any]:
    """Return a copy of what a model may get of ``message``."""
    return {name: copy.deepcopy(getattr(message, name, None)) for name in _CONTENTS if hasattr(message, name)}


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
        sent.session.learn_answer(told, Sanitized(said, names))
    elif isinstance(said, dict) and isinstance(told, dict):
        for name in said.keys() & told.keys():
            _remember(said[name], told[name], sent)
    elif isinstance(said, list) and isinstance(told, list):
        for own, other in zip(said, told, strict=True):
            _remember(own, other, sent)
