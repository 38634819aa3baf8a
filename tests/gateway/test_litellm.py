"""LiteLLM's own guardrail before our server, and its client before an upstream that repeats what it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from scripted_upstream import Upstream, served
from served_doors import MAIL, NAME, TEXT, TOKEN, Door

pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore"),  # which its packages give on one another
]
TOOL = {"type": "function", "function": {"name": "f", "description": f"Looks up {NAME}", "parameters": {}}}


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM fetches a list of prices when it is imported, unless it is told not to."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture
def upstream() -> Iterator[tuple[Upstream, str]]:
    upstream = Upstream(script=lambda body: str(body["messages"][-1]["content"]))
    with served(upstream.app()) as address:
        yield upstream, address


def guardrail_of(door: Door, **settings: Any) -> Any:
    from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api import (
        GenericGuardrailAPI,
    )

    return GenericGuardrailAPI(
        api_base=door.address, api_key=TOKEN, guardrail_name="sfumato", event_hook=["pre_call", "post_call"],
        streaming_transform_mode="incremental_diff", streaming_sampling_rate=1, default_on=True,
        forward_messages_as_sent=True, **settings,
    )  # fmt: skip


async def through(door: Door, address: str, text: str, stream: bool) -> tuple[str, dict[str, Any]]:
    """Return what a client reads of the answer to ``text``, and what LiteLLM sent."""
    import litellm
    from litellm.llms.openai.chat.guardrail_translation.handler import OpenAIChatCompletionsHandler

    guardrail, handler = guardrail_of(door), OpenAIChatCompletionsHandler()
    logged: Any = SimpleNamespace(litellm_call_id="c1", litellm_trace_id="t1", model_call_details={})
    data: dict[str, Any] = {"model": "openai/m", "messages": [{"role": "user", "content": text}], "tools": [TOOL]}
    data = await handler.process_input_messages(data, guardrail, logged)
    sent = json.loads(json.dumps(data))
    options: dict[str, Any] = {"api_base": f"{address}/v1", "api_key": "key", "stream": stream}
    answer: Any = await litellm.acompletion(**{**data, "tools": None}, **options)
    if not stream:
        await handler.process_output_response(answer, guardrail, logged)
        return str(answer.choices[0].message.content), sent
    from litellm.proxy._types import UserAPIKeyAuth
    from litellm.proxy.guardrails.guardrail_hooks.unified_guardrail.unified_guardrail import UnifiedLLMGuardrails

    request = {**data, "guardrail_to_apply": guardrail, "litellm_logging_obj": logged, "metadata": {}}
    key = UserAPIKeyAuth(request_route="/chat/completions")
    said = ""
    async for chunk in UnifiedLLMGuardrails().async_post_call_streaming_iterator_hook(key, answer, request):
        said += "".join(choice.delta.content or "" for choice in chunk.choices)
    return said, sent


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.anyio
async def test_a_request_goes_out_sanitized_and_its_answer_is_restored(
    door: Door, upstream: tuple[Upstream, str], stream: bool
) -> None:
    behind, address = upstream
    said, sent = await through(door, address, TEXT, stream)
    assert behind.seen
    for content in (json.dumps(sent), *map(bytes.decode, behind.seen)):
        for canary in (*NAME.split(), MAIL, "7654321"):
            assert canary not in content
    assert said == TEXT


@pytest.mark.anyio
async def test_litellm_raises_where_we_block(door: Door) -> None:
    from litellm.exceptions import GuardrailRaisedException
    from litellm.llms.openai.chat.guardrail_translation.handler import OpenAIChatCompletionsHandler

    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    data = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": TEXT}, image]}]}
    logged: Any = SimpleNamespace(litellm_call_id="c1", litellm_trace_id=None, model_call_details={})
    with pytest.raises(GuardrailRaisedException) as raised:
        await OpenAIChatCompletionsHandler().process_input_messages(data, guardrail_of(door), logged)
    assert "image" in str(raised.value)
    assert NAME not in str(raised.value)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
