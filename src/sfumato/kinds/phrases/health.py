"""HEALTH: diseases, injuries and other conditions, and drugs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import regex

from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.phrase import Phrase
from sfumato.language.lists import lists_of, phrases_of, words_of

_DRUG = regex.compile(
    r"(?i)\p{L}{2,}(?:cillin|mycin|oxacin|cycline|azole|vir|prazole|sartan|pril|olol|dipine|statin|gliptin|gliflozin"
    r"|glutide|parin|xaban|mab|tinib|triptan|setron|azepam|azolam|caine|barbital|profen|oxetine|pramine|platin|lukast"
    r"|thiazide|semide|sone|solone)"
)
"""Stems that the World Health Organization gives to families of drugs."""
_ILL = regex.compile(
    r"(?i).*(?:\p{L}{3}(?:itis|osis|iasis|opathy|ectomy|otomy|a?emia|algia|plegia|phrenia|ophobia|sclerosis|trophy|uria"
    r"|carcinoma|lymphoma|sarcoma)|\b(?:cancer|tumou?r|disease|syndrome|disorder|infection|fracture|allergy|injury))"
)


@dataclass(frozen=True)
class Health(Phrase):
    """Conditions and drugs, in small letters except for names in them; drugs by their international names.

    Lists exist for English. In another language texts are read, and no value is drawn.
    """

    name: ClassVar[str] = "HEALTH"
    default: ClassVar[str] = "low back pain"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains."""
        return ("condition", "drug")

    def listed(self, grain: str) -> Phrases:
        """Return the conditions or the drugs."""
        return _listed(self.language)[grain]

    def grain_of(self, phrase: str) -> str:
        """Return "drug" if ``phrase`` is a word that ends with the stem of a family of drugs, or "condition"."""
        return "drug" if _DRUG.fullmatch(phrase) else "condition"

    def recognises(self, text: str) -> bool:
        """Return whether a list holds ``text``, or it ends as the names of drugs or of diseases do."""
        plain = text.strip() if len(text) <= 200 else ""
        return super().recognises(plain) or (_DRUG.fullmatch(plain) or _ILL.fullmatch(plain)) is not None


@lru_cache(maxsize=16)
def _listed(language: str) -> dict[str, Phrases]:
    lists = lists_of(language, "health")
    conditions, drugs = phrases_of(lists.get("conditions", "")), words_of(lists.get("drugs", ""))
    return {"condition": clean(conditions), "drug": clean(drugs)}
