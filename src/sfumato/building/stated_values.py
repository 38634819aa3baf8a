"""The kinds that the statement of a policy names, with the options that it states, to make their domains again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.abstract.kind import Kind
from sfumato.abstract.models import Encoder
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.policies import Embedding, domain_of, for_law
from sfumato.errors import ConfigurationError, InputError
from sfumato.kinds.registry import KINDS, kinds_of
from sfumato.models.encoders.sentence import SentenceEncoder


@dataclass(frozen=True, eq=False)
class StatedValues:
    """Makes kinds and domains that a statement describes; ``encoder`` embeds names and words."""

    encoder: Encoder = field(default_factory=SentenceEncoder)

    def kind(self, treatment: Mapping[str, Any]) -> Kind:
        """Return the kind of an entry of a statement. Raise InputError for one that does not exist here."""
        named, options = treatment.get("kinds"), treatment.get("options", {})
        if not isinstance(named, list) or len(named) != 1 or named[0] not in KINDS:
            raise InputError("a treatment by draws is not of one kind of value that exists here")
        [name] = named
        try:
            kind = kinds_of(Embedding(self.encoder), {name: options})[name]
        except (ConfigurationError, TypeError, AttributeError):
            raise InputError(f"the options of the kind {name} are not those of this version") from None
        return for_law(kind, str(treatment.get("method")))

    def domain(self, kind: Kind, grain: str) -> Vocabulary:
        """Return a domain as a policy builds it."""
        return domain_of(kind, grain, self.encoder)
