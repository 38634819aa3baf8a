"""sfumato: sanitize text so that it can be shared, state exactly what privacy that buys, attack the result.

>>> import sfumato
>>> sanitizer = sfumato.build("santext", epsilon=12.0)
>>> release = sanitizer.sanitize("Anna was admitted in Oslo on 3 May.")
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sfumato import version

if TYPE_CHECKING:
    from sfumato.abstract.law import Law as Law
    from sfumato.abstract.sanitizer import Sanitizer as Sanitizer
    from sfumato.abstract.vocabulary import Vocabulary as Vocabulary
    from sfumato.building.build import build as build
    from sfumato.building.chat import ChatChoice as ChatChoice
    from sfumato.building.detectors import detector as detector
    from sfumato.building.methods import mechanism as mechanism
    from sfumato.building.policies import build_policy as build_policy
    from sfumato.engines.routes import Route as Route
    from sfumato.engines.tokens import TokenSanitizer as TokenSanitizer
    from sfumato.errors import SfumatoError as SfumatoError
    from sfumato.evaluation.audit.audit import BlackBox as BlackBox
    from sfumato.evaluation.audit.audit import audit as audit
    from sfumato.evaluation.audit.findings import Audit as Audit
    from sfumato.evaluation.plan import Plan as Plan
    from sfumato.files.options import FileOptions as FileOptions
    from sfumato.policy.policy import Policy as Policy
    from sfumato.privacy.composition import Composed as Composed
    from sfumato.privacy.guarantee import Certificate as Certificate
    from sfumato.privacy.guarantee import Guarantee as Guarantee
    from sfumato.privacy.randomness import PinnedRandomness as PinnedRandomness
    from sfumato.privacy.randomness import SeededRandomness as SeededRandomness
    from sfumato.privacy.randomness import SystemRandomness as SystemRandomness
    from sfumato.release.files import Released as Released
    from sfumato.release.find import find_file as find_file
    from sfumato.release.restore import Restored as Restored
    from sfumato.release.restore import restore as restore
    from sfumato.report.compare import Compared as Compared
    from sfumato.report.compare import compare as compare
    from sfumato.report.evaluate import Evaluation as Evaluation
    from sfumato.report.evaluate import evaluate as evaluate
    from sfumato.run.sanitize_file import sanitize_file as sanitize_file
    from sfumato.run.synthesize_file import synthesize_file as synthesize_file
    from sfumato.synthesis.publishing import Synthesized as Synthesized
    from sfumato.text.document import Document as Document
    from sfumato.text.document import Preview as Preview
    from sfumato.text.document import Release as Release
    from sfumato.text.document import Replacement as Replacement
    from sfumato.text.marks import Finding as Finding
    from sfumato.text.marks import Span as Span
    from sfumato.vocabularies.load import load_vocabulary as load_vocabulary

__version__ = version.VERSION
logging.getLogger(__name__).addHandler(logging.NullHandler())  # whoever runs the program decides what is logged
_PLACES = {
    "Audit": "evaluation.audit.findings",
    "BlackBox": "evaluation.audit.audit",
    "Certificate": "privacy.guarantee",
    "ChatChoice": "building.chat",
    "Compared": "report.compare",
    "Composed": "privacy.composition",
    "Document": "text.document",
    "Evaluation": "report.evaluate",
    "FileOptions": "files.options",
    "Finding": "text.marks",
    "Guarantee": "privacy.guarantee",
    "Law": "abstract.law",
    "PinnedRandomness": "privacy.randomness",
    "Plan": "evaluation.plan",
    "Policy": "policy.policy",
    "Preview": "text.document",
    "Release": "text.document",
    "Released": "release.files",
    "Replacement": "text.document",
    "Restored": "release.restore",
    "Route": "engines.routes",
    "Sanitizer": "abstract.sanitizer",
    "SeededRandomness": "privacy.randomness",
    "SfumatoError": "errors",
    "Span": "text.marks",
    "SystemRandomness": "privacy.randomness",
    "Synthesized": "synthesis.publishing",
    "TokenSanitizer": "engines.tokens",
    "Vocabulary": "abstract.vocabulary",
    "audit": "evaluation.audit.audit",
    "build": "building.build",
    "build_policy": "building.policies",
    "compare": "report.compare",
    "detector": "building.detectors",
    "evaluate": "report.evaluate",
    "find_file": "release.find",
    "load_vocabulary": "vocabularies.load",
    "mechanism": "building.methods",
    "restore": "release.restore",
    "sanitize_file": "run.sanitize_file",
    "synthesize_file": "run.synthesize_file",
}
__all__ = [
    "Audit",
    "BlackBox",
    "Certificate",
    "ChatChoice",
    "Compared",
    "Composed",
    "Document",
    "Evaluation",
    "FileOptions",
    "Finding",
    "Guarantee",
    "Law",
    "PinnedRandomness",
    "Plan",
    "Policy",
    "Preview",
    "Release",
    "Released",
    "Replacement",
    "Restored",
    "Route",
    "Sanitizer",
    "SeededRandomness",
    "SfumatoError",
    "Span",
    "Synthesized",
    "SystemRandomness",
    "TokenSanitizer",
    "Vocabulary",
    "__version__",
    "audit",
    "build",
    "build_policy",
    "compare",
    "detector",
    "evaluate",
    "find_file",
    "load_vocabulary",
    "mechanism",
    "restore",
    "sanitize_file",
    "synthesize_file",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that ``import sfumato`` is quick."""
    if name not in _PLACES:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(f"sfumato.{_PLACES[name]}"), name)
