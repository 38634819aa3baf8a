"""The answers of the review: its page, and what the page asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field

from sfumato.detectors.decision import MARKS
from sfumato.errors import SfumatoError
from sfumato.review.session import Session
from sfumato.review.treated import Examples

_FILES = resources.files("sfumato") / "data" / "review"
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE_FILES = ("icon.svg", "review.css", "review.js", "calls.js", "keys.js", "list.js", "record.js", "selection.js")
Action = Literal["add", "remove", "relabel", "never", "always"]
Scope = Literal["here", "record", "everywhere"]
Index = Annotated[int, Field(ge=0)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class DecideBody(_Body):
    """A decision about the characters from ``start`` to ``end`` of one text of a record."""

    record: Index
    text: Index
    action: Action
    start: Index
    end: Index
    label: Annotated[str, Field(min_length=1, max_length=100)]
    scope: Scope


class ReadBody(_Body):
    """Whether the reviewer is done with a record."""

    record: Index
    read: bool


class RecordBody(_Body):
    """One record."""

    record: Index


class EmptyBody(_Body):
    """Nothing."""


@dataclass(frozen=True)
class Shown:
    """What the page shows beside the records.

    Attributes:
        title: What is reviewed.
        kinds: What can be marked, and what becomes of it, as :meth:`~sfumato.review.treated.ByPolicy.as_facts` says.
        after: The command to type when the review is done; empty if another command opened the page and resumes.
    """

    title: str
    kinds: Sequence[Mapping[str, Any]] = ()
    after: str = field(default="", repr=False)


def app_of(session: Session, examples: Examples | None, shown: Shown, finish: Callable[[], None]) -> FastAPI:
    """Return the application. It trusts its caller: only :class:`~sfumato.review.serving.Door` may call it."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.add_exception_handler(SfumatoError, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)

    @app.get("/")
    def page() -> Response:
        return _file("review.html")

    @app.get("/{name}")
    def file(name: str) -> Response:
        return _file(name) if name in PAGE_FILES else Response("There is no such page.", 404)

    @app.get("/api/state")
    def state() -> Response:
        return _json({**vars(shown), "examples": examples is not None, **session.state()})

    @app.get("/api/page")
    def records(view: str = "all", start: int = 0, afresh: bool = False, name: str = "") -> Response:
        return _json(session.page(view, session.place(name) if name else start, afresh))

    @app.get("/api/record")
    def record(record: int) -> Response:
        session.detection.hurry([record] if 0 <= record < session.texts.records else [], 0.5)
        return _json(session.record(record))

    @app.post("/api/decide")
    def decide(body: DecideBody) -> Response:
        scope = body.scope if body.action in MARKS else "everywhere"
        bounds = body.start, body.end
        return _json(session.decide(body.record, body.text, body.action, *bounds, body.label, scope))

    @app.post("/api/read")
    def read(body: ReadBody) -> Response:
        return _json(session.read(body.record, body.read))

    @app.post("/api/undo")
    def undo(_body: EmptyBody) -> Response:
        return _json(session.undo())

    @app.post("/api/example")
    def example(body: RecordBody) -> Response:
        before = session.record(body.record)
        after = None if examples is None else examples.as_facts(body.record, session.reviewed)
        return _json({"before": before, "after": after})

    @app.post("/api/finish")
    def finished(_body: EmptyBody) -> Response:
        finish()
        return _json(session.state())

    return app


def _file(name: str) -> Response:
    content = (_FILES / name).read_bytes()
    return Response(content, media_type=f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8")


def _json(facts: Mapping[str, Any], status: int = 200) -> Response:
    """Answer with ``facts``, which are plain JSON already: the framework's own way is ten times slower."""
    return Response(json.dumps(facts), status, media_type="application/json")


def _refused(_request: Request, error: Exception) -> Response:
    """Answer with the sentence of an error, which names a place and never content."""
    return _json({"error": str(error)}, 400)


def _not_understood(_request: Request, _error: Exception) -> Response:
    """Answer without the request, which the framework would quote."""
    return _json({"error": "The page sent something that cannot be; load it again."}, 400)
