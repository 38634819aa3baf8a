"""LiteLLM's proxy with the guardrail as the page sets it, between a client and an upstream that repeats."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from scripted_upstream import Upstream, served
from served_doors import MAIL, NAME, TEXT, TOKEN, Door

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, ("backoff", "apscheduler", "fastapi_sso"))),
        reason="LiteLLM's proxy needs litellm[proxy]",
    ),
]
PAGE = Path(__file__).parents[2] / "docs" / "litellm.md"
KEY = "sk-key-of-the-proxy"


@contextmanager
def proxy(door: Door, upstream: str, folder: Path) -> Iterator[str]:
    """Run the proxy with the settings of the page, and give its address."""
    match = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    models = f"""
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{upstream}/v1", api_key: key}}
general_settings: {{master_key: {KEY}}}
"""
    settings = match[1].replace("http://127.0.0.1:8411", door.address)
    (folder / "config.yaml").write_text(settings + models)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    run = "import sys; from litellm import run_server; run_server(sys.argv[1:], standalone_mode=False)"
    command = [sys.executable, "-c", run, "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    own = {"SFUMATO_SERVE_TOKEN": TOKEN, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    with open(folder / "log", "wb") as log:
        running = subprocess.Popen(command, cwd=folder, env={**os.environ, **own}, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            assert running.poll() is None, (folder / "log").read_text()[-2000:]
            try:
                if httpx.get(f"{address}/health/liveliness", trust_env=False).status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(0.5)
        yield address
    finally:
        running.terminate()
        running.wait(20)


def test_a_client_of_the_proxy_reads_names_and_the_upstream_none(door: Door, tmp_path: Path) -> None:
    upstream = Upstream(script=lambda body: str(body["messages"][-1]["content"]))
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": TEXT}]}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    with (
        served(upstream.app()) as behind,
        proxy(door, behind, tmp_path) as address,
        httpx.Client(headers={"authorization": f"Bearer {KEY}"}, trust_env=False, timeout=60) as client,
    ):
        path = f"{address}/v1/chat/completions"
        whole = client.post(path, json=body)
        assert whole.status_code == 200, whole.text
        assert whole.json()["choices"][0]["message"]["content"] == TEXT
        said = ""
        with client.stream("POST", path, json={**body, "stream": True}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: {"):
                    for choice in json.loads(line[6:])["choices"]:
                        said += choice["delta"].get("content") or ""
        assert said == TEXT
        blocked = client.post(path, json={**body, "messages": [
            {"role": "user", "content": [{"type": "text", "text": TEXT}, image]}
        ]})  # fmt: skip
        assert blocked.status_code >= 400
        assert "image" in blocked.text
    assert len(upstream.seen) == 2
    for content in upstream.seen:
        for canary in (*NAME.split(), MAIL, "7654321"):
            assert canary not in content.decode()
