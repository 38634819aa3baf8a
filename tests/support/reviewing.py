"""A review for the tests: a list as the detector, a server in a thread, and requests as they are on the wire."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.detectors.rules import Listed
from sfumato.review.app import Shown
from sfumato.review.journal import journal
from sfumato.review.serving import serve
from sfumato.review.session import Session
from sfumato.review.texts import Texts
from sfumato.text.document import Document

CANARY = "ZEBRAFINCH"
POLICY = 'name = "list"\n[find]\ndetect = ["list:names.txt"]\n[treat_others]\nmethod = "label"\n'
NAMES = "PERSON\tAnn Lee\nPERSON\tBob\nPLACE\tOslo\n"
PERSON = {"kind": "PERSON", "treatment": "label", "stays": False, "family": "PERSON"}
LISTED = Listed.from_lines(NAMES.splitlines())


def write_policy(folder: Path, names: str = NAMES, more: str = "") -> Path:
    """A policy that looks for a list and puts labels in place of what it finds, except what ``more`` says."""
    (folder / "names.txt").write_text(names, encoding="utf-8")
    path = folder / "policy.toml"
    path.write_text(POLICY + more, encoding="utf-8")
    return path


def texts(*lines: str) -> Texts:
    """A record of one text each."""
    documents = [Document(line, str(n), {"text": line}, ("text", str(n))) for n, line in enumerate(lines)]
    return Texts(documents, list(range(len(lines) + 1)))


@contextmanager
def session(path: Path, lines: Texts, **given: Any) -> Iterator[Session]:
    """A review that searches its texts."""
    with journal(path) as kept:
        made = Session(lines, given.pop("detector", LISTED), kept, **given)
        made.detection.start()
        try:
            assert made.detection.hurry(range(lines.records), 30)
            yield made
        finally:
            made.detection.stop()


Answer = tuple[int, dict[str, str], str]
"""Status, headers and content."""


@dataclass(frozen=True)
class Served:
    """A server that answers."""

    address: str
    pages: list[dict[str, str]] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.address)[0])

    @property
    def base(self) -> str:
        return re.findall(r":\d+(/[^/]+)/", self.address)[0]

    @property
    def path(self) -> str:
        return re.findall(r":\d+(/.*)", self.address)[0]

    def ask(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """The answer to a request with exactly these headers (an underscore is a hyphen), and the host's own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host="Host" in named, skip_accept_encoding=True)
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            named.setdefault("Content-Length", str(len(content)))
        for name, value in named.items():
            connection.putheader(name, value)
        connection.endheaders(content)
        answer = connection.getresponse()
        given = (answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
        connection.close()
        return given

    def keep(self, headers: dict[str, str]) -> dict[str, str]:
        """The headers of the reviewer's own page, whose cookie an answer gave."""
        page = {"Cookie": headers["set-cookie"].partition(";")[0], "Content_Type": "application/json"}
        self.pages.append({**page, "Origin": f"http://127.0.0.1:{self.port}"})
        return self.pages[0]

    def entered(self) -> dict[str, str]:
        """The headers of the reviewer's own page, which uses the token up."""
        return self.pages[0] if self.pages else self.keep(self.ask(self.path)[1])


@contextmanager
def served(path: Path, lines: Texts, **given: Any) -> Iterator[tuple[Served, Session]]:
    """A review and its server."""
    with session_without_search(path, lines, **given) as made:
        opened: list[str] = []
        ready = threading.Event()

        def tell(address: str) -> None:
            opened.append(address)
            ready.set()

        thread = threading.Thread(target=serve, args=(made, None, Shown("notes", [PERSON]), 0, tell), daemon=True)
        thread.start()
        assert ready.wait(20)
        server = Served(opened[0])
        try:
            yield server, made
        finally:
            stop(server, thread)


@contextmanager
def session_without_search(path: Path, lines: Texts, **given: Any) -> Iterator[Session]:
    """A review whose search the server starts."""
    with journal(path) as kept:
        yield Session(lines, given.pop("detector", LISTED), kept, **given)


def stop(server: Served, thread: threading.Thread) -> None:
    """End the server as the page does."""
    server.ask(f"{server.base}/api/finish", "POST", {}, **server.entered())
    thread.join(20)
    assert not thread.is_alive()
