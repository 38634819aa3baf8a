"""The server's other doors: Presidio's, one for releases, and LiteLLM's, each with its path, work and errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from starlette.responses import JSONResponse, Response

from sfumato.gateway.asking import Plain, Telling
from sfumato.gateway.counting import Counted
from sfumato.gateway.guardrail import GUARDRAIL, Guardrail
from sfumato.gateway.operators import OPERATORS, anonymize
from sfumato.gateway.presidio import Analyzer
from sfumato.gateway.problems import problem_of
from sfumato.gateway.releasing import Releasing
from sfumato.gateway.sessions import Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.slots import parsed
from sfumato.gateway.working import Worker
from sfumato.policy import Policy

Work = Callable[[dict[str, Any], str], Any]
"""From the body of a request and the name of its client to the answer, or to steps, in the thread of the models."""


@dataclass(frozen=True)
class Door:
    """A path, the method that it is asked by, what it does, and how it tells errors.

    What a ``patient`` door has begun, such as draws that are paid for, is not given up.
    """

    path: str
    work: Work
    method: str = "POST"
    telling: Telling = field(default_factory=Plain)
    patient: bool = False


@dataclass(frozen=True, eq=False)
class Doors:
    """All doors of a server beside the gateway."""

    settings: Settings
    worker: Worker
    counted: Counted

    @property
    def all(self) -> list[Door]:
        """Return every door."""
        policy = self.worker.policy or self.settings.policy
        analyzer = Analyzer(
            self.worker.shield, self.settings.most_texts, self.settings.most_characters, _languages_of(policy)
        )
        # apart from those of the gateway, which a LiteLLM that names no traces would push out
        sessions = Sessions(self.settings.session_seconds, self.settings.most_sessions)
        guardrail = Guardrail(self.worker.shield, sessions, self.counted, self.settings)
        releasing = Releasing(policy, self.settings.seconds, self.settings.most_texts, self.worker.ledger)
        return [
            Door("/analyze", lambda body, _: analyzer.analyze(body)),
            Door("/anonymize", lambda body, _: anonymize(body)),
            Door("/supportedentities", lambda body, _: _supported(analyzer, body), "GET"),
            Door("/anonymizers", lambda *_: list(OPERATORS), "GET"),
            Door("/sanitize", lambda body, _: releasing.release(body), patient=True),
            Door(GUARDRAIL, guardrail.answer),
        ]

    async def answer(self, door: Door, query: Mapping[str, str], client: str, content: bytes) -> Response:
        """Return the answer of ``door`` to a ``client``."""
        try:
            body: dict[str, Any] = parsed(content) if door.method == "POST" else dict(query)
            work = partial(door.work, body, client)
            made = await self.worker.does(work, client, self.settings.seconds, door.patient)
            return _Json(made, headers={"cache-control": "no-store"})
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
                raise
            problem = problem_of(error)
            self.counted.refusals.labels(problem.cause).inc()
            return JSONResponse(door.telling.error(problem.kind, problem.sentence), problem.status)


class _Json(JSONResponse):
    """JSON that may hold a lone surrogate, as its escape."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _languages_of(policy: Policy | str) -> tuple[str, ...]:
    return (policy if isinstance(policy, Policy) else Policy.load(policy)).find.languages


def _supported(analyzer: Analyzer, query: Mapping[str, Any]) -> list[str]:
    analyzer.check_language(str(query.get("language", analyzer.languages[0])))
    return analyzer.supported
