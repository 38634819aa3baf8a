# Written by docs/make_face.py, from the annotations of options and the list of public names.
from sfumato.abstract.law import Law as Law
from sfumato.abstract.sanitizer import Sanitizer as Sanitizer
from sfumato.abstract.vocabulary import Vocabulary as Vocabulary
from sfumato.building.build import build as build
from sfumato.building.chat import ChatChoice as ChatChoice
from sfumato.building.detectors import detector as detector
from sfumato.building.methods import mechanism as mechanism
from sfumato.building.policies import build_policy as build_policy
from sfumato.engines.engine import Engine as Engine
from sfumato.engines.routes import Route as Route
from sfumato.engines.tokens import DrawnTokens as DrawnTokens
from sfumato.errors import SfumatoError as SfumatoError
from sfumato.evaluation.audit.audit import BlackBox as BlackBox
from sfumato.evaluation.audit.audit import audit as audit
from sfumato.evaluation.audit.findings import Audit as Audit
from sfumato.evaluation.plan import Plan as Plan
from sfumato.files.options import FileOptions as FileOptions
from sfumato.ledger.ledger import Ledger as Ledger
from sfumato.methods import DPMLM as DPMLM
from sfumato.methods import FBDD as FBDD
from sfumato.methods import TEM as TEM
from sfumato.methods import Abstraction as Abstraction
from sfumato.methods import CluSanT as CluSanT
from sfumato.methods import CusText as CusText
from sfumato.methods import CusTextPlus as CusTextPlus
from sfumato.methods import Distortion as Distortion
from sfumato.methods import DPParaphrase as DPParaphrase
from sfumato.methods import DPPrompt as DPPrompt
from sfumato.methods import Evolve as Evolve
from sfumato.methods import Finetune as Finetune
from sfumato.methods import Iterative as Iterative
from sfumato.methods import Mahalanobis as Mahalanobis
from sfumato.methods import Paraphrase as Paraphrase
from sfumato.methods import Predict as Predict
from sfumato.methods import Redaction as Redaction
from sfumato.methods import SanText as SanText
from sfumato.methods import SanTextPlus as SanTextPlus
from sfumato.methods import Vickrey as Vickrey
from sfumato.policy.policy import Policy as Policy
from sfumato.polishing.polish import Polished as Polished
from sfumato.polishing.polish import polish as polish
from sfumato.privacy.composition import Composed as Composed
from sfumato.privacy.guarantee import Certificate as Certificate
from sfumato.privacy.guarantee import Guarantee as Guarantee
from sfumato.privacy.randomness import PinnedRandomness as PinnedRandomness
from sfumato.privacy.randomness import SeededRandomness as SeededRandomness
from sfumato.privacy.randomness import SystemRandomness as SystemRandomness
from sfumato.protection.protect import protect as protect
from sfumato.protection.verifying import verify as verify
from sfumato.release.files import Released as Released
from sfumato.release.find import find_file as find_file
from sfumato.release.restore import Restored as Restored
from sfumato.release.restore import restore as restore
from sfumato.report.compare import Compared as Compared
from sfumato.report.compare import compare as compare
from sfumato.report.evaluate import Evaluation as Evaluation
from sfumato.report.evaluate import evaluate as evaluate
from sfumato.run.sanitize_file import sanitize as sanitize
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

__version__: str
__all__ = [
    "DPMLM",
    "FBDD",
    "TEM",
    "Abstraction",
    "Audit",
    "BlackBox",
    "Certificate",
    "ChatChoice",
    "CluSanT",
    "Compared",
    "Composed",
    "CusText",
    "CusTextPlus",
    "DPParaphrase",
    "DPPrompt",
    "Distortion",
    "Document",
    "DrawnTokens",
    "Engine",
    "Evaluation",
    "Evolve",
    "FileOptions",
    "Finding",
    "Finetune",
    "Guarantee",
    "Iterative",
    "Law",
    "Ledger",
    "Mahalanobis",
    "Paraphrase",
    "PinnedRandomness",
    "Plan",
    "Policy",
    "Polished",
    "Predict",
    "Preview",
    "Redaction",
    "Release",
    "Released",
    "Replacement",
    "Restored",
    "Route",
    "SanText",
    "SanTextPlus",
    "Sanitizer",
    "SeededRandomness",
    "SfumatoError",
    "Span",
    "Synthesized",
    "SystemRandomness",
    "Vickrey",
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
    "polish",
    "protect",
    "restore",
    "sanitize",
    "sanitize_file",
    "synthesize_file",
    "verify",
]
