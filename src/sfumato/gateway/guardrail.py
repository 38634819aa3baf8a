"""LiteLLM's generic guardrail: it sends what a model is to get, and later what the model said.

A request is sanitized in a session named by its trace, and the answer of that trace is restored. What cannot be
sanitized is blocked with the reason. Of a stream LiteLLM sends all that was said so far, again and again; the answer
says how many characters at its end may still become a pseudonym and have to wait.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.errors import SfumatoError
from sfumato.gateway.asking import LIST, OBJECT, STRING, Asked
from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.counting import Counted
from sfumato.gateway.problems import ProblemError, problem_of
from sfumato.gateway.replacing import replaced
from sfumato.gateway.restoring import PLAIN, Counts, Names, Restorer
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.shapes import JSON_TEXT, TEXT, Each, Fields, Walk, fields
from sfumato.gateway.shield import Shield
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.turns import Steps

GUARDRAIL = "/beta/litellm_basic_guardrail_api"
_KEYS = (
    "input_type litellm_call_id litellm_trace_id texts structured_messages images tools tool_calls model "
    "request_data request_headers litellm_version additional_provider_specific_params"
)
_CHAT = ChatCompletions.request.shapes
_MOST_NAME = 200


@dataclass(frozen=True, eq=False)
class Guardrail:
    """Answers LiteLLM's guardrail by the ``shield``."""

    shield: Shield
    sessions: Sessions
    counted: Counted
    settings: Settings
    shape: ClassVar[Fields] = fields(texts=Each(TEXT), structured_messages=_CHAT["messages"], tools=_CHAT["tools"])

    def answer(self, body: dict[str, Any], client: str) -> Steps[dict[str, Any]]:
        """Return what becomes of a request or of an answer, in steps; what cannot be sanitized is blocked."""
        try:
            asked = Asked(body, _KEYS)
            side = asked.of("input_type", STRING)
            if side not in ("request", "response"):
                raise RefusedError("input_type is request or response.")
            session = self.sessions.of(client, _name_of(asked))
            if side == "response":
                return self._restored(asked, session)
            return (yield from self._sanitized(asked, session))
        except (SfumatoError, ProblemError) as error:
            problem = problem_of(error)
            self.counted.refusals.labels(problem.cause).inc()
            return {"action": "BLOCKED", "blocked_reason": problem.sentence}

    def _sanitized(self, asked: Asked, session: Session) -> Steps[dict[str, Any]]:
        if asked.of("images", LIST, []) and not self.settings.images:
            raise RefusedError("The request holds an image, in which nothing is found; leave it out.")
        kept = {key: asked.of(key, LIST) for key in self.shape.shapes if asked.body.get(key) is not None}
        walk = Walk.by(self.settings)
        self.shape.look(walk, {"": kept}, "", "")
        _mark_said(walk, kept.get("texts"))
        calls = asked.of("tool_calls", LIST, [])
        if calls and "structured_messages" not in kept:
            yield from self._check_calls(calls, session)
        looked = yield from replaced(walk, self.shield, session)
        self.counted.sanitized(looked.marks, looked.spent)
        self.counted.in_other_languages(looked.others)
        return {"action": "GUARDRAIL_INTERVENED", **kept}

    def _check_calls(self, calls: list[Any], session: Session) -> Steps[None]:
        """Raise RefusedError if the arguments of earlier calls would change: LiteLLM does not write these back."""
        walk = Walk.by(self.settings)
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                raise RefusedError("A tool call is of a form that the server does not know.")
            if function.get("arguments") is not None:
                JSON_TEXT.look(walk, function, "arguments", "tool_calls")
        looked = yield from self.shield.looking(session, walk.texts)
        if any(made != text for text, made in looked.texts.items()):
            raise RefusedError(
                "The arguments of an earlier tool call hold what has to be replaced, and LiteLLM would not write it "
                "back; send it through the gateway's own addresses."
            )

    def _restored(self, asked: Asked, session: Session) -> dict[str, Any]:
        names, counts = Names(dict(session.names)), Counts()
        texts, held = list[str](), list[int]()
        for text in asked.strings("texts"):
            restorer = Restorer(names, PLAIN, counts)
            said, rest = restorer.feed(text), restorer.end()
            texts.append(said + rest)
            held.append(len(rest))
            session.says(len(held), text, said + rest, names.originals)
        for which in ("restored", "unknown", "doubtful"):
            self.counted.restored.labels(which).inc(getattr(counts, which))
        return {"action": "GUARDRAIL_INTERVENED", "texts": texts, "stream_holdback_chars": held}


def _mark_said(walk: Walk, texts: Any) -> None:
    """Say of each of ``texts``, which have no role, whether the model wrote it: if no other message holds it."""
    told = [slot for slot in walk.slots if slot.holder is not texts]
    by_model = {text for slot in told if slot.is_said for text in slot.texts}
    by_others = {text for slot in told if not slot.is_said for text in slot.texts}
    for slot in walk.slots:
        if slot.holder is texts:
            slot.is_said = slot.value in by_model - by_others


def _name_of(asked: Asked) -> str:
    """Return the name of the session: the trace or the call, and the key that the user has at LiteLLM.

    Without the key, a user who guesses another's trace could have the other's pseudonyms restored.
    """
    trace = asked.of("litellm_trace_id", STRING, "") or asked.of("litellm_call_id", STRING, "")
    if not trace or len(trace) > _MOST_NAME:
        raise RefusedError("Neither litellm_trace_id nor litellm_call_id says which answer belongs to which request.")
    key = asked.of("request_data", OBJECT, {}).get("user_api_key_hash") or ""
    return json.dumps(["litellm", trace, str(key)[:_MOST_NAME]])
