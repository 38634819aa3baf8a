"""[polish] in a policy: the release is rewritten before it is attacked, judged and signed; every epsilon stays."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.chat_use import ChatUse
from sfumato.building.policies import build_policy
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Ledger, made_key
from sfumato.policy import Policy
from sfumato.polishing import polish as polishing
from sfumato.protection import protecting
from sfumato.protection.attempts import decided_by
from sfumato.protection.costs import costs
from sfumato.protection.outcome import Outcome
from sfumato.protection.protecting import protect_request
from sfumato.protection.request import Request, public
from sfumato.protection.verifying import verify

pytestmark = pytest.mark.models
RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
POLICY = """
[find]
detect = ["given"]
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 0.2
[treat_others]
method = "label"
[accept]
utility_lower = 0.0
[polish]
chat_model = "local:smollm2"
"""
BUDGET = '[budget]\nname = "notes"\nledger = "spent.db"\nrecord = { "*" = 1000 }\n'


def rewritten(question: Question) -> str:
    return f"<text>{question.user.removeprefix('Text:').strip()} Indeed.</text>"


@pytest.fixture(autouse=True)
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    """A chat model with one word to say, in the place of one that would read for minutes."""
    model = ScriptedChat(rewritten)
    monkeypatch.setattr(protecting, "chat_use", lambda *_: ChatUse(model, "this machine"))
    return model


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)[:12]), encoding="utf-8")
    return path


def request_of(records: Path, text: str = POLICY, **options: Any) -> Request:
    home = records.parent
    files = FileOptions(fields=("text",), id_field="id")
    policy = Policy.parse(text, home)
    return Request(records, policy, home / "notes", files, home / "key", sample=5, trials=False, **options)


def texts(outcome: Outcome) -> list[dict[str, Any]]:
    assert outcome.folder is not None
    return [json.loads(line) for line in (outcome.folder / "data.jsonl").read_text(encoding="utf-8").splitlines()]


def steps(outcome: Outcome) -> list[Any]:
    assert outcome.folder is not None
    statement = json.loads((outcome.folder / "data.jsonl.privacy.json").read_text(encoding="utf-8"))
    assert statement["accepted"]["accepted"]
    return list(statement["steps"])


def test_a_release_is_polished_before_it_is_judged_and_signed(records: Path, short_lists: None) -> None:
    request = request_of(records)
    outcome = protect_request(request)
    lines = texts(outcome)
    assert [line["id"] for line in lines] == [
        json.loads(line)["id"] for line in records.read_text(encoding="utf-8").splitlines()
    ]
    assert all(line["text"].endswith(" Indeed.") for line in lines)
    [step] = steps(outcome)
    assert (step["step"], step["changed"]) == ("polish", len(lines))
    assert verify(request.release).holds
    assert {path.name for path in request.release.iterdir()} >= {"data.jsonl", "data.jsonl.privacy.json"}
    assert not [path for path in request.release.iterdir() if "polish" in path.name]


def test_the_model_is_shown_the_release_and_never_an_original(
    records: Path, chat: ScriptedChat, short_lists: None
) -> None:
    seen: list[str] = []
    script = chat.script

    def watched(question: Question) -> Any:
        seen.append(question.user)
        return script(question)

    chat.script = watched
    protect_request(request_of(records))
    spans = [
        line["text"][span["start"] : span["end"]]
        for line in map(json.loads, records.read_text(encoding="utf-8").splitlines())
        for span in line["spans"]
        if span["label"] == "PERSON"
    ]
    assert spans
    assert len(seen) == 12
    assert not [name for name in spans if any(name in text for text in seen)]


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_a_paid_attempt_that_stops_while_it_is_polished_is_paid_and_polished_once(
    records: Path, monkeypatch: pytest.MonkeyPatch, moved: int, short_lists: None
) -> None:
    """Before anything took its place, after the data did, and after the statement did too."""
    request = request_of(records, POLICY + BUDGET)
    ledger, key = records.parent / "spent.db", records.parent / "spent.db.key"
    made_key(key)
    assert request.policy.budget.budget is not None
    Ledger.begin(str(ledger), key, request.policy.budget.budget).close()
    replaces = []

    def stopping(first: Any, then: Any) -> None:
        if ".polished" in str(first):
            if len(replaces) == moved:
                raise KeyboardInterrupt
            replaces.append(then)
        os.rename(first, then)

    def removing(path: Path) -> None:
        if path.name.endswith(".polished"):
            raise KeyboardInterrupt
        shutil.rmtree(path, ignore_errors=True)

    with monkeypatch.context() as stopped:
        stopped.setattr(polishing.os, "replace", stopping)
        if moved == 2:
            stopped.setattr(polishing, "remove", removing)
        with pytest.raises(KeyboardInterrupt):
            protect_request(request)
    assert not request.release.exists()
    resumed = request_of(records, POLICY + BUDGET, resume=True)
    outcome = protect_request(resumed)
    assert outcome.attempt == 1
    assert len(steps(outcome)) == 1
    assert all(line["text"].count(" Indeed.") == 1 for line in texts(outcome))
    assert verify(request.release).holds
    with Ledger.open(str(ledger), key) as spent:
        assert list(spent.state.states.values()) == ["published"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (POLICY.replace("local:smollm2", "gpt"), r"would get the release before it is accepted"),
        (POLICY.replace("local:smollm2", "local:"), r"Name the model"),
        (POLICY.replace('method = "label"', 'method = "pseudonym"'), r"\[polish\]: Names are restored"),
        (
            '[synthesize]\nmethod = "predict"\nepsilon = 8.0\n[polish]\nchat_model = "local:smollm2"\n',
            r"\[polish\]: A language model wrote the new records already",
        ),
    ],
)
def test_what_cannot_be_polished_is_refused(text: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        Policy.parse(text)


def test_whatever_draws_without_polishing_says_so(records: Path) -> None:
    with pytest.raises(ConfigurationError, match="`sfumato protect` carries it out"):
        build_policy(Policy.parse(POLICY))
    assert costs(request_of(records)).records == 12


def test_a_polish_decides_no_draw_but_the_attempt(records: Path) -> None:
    request = request_of(records)
    without = request_of(records, POLICY.partition("[polish]")[0])
    assert request.policy.fingerprint == without.policy.fingerprint
    assert decided_by(request) != decided_by(without)
    folder = Policy.parse(POLICY.replace("local:smollm2", "local:/srv/models/ours"))
    assert public(folder).polish.chat_model == "local:ours"
    assert Policy.parse(folder.as_toml()).polish == folder.polish
