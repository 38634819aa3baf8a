"""The endpoint against a real server on this machine: down, slow, busy, broken, and as it should be."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import logging
import signal
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chat_server import Server, said
from sfumato.abstract.chat import Answer, Question
from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.chat.answers import KeptAnswers
from sfumato.models.chat.endpoint import Endpoint
from sfumato.models.chat.exchange import MOST_BYTES

pytest.importorskip("httpx")
PRIVATE, SECRET = "PrivateCanary", "SecretCanary"
DOWN = "http://127.0.0.1:9"


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def serve(script: Any) -> Server:
        made.append(Server(script))
        return made[-1]

    yield serve
    for server in made:
        server.close()


def test_answers_come_in_order_and_are_counted(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "secret")

    def echo(_: int, body: dict[str, Any]) -> Any:
        time.sleep(0.05 * (body["messages"][1]["content"] == "a"))
        return said(body["messages"][1]["content"].upper())

    server = serve(echo)
    model = Endpoint("m", server.url)
    answers = model.replies([Question("s", text) for text in "abcde"])
    assert [one and one.text for one in answers] == list("ABCDE")
    assert vars(model.spent) == {
        "questions": 5, "cached": 0, "failed": 0, "tokens_in": 35, "tokens_out": 10, "unreadable": 0
    }  # fmt: skip
    assert set(server.keys) == {"Bearer secret"}
    assert "secret" not in repr(model.id)


@pytest.mark.parametrize("wait", ["0.01", "-5", "nan", "inf?", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_busy_endpoint_is_asked_again(serve: Callable[..., Server], wait: str) -> None:
    states = iter([429, 503, 200])
    server = serve(lambda *_: said("yes") if (state := next(states)) == 200 else (state, b"", {"Retry-After": wait}))
    assert Endpoint("m", server.url, first_wait=0.01).replies([Question("s", "u")])[0].text == "yes"  # type: ignore[union-attr]
    assert len(server.bodies) == 3


def test_the_wait_asked_for_is_kept(serve: Callable[..., Server]) -> None:
    server = serve(lambda number, _: said("yes") if number > 1 else (429, b"", {"Retry-After": "0.4"}))
    began = time.monotonic()
    assert Endpoint("m", server.url, first_wait=0.0).replies([Question("s", "u")]) != [None]
    assert time.monotonic() - began >= 0.4


NONSENSE = [
    b"", b"no json", b"{}", b"[]", b'{"choices": []}', b'{"choices": [{"message": {}}]}',
    b'{"choices": [{"message": {"content": null}}]}', b'{"choices": [{"message": {"content": 4}}]}',
    b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": Infinity}}',
    b"[" * 100_000, b"\xff\xfe",
]  # fmt: skip


@pytest.mark.parametrize("content", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_no_answer(serve: Callable[..., Server], content: bytes) -> None:
    server = serve(lambda *_: (200, content, {}))
    model = Endpoint("m", server.url, tries=2, first_wait=0.01)
    assert model.replies([Question("s", "u")]) == [None]
    assert (len(server.bodies), model.spent.failed) == (2, 1)


@pytest.mark.parametrize("status", [302, 307, 400, 401, 404])
def test_a_refusal_is_not_repeated_or_followed(serve: Callable[..., Server], status: int) -> None:
    elsewhere = serve(lambda *_: said("here"))
    server = serve(lambda *_: (status, b"", {"Location": elsewhere.url}))
    assert Endpoint("m", server.url, first_wait=0.01).replies([Question("s", "u")]) == [None]
    assert (len(server.bodies), len(elsewhere.bodies)) == (1, 0)


def test_settings_that_a_model_refuses_are_left_out(serve: Callable[..., Server]) -> None:
    def picky(_: int, body: dict[str, Any]) -> Any:
        for name in ("max_tokens", "temperature"):
            if name in body:
                return 400, json.dumps({"error": {"param": name}}).encode(), {}
        return said("yes")

    server = serve(picky)
    model = Endpoint("m", server.url, tries=1)
    assert all(model.replies([Question("s", str(n), most_tokens=9) for n in range(20)]))
    before = len(server.bodies)
    assert all(model.replies([Question("s", "u", most_tokens=9)]))
    assert len(server.bodies) == before + 1  # learned once
    assert server.bodies[-1]["max_completion_tokens"] == 9
    never = Endpoint("m", serve(lambda *_: (400, b'{"error": {"param": "seed"}}', {})).url, tries=1)
    assert never.replies([Question("s", "u")]) == [None]


def test_an_endpoint_that_is_down_or_slow_gives_none(serve: Callable[..., Server]) -> None:
    assert Endpoint("m", DOWN, tries=2, first_wait=0.01).replies([Question("s", "u")]) == [None]

    def slow(*_: Any) -> Any:
        time.sleep(0.4)
        return said("late")

    model = Endpoint("m", serve(slow).url, tries=1, timeout=0.1)
    assert model.replies([Question("s", "u")]) == [None]


def dripping(pause: float = 0.02) -> Iterator[bytes]:
    """A byte now and then, for ever."""
    while True:
        time.sleep(pause)
        yield b" "


def test_an_answer_that_never_ends_is_given_up(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(lambda *_: (200, dripping(), {}))
    model = Endpoint("m", server.url, timeout=0.1, folder=tmp_path / "answers")
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(Endpoint("m", server.url, timeout=0.1, folder=tmp_path / "answers").ready)
        began = time.monotonic()
        assert model.replies([Question("s", "u"), Question("s", "v")]) == [None, None]
        assert 1.0 <= time.monotonic() - began < 4.0  # ten times the silence that is allowed, and no second try
        with pytest.raises(ConfigurationError, match="not complete after 1 seconds"):
            asked.result()
    assert len(server.bodies) == 3
    assert not (tmp_path / "answers").exists()


def test_headers_that_never_end_are_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            with contextlib.suppress(OSError):
                taken, _ = listening.accept()
                with taken:
                    taken.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    for piece in dripping():
                        taken.sendall(piece)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        began = time.monotonic()
        model = Endpoint("m", f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=0.1)
        assert model.replies([Question("s", "u")]) == [None]
        assert time.monotonic() - began < 4.0
        thread.join(5.0)
        assert not thread.is_alive()


def test_an_answer_of_any_size_takes_little_room(serve: Callable[..., Server], tmp_path: Path) -> None:
    begun = b'{"choices": [{"message": {"content": "'
    server = serve(lambda *_: (200, itertools.chain([begun], itertools.repeat(b"x" * (1 << 16))), {}))
    model = Endpoint("m", server.url, folder=tmp_path / "answers", first_wait=0.01)
    assert model.replies([Question("s", "u")]) == [None]
    assert (len(server.bodies), model.spent.failed) == (1, 1)
    assert server.sent < 16 * MOST_BYTES  # what lies in the buffers between
    assert not (tmp_path / "answers").exists()
    with pytest.raises(ConfigurationError, match="sends more than 4,194,304 bytes"):
        model.ready()
    fitting = said("x" * (MOST_BYTES - 1000))
    assert Endpoint("m", serve(lambda *_: fitting).url).replies([Question("s", "u")]) != [None]


def test_a_compressed_answer_is_not_opened(serve: Callable[..., Server]) -> None:
    bomb = gzip.compress(b"x" * (1 << 20), mtime=0) * (1 << 8)  # 256 MiB, in parts that are one when they are opened
    server = serve(lambda *_: (200, bomb, {"Content-Encoding": "gzip"}))
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError, match="compresses its answers"):
            Endpoint("m", server.url).ready()
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert server.headers[0]["accept-encoding"] == "identity"


def test_a_kept_answer_that_is_too_large_is_none(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(lambda number, _: said(f"answer {number}"))
    Endpoint("m", server.url, folder=tmp_path).replies([Question("s", "u")])
    [kept] = tmp_path.iterdir()
    with kept.open("r+b") as file:
        file.truncate(1 << 31)  # takes no room on the disk
    [again] = Endpoint("m", server.url, folder=tmp_path).replies([Question("s", "u")])
    assert again is not None
    assert again.text == "answer 2"
    KeptAnswers(tmp_path / "new", ("m",)).keep(Question("s", "u"), Answer("x" * (1 << 23)))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("who", ["me:SecretCanary@", "SecretCanary@", ":SecretCanary@", "@"])
def test_a_password_in_the_address_is_refused(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    server = serve(lambda *_: said("yes"))
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "key")
    monkeypatch.setenv("SFUMATO_CHAT_URL", server.url.replace("//", f"//{who}"))
    with pytest.raises(ConfigurationError, match="SFUMATO_CHAT_KEY") as refused:
        Endpoint("m").ready()
    assert SECRET not in str(refused.value)
    assert "me:" not in str(refused.value)
    assert server.bodies == []


def test_who_stops_waits_for_no_answer(serve: Callable[..., Server]) -> None:
    server = serve(lambda number, _: said("yes") if number == 1 else (200, dripping(), {}))
    model = Endpoint("m", server.url, timeout=60.0, at_once=2)
    timer = threading.Timer(0.2, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.replies([Question("s", str(number)) for number in range(4)])
    assert time.monotonic() - began < 10.0
    timer.join()


def test_before_work_one_question_says_what_is_wrong(serve: Callable[..., Server]) -> None:
    def slow(*_: Any) -> Any:
        time.sleep(0.3)
        return said("late")

    wrong = {
        "cannot be reached": Endpoint("m", DOWN, first_wait=0.01),
        "sent nothing for 0.1 seconds": Endpoint("m", serve(slow).url, timeout=0.1, first_wait=0.01),
        "refuses the key": Endpoint("m", serve(lambda *_: (401, b"", {})).url),
        "knows no such model": Endpoint("m", serve(lambda *_: (404, b"", {})).url),
        "HTTP 500": Endpoint("m", serve(lambda *_: (500, b"", {})).url, first_wait=0.01),
        "no chat completion": Endpoint("m", serve(lambda *_: (200, b"<html>", {})).url, first_wait=0.01),
        "HTTP 429": Endpoint("m", serve(lambda *_: (429, b"", {"Retry-After": "0.01"})).url),
    }
    for why, model in wrong.items():
        with pytest.raises(ConfigurationError, match=why):
            model.ready()
    server = serve(lambda *_: said("yes"))
    Endpoint("m", server.url).ready()
    assert len(server.bodies) == 1


def test_a_server_that_dies_is_not_asked_for_hours(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(lambda number, _: said("yes") if number <= 10 else (503, b"", {}))
    model = Endpoint("m", server.url, folder=tmp_path, tries=1, at_once=2, patience=6)
    questions = [Question("s", str(n)) for n in range(60)]
    with pytest.raises(ConfigurationError, match=r"HTTP 503.*resumes where this one stopped"):
        model.replies(questions)
    assert len(server.bodies) <= 10 + 6 + 2
    assert (model.spent.questions, model.spent.failed) == (60, 50)
    again = Endpoint("m", server.url, folder=tmp_path, tries=1, patience=1000)
    assert sum(one is not None for one in again.replies(questions)) == 10  # what was answered is kept


def test_questions_that_are_too_long_do_not_count_as_down(serve: Callable[..., Server]) -> None:
    server = serve(lambda *_: (400, b"", {}))
    model = Endpoint("m", server.url, patience=2)
    assert model.replies([Question("s", str(n)) for n in range(9)]) == [None] * 9


def test_answers_are_kept_where_that_is_wanted(serve: Callable[..., Server], tmp_path: Path) -> None:
    server, folder = serve(lambda number, _: said(f"answer {number}")), tmp_path / "out" / "answers"
    folder.mkdir(parents=True, mode=0o755)  # as somebody else may have made it
    question = Question("s", PRIVATE, temperature=0.7)
    for _ in range(2):
        model = Endpoint("m", server.url, folder=folder)
        first, second = model.replies([question]), model.replies([Question("s", PRIVATE, 0.7, vote=1)])
        assert [first[0] and first[0].text, second[0] and second[0].text] == ["answer 1", "answer 2"]
    assert len(server.bodies) == 2
    assert (model.spent.cached, model.spent.tokens_in) == (2, 0)  # nothing is paid for twice
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not any(PRIVATE in path.name for path in folder.iterdir())
    without = Endpoint("m", server.url).replies([question])
    assert without[0] is not None
    assert without[0].text == "answer 3"


def test_a_kept_answer_that_is_damaged_is_asked_for_again(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(lambda number, _: said(f"answer {number}"))
    Endpoint("m", server.url, folder=tmp_path).replies([Question("s", "u")])
    [kept] = tmp_path.iterdir()
    for number, damaged in enumerate((b"", b"{", b"[]", b"{}", b"\xff"), 2):
        kept.write_bytes(damaged)
        found = Endpoint("m", server.url, folder=tmp_path).replies([Question("s", "u")])
        assert [one and one.text for one in found] == [f"answer {number}"]


def test_a_folder_that_cannot_be_written_is_told(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    model = Endpoint("m", serve(lambda *_: said("yes")).url, folder=tmp_path / "file" / "answers")
    with pytest.raises(OutputError, match="cannot be written"):
        model.replies([Question("s", PRIVATE)])


def test_odd_characters_arrive(serve: Callable[..., Server]) -> None:
    server = serve(lambda *_: said("\ud800 caf\u00e9"))
    [found] = Endpoint("m", server.url).replies([Question("s", "lone \udcff \u00e9")])
    assert found is not None
    assert found.text == "? caf\u00e9"
    assert server.bodies[0]["messages"][1]["content"] == "lone ? \u00e9"


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://host/v1", "http://", "http://host:99999999/v1", "http://["]
)
def test_no_address_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_URL", url)
    with pytest.raises(ConfigurationError, match=r"SFUMATO_CHAT_URL.*local:"):
        Endpoint("m")


def test_a_whole_address_will_do(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda *_: said("yes"))
    monkeypatch.setenv("SFUMATO_CHAT_URL", f" {server.url}/chat/completions/ ")
    Endpoint("m").ready()


def test_the_key_and_the_address_stand_nowhere(
    serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SFUMATO_CHAT_KEY", SECRET)
    server = serve(lambda number, _: said("yes") if number < 3 else (401, SECRET.encode(), {}))
    model = Endpoint("m", f"{server.url}/{SECRET}", folder=tmp_path, tries=1, patience=1)
    model.ready()
    model.replies([Question("s", PRIVATE)])
    with pytest.raises(ConfigurationError) as told:
        model.replies([Question("s", PRIVATE, vote=1)])
    written = [path.name + path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    everything = f"{told.value} {written} {caplog.text} {model.id} {model.place} {json.dumps(model.spent.as_json())}"
    assert SECRET not in everything
    assert PRIVATE not in everything
    monkeypatch.setenv("SFUMATO_CHAT_KEY", f"{SECRET}é\n\x01")
    with pytest.raises(ConfigurationError) as refused:
        Endpoint("m", server.url).ready()
    assert SECRET not in str(refused.value)
    assert SECRET not in repr(refused.value.__cause__)
