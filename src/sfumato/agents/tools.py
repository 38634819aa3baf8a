"""What agents may ask for: find, sanitize, explain and verify. No answer holds an original."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.building.detectors import finder_of
from sfumato.errors import InputError
from sfumato.gateway.releasing import Releasing
from sfumato.policy import Policy, Rule
from sfumato.policy.suitability import KINDS
from sfumato.protection.verifying import verify
from sfumato.release.find import found_in
from sfumato.review.treated import ByPolicy
from sfumato.text.document import Document
from sfumato.text.marks import Finding

_MOST = 1_000_000
_STAYS = "stays as it is"
_PARTS = ("kinds", "method", "epsilon_per_draw", "per", "definition", "unit", "guarantee")
_SAID = ("summary", "added_up", "records", "detector", "ledger", "randomness")


@dataclass(frozen=True, eq=False)
class Tools:
    """The tools over one policy.

    Attributes:
        policy: What is looked for, and how it is treated.
        folder: Where signed releases are; nothing outside it is looked at.
    """

    policy: Policy
    folder: Path = field(default_factory=Path)
    seconds: float = 60.0

    @cached_property
    def _detector(self) -> Detector:
        return finder_of(self.policy)

    @cached_property
    def _treatments(self) -> ByPolicy:
        return ByPolicy(self.policy)

    @cached_property
    def _releasing(self) -> Releasing:
        return Releasing(self.policy, self.seconds)

    def find(self, text: str) -> dict[str, Any]:
        """Return where ``text`` tells of people: offsets, kinds and chances, and no text. Raise InputError."""
        marks = [{**mark.told, "kind": self._kind(text, mark)} for mark in self._found(text)]
        return {"characters": len(text), "marks": marks, "not_looked_for": self._detector.unprotected}

    def sanitize(self, text: str, subject: str | None = None, whole_statement: bool = False) -> dict[str, Any]:
        """Return the release of ``text``, which is about ``subject``, and what its statement says.

        Raise ProblemError if the ledger cannot pay, and the errors of a run.
        """
        _check(text)
        body = {"texts": [text], **({} if subject is None else {"subject": subject})}
        told = self._releasing.release(body)
        statement = told["statement"]
        return {
            "text": told["releases"][0],
            "summary": statement["summary"],
            **({"statement": statement} if whole_statement else {}),
        }

    def explain(self, text: str | None = None, statement: str | None = None) -> dict[str, Any]:
        """Return what the policy does, with every mark of a ``text``; or what a privacy ``statement`` says.

        Raise InputError for what is no statement.
        """
        if statement is not None:
            return explained(statement)
        told: dict[str, Any] = {
            "policy": self.policy.name,
            "about": self.policy.about,
            "treatments": {kind: _treated(self.policy.treatment_of(kind)) for kind in KINDS},
        }
        if text is None:
            return told
        marks = self._found(text)
        (staying,) = self._treatments.staying([Document(text)], [marks])
        kinds = [self._kind(text, mark) for mark in marks]
        told["marks"] = [
            {"start": mark.start, "end": mark.end, "kind": kind, "becomes": _STAYS if stays else self._by(kind)}
            for mark, kind, stays in zip(marks, kinds, staying, strict=True)
        ]
        return {**told, "not_looked_for": self._detector.unprotected}

    def verify(self, bundle: str, key: str | None = None) -> dict[str, Any]:
        """Return whether the signed release in the folder ``bundle`` is what was signed. Raise InputError."""
        found = verify(self._inside(bundle), None if key is None else self._inside(key))
        return {
            "holds": found.holds,
            "differences": list(found.differences),
            "signed_by": found.signed_by,
            "verdict": found.verdict,
            "loosened": None if found.loosened is None else list(found.loosened),
        }

    def _inside(self, name: str) -> Path:
        path, folder = (self.folder / name).resolve(), self.folder.resolve()
        if folder not in (path, *path.parents):
            raise InputError("A release is looked for in the folder of the server alone; name one in it.")
        return path

    def _found(self, text: str) -> list[Finding]:
        _check(text)
        (findings,) = found_in(self._detector, [Document(text, "0")])
        return sorted(findings, key=lambda finding: finding.start)

    def _kind(self, text: str, mark: Finding) -> str:
        return self._treatments(mark.label, text[mark.start : mark.end]).kind

    def _by(self, kind: str) -> str:
        return _treated(self.policy.treatment_of_label(kind) or self.policy.treatment_of(kind))


def explained(statement: str) -> dict[str, Any]:
    """Return what a privacy ``statement``, which is JSON, says in few words. Raise InputError for anything else."""
    try:
        content = json.loads(statement)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("summary"), str):
        raise InputError("This is no privacy statement; give the JSON of a file NAME.privacy.json.")
    said = {name: content[name] for name in _SAID if name in content}
    parts = content.get("treatments")
    if isinstance(parts, list):
        said["treatments"] = [
            {name: part[name] for name in _PARTS if name in part} for part in parts if isinstance(part, dict)
        ]
    return said


def _check(text: str) -> None:
    if len(text) > _MOST:
        raise InputError(f"The text has more than {_MOST:,} characters; give it in parts, or sanitize a file.")


def _treated(rule: Rule) -> str:
    """Return in words what ``rule`` does."""
    if rule.name == "keep":
        return _STAYS
    if not rule.has_guarantee:
        return f"replaced by {rule.name}, without a formal guarantee"
    if rule.epsilon is None:
        return f"drawn by {rule.name}, whatever the value"
    each = f" per {rule.within}" if rule.within else ""
    return f"drawn by {rule.name} with epsilon {rule.epsilon:g}{each} for each {rule.drawn_once}"
