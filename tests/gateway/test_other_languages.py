"""A text in another language than the policy reads is warned of, or its request is refused."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from served_doors import POLICY
from sfumato.gateway.answering import OTHER_LANGUAGE
from sfumato.gateway.guardrail import GUARDRAIL
from sfumato.gateway.rehearsal import rehearsed
from sfumato.gateway.settings import Settings
from sfumato.gateway.working import Worker
from sfumato.policy import Policy

pytestmark = pytest.mark.models
ENGLISH = "Could you write a letter to the landlord and tell him that I will be late with the rent?"
GERMAN = "Ich habe gestern mit meiner Schwester gesprochen, und sie wohnt jetzt wieder in der Stadt."
PATHS = {
    "/v1/chat/completions": "messages", "/v1/messages": "messages", "/v1/responses": "input",
}  # fmt: skip


@pytest.fixture(scope="module")
def refusing() -> Iterator[Worker]:
    made = Worker.of_policy(Policy.parse(POLICY.replace("[find]", '[find]\nother_languages = "refuse"')))
    yield made
    made.close()


def asking(path: str, *texts: str, stream: bool = False) -> dict[str, Any]:
    said = [{"role": "user", "content": text} for text in texts]
    return {"model": "m", PATHS[path]: said, "stream": stream, "max_tokens": 9}


def test_a_text_in_another_language_is_warned_of_once_without_its_words(
    start: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    running = start()
    with caplog.at_level(logging.WARNING, "sfumato.gateway"):
        assert OTHER_LANGUAGE not in running.ask(ENGLISH).headers
        assert "another language" not in caplog.text
        for stream in (False, True):
            asked = asking("/v1/chat/completions", ENGLISH, GERMAN, stream=stream)
            assert running.ask(asked).headers[OTHER_LANGUAGE] == "1"
    assert caplog.text.count("another language") == 1
    assert "Schwester" not in caplog.text
    told = running.http.get(f"{running.address}/metrics").text
    assert 'sfumato_texts_total{which="other language"} 2.0' in told


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_a_request_with_it_is_refused_where_the_policy_says_so(
    start: Callable[..., Any], refusing: Worker, path: str
) -> None:
    running = start(refusing)
    assert running.ask(asking(path, ENGLISH, "Hallo!"), path=path).status_code == 200
    sent = len(running.upstream.seen)
    refused = running.ask(asking(path, ENGLISH, GERMAN), path=path)
    assert refused.status_code == 400
    assert "another language than English" in json.dumps(refused.json())
    assert "Schwester" not in refused.text
    assert len(running.upstream.seen) == sent
    blocked = running.ask({"input_type": "request", "litellm_trace_id": "t", "texts": [GERMAN]}, path=GUARDRAIL)
    assert blocked.json()["action"] == "BLOCKED"
    assert "another language" in blocked.json()["blocked_reason"]


def test_a_rehearsal_counts_them(worker: Worker, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": GERMAN}]}))
    lines = list(rehearsed(request, worker.shield, Settings()).lines())
    assert "In another language than the policy reads: 1; names in them may pass." in lines
