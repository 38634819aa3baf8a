"""What an image may be in a request: nothing is found in it, so that it passes only if the server was told so.

An image is the bytes themselves. An address from which the upstream would fetch one is text that may tell of people,
and a name of a file is one that this gateway has not seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sfumato.gateway.shapes import SCALAR, ByType, Either, Fields, Shape, Walk, fields, scalars
from sfumato.gateway.slots import RefusedError

_BASE64 = r"[A-Za-z0-9+/\s]*={0,2}\s*"
_DATA = re.compile(rf"data:image/[a-z0-9.+-]{{1,40}};base64,{_BASE64}", re.ASCII)
_BYTES = re.compile(_BASE64, re.ASCII)


@dataclass(frozen=True)
class _Image(Shape):
    """An image of this ``shape``, if images pass."""

    shape: Shape

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if not walk.images:
            raise RefusedError(
                f"{place} is an image, in which nothing is found; leave it out, or let images pass (images = true)."
            )
        self.shape.look(walk, holder, key, place)


@dataclass(frozen=True)
class _Written(Shape):
    """An image that is written as ``form`` says."""

    form: re.Pattern[str]

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        value = holder[key]
        if not isinstance(value, str) or not self.form.fullmatch(value):
            raise RefusedError(
                f"{place} is not the image itself in base64; addresses and names of files tell more than images, so "
                "send it as data:image/png;base64,..."
            )


_URL, _CONTENT = _Written(_DATA), _Written(_BYTES)
_CACHE = {"cache_control": fields(**scalars("type ttl"))}
CHAT_IMAGE = _Image(Fields({"type": SCALAR, "image_url": Either(_URL, fields(url=_URL, detail=SCALAR)), **_CACHE}))
RESPONSES_IMAGE = _Image(fields(type=SCALAR, image_url=_URL, detail=SCALAR))
MESSAGES_IMAGE = _Image(
    Fields(
        {
            "type": SCALAR,
            "source": ByType({"base64": fields(type=SCALAR, media_type=SCALAR, data=_CONTENT)}),
            **_CACHE,
        }
    )
)
LANGCHAIN_IMAGE = _Image(
    Fields(
        {
            **scalars("type id index mime_type media_type source_type"),
            "base64": _CONTENT,
            "data": _CONTENT,
            "url": _URL,
            "source": ByType({"base64": fields(type=SCALAR, media_type=SCALAR, data=_CONTENT)}),
            **_CACHE,
        }
    )
)
