"""Presidio's two servers over a policy's detector: `/analyze` and `/anonymize`, with its names, shapes and errors.

A client of Presidio only changes the address. What Presidio would do and this server cannot is refused in a sentence,
never left out in silence. Nothing is drawn here, so nothing is charged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.gateway.asking import NUMBER, STRING, TRUTH, Asked
from sfumato.gateway.shield import Shield
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.turns import Steps
from sfumato.kinds.labels import candidates, is_listed
from sfumato.language.languages import ENGLISH
from sfumato.text.marks import Finding

ENTITIES = {
    "PERSON": "PERSON", "PLACE": "LOCATION", "ORGANIZATION": "ORGANIZATION", "DATE": "DATE_TIME",
    "TIME": "DATE_TIME", "DURATION": "DATE_TIME", "AGE": "AGE", "GROUP": "NRP", "PHONE": "PHONE_NUMBER",
    "EMAIL": "EMAIL_ADDRESS", "URL": "URL", "IP": "IP_ADDRESS", "CODE": "ID", "MONEY": "MONEY",
    "QUANTITY": "QUANTITY", "NUMBER": "NUMBER", "OCCUPATION": "OCCUPATION", "HEALTH": "HEALTH", "WORD": "WORD",
}  # fmt: skip
"""Presidio's name for each kind; a kind that it does not know keeps its own."""
_UNHEEDED = "correlation_id trace regex_flags"
_LACKING = {
    "ad_hoc_recognizers": "write the recognisers into the policy's file for the detector presidio",
    "context": "words beside a mark change no chance here; leave them out",
}


@dataclass(frozen=True, eq=False)
class Analyzer:
    """Answers `/analyze` by the detector of the ``shield``'s policy, for texts in one of its ``languages``."""

    shield: Shield
    most_texts: int = 10_000
    most_characters: int = 500_000
    languages: Sequence[str] = (ENGLISH.code,)

    def analyze(self, body: dict[str, Any]) -> Steps[list[Any]]:
        """Return the entities of a text, or a list of them for each of several, in steps. Raise RefusedError."""
        for name, instead in _LACKING.items():
            if body.pop(name, None):
                raise RefusedError(f"{name} is not offered: {instead}.")
        for name in _UNHEEDED.split():
            body.pop(name, None)
        asked = Asked(
            body, "text language score_threshold entities return_decision_process allow_list allow_list_match"
        )
        self.check_language(asked.of("language", STRING))
        text = body.get("text")
        texts: list[Any] = text if isinstance(text, list) else [text]
        if not texts or len(texts) > self.most_texts or not all(isinstance(each, str) and each for each in texts):
            raise RefusedError(f"text is a text, or a list of up to {self.most_texts:,} of them, none of them empty.")
        if max(map(len, texts)) > self.most_characters:
            raise RefusedError(f"A text has more than {self.most_characters:,} characters; send it in parts.")
        sought = self._sought(asked)
        spared = asked.strings("allow_list")
        if asked.of("allow_list_match", STRING, "exact") != "exact":
            raise RefusedError("allow_list_match is exact; write patterns into the policy, or spare none.")
        least = asked.of("score_threshold", NUMBER, 0)
        explained = asked.of("return_decision_process", TRUTH, False)
        found = yield from self.shield.finding(texts)
        told = [
            [
                each
                for finding in findings
                if own[finding.start : finding.end] not in spared
                and (each := self._told(finding, own, sought, explained)) is not None
                and each["score"] >= least
            ]
            for own, findings in zip(texts, found, strict=True)
        ]
        return told if isinstance(text, list) else told[0]

    def check_language(self, code: str) -> None:
        """Raise RefusedError for a language that the policy does not read: its text would be read as another."""
        if code not in self.languages:
            raise RefusedError(
                f"language is one of {', '.join(self.languages)}, which the policy of this server reads; texts in "
                "another are not looked at."
            )

    @property
    def supported(self) -> list[str]:
        """Return the names of all entities that may be told."""
        known = self.shield.engine.detector.known_labels or ()
        return sorted({*ENTITIES.values(), *filter(_is_code, known)})

    def _sought(self, asked: Asked) -> frozenset[str] | None:
        """Return the names that the client asks for, and those of the kinds that these are of; None for all."""
        names = asked.strings("entities")
        if not names:
            return None
        own = {entity: kind for kind, entity in ENTITIES.items()}
        if strange := sum(name not in own and not is_listed(name) for name in names):
            raise RefusedError(
                f"entities holds {strange} that this server does not know; GET /supportedentities lists them."
            )
        of_kinds = {ENTITIES[kind] for name in names if name not in own for kind in candidates(name)}
        return frozenset(names) | of_kinds

    def _told(
        self, finding: Finding, text: str, sought: frozenset[str] | None, explained: bool
    ) -> dict[str, Any] | None:
        """Return an entity as Presidio tells it; None for one that is not sought.

        A mark without a chance, such as one by a rule, is told as certain, so that no threshold drops it.
        """
        name = finding.label.upper() if _is_code(finding.label) else self._name(finding, text)
        if sought is not None and name not in sought and not (_is_code(name) and ENTITIES["CODE"] in sought):
            return None
        score = 1.0 if finding.score is None else float(finding.score)
        entity = {"entity_type": name, "start": finding.start, "end": finding.end, "score": score}
        return {**entity, "analysis_explanation": _explanation(finding, score) if explained else None}

    def _name(self, finding: Finding, text: str) -> str:
        kind = self.shield.engine.kind(finding.label, text[finding.start : finding.end])
        return ENTITIES.get(kind) or ENTITIES[candidates(finding.label)[-1]]


def _is_code(label: str) -> bool:
    """Return whether ``label`` is a public name for one sort of codes, such as US_SSN."""
    return candidates(label) == ("CODE",) and label.upper() != "CODE"


def _explanation(finding: Finding, score: float) -> dict[str, Any]:
    empty: Sequence[str] = ("pattern_name", "pattern", "textual_explanation", "supportive_context_word")
    return {
        **dict.fromkeys([*empty, "validation_result"]),
        "recognizer": finding.finder,
        "original_score": score,
        "score": score,
        "score_context_improvement": 0,
    }
