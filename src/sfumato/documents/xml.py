"""XML from anyone: nothing is fetched, no entity is resolved, and a document type is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from sfumato.documents.rules import Refused

_WRONG = "a part of it is not XML that can be read; save it again"
_TYPED = "a part of it has a document type, whose entities could hold anything; save it again"
_UNWRITTEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF))


def parsed(content: bytes) -> Any:
    """Return the root element of ``content``. Raise Refused for what is no XML, or has a document type."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):  # whose messages quote what they could not read
        root = None
    if root is None:
        raise Refused(_WRONG)
    if root.getroottree().docinfo.internalDTD is not None:
        raise Refused(_TYPED)
    return root


def written(root: Any) -> bytes:
    """Return ``root`` and what is beside it as bytes, declared as UTF-8."""
    from lxml import etree

    content: bytes = etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8", standalone=True)
    return content


def elements(file: IO[bytes], tag: str | tuple[str, ...]) -> Iterator[Any]:
    """Yield each element named ``tag`` of a long ``file`` when it is complete, and forget it after. Raise Refused."""
    from lxml import etree

    try:
        for _, element in etree.iterparse(
            file, events=("end",), tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        ):
            if element.getroottree().docinfo.internalDTD is not None:
                raise Refused(_TYPED)
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        return
    except (etree.XMLSyntaxError, ValueError):
        pass
    raise Refused(_WRONG)


def fit(text: str) -> str:
    """Return ``text`` without the characters that XML cannot hold."""
    return text.translate(_UNWRITTEN)
