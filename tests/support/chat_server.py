"""A real server on this machine that speaks as chat endpoints do, as a script says."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server:
    """Answers each request by ``script(number, body)``: a status, a body and headers.

    A body that is no bytes gives its pieces one after the other, until nobody reads them any more; ``sent`` counts
    their bytes.
    """

    def __init__(
        self, script: Callable[[int, dict[str, Any]], tuple[int, bytes | Iterable[bytes], dict[str, str]]]
    ) -> None:
        self.sent = 0
        self.headers: list[dict[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, content, headers = script(len(outer.bodies), body)
                self.send_response(status)
                length = {"Content-Length": str(len(content))} if isinstance(content, bytes) else {}
                for name, value in {**headers, **length}.items():
                    self.send_header(name, value)
                self.end_headers()
                with contextlib.suppress(OSError):  # who asked has gone
                    for piece in [content] if isinstance(content, bytes) else content:
                        self.wfile.write(piece)
                        outer.sent += len(piece)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # the answer to shutdown comes at the next look, half a second apart if nothing else is said
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def said(text: str) -> tuple[int, bytes, dict[str, str]]:
    content = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    return 200, json.dumps(content).encode(), {}
