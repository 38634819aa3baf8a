"""sfumato: sanitize text so that it can be shared, state exactly what privacy that buys, attack the result.

>>> import sfumato
>>> sanitizer = sfumato.build("santext", epsilon=12.0)
>>> release = sanitizer.sanitize("Anna was admitted in Oslo on 3 May.")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato import version

if TYPE_CHECKING:
    from sfumato.abstract.sanitizer import Sanitizer as Sanitizer
    from sfumato.abstract.vocabulary import Vocabulary as Vocabulary
    from sfumato.building.build import build as build
    from sfumato.engines.routes import Route as Route
    from sfumato.engines.tokens import TokenSanitizer as TokenSanitizer
    from sfumato.errors import SfumatoError as SfumatoError
    from sfumato.privacy.guarantee import Certificate as Certificate
    from sfumato.privacy.guarantee import Guarantee as Guarantee
    from sfumato.privacy.randomness import PinnedRandomness as PinnedRandomness
    from sfumato.privacy.randomness import SeededRandomness as SeededRandomness
    from sfumato.privacy.randomness import SystemRandomness as SystemRandomness
    from sfumato.registry import detector as detector
    from sfumato.registry import mechanism as mechanism
    from sfumato.release.find import find_file as find_file
    from sfumato.text.document import Document as Document
    from sfumato.text.document import Release as Release
    from sfumato.text.document import Replacement as Replacement
    from sfumato.text.marks import Finding as Finding
    from sfumato.text.marks import Span as Span
    from sfumato.vocabularies.load import load_vocabulary as load_vocabulary

__version__ = version.VERSION
_PLACES = {
    "build": "building.build",
    "Document": "text.document",
    "Finding": "text.marks",
    "Release": "text.document",
    "Replacement": "text.document",
    "Span": "text.marks",
    "SfumatoError": "errors",
    "find_file": "release.find",
    "Certificate": "privacy.guarantee",
    "Guarantee": "privacy.guarantee",
    "detector": "registry",
    "mechanism": "registry",
    "PinnedRandomness": "privacy.randomness",
    "SeededRandomness": "privacy.randomness",
    "SystemRandomness": "privacy.randomness",
    "Route": "engines.routes",
    "Sanitizer": "abstract.sanitizer",
    "TokenSanitizer": "engines.tokens",
    "Vocabulary": "abstract.vocabulary",
    "load_vocabulary": "vocabularies.load",
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
    "TokenSanitizer",
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
