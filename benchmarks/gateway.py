"""What the gateway costs: beside the detector, to the first token, for 200 streams, in 40 turns, and under load.

`python benchmarks/gateway.py [--minutes 10] [--record]`. The gateway runs in a process of its own, before an upstream
in this one that repeats what it is sent. Texts are the example records.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import secrets
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from recording import record, table

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from scripted_upstream import Upstream, served

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
TOKEN = secrets.token_urlsafe(24)
HEADERS = {"authorization": f"Bearer {TOKEN}"}
PATH = "/v1/chat/completions"


def texts() -> list[str]:
    return [json.loads(line)["text"] for line in RECORDS.read_text(encoding="utf-8").splitlines()]


def values() -> dict[int, re.Pattern[str]]:
    """What finds the values of each text that the gateway has pseudonyms for, as whole words: none may go out."""
    from sfumato.gateway.sessions import Sessions
    from sfumato.gateway.shield import Shield
    from sfumato.policy import Policy

    shield, own = Shield.of(Policy.load("chat")), dict[int, re.Pattern[str]]()
    for number, text in enumerate(texts()):
        looked = shield.look(Sessions().of("", "bench"), [text])
        known = [re.escape(value) for value in looked.names.values() if len(value) > 3]
        own[number] = re.compile(rf"(?<!\w)(?:{'|'.join(known)})(?!\w)" if known else "(?!)", re.IGNORECASE)
    return own


def body(text: str, stream: bool = False) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], "stream": stream}


@contextmanager
def gateway(upstream: str) -> Iterator[tuple[str, int, float, float]]:
    """The address of a gateway, its process, and the seconds until it listened and until it had answered."""
    environment = {**os.environ, "SFUMATO_SERVE_TOKEN": TOKEN}
    port = 20_000 + random.randrange(20_000)
    began = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "sfumato",
        "serve",
        "--policy",
        "chat",
        "--upstream",
        upstream,
        "--port",
        str(port),
    ]
    process = subprocess.Popen([*command, "--quiet"], env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(headers=HEADERS, timeout=120) as client:
            while True:
                try:
                    client.get(f"{address}/health")
                    break
                except httpx.HTTPError:
                    time.sleep(0.02)
            listened = time.perf_counter() - began
            client.post(f"{address}{PATH}", json=body("I am Jane Doe.")).raise_for_status()
        yield address, process.pid, listened, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(40)


def resident(pid: int) -> float:
    """MB in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no such process")


def sanitizing(address: str) -> tuple[float, float]:
    """The seconds that were spent on new texts so far, and how many new texts there were."""
    told = httpx.get(f"{address}/metrics", headers=HEADERS).text.splitlines()
    value = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in told if not line.startswith("#")}
    return value['sfumato_seconds_sum{stage="sanitizing"}'], value['sfumato_texts_total{which="new"}']


def beside(address: str, upstream: str) -> tuple[float, float, float]:
    """Milliseconds of a request beside upstream and detector (median, 95 %), and those of sanitizing a new text."""
    taken: list[float] = []
    before = sanitizing(address)
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        for text in texts()[:120]:
            spent = sanitizing(address)[0]
            began = time.perf_counter()
            client.post(f"{address}{PATH}", json=body(text)).raise_for_status()
            whole = time.perf_counter() - began
            own = sanitizing(address)[0] - spent
            began = time.perf_counter()
            client.post(f"{upstream}{PATH}", json=body(text)).raise_for_status()
            taken.append(whole - own - (time.perf_counter() - began))
    after = sanitizing(address)
    each = (after[0] - before[0]) / max(1.0, after[1] - before[1])
    return 1000 * statistics.median(taken), 1000 * statistics.quantiles(taken, n=20)[-1], 1000 * each


def first_token(address: str, upstream: str) -> float:
    """Milliseconds by which the first token through the gateway comes later, with texts that are known."""

    def first(client: httpx.Client, where: str, text: str) -> float:
        began, taken = time.perf_counter(), None
        with client.stream("POST", f"{where}{PATH}", json=body(text, stream=True)) as answer:
            for line in answer.iter_lines():  # to its end: who leaves earlier resets the connection
                if taken is None and '"content":' in line and '"content":""' not in line.replace(" ", ""):
                    taken = time.perf_counter() - began
        if taken is None:
            raise RuntimeError("no token")
        return taken

    with httpx.Client(headers=HEADERS, timeout=60) as client:
        for text in texts()[:60]:
            client.post(f"{address}{PATH}", json=body(text)).raise_for_status()
        return 1000 * statistics.median(
            first(client, address, text) - first(client, upstream, text) for text in texts()[:60]
        )


async def streams(address: str, count: int, seconds: float) -> tuple[int, int, int]:
    """How many streams were asked for in ``seconds``, ``count`` at once, how many were restored, and answered."""
    every, done, failed = texts(), [0, 0, 0], Counter[str]()
    until = time.monotonic() + seconds

    async def one(number: int, client: httpx.AsyncClient) -> None:
        while time.monotonic() < until:
            text = every[number % len(every)]
            said = ""
            asked = {**body(text, stream=True), "model": f"m{number % len(every)}"}
            done[0] += 1
            number += count
            try:
                async with client.stream("POST", f"{address}{PATH}", json=asked) as answer:
                    async for line in answer.aiter_lines():
                        if line.startswith("data: {"):
                            for choice in json.loads(line[6:])["choices"]:
                                said += choice["delta"].get("content") or ""
            except httpx.HTTPError as error:
                failed[type(error).__name__] += 1
                continue
            done[1] += "PERSON_" not in said and "EMAIL_" not in said and "PHONE_" not in said
            done[2] += answer.status_code == 200

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(headers=HEADERS, timeout=120, limits=limits) as client:
        await asyncio.gather(*(one(number, client) for number in range(count)))
    if failed:
        print(f"requests that failed: {dict(failed)}", file=sys.stderr)
    return done[0], done[1], done[2]


def turns(address: str) -> tuple[int, int]:
    """How many new texts a conversation of 40 turns has, and how many different ones were sent in it."""
    before, messages = sanitizing(address)[1], list[dict[str, str]]()
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        for number, text in enumerate(texts()[100:140]):
            messages.append({"role": "user", "content": f"{number}: {text}"})
            client.post(f"{address}{PATH}", json={"model": "m", "messages": messages}).raise_for_status()
            messages.append({"role": "assistant", "content": f"Answer {number}."})
    return int(sanitizing(address)[1] - before), len(messages) - 1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    private = values()
    upstream = Upstream(piece=12, cut=400, script=lambda sent: sent["messages"][-1]["content"])
    with served(upstream.app()) as behind, gateway(behind) as (address, pid, listened, answered):
        time.sleep(20)  # until it is warm
        middle, worst, each = beside(address, behind)
        late = first_token(address, behind)
        new, different = turns(address)
        asyncio.run(streams(address, asked.streams, 10))
        memory = resident(pid)
        upstream.seen.clear()
        leaks, stop = [0], threading.Event()

        def watch() -> None:
            is_over = False
            while not is_over:
                is_over = stop.wait(1.0)  # what came last is read too
                while upstream.seen:
                    request = json.loads(upstream.seen.pop())
                    text, number = request["messages"][-1]["content"], int(request["model"][1:])
                    leaks[0] += private[number].search(text) is not None

        watcher = threading.Thread(target=watch)
        watcher.start()
        count, restored, fine = asyncio.run(streams(address, asked.streams, 60 * asked.minutes))
        stop.set()
        watcher.join()
        grown = resident(pid) - memory
    rows = [
        ["beside upstream and detector, ms", f"{middle:.1f} (95 %: {worst:.1f})", "5"],
        ["first token later by, ms", f"{late:.1f}", "30"],
        ["listens after, s; has answered after, s", f"{listened:.1f}; {answered:.1f}", "3"],
        ["sanitizing a new text, ms", f"{each:.1f}", ""],
        ["40 turns: texts that were looked at, of different ones", f"{new} of {different}", "each once"],
        [
            f"{asked.streams} streams at once for {asked.minutes:g} minutes: asked; answered",
            f"{count:,}; {fine:,}",
            "all",
        ],
        ["of these without an unrestored pseudonym", f"{restored:,}", "all"],
        ["requests upstream with a value that has a pseudonym", f"{leaks[0]:,}", "0"],
        ["memory before, MB; grown by", f"{memory:.0f}; {grown:.0f}", "flat"],
    ]
    text = table(["", "measured", "goal"], rows)
    print(text)
    if asked.record:
        record("gateway", text)


if __name__ == "__main__":
    main()
