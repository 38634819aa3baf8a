"""One request to a language model and its answer: sanitized, sent, restored.

Nothing is sent unless everything in it was looked at. An error is told in the client's own dialect, and says neither
text nor what the upstream said of itself. A stream that cannot be understood ends with an error.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
from starlette.responses import JSONResponse, Response, StreamingResponse

from sfumato.errors import InputError
from sfumato.gateway.counting import Counted
from sfumato.gateway.dialects import Dialect, Restoring
from sfumato.gateway.problems import ProblemError, problem_of
from sfumato.gateway.replacing import replaced
from sfumato.gateway.restoring import Names
from sfumato.gateway.sessions import Sanitized, Session, Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.shapes import Walk
from sfumato.gateway.shield import Looked
from sfumato.gateway.slots import RefusedError, parsed
from sfumato.gateway.sse import Event, Reader
from sfumato.gateway.turns import Steps
from sfumato.gateway.working import Worker

SESSION, OTHER_LANGUAGE = "x-sfumato-session", "x-sfumato-other-language"
_LOG = logging.getLogger("sfumato.gateway")
_MOST_NAME, _MOST_ANSWER = 200, 64 << 20
_HEADER = re.compile(r"[a-z0-9,. -]{1,500}")


@dataclass(eq=False)
class Gateway:
    """Answers requests of any dialect by the ``upstream``."""

    settings: Settings
    worker: Worker
    sessions: Sessions
    counted: Counted
    client: httpx.AsyncClient

    async def answer(self, dialect: Dialect, headers: Mapping[str, str], client: str, content: bytes) -> Response:
        """Return the answer to a request of a ``client`` with this ``content``."""
        try:
            session = self._session(headers, client)
            body, names, others = await self._sanitized(dialect, content, session)
            dialect.prepared(body, session.user)
            answered = await self._answered(dialect, headers, body, session, names)
            if others:
                answered.headers[OTHER_LANGUAGE] = str(others)
            return answered
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
                raise
            return self.refused(dialect, problem_of(error))

    def refused(self, dialect: Dialect, problem: ProblemError) -> Response:
        """Return what the client hears of ``problem``."""
        self.counted.refusals.labels(problem.cause).inc()
        _LOG.info("refused: %s", problem.cause)
        return JSONResponse(dialect.error(problem.kind, problem.sentence), problem.status)

    def _session(self, headers: Mapping[str, str], client: str) -> Session:
        name = headers.get(SESSION, "")
        if len(name) > _MOST_NAME:
            raise ProblemError(
                400, "invalid_request_error", "shape", f"{SESSION} is a name of at most {_MOST_NAME} signs."
            )
        return self.sessions.of(client, name)

    def _before(self, body: Mapping[str, Any], session: Session) -> Mapping[str, str]:
        """Return the pseudonyms of a response that the request continues."""
        earlier = body.get("previous_response_id")
        if not earlier:
            return {}
        names = session.names_of(str(earlier))
        if names is None:
            raise RefusedError(
                "previous_response_id is of no response that this gateway remembers, so its pseudonyms could not be "
                "restored; send the conversation whole."
            )
        return names

    async def _sanitized(
        self, dialect: Dialect, content: bytes, session: Session
    ) -> tuple[dict[str, Any], Names, int]:
        """Return the body with its texts sanitized, what restores the answer, and how many are in other languages."""

        def work() -> Steps[tuple[dict[str, Any], Mapping[str, str], Looked]]:
            body, walk = parsed(content), Walk.by(self.settings, session.signed)
            before = self._before(body, session)
            dialect.look(walk, body)
            yield
            looked = yield from replaced(walk, self.worker.shield, session)
            return body, before, looked

        body, before, looked = await self.worker.does(work, session.owner, self.settings.seconds)
        self.counted.sanitized(looked.marks, looked.spent)
        self.counted.in_other_languages(looked.others)
        self.counted.texts.labels("new").inc(looked.new)
        self.counted.texts.labels("known").inc(len(looked.texts) - looked.new)
        self.counted.seconds.labels("sanitizing").observe(looked.seconds)
        names = Names({**before, **looked.names, **(session.names if session.named else {})})
        return body, names, looked.others

    async def _answered(
        self, dialect: Dialect, headers: Mapping[str, str], body: Mapping[str, Any], session: Session, names: Names
    ) -> Response:
        """Send what was sanitized, and return the answer; of one that fails after that only that it was sent."""
        try:
            return await self._sent(dialect, headers, body, session, names)
        except ProblemError:
            raise
        except Exception as error:
            _LOG.error("an answer failed: %s", type(error).__name__)
            raise ProblemError(
                502, "api_error", "answer", "The request was sent, and its answer cannot be read."
            ) from None

    async def _sent(
        self, dialect: Dialect, headers: Mapping[str, str], body: Mapping[str, Any], session: Session, names: Names
    ) -> Response:
        """Send what was sanitized, and return the restored answer."""
        passed = {name: value for name in dialect.headers if _HEADER.fullmatch(value := headers.get(name, ""))}
        started = time.perf_counter()
        asked = self.client.build_request(
            "POST", f"{self.settings.base}{dialect.path}", json=body, headers=passed | self._keys(dialect)
        )
        try:
            answer = await self.client.send(asked, stream=True)
        except httpx.HTTPError:
            raise _gone() from None
        self.counted.seconds.labels("upstream").observe(time.perf_counter() - started)
        restoring = Restoring(names)
        is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        if answer.status_code == 200 and is_stream:
            pieces = self._streamed(dialect, answer, session, restoring)
            return StreamingResponse(pieces, media_type="text/event-stream", headers={"cache-control": "no-store"})
        if answer.status_code in (401, 403):
            await answer.aclose()
            raise ProblemError(502, "api_error", "key", "The upstream refused the key of this gateway.")
        try:
            content = bytearray()
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > _MOST_ANSWER:
                    raise _gone()
            told = json.loads(content)
        except (httpx.HTTPError, ValueError, RecursionError):
            raise _gone() from None
        finally:
            await answer.aclose()
        if not isinstance(told, dict):
            raise _gone()
        made = await anyio.to_thread.run_sync(dialect.restored, told, restoring)
        self._finished(dialect, session, restoring, told)
        return JSONResponse(made, answer.status_code, headers={"cache-control": "no-store"})

    def _keys(self, dialect: Dialect) -> dict[str, str]:
        """Return the headers with the upstream's key, which no client sees."""
        key = os.environ.get(self.settings.upstream_key, "") if self.settings.upstream_key else ""
        return dialect.key(key) if key else {}

    async def _streamed(
        self, dialect: Dialect, answer: httpx.Response, session: Session, restoring: Restoring
    ) -> AsyncIterator[bytes]:
        """Yield the restored events of ``answer``; last an error, if the upstream is gone or not understood."""
        stream, reader, told = dialect.stream(restoring), Reader(), dict[str, Any]()
        try:
            async for piece in answer.aiter_bytes():
                for event in reader.feed(piece):
                    self._note(event, told)
                    for made in stream.feed(event):
                        yield made.encoded()
            reader.end()
            if not stream.ended:
                raise _gone()
        except Exception as error:
            _LOG.info("a stream failed: %s", type(error).__name__)
            self.counted.refusals.labels("stream").inc()
            for made in stream.broken():
                yield made.encoded()
            gone = isinstance(error, httpx.HTTPError | ProblemError)
            told_why = str(error) if isinstance(error, InputError) else "The answer of the upstream cannot be read."
            sentence = "The upstream was gone in the middle of its answer." if gone else told_why
            yield dialect.error_event("api_error", sentence).encoded()
        finally:
            await answer.aclose()
            self._finished(dialect, session, restoring, told)

    def _note(self, event: Event, told: dict[str, Any]) -> None:
        """Note the id of a response that the upstream keeps."""
        if not told and '"response"' in event.data:
            content = event.content
            response = content.get("response") if isinstance(content, dict) else None
            if isinstance(response, dict) and isinstance(response.get("id"), str):
                told["id"] = response["id"]

    def _finished(self, dialect: Dialect, session: Session, restoring: Restoring, told: Mapping[str, Any]) -> None:
        """Count what was restored, and remember what the next request may refer to."""
        counts = restoring.counts
        for which in ("restored", "unknown", "doubtful"):
            self.counted.restored.labels(which).inc(getattr(counts, which))
        session.sign(restoring.signed)
        originals = restoring.names.originals
        for made, written in restoring.said.items():
            if made:
                own = {name: originals[name] for name in originals if name in written}
                session.learn_answer(made, Sanitized(written, own))
        if dialect.keeps and isinstance(told.get("id"), str):
            session.answered(told["id"], restoring.names.originals)


def _gone() -> ProblemError:
    return ProblemError(502, "api_error", "upstream", "The upstream gave no answer that can be read.")
