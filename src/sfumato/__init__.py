"""sfumato: sanitize text so that it can be shared, state exactly what privacy that buys, attack the result.

>>> import sfumato
>>> sanitizer = sfumato.build(sfumato.SanText(epsilon=12.0))
>>> release = sanitizer.sanitize("Anna was admitted in Oslo on 3 May.")
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

from sfumato import version

__version__ = version.VERSION
logging.getLogger(__name__).addHandler(logging.NullHandler())  # whoever runs the program decides what is logged
_HOMES: dict[str, tuple[str, ...]] = {
    "abstract.law": ("Law",),
    "abstract.sanitizer": ("Sanitizer",),
    "abstract.vocabulary": ("Vocabulary",),
    "building.build": ("build",),
    "building.chat": ("ChatChoice",),
    "building.detectors": ("detector",),
    "building.methods": ("mechanism",),
    "building.policies": ("build_policy",),
    "engines.engine": ("Engine",),
    "engines.routes": ("Route",),
    "engines.tokens": ("DrawnTokens",),
    "errors": ("SfumatoError",),
    "evaluation.audit.audit": ("BlackBox", "audit"),
    "evaluation.audit.findings": ("Audit",),
    "evaluation.plan": ("Plan",),
    "files.options": ("FileOptions",),
    "ledger.ledger": ("Ledger",),
    "methods": (
        "Abstraction", "CluSanT", "CusText", "CusTextPlus", "DPMLM", "DPParaphrase", "DPPrompt", "Distortion",
        "Evolve", "FBDD", "Finetune", "Iterative", "Mahalanobis", "Paraphrase", "Predict", "Redaction", "SanText",
        "SanTextPlus", "TEM", "Vickrey",
    ),
    "policy.policy": ("Policy",),
    "polishing.polish": ("Polished", "polish"),
    "privacy.composition": ("Composed",),
    "privacy.guarantee": ("Certificate", "Guarantee"),
    "privacy.randomness": ("PinnedRandomness", "SeededRandomness", "SystemRandomness"),
    "protection.protect": ("protect",),
    "protection.verifying": ("verify",),
    "release.files": ("Released",),
    "release.find": ("find_file",),
    "release.restore": ("Restored", "restore"),
    "report.compare": ("Compared", "compare"),
    "report.evaluate": ("Evaluation", "evaluate"),
    "run.sanitize_file": ("sanitize", "sanitize_file"),
    "run.synthesize_file": ("synthesize_file",),
    "synthesis.publishing": ("Synthesized",),
    "text.document": ("Document", "Preview", "Release", "Replacement"),
    "text.marks": ("Finding", "Span"),
    "vocabularies.load": ("load_vocabulary",),
}  # fmt: skip
"""The public names by the module where each lives. Type checkers read ``__init__.pyi``, which is written from it."""
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that ``import sfumato`` is quick."""
    if name not in _HOME:
        raise AttributeError(f"module 'sfumato' has no attribute {name!r}")
    return getattr(import_module(f"sfumato.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Return the names that an editor completes, those that were not used yet included."""
    return sorted({*globals(), *__all__})
