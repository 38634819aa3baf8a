"""What would go out of a recorded request, on a page: every change is marked, and no text becomes markup."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from served_doors import MAIL, NAME
from sfumato.gateway.rehearsal import rehearsed
from sfumato.gateway.settings import Settings
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.working import Worker

pytestmark = pytest.mark.models
TEXT = f"I am {NAME}, write to {MAIL} <mark>soon</mark> & well."


def recorded(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}))
    return path


def cells(page: str) -> list[tuple[str, str]]:
    return re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", page, re.DOTALL)


def plain(cell: str) -> str:
    return unescape(re.sub(r"</?mark[^>]*>", "", cell))


def test_the_page_marks_what_differs_and_nothing_else(worker: Worker, tmp_path: Path) -> None:
    ages = [f"She is {age} years old." for age in range(30, 40)]  # a draw may return what it was given
    done = rehearsed(recorded(tmp_path, TEXT, "Hello.", *ages), worker.shield, Settings())
    assert done.path == "/v1/chat/completions"
    (name, same, *drawn) = cells(done.page())
    assert plain(name[0]) == TEXT
    assert [mark.partition("_")[0] for mark in re.findall("<mark>(.*?)</mark>", name[1])] == ["PERSON", "EMAIL"]
    assert re.findall("<mark class=was>(.*?)</mark>", name[0]) == [NAME, MAIL]
    assert "&lt;mark&gt;soon&lt;/mark&gt; &amp; well." in name[1]
    assert same == ("Hello.", "Hello.")
    assert [plain(sent) for _, sent in drawn] == [done.texts[age] for age in ages]
    for (written, sent), age in zip(drawn, ages, strict=True):
        assert ("<mark class=drawn>" in sent) == ("<mark class=was>" in written) == (plain(sent) != age)
    assert any("<mark class=drawn>" in sent for _, sent in drawn)
    assert NAME not in "".join(done.lines())


def test_a_long_text_is_shown_whole(worker: Worker, tmp_path: Path) -> None:
    text = f"{TEXT} " + "It rained again. " * 600
    ((written, sent),) = cells(rehearsed(recorded(tmp_path, text), worker.shield, Settings()).page())
    assert plain(written) == text
    assert len(re.findall("<mark>(?:PERSON|EMAIL)_", sent)) == 2


def test_what_would_be_refused_is_refused(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text('{"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}')
    with pytest.raises(RefusedError, match="input_audio"):
        rehearsed(path, worker.shield, Settings())


@pytest.mark.parametrize(
    "given", ["https://a.example", "https://a.example/", "https://a.example/v1", "https://a.example/v1/"]
)
def test_the_upstream_may_be_given_with_its_version(given: str) -> None:
    assert Settings(upstream=given).base == "https://a.example"
    assert Settings(upstream="https://a.example/openai/v1").base == "https://a.example/openai"
