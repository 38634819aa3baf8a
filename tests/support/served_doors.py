"""A server for tests of its doors, and the canaries that no answer may hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from scripted_upstream import served
from sfumato.gateway.app import Server, Tokens
from sfumato.gateway.settings import Settings
from sfumato.gateway.working import Worker
from sfumato.models.chat.exchange import trusted
from sfumato.policy import Policy

TOKEN = "secret-token-of-the-test"
NAME, MAIL, PHONE = "Zwiebelina Fischhaber", "zwiebelina@fischhaber.example", "+49 170 7654321"
TEXT = f"I am {NAME}, write to {MAIL} or call {PHONE}. Ask {NAME} again."
POLICY = """
[find]
detect = ["identifiers"]
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 1.0
[treat_others]
method = "keep"
[[treat]]
kinds = ["PERSON", "EMAIL", "PHONE", "CODE", "URL", "IP"]
method = "label"
"""


@dataclass
class Door:
    """A server that runs, and a client of it with the token."""

    server: Server
    address: str
    client: httpx.Client

    def post(self, path: str, body: object) -> httpx.Response:
        return self.client.post(path, json=body)


@contextmanager
def opened(worker: Worker, **settings: Any) -> Iterator[Door]:
    """Serve the policy of ``worker`` with these ``settings``."""
    server = Server(Settings(**settings), worker, Tokens((TOKEN,)))
    with served(server.app()) as address:
        headers = {"x-api-key": TOKEN}
        with httpx.Client(base_url=address, headers=headers, timeout=60, trust_env=False, verify=trusted()) as client:
            yield Door(server, address, client)


@contextmanager
def served_by_a_policy(name: str) -> Iterator[str]:
    """Serve the policy called ``name``, and give the address."""
    worker = Worker.of_policy(Policy.load(name))
    try:
        with opened(worker) as door:
            yield door.address
    finally:
        worker.close()
