"""Language-model anonymizers on the command line: a real server, a stopped run, a model too small to say anything."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chat_server import Server, said
from command_line import CANARY, call, everything_below, write_jsonl, write_key
from sfumato.heuristics import abstraction, iterative, paraphrase
from sfumato.release.statement import NO_GUARANTEE
from warm_command import finish, start

RECORDS = [
    {"id": "a", "text": f"{CANARY} Lee is 34.", "spans": [[0, len(CANARY) + 4, "PERSON"]], "n": 1},
    {"id": "b", "text": "Trees grow.", "spans": [], "n": 2},
    {"id": "c", "text": "", "spans": [], "n": 3},
]
NOTHING = '{"found": []}'
FOUND = '{"found": [{"attribute": "age", "guess": "34", "certainty": 5, "quotes": ["34", "not there"]}]}'


def scripted(system: str, user: str) -> str:
    """A model that does as it is told, but says the name again."""
    if system.startswith(iterative._LOOK):
        return FOUND if "34" in user else NOTHING
    if system == abstraction._ASK:
        return '{"instead": "somebody"}'
    if system in (iterative._REWRITE, paraphrase._ASK):
        return f"<text>{CANARY.lower()} lee is grown up.</text>"
    return '{"disclosures": [{"text": "34", "kind": "age"}, {"text": "35", "kind": "age"}]}' if "34" in user else (
        "hello" if "Are you there" in user else '{"disclosures": []}'
    )  # fmt: skip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def serve(answer: Callable[[str, str], str | None] = scripted) -> Server:
        def script(number: int, body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
            system, user = (turn["content"] for turn in body["messages"])
            text = answer(system, user)
            return (413, b"too long", {}) if text is None else said(text)

        made.append(Server(script))
        monkeypatch.setenv("SFUMATO_CHAT_URL", made[-1].url)
        return made[-1]

    yield serve
    for one in made:
        one.close()


def run(folder: Path, method: str, *more: object, records: Any = RECORDS) -> Any:
    source = write_jsonl(folder / "in.jsonl", records)
    base = ["sanitize", source, "-o", folder / "out.jsonl", "-m", method, "--id-field", "id"]
    detected = ("--keep-field", "n") if "--detect" in more else ("--detect", "given")  # spans that nobody reads go
    return call(*base, *detected, *more)


def texts(folder: Path) -> list[str]:
    return [json.loads(line)["text"] for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


def rounds(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.jsonl.rounds.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("method", "expected", "questions"),
    [
        ("iterative", ["[PERSON] is grown up.", "Trees grow.", ""], 4),
        ("paraphrase", ["[PERSON] is grown up.", "[PERSON] is grown up.", ""], 2),
        ("abstraction", ["somebody is 34.", "Trees grow.", ""], 1),
    ],
)
def test_a_file_end_to_end(
    tmp_path: Path, server: Callable[..., Server], method: str, expected: list[str], questions: int
) -> None:
    one = server()
    ran = run(tmp_path, method, "--chat-model", "big", "--chat-price", "1,2")
    assert ran.code == 0, ran.err
    if method == "paraphrase":
        expected[1] = f"{CANARY.lower()} lee is grown up."  # of a record where nothing was marked
    assert texts(tmp_path) == expected
    assert "hold text of the records and go to 127.0.0.1" in ran.err
    assert str(tmp_path / "out.jsonl.chat" / "answers") in ran.err
    assert NO_GUARANTEE in ran.out
    assert f"{questions} question{'s' * (questions > 1)} about 3 texts" in ran.out
    assert "a cost of" in ran.out
    assert CANARY.lower() not in (ran.out + ran.err).lower()
    told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
    asked = told["language_model"]
    assert (asked["model"], asked["questions"], asked["texts"]) == ("big", questions, 3)
    assert asked["place"] == one.url.split("/")[2]
    assert "epsilon" not in json.dumps(told).lower()
    assert len(one.bodies) == questions + 1  # and whether somebody is there
    assert CANARY.lower() not in (tmp_path / "out.jsonl.rounds.jsonl").read_text("utf-8").lower()
    if method != "abstraction":
        sent = [turn["content"] for body in one.bodies for turn in body["messages"]]
        assert (CANARY in str(sent)) == (method == "iterative")


def test_disclosures_are_abstracted_if_nothing_else_is_said(tmp_path: Path, server: Callable[..., Server]) -> None:
    server()
    source = write_jsonl(tmp_path / "in.jsonl", RECORDS[:2])
    base = (
        "sanitize",
        source,
        "-o",
        tmp_path / "out.jsonl",
        "--keep-field",
        "n",
        "-m",
        "abstraction",
        "--chat-model",
        "big",
    )
    told = call(*base, "--json").json["privacy"]
    assert texts(tmp_path) == [f"{CANARY} Lee is somebody.", "Trees grow."]
    asked = told["language_model"]
    assert (asked["questions"], asked["refused"], asked["kept"]) == (3, 1, 1)
    assert "the language model big lists" in told["detector"]["protects"]


def test_rounds_are_kept_by_record(tmp_path: Path, server: Callable[..., Server]) -> None:
    server()
    assert run(tmp_path, "iterative", "--chat-model", "big", "--set", "attributes=age").code == 0
    [first, second, third] = rounds(tmp_path)
    assert (first["id"], second["id"], third["id"]) == ("a", "b", "c")
    assert first["rounds"] == [
        {"found": {"age": 5}, "refused": 1, "rewritten": True},
        {"found": {}, "refused": 0, "rewritten": False},
    ]
    assert (first["returned"], second["kept"], third["questions"]) == (1, True, 0)
    again = run(tmp_path, "iterative", "--chat-model", "big", "--rounds", tmp_path / "out.jsonl")
    assert again.code != 0
    (tmp_path / "out.jsonl").unlink()
    (tmp_path / "out.jsonl.privacy.json").unlink()
    refused = run(tmp_path, "iterative", "--chat-model", "big")
    assert refused.code != 0
    assert "--rounds" in refused.err
    assert run(tmp_path, "iterative", "--chat-model", "big", "--rounds", tmp_path / "r.jsonl").code == 0
    assert (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize("answer", [None, "", "I am sorry.", "<text>cut"])
def test_a_record_without_an_answer_is_set_aside_or_stops_the_run(
    tmp_path: Path, server: Callable[..., Server], answer: str | None
) -> None:
    server(lambda system, user: answer if CANARY[:5] in user or "PERSON" in user else scripted(system, user))
    for method in ("iterative", "paraphrase"):
        stopped = run(tmp_path, method, "--chat-model", "big", "--force")
        assert stopped.code != 0
        assert "in.jsonl, line 1" in stopped.err
        assert "quarantine" in stopped.err
        assert CANARY not in stopped.err
        assert not (tmp_path / "out.jsonl").exists()
        ran = run(tmp_path, method, "--chat-model", "big", "--on-error", "quarantine", "--force")
        assert ran.code == 0, ran.err
        assert len(texts(tmp_path)) == 2
        told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
        assert told["records"] == {"count": 2, "quarantined": 1, "texts_absent": 0}
        assert told["language_model"]["lost"] == 1
        (tmp_path / "out.jsonl").unlink()


def test_answers_are_kept_unless_told_not_to(tmp_path: Path, server: Callable[..., Server]) -> None:
    one = server()
    for number in range(2):
        assert run(tmp_path, "iterative", "--chat-model", "big", "--force").code == 0
        assert len(one.bodies) == 5 + number  # the greeting is asked each time
    kept = tmp_path / "out.jsonl.chat" / "answers"
    assert kept.stat().st_mode & 0o077 == 0
    assert not any(one.stat().st_mode & 0o077 for one in kept.iterdir())
    other = tmp_path / "other"
    other.mkdir()
    ran = run(other, "iterative", "--chat-model", "big", "--no-cache")
    assert "its answers are not kept" in ran.err
    assert not (other / "out.jsonl.chat").exists()


def test_rounds_of_an_earlier_release_are_not_counted_again(tmp_path: Path, server: Callable[..., Server]) -> None:
    server()
    assert run(tmp_path, "iterative", "--chat-model", "big").code == 0
    assert run(tmp_path, "iterative", "--chat-model", "big", "--resume", "--force", records=RECORDS[1:]).code == 0
    assert [one["id"] for one in rounds(tmp_path)] == ["b", "c"]
    told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
    assert told["language_model"]["texts"] == 2
    (tmp_path / "out.jsonl").unlink()
    other = tmp_path / "notes"
    other.write_text("mine")
    assert run(tmp_path, "iterative", "--chat-model", "big", "--resume", "--rounds", other).code != 0
    assert other.read_text() == "mine"


@pytest.mark.parametrize("name", ["out.jsonl.quarantine.jsonl", "out.jsonl.privacy.json", "m.map"])
def test_rounds_replace_no_other_file_of_the_run(tmp_path: Path, server: Callable[..., Server], name: str) -> None:
    one = server()
    write_key(tmp_path / "k")
    more = ("--map", tmp_path / "m.map", "--map-key", tmp_path / "k", "--rounds", tmp_path / name, "--force")
    ran = run(tmp_path, "redaction", "--chat-model", "big", "--detect", "disclosures", *more)
    assert ran.code != 0
    assert "apart from" in ran.err
    assert not one.bodies


def test_a_map_is_made_of_answers_that_are_kept(tmp_path: Path, server: Callable[..., Server]) -> None:
    one = server()
    write_key(tmp_path / "k")
    more = ("--detect", "disclosures", "--map", tmp_path / "m.map", "--map-key", tmp_path / "k", "--no-cache")
    ran = run(tmp_path, "redaction", "--chat-model", "big", *more)
    assert ran.code != 0
    assert "a second time" in ran.err
    assert [body["messages"][-1]["content"] for body in one.bodies] == ["Are you there?"]


def test_lines_stay_lines(tmp_path: Path, server: Callable[..., Server]) -> None:
    server(lambda system, user: "<text>One.\nTwo.</text>" if system == paraphrase._ASK else "hello")
    (tmp_path / "in.txt").write_text("First.\nSecond.\n")
    base = ("sanitize", tmp_path / "in.txt", "-o", tmp_path / "out.txt", "-m", "paraphrase", "--chat-model", "big")
    (tmp_path / "names").write_text("nobody\n")
    ran = call(*base, "--lines", "--detect", f"list:{tmp_path / 'names'}")
    assert ran.code == 0, ran.err
    assert (tmp_path / "out.txt").read_text() == "One. Two.\nOne. Two.\n"


def test_a_dry_run_asks_nothing_and_writes_nothing(tmp_path: Path, server: Callable[..., Server]) -> None:
    one = server()
    for method, questions in (("iterative", 14), ("paraphrase", 2), ("abstraction", 1)):
        ran = run(tmp_path, method, "--chat-model", "big", "--dry-run", "--chat-price", "1,2")
        assert ran.code == 0, ran.err
        assert f"about {questions} questions" in ran.out
        assert "a cost of" in ran.out
    assert "about 4 questions" in run(
        tmp_path, "abstraction", "--chat-model", "big", "--dry-run", "--detect", "disclosures"
    ).out  # fmt: skip
    assert not one.bodies
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    ("method", "more", "told"),
    [
        ("iterative", [], "name one with --chat-model"),
        ("redaction", ["--detect", "disclosures"], "name one with --chat-model"),
        ("santext", ["--epsilon", "3", "--detect", "disclosures", "--chat-model", "m"], "without a guarantee"),
        ("santext", ["--epsilon", "3", "--chat-model", "m"], "santext asks none"),
        ("redaction", ["--no-cache"], "redaction asks none"),
        ("redaction", ["--dry-run"], "redaction asks none"),
        ("redaction", ["--rounds", "r"], "redaction asks none"),
        ("paraphrase", ["--chat-model", "m", "--set", "attributes=age"], "belongs to iterative"),
        ("iterative", ["--chat-model", "m", "--workers", "2"], "leave out --workers"),
        ("iterative", ["--chat-model", "m", "--epsilon", "2"], "no formal guarantee"),
        ("iterative", ["--chat-model", "m", "--chat-at-once", "0"], "at least 1"),
        ("iterative", ["--chat-model", "m", "--chat-price", "x"], "IN,OUT"),
        ("iterative", ["--chat-model", "m", "--set", "chat_model=x"], "given by --chat-model"),
        ("iterative", ["--chat-model", "m", "--set", "attributes=[1]"], "attributes"),
        ("iterative", ["--chat-model", "m", "--rounds", "nowhere/r"], "in a folder that exists"),
        ("iterative", ["--chat-model", "m", "--set", "operator=label"], "belongs to redaction"),
        ("iterative", ["--chat-model", "local:"], "has a name"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    tmp_path: Path, server: Callable[..., Server], method: str, more: list[str], told: str
) -> None:
    one = server()
    ran = run(tmp_path, method, *more)
    assert ran.code != 0
    assert told in ran.err
    assert not one.bodies
    assert not (tmp_path / "out.jsonl").exists()


def test_without_an_address_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_CHAT_URL", raising=False)
    assert "SFUMATO_CHAT_URL" in run(tmp_path, "iterative", "--chat-model", "big").err


def test_a_run_that_is_killed_goes_on_with_its_rounds(tmp_path: Path, server: Callable[..., Server]) -> None:
    killed = threading.Event()

    def waiting(system: str, user: str) -> str:
        if len(model.bodies) > 60 * 3:
            killed.wait(60)
        return scripted(system, user)

    model = server(waiting)
    records = [{"id": str(n), "text": f"Number {n} is 34.", "spans": [[0, 6, "X"]]} for n in range(96)]
    source, output = write_jsonl(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl"
    options = ("sanitize", source, "-o", output, "-m", "iterative", "--id-field", "id", "--detect", "given")
    more = ("--chat-model", "big", "--no-cache", "--chat-at-once", 2)
    process = start(*options, *more)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(tmp_path.glob(".out.jsonl.parts/0*.json")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    finish(process)
    killed.set()
    assert not output.exists()
    before = len(model.bodies)
    assert call(*options, *more, "--resume").code == 0
    assert len(model.bodies) - before < 96 * 3
    assert len(texts(tmp_path)) == len(rounds(tmp_path)) == 96
    told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
    assert (told["language_model"]["texts"], told["language_model"]["questions"]) == (96, 96 * 3)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.models
@pytest.mark.parametrize("method", ["iterative", "paraphrase", "abstraction"])
def test_a_model_that_talks_nonsense_releases_no_private_text(tmp_path: Path, method: str) -> None:
    pytest.importorskip("transformers")
    from tiny_causal import llama, saved

    model = saved(llama(), tmp_path / "model")
    ran = run(
        tmp_path, method, "--chat-model", f"local:{model}", "--on-error", "quarantine", records=RECORDS[:1]
    )  # fmt: skip
    assert ran.code == (0 if method == "abstraction" else 5), ran.err
    assert "stay on this machine" in ran.err
    told = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
    asked = told["language_model"]
    assert (asked["place"], asked["questions"]) == ("this machine", 1)
    assert asked["failed"] + asked["unreadable"] == 1
    assert str(tmp_path) not in json.dumps(told)
    kept = tmp_path / "out.jsonl"
    assert CANARY.encode() not in kept.read_bytes()
    if method == "abstraction":
        assert texts(tmp_path) == ["[PERSON] is 34."]
    else:
        assert told["records"] == {"count": 0, "quarantined": 1, "texts_absent": 0}
    assert CANARY.encode() not in everything_below(tmp_path / "out.jsonl.chat")
