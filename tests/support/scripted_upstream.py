"""An upstream of language models that repeats what it was sent, in the streams that real ones have."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@dataclass
class Upstream:
    """What the upstream was sent, and how it answers: in pieces of so many characters and bytes."""

    piece: int = 3
    cut: int = 7
    script: Callable[[dict[str, Any]], str] | None = None
    events: list[str] | None = None
    seen: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    pause: float = 0.0
    status: int = 200

    def said(self, body: dict[str, Any]) -> str:
        return self.script(body) if self.script else json.dumps(body, ensure_ascii=False)

    def app(self) -> Starlette:
        routes = {"/v1/chat/completions": self.chat, "/v1/responses": self.responses, "/v1/messages": self.messages}
        return Starlette(routes=[Route(path, self._of(answer), methods=["POST"]) for path, answer in routes.items()])

    def _of(self, answer: Callable[[dict[str, Any], str], Any]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            content = await request.body()
            self.seen.append(content)
            self.headers.append(dict(request.headers))
            body = json.loads(content)
            if self.status != 200:
                return JSONResponse({"error": {"message": self.said(body)}}, self.status)
            if body.get("stream"):
                events = self.events or list(answer(body, self.said(body)))
                return StreamingResponse(self._cut("".join(events)), media_type="text/event-stream")
            return JSONResponse(answer(body, self.said(body)))

        return endpoint

    async def _cut(self, text: str) -> AsyncIterator[bytes]:
        content = text.encode()
        for start in range(0, len(content), self.cut):
            if self.pause:
                await asyncio.sleep(self.pause)
            yield content[start : start + self.cut]

    def _pieces(self, text: str) -> list[str]:
        return [text[start : start + self.piece] for start in range(0, len(text), self.piece)]

    def chat(self, body: dict[str, Any], said: str) -> Any:
        head = {"id": "c1", "created": 1, "model": "m"}
        arguments = json.dumps({"text": said})
        if not body.get("stream"):
            call = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": arguments}}
            message = {"role": "assistant", "content": said, "tool_calls": [call] if body.get("tools") else None}
            choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
            return {**head, "object": "chat.completion", "choices": [choice], "usage": USAGE}
        return self._chunks(head, body, said, arguments)

    def _chunks(self, head: dict[str, Any], body: dict[str, Any], said: str, arguments: str) -> Iterator[str]:
        def chunk(delta: dict[str, Any], reason: str | None = None) -> str:
            choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
            content = {**head, "object": "chat.completion.chunk", "choices": [choice], "obfuscation": "xx"}
            return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"

        yield chunk({"role": "assistant", "content": ""})
        for piece in self._pieces(said):
            yield chunk({"content": piece})
        for piece in self._pieces(arguments) if body.get("tools") else ():
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, "stop")
        yield f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', 'choices': [], 'usage': USAGE})}\n\n"
        yield "data: [DONE]\n\n"

    def responses(self, body: dict[str, Any], said: str) -> Any:
        part = {"type": "output_text", "text": said, "annotations": []}
        message = {"type": "message", "id": "i1", "role": "assistant", "status": "completed", "content": [part]}
        call = {
            "type": "function_call",
            "id": "i2",
            "call_id": "t1",
            "name": "f",
            "status": "completed",
            "arguments": json.dumps({"text": said}),
        }
        whole = {
            "id": f"resp_{len(self.seen)}", "object": "response", "created_at": 1, "model": "m",
            "status": "completed",
            "output": [message, *([call] if body.get("tools") else [])], "parallel_tool_calls": True, "tools": [],
            "tool_choice": "auto", "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
            "temperature": 1.0, "top_p": 1.0,
        }  # fmt: skip
        return self._events(whole, message, call, said, bool(body.get("tools"))) if body.get("stream") else whole

    def _events(self, whole: Any, message: Any, call: Any, said: str, calls: bool) -> Iterator[str]:
        number = iter(range(10**9))

        def event(kind: str, **content: Any) -> str:
            told = {"type": f"response.{kind}", "sequence_number": next(number), **content}
            return f"event: response.{kind}\ndata: {json.dumps(told, ensure_ascii=False)}\n\n"

        begun = {**whole, "status": "in_progress", "output": []}
        yield event("created", response=begun) + event("in_progress", response=begun)
        of = {"item_id": "i1", "output_index": 0, "content_index": 0}
        yield event("output_item.added", output_index=0, item={**message, "content": []})
        yield event("content_part.added", **of, part={"type": "output_text", "text": "", "annotations": []})
        for piece in self._pieces(said):
            yield event("output_text.delta", **of, delta=piece, logprobs=[])
        yield event("output_text.done", **of, text=said, logprobs=[])
        yield event("content_part.done", **of, part=message["content"][0])
        yield event("output_item.done", output_index=0, item=message)
        if calls:
            of = {"item_id": "i2", "output_index": 1}
            yield event("output_item.added", output_index=1, item={**call, "arguments": ""})
            for piece in self._pieces(call["arguments"]):
                yield event("function_call_arguments.delta", **of, delta=piece)
            yield event("function_call_arguments.done", **of, name="f", arguments=call["arguments"])
            yield event("output_item.done", output_index=1, item=call)
        yield event("completed", response=whole)

    def messages(self, body: dict[str, Any], said: str) -> Any:
        usage = {"input_tokens": 1, "output_tokens": 1}
        thinking = {"type": "thinking", "thinking": said[:40], "signature": "c2ln"}
        call = {"type": "tool_use", "id": "t1", "name": "f", "input": {"text": said}}
        content = [thinking, {"type": "text", "text": said}, *([call] if body.get("tools") else [])]
        whole = {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        return self._blocks(whole) if body.get("stream") else whole

    def _blocks(self, whole: dict[str, Any]) -> Iterator[str]:
        def event(kind: str, **content: Any) -> str:
            return f"event: {kind}\ndata: {json.dumps({'type': kind, **content}, ensure_ascii=False)}\n\n"

        yield event("message_start", message={**whole, "content": []}) + event("ping")
        for index, block in enumerate(whole["content"]):
            deltas: list[dict[str, Any]] = []
            begun = dict(block)
            if block["type"] == "thinking":
                begun |= {"thinking": "", "signature": ""}
                deltas += [{"type": "thinking_delta", "thinking": piece} for piece in self._pieces(block["thinking"])]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            elif block["type"] == "text":
                begun["text"] = ""
                deltas += [{"type": "text_delta", "text": piece} for piece in self._pieces(block["text"])]
            else:
                begun["input"] = {}
                written = json.dumps(block["input"])
                deltas += [{"type": "input_json_delta", "partial_json": piece} for piece in self._pieces(written)]
            yield event("content_block_start", index=index, content_block=begun)
            for delta in deltas:
                yield event("content_block_delta", index=index, delta=delta)
            yield event("content_block_stop", index=index)
        yield event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage=whole["usage"])
        yield event("message_stop")


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve ``app`` at a free port of this machine, and give its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="on", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.started
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
