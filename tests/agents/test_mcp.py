"""The tools by a real client of the protocol, on the streams of the command and over HTTP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from scripted_upstream import served
from served_doors import MAIL, NAME, TEXT, TOKEN
from sfumato.agents.mcp_server import app_of, server_of
from sfumato.agents.tools import Tools
from sfumato.gateway.app import Tokens
from sfumato.gateway.settings import Settings
from sfumato.models.chat.exchange import trusted
from sfumato.policy import Policy

pytestmark = [pytest.mark.models, pytest.mark.anyio, pytest.mark.filterwarnings("ignore")]
POLICY = """
name = "mine"
[find]
detect = ["identifiers"]
[treat_others]
method = "label"
"""
CANARIES = (*NAME.split(), MAIL, "7654321")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return Tools(Policy.parse(POLICY), tmp_path_factory.mktemp("releases"))


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result: Any = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    told = json.loads(result.content[0].text)
    assert isinstance(told, dict)
    return told


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result: Any = await client.call_tool(tool, arguments)
    assert result.is_error
    said = str(result.content[0].text)
    for canary in CANARIES:
        assert canary not in said
    return said


async def test_four_tools_that_only_read_and_none_that_restores(tools: Tools) -> None:
    async with Client(server_of(tools)) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ["find", "sanitize", "explain", "verify"]
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert not tool.annotations.open_world_hint


async def test_no_answer_holds_an_original(tools: Tools) -> None:
    async with Client(server_of(tools)) as client:
        found = await answer(client, "find", text=TEXT)
        assert {mark["kind"] for mark in found["marks"]} >= {"PERSON", "EMAIL", "PHONE"}
        marked = [TEXT[mark["start"] : mark["end"]] for mark in found["marks"]]
        assert {NAME, MAIL} <= set(marked)
        made = await answer(client, "sanitize", text=TEXT, whole_statement=True)
        assert made["text"].startswith("I am [PERSON]")
        explained = await answer(client, "explain", text=TEXT)
        assert len(explained["marks"]) == len(found["marks"])
        assert {mark["becomes"] for mark in explained["marks"]} == {"replaced by label, without a formal guarantee"}
        said = await answer(client, "explain", statement=json.dumps(made["statement"]))
        assert said["summary"] == made["summary"] == made["statement"]["summary"]
        for told in (found, made, explained, said):
            for canary in CANARIES:
                assert canary not in json.dumps(told)


async def test_the_policy_without_a_text_and_what_it_draws() -> None:
    async with Client(server_of(Tools(Policy.load("chat")))) as client:
        told = await answer(client, "explain")
    assert told["treatments"]["DATE"] == "drawn by geometric with epsilon 1 per 30 days for each mention"
    assert told["treatments"]["PERSON"] == "drawn by independent, whatever the value"


async def test_bad_input_is_told_without_the_text(tools: Tools) -> None:
    async with Client(server_of(tools)) as client:
        assert "schema" in await refused(client, "find", text={"x": NAME})
        assert "schema" in await refused(client, "sanitize")
        assert "1,000,000" in await refused(client, "find", text=NAME * 60_000)
        assert "no privacy statement" in await refused(client, "explain", statement=f'{{"{NAME}": 1}}')
        assert "no privacy statement" in await refused(client, "explain", statement="[" * 100_000)
        assert "in the folder of the server" in await refused(client, "verify", bundle="/etc")
        assert "in the folder of the server" in await refused(client, "verify", bundle="..")
        assert "no folder" in await refused(client, "verify", bundle="missing.release")


async def test_what_nobody_foresaw_says_nothing(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise RuntimeError(TEXT)

    monkeypatch.setattr(Tools, "find", fails)
    async with Client(server_of(tools)) as client:
        assert "could not be sanitized" in await refused(client, "find", text=TEXT)


async def test_a_release_is_verified(tools: Tools) -> None:
    (tools.folder / "a.release").mkdir()
    async with Client(server_of(tools)) as client:
        told = await answer(client, "verify", bundle="a.release")
    assert told["holds"] is False
    assert told["differences"]
    assert told["signed_by"] is None


async def test_a_policy_that_pays_is_not_said_to_only_read(tmp_path: Path) -> None:
    policy = Policy.parse(POLICY + f'[budget]\nname = "n"\nledger = "{tmp_path / "ledger"}"\nsubject = {{"*" = 1}}\n')
    async with Client(server_of(Tools(policy))) as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert hints["sanitize"] is not None
        assert hints["sanitize"].read_only_hint is False
        assert await refused(client, "sanitize", text=TEXT, subject="anna")


async def test_the_command_answers_on_its_streams(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(POLICY)
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "sfumato", "mcp", "--policy", "mine.toml"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    async with Client(command) as client:
        made = await answer(client, "sanitize", text=TEXT)
    assert made["text"].startswith("I am [PERSON], write to [EMAIL]")


@asynccontextmanager
async def over_http(tools: Tools, token: str) -> AsyncIterator[Client]:
    from mcp.client.streamable_http import streamable_http_client

    app = app_of(server_of(tools), Settings(), Tokens((TOKEN,)))
    with served(app) as address:
        async with (
            httpx_client(token) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            yield client


def httpx_client(token: str) -> Any:
    from mcp.shared._httpx_utils import create_mcp_http_client

    return create_mcp_http_client(headers={"authorization": f"Bearer {token}"})


async def test_the_server_answers_over_http(tools: Tools) -> None:
    async with over_http(tools, TOKEN) as client:
        made = await answer(client, "sanitize", text=TEXT)
    assert made["text"].startswith("I am [PERSON]")


async def test_over_http_token_and_host_are_asked_for(tools: Tools) -> None:
    app = app_of(server_of(tools), Settings(), Tokens((TOKEN,)))
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream"}
    with served(app) as address, httpx.Client(trust_env=False, verify=trusted()) as client:
        for headers in ({}, {"authorization": "Bearer another"}):
            answered = client.post(f"{address}/mcp", json=body, headers={**accept, **headers})
            assert answered.status_code == 401
        own = {**accept, "authorization": f"Bearer {TOKEN}"}
        assert client.post(f"{address}/mcp", json=body, headers={**own, "host": "evil.example"}).status_code == 421
        assert (
            client.post(f"{address}/mcp", json=body, headers={**own, "origin": "https://evil.example"}).status_code
            == 403
        )
