"""Clients take turns in the one thread, and work that nobody waits for any more is not done."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from sfumato.gateway.sessions import Sessions
from sfumato.gateway.shield import Shield
from sfumato.gateway.turns import Job, Steps, Turns
from sfumato.gateway.working import Worker

TOKEN, OTHER = "secret-token-of-the-test", "secret-token-of-another"


@pytest.fixture
def turns() -> Iterator[Turns]:
    made = Turns()
    yield made
    made.close(lambda: None)


def stepping(name: str, count: int, done: list[str], pause: float = 0.0) -> Callable[[], Steps[str]]:
    def work() -> Steps[str]:
        for _ in range(count):
            done.append(name)
            time.sleep(pause)
            yield
        return name

    return work


@pytest.fixture
def held(turns: Turns) -> Iterator[threading.Event]:
    """The thread waits until this is set, so that the order of the lines is known."""
    go = threading.Event()
    turns.begin("first", go.wait)  # type: ignore[arg-type]
    yield go
    go.set()


def test_a_small_request_is_done_before_the_queue_of_another_client(turns: Turns, held: threading.Event) -> None:
    done: list[str] = []
    big = [turns.begin("big", stepping(f"big {number}", 3, done)) for number in range(10)]
    small = turns.begin("small", stepping("small", 2, done))
    held.set()
    assert small.told.result(10) == "small"
    assert [job.told.result(10) for job in big] == [f"big {number}" for number in range(10)]
    assert done[:5] == ["big 0", "small", "big 0", "small", "big 0"]  # a step each
    assert [name for name in done if name != "small"] == [f"big {number}" for number in range(10) for _ in range(3)]


def test_every_client_has_its_turn(turns: Turns, held: threading.Event) -> None:
    done: list[str] = []
    jobs = [turns.begin(name, stepping(name, 2, done)) for name in "abc" for _ in range(2)]
    held.set()
    for job in jobs:
        job.told.result(10)
    assert done == [*"abcabcabcabc"]


def test_work_that_was_cancelled_is_not_begun_or_ends_after_its_step(turns: Turns, held: threading.Event) -> None:
    done: list[str] = []
    waiting = turns.begin("a", stepping("waiting", 1, done))
    begun: Job

    def cancels_itself() -> Steps[str]:
        try:
            done.append("begun")
            begun.told.cancel()
            yield
            done.append("too late")
        finally:
            done.append("closed")
        return "never"

    begun = turns.begin("b", cancels_itself)
    last = turns.begin("a", stepping("last", 1, done))
    waiting.told.cancel()
    held.set()
    assert last.told.result(10) == "last"
    turns.begin("b", stepping("after", 1, done)).told.result(10)
    assert sorted(done) == ["after", "begun", "closed", "last"]


def test_an_error_is_told_and_the_next_one_is_served(turns: Turns) -> None:
    def fails() -> Steps[None]:
        yield
        raise ValueError("x")

    failed = turns.begin("a", fails)
    assert isinstance(failed.told.exception(10), ValueError)
    assert turns.begin("a", stepping("next", 1, [])).told.result(10) == "next"


def test_what_is_not_done_when_the_thread_ends_is_dropped() -> None:
    turns, go, done = Turns(), threading.Event(), list[str]()
    turns.begin("a", go.wait)  # type: ignore[arg-type]
    dropped = turns.begin("b", stepping("b", 1, done))
    threading.Timer(0.1, go.set).start()
    turns.close(lambda: done.append("closed"))
    assert dropped.told.cancelled()
    assert done == ["closed"]


class Counting:
    """A shield that takes a while for each text, and notes which it has looked at."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.done = seconds, list[str]()

    def looking(self, session: Any, texts: Any) -> Steps[Any]:
        from sfumato.gateway.shield import Looked

        for text in texts:
            time.sleep(self.seconds)
            self.done.append(text)
            yield
        return Looked(dict(zip(texts, texts, strict=True)), {}, {}, len(texts), 0.0, {})


@pytest.fixture
def counting() -> Iterator[tuple[Counting, Worker]]:
    shield = Counting(0.02)
    worker = Worker(lambda _: shield)  # type: ignore[return-value, arg-type]
    yield shield, worker
    worker.close()


def body(*texts: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}


def test_a_small_request_is_answered_before_a_big_body_of_another_client(
    start: Callable[..., Any], counting: tuple[Counting, Worker]
) -> None:
    shield, worker = counting
    running = start(worker)
    with ThreadPoolExecutor(4) as pool:
        big = [pool.submit(running.ask, body(*(f"big {own} {number}" for number in range(50)))) for own in range(3)]
        while len(shield.done) < 2:
            time.sleep(0.005)
        small = running.ask(body("small"), authorization=f"Bearer {OTHER}")
        place = shield.done.index("small")
        assert small.status_code == 200
        assert [each.result().status_code for each in big] == [200] * 3
    assert len(shield.done) == 151
    assert place < 50  # in the midst of the first of the big ones


def test_a_request_whose_client_went_away_is_given_up(
    start: Callable[..., Any], counting: tuple[Counting, Worker]
) -> None:
    shield, worker = counting
    running = start(worker)
    content = json.dumps(body(*(f"text {number}" for number in range(400)))).encode()
    address = urlsplit(running.address)
    with socket.create_connection((address.hostname, address.port), timeout=10) as leaving:
        fields = ["host: localhost", f"authorization: Bearer {TOKEN}", f"content-length: {len(content)}"]
        leaving.sendall("\r\n".join(["POST /v1/chat/completions HTTP/1.1", *fields, "", ""]).encode() + content)
        while not shield.done:
            time.sleep(0.005)
    assert running.ask(body("next")).status_code == 200
    done = len(shield.done)
    assert done < 400  # seconds later it would have been all of them
    assert not running.upstream.seen[:-1]
    assert running.server.counted.refusals.labels("gone")._value.get() == 1


def test_a_request_that_took_too_long_is_given_up(
    start: Callable[..., Any], counting: tuple[Counting, Worker]
) -> None:
    shield, worker = counting
    running = start(worker, seconds=0.3)
    assert running.ask(body(*(f"text {number}" for number in range(400)))).status_code == 503
    assert running.ask(body("next")).status_code == 200
    assert len(shield.done) < 100
    assert len(running.upstream.seen) == 1


@pytest.mark.anyio
async def test_what_a_patient_caller_has_begun_is_not_given_up() -> None:
    worker = Worker(lambda _: Counting(0.0))  # type: ignore[return-value, arg-type]
    began = list[str]()

    def slow() -> Any:
        began.append("slow")
        time.sleep(0.3)
        return "done"

    begun = asyncio.ensure_future(worker.does(slow, "a", 0.1, patient=True))
    await asyncio.sleep(0.05)
    with pytest.raises(TimeoutError):
        await worker.does(slow, "a", 0.1, patient=True)
    assert await begun == "done"
    assert began == ["slow"]
    worker.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_one_client_leaves_room_for_another(start: Callable[..., Any], counting: tuple[Counting, Worker]) -> None:
    _, worker = counting
    running = start(worker, most_of_client=1)
    running.upstream.pause, running.upstream.cut = 0.05, 200
    streamed = {**body("x"), "stream": True}
    with running.http.stream("POST", f"{running.address}/v1/chat/completions", json=streamed) as first:
        assert first.status_code == 200
        assert running.ask(body("x")).status_code == 429
        assert running.ask(body("x"), authorization=f"Bearer {OTHER}").status_code == 200
        first.read()
    assert running.ask(body("x")).status_code == 200


@pytest.mark.models
def test_a_look_in_steps_is_a_look(worker: Worker) -> None:
    texts = [f"I am Zwiebelina Fischhaber, {age} years old, of row {age}." for age in range(20, 100)]
    shield: Shield = worker.shield
    sessions = Sessions()
    steps, count = shield.looking(sessions.of("a", "talk"), texts), 0
    while True:
        try:
            next(steps)
            count += 1
        except StopIteration as end:
            stepped = end.value
            break
    assert count >= 3
    alone = {text: shield.look(Sessions(key=sessions.key).of("a", "talk"), [text]).texts[text] for text in texts}
    assert stepped.texts == alone
