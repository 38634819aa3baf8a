"""sfumato: sanitize text so that it can be shared, state exactly what privacy that buys, attack the result.

>>> import sfumato
>>> sanitizer = sfumato.build("santext", epsilon=12.0)
>>> release = sanitizer.sanitize("Anna was admitted in Oslo on 3 May.")
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.builder import build as build
    from sfumato.document import Document as Document
    from sfumato.document import Finding as Finding
    from sfumato.document import Release as Release
    from sfumato.document import Replacement as Replacement
    from sfumato.document import Span as Span
    from sfumato.errors import SfumatoError as SfumatoError
    from sfumato.finding import find_file as find_file
    from sfumato.guarantee import Certificate as Certificate
    from sfumato.guarantee import Guarantee as Guarantee
    from sfumato.registry import detector as detector
    from sfumato.registry import mechanism as mechanism
    from sfumato.sampling import PinnedRandomness as PinnedRandomness
    from sfumato.sampling import SeededRandomness as SeededRandomness
    from sfumato.sampling import SystemRandomness as SystemRandomness
    from sfumato.sanitizer import Route as Route
    from sfumato.sanitizer import Sanitizer as Sanitizer
    from sfumato.vocabulary import Vocabulary as Vocabulary
    from sfumato.vocabulary_sources import load_vocabulary as load_vocabulary

try:
    __version__ = version("sfumato")
except PackageNotFoundError:  # a source tree that was not installed
    __version__ = "0+unknown"

_PLACES = {
    "build": "builder",
    "Document": "document",
    "Finding": "document",
    "Release": "document",
    "Replacement": "document",
    "Span": "document",
    "SfumatoError": "errors",
    "find_file": "finding",
    "Certificate": "guarantee",
    "Guarantee": "guarantee",
    "detector": "registry",
    "mechanism": "registry",
    "PinnedRandomness": "sampling",
    "SeededRandomness": "sampling",
    "SystemRandomness": "sampling",
    "Route": "sanitizer",
    "Sanitizer": "sanitizer",
    "Vocabulary": "vocabulary",
    "load_vocabulary": "vocabulary_sources",
}
__all__ = [
    "Certificate",
    "Document",
    "Finding",
    "Guarantee",
    "PinnedRandomness",
    "Release",
    "Replacement",
    "Route",
    "Sanitizer",
    "SeededRandomness",
    "SfumatoError",
    "Span",
    "SystemRandomness",
    "Vocabulary",
    "__version__",
    "build",
    "detector",
    "find_file",
    "load_vocabulary",
    "mechanism",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that ``import sfumato`` is quick."""
    if name not in _PLACES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(f"sfumato.{_PLACES[name]}"), name)
