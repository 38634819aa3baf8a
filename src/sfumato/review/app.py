"""The answers of the review: its page, and what the page asks for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from sfumato.detectors.decision import MARKS
from sfumato.errors import SfumatoError
from sfumato.review.examples import Examples
from sfumato.review.session import Session

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


def app_of(
    session: Session, examples: Examples | None, title: str, kinds: list[str], finish: Callable[[], None]
) -> FastAPI:
    """Return the application. It trusts its caller: only :class:`~sfumato.review.door.Door` may call it."""
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
    def state() -> Any:
        return {"title": title, "kinds": kinds, "examples": examples is not None, **session.state()}

    @app.get("/api/page")
    def records(view: str = "all", start: int = 0, afresh: bool = False) -> Any:
        return session.page(view, start, afresh)

    @app.get("/api/record")
    def record(record: int) -> Any:
        session.detection.hurry([record] if 0 <= record < session.texts.records else [], 0.5)
        return session.record(record)

    @app.post("/api/decide")
    def decide(body: DecideBody) -> Any:
        scope = body.scope if body.action in MARKS else "everywhere"
        return session.decide(body.record, body.text, body.action, body.start, body.end, body.label, scope)

    @app.post("/api/read")
    def read(body: ReadBody) -> Any:
        return session.read(body.record, body.read)

    @app.post("/api/undo")
    def undo(_body: EmptyBody) -> Any:
        return session.undo()

    @app.post("/api/example")
    def example(body: RecordBody) -> Any:
        before = session.record(body.record)
        after = None if examples is None else examples.as_facts(body.record, session.reviewed)
        return {"before": before, "after": after}

    @app.post("/api/finish")
    def finished(_body: EmptyBody) -> Any:
        finish()
        return session.state()

    return app


def _file(name: str) -> Response:
    content = (_FILES / name).read_bytes()
    return Response(content, media_type=f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8")


def _refused(_request: Request, error: Exception) -> Response:
    """Answer with the sentence of an error, which names a place and never content."""
    return JSONResponse({"error": str(error)}, 400)


def _not_understood(_request: Request, _error: Exception) -> Response:
    """Answer without the request, which the framework would quote."""
    return JSONResponse({"error": "The page sent something that cannot be; load it again."}, 400)
