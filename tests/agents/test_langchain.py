"""A real agent with a scripted model: what the model sees, what the tools get, and what the user reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field

from served_doors import MAIL, NAME, POLICY, TEXT
from sfumato.agents.langchain import SanitizingMiddleware
from sfumato.errors import BudgetError, ConfigurationError, InputError
from sfumato.ledger import Budget, Ledger, made_key
from sfumato.policy import Policy

pytestmark = [pytest.mark.models, pytest.mark.anyio, pytest.mark.filterwarnings("ignore")]
CANARIES = (*NAME.split(), MAIL, "7654321")


class Scripted(BaseChatModel):
    """A model that says what its ``script`` makes of the messages, and keeps all that it was sent."""

    script: Callable[[list[BaseMessage]], AIMessage]
    seen: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        from langchain_core.utils.function_calling import convert_to_openai_tool

        self.seen.append(json.dumps([convert_to_openai_tool(tool) for tool in tools]))
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:  # fmt: skip
        self.seen.append(json.dumps([message.model_dump() for message in messages], default=str, ensure_ascii=False))
        return ChatResult(generations=[ChatGeneration(message=self.script(messages))])


def echo(messages: list[BaseMessage]) -> AIMessage:
    return AIMessage(f"You said: {messages[-1].content}")


def calling(messages: list[BaseMessage]) -> AIMessage:
    """Ask a tool for what the user said, then repeat what it answered."""
    if isinstance(messages[-1], ToolMessage):
        return AIMessage(f"The tool says: {messages[-1].content}")
    call = {"name": "lookup", "args": {"who": messages[-1].content}, "id": "1", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


GIVEN: list[str] = []


def lookup(who: str) -> str:
    """Looks up people, such as Zwiebelina Fischhaber."""
    GIVEN.append(who)
    return f"{who} They live with Xaverl Obermoser."


@pytest.fixture(scope="module")
def middleware() -> Iterator[SanitizingMiddleware]:
    made = SanitizingMiddleware(Policy.parse(POLICY))
    yield made
    made.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def check_nothing_went_out(model: Scripted) -> None:
    assert model.seen
    for content in model.seen:
        for canary in (*CANARIES, "Xaverl", "Obermoser"):
            assert canary not in content


def in_thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.mark.parametrize("is_async", [False, True])
async def test_model_sees_no_original_and_tools_and_user_see_them(
    middleware: SanitizingMiddleware, is_async: bool
) -> None:
    model = Scripted(script=calling)
    agent: Any = create_agent(model, [lookup], system_prompt=f"Serve {NAME} well.", middleware=[middleware])
    GIVEN.clear()
    asked = {"messages": [HumanMessage(TEXT)]}
    told = await agent.ainvoke(asked) if is_async else agent.invoke(asked)
    check_nothing_went_out(model)
    assert GIVEN == [TEXT]
    assert told["messages"][-1].content == f"The tool says: {TEXT} They live with Xaverl Obermoser."
    assert told["messages"][1].tool_calls[0]["args"] == {"who": TEXT}


def test_a_thread_keeps_its_pseudonyms_and_another_has_others(middleware: SanitizingMiddleware) -> None:
    model = Scripted(script=echo)
    agent: Any = create_agent(model, [], middleware=[middleware], checkpointer=InMemorySaver())
    for name in ("a", "a", "b"):
        told = agent.invoke({"messages": [HumanMessage(TEXT)]}, in_thread(name))
        assert told["messages"][-1].content == f"You said: {TEXT}"
    check_nothing_went_out(model)

    def last(content: str) -> str:
        return str(json.loads(content)[-1]["content"])

    assert last(model.seen[0]) == last(model.seen[1]) != last(model.seen[2])


def test_blocks_are_sanitized_and_restored(middleware: SanitizingMiddleware) -> None:
    def script(messages: list[BaseMessage]) -> AIMessage:
        signed = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
        return AIMessage([signed, {"type": "text", "text": messages[0].content[0]["text"]}])  # type: ignore[index]

    model = Scripted(script=script)
    agent: Any = create_agent(model, [], middleware=[middleware], checkpointer=InMemorySaver())
    message = HumanMessage([{"type": "text", "text": TEXT}], name="Zwiebelina", additional_kwargs={"note": MAIL})
    told = agent.invoke({"messages": [message]}, in_thread("blocks"))
    assert told["messages"][-1].content[1]["text"] == TEXT
    agent.invoke({"messages": [HumanMessage("And?")]}, in_thread("blocks"))  # the signed part may go back
    check_nothing_went_out(model)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "thinking", "thinking": NAME, "signature": "forged"},
        {"type": "input_audio", "data": NAME},
        {"type": "text", "text": "x", "secret": NAME},
    ],
)
def test_what_cannot_be_sanitized_is_not_sent(middleware: SanitizingMiddleware, block: dict[str, Any]) -> None:
    model = Scripted(script=echo)
    agent: Any = create_agent(model, [], middleware=[middleware])
    with pytest.raises(InputError) as refused:
        agent.invoke({"messages": [HumanMessage([block])]})
    assert NAME not in str(refused.value)
    assert not [content for content in model.seen if "type" in content]


def test_a_tool_of_the_provider_is_refused(middleware: SanitizingMiddleware) -> None:
    agent: Any = create_agent(Scripted(script=echo), [{"type": "web_search"}], middleware=[middleware])
    with pytest.raises(InputError):
        agent.invoke({"messages": [HumanMessage("Hello")]})


def test_nobody_is_told_what_the_budget_cannot_pay(tmp_path: Path) -> None:
    made_key(tmp_path / "key")
    Ledger.begin(str(tmp_path / "ledger"), tmp_path / "key", Budget.of("n", {"subject": {"*": 1.5}})).close()
    budget = '[budget]\nname = "n"\nledger = "ledger"\nkey = "key"\nsubject = {"*" = 1.5}\n'
    (tmp_path / "mine.toml").write_text(POLICY + budget)
    middleware = SanitizingMiddleware(Policy.load(tmp_path / "mine.toml"))
    model = Scripted(script=echo)
    agent: Any = create_agent(model, [], middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("She is 34 years old.")]}, in_thread("a"))
    agent.invoke({"messages": [HumanMessage("She is 34 years old.")]}, in_thread("a"))  # drawn and paid once
    sent = len(model.seen)
    with pytest.raises(BudgetError):
        agent.invoke({"messages": [HumanMessage("He is 71 years old.")]}, in_thread("a"))
    assert len(model.seen) == sent
    middleware.close()


def test_words_of_the_model_go_back_as_they_were_and_the_same_words_of_a_user_do_not(
    middleware: SanitizingMiddleware,
) -> None:
    said = "She is 34 years old."
    model = Scripted(script=lambda _: AIMessage(said))
    agent: Any = create_agent(model, [], middleware=[middleware], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("How old?")]}, in_thread("ages"))
    for _ in range(3):
        agent.invoke({"messages": [HumanMessage(said)]}, in_thread("ages"))
    history = json.loads(model.seen[-1])
    assert {message["content"] for message in history if message["type"] == "ai"} == {said}
    (drawn,) = {message["content"] for message in history[1:] if message["type"] == "human"}
    middleware_session = middleware._sessions.of("langchain", "ages")
    made = middleware_session.sanitized(said)
    assert made is not None
    assert made.text == drawn
    assert "AGE" in made.kinds


def test_options_are_checked() -> None:
    with pytest.raises(ConfigurationError):
        SanitizingMiddleware("chat", pseudonyms="none")


def test_a_call_that_came_another_way_gets_originals(middleware: SanitizingMiddleware) -> None:
    model = Scripted(script=echo)
    saver = InMemorySaver()
    agent: Any = create_agent(model, [lookup], middleware=[middleware], checkpointer=saver)
    agent.invoke({"messages": [HumanMessage(TEXT)]}, in_thread("calls"))
    (said,) = [json.loads(content)[-1]["content"] for content in model.seen if "human" in content]
    call = {"name": "lookup", "args": {"who": said}, "id": "9", "type": "tool_call"}
    agent.update_state(in_thread("calls"), {"messages": [AIMessage("", tool_calls=[call])]}, as_node="model")
    GIVEN.clear()
    agent.invoke(None, in_thread("calls"))
    assert GIVEN == [TEXT]


class Settings(SanitizingMiddleware):
    """Sets what a test says, as another middleware before this one may."""

    def __init__(self, inner: SanitizingMiddleware, **changed: Any) -> None:
        self.__dict__.update(inner.__dict__)
        self.changed = changed

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return super().wrap_model_call(request.override(**self.changed), handler)


def bound(middleware: SanitizingMiddleware, monkeypatch: pytest.MonkeyPatch, **changed: Any) -> dict[str, Any]:
    """Return what a model is called with, if the request is ``changed``."""
    called: list[dict[str, Any]] = []
    model = Scripted(script=echo)

    def bind(_: Any, **options: Any) -> Any:
        called.append(options)
        return model

    monkeypatch.setattr(Scripted, "bind", bind)
    monkeypatch.setattr(Scripted, "bind_tools", lambda own, tools, **options: bind(own, **options))
    agent: Any = create_agent(model, [lookup], middleware=[Settings(middleware, **changed)])
    agent.invoke({"messages": [HumanMessage(TEXT)]})
    check_nothing_went_out(model)
    (options,) = called
    return options


def test_settings_of_a_call_are_looked_at(middleware: SanitizingMiddleware, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "stop": [f"Yours, {NAME}", "END"], "temperature": 0.5, "user": MAIL,
        "metadata": {"who": NAME, "user_id": MAIL},
        "max_tokens": 50, "response_format": {"type": "json_schema", "json_schema": {
            "name": "x", "schema": {"type": "object", "description": f"of {NAME}"}
        }},
    }  # fmt: skip
    before = json.dumps(given)
    sent = bound(middleware, monkeypatch, model_settings=given, tool_choice="lookup")
    told = json.dumps(sent)
    for canary in CANARIES:
        assert canary not in told
    assert sent["temperature"] == 0.5
    assert sent["stop"][0].startswith("Yours, PERSON_")
    assert sent["stop"][1] == "END"
    assert sent["user"].startswith("user-")
    assert sent["response_format"]["json_schema"]["schema"]["type"] == "object"
    assert json.dumps(given) == before


@pytest.mark.parametrize(
    "changed",
    [
        {"model_settings": {"extra_body": {"x": NAME}}},
        {"model_settings": {"extra_headers": {"x": NAME}}},
        {"model_settings": {"temperature": NAME}},
        {"model_settings": {"metadata": {"x": (NAME,)}}},
        {"model_settings": {"metadata": {"x": NAME.encode()}}},
        {"model_settings": {"metadata": {5: NAME}}},
        {"tool_choice": {"type": "function", "function": {"name": NAME}}},
        {"tool_choice": f"I am {NAME}"},
        {"response_format": ProviderStrategy({"title": "Answer", "description": f"about {NAME}", "type": "object"})},
        {"response_format": AutoStrategy({"title": "Answer", "type": "object", "properties": {MAIL: {}}})},
        {"response_format": ToolStrategy({"title": "A", "type": "string", "enum": [NAME]})},
        {"response_format": lambda: NAME},
    ],
)
def test_settings_that_cannot_be_sanitized_are_refused(
    middleware: SanitizingMiddleware, changed: dict[str, Any]
) -> None:
    model = Scripted(script=echo)
    agent: Any = create_agent(model, [lookup], middleware=[Settings(middleware, **changed)])
    with pytest.raises(InputError) as refused:
        agent.invoke({"messages": [HumanMessage("Hello")]})
    assert "Zwiebelina" not in str(refused.value)
    assert not model.seen


class Person(BaseModel):
    """A person of the text."""

    name: str = Field(description="the whole name")
    age: int = Field(ge=18, le=34)


def test_an_answer_has_the_format_that_was_asked_for(middleware: SanitizingMiddleware) -> None:
    def script(messages: list[BaseMessage]) -> AIMessage:
        name = str(messages[-1].content).split()[2].rstrip(",")
        return AIMessage(
            "",
            tool_calls=[{"name": "Person", "args": {"name": name, "age": 33}, "id": "1", "type": "tool_call"}],
        )

    model = Scripted(script=script)
    agent: Any = create_agent(model, [], middleware=[middleware], response_format=Person)
    told = agent.invoke({"messages": [HumanMessage(f"I am {NAME}, 34 years old.")]})
    assert told["structured_response"] == Person(name=NAME, age=33)
    check_nothing_went_out(model)


@pytest.mark.parametrize("id", [f"I am {NAME}", MAIL, "+49 170 7654321"])
def test_an_id_is_a_name_and_no_text(middleware: SanitizingMiddleware, id: str) -> None:
    agent: Any = create_agent(Scripted(script=echo), [], middleware=[middleware])
    with pytest.raises(InputError):
        agent.invoke({"messages": [HumanMessage("Hello", id=id)]})
