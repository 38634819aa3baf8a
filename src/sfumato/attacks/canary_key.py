"""The key of canaries: what was planted, in a file for whoever plants them and later looks for them.

All of it is made up: words, names and conditions come from public lists, numbers from a public seed. The key is kept
from others nevertheless, because an attacker who knows what was planted proves nothing by finding it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from sfumato.attacks.canaries import Canary, Digits, Ends, Secrets, canaries
from sfumato.attacks.canary_names import MadeUp, made_up
from sfumato.errors import ConfigurationError, InputError
from sfumato.storage import regular
from sfumato.storage.atomic import whole, writing

Kind = Literal["phone", "words", "names"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OPENINGS: Mapping[Kind, str] = {"phone": "Call me back under", "words": "The password that I was given is"}
"""What stands before a secret where nothing else is asked for."""

_FORM = 1
_WORDS = (
    "anchor", "basket", "candle", "dragon", "engine", "feather", "garden", "hammer", "island", "jacket", "kettle",
    "ladder", "marble", "needle", "orchard", "pencil", "quarry", "ribbon", "saddle", "tunnel", "umbrella", "velvet",
    "walnut", "yellow", "copper", "meadow", "silver", "timber", "violin", "window", "harbour", "lantern",
)  # fmt: skip
_CONDITIONS = (
    "asthma", "anaemia", "arthritis", "bronchitis", "diabetes", "eczema", "epilepsy", "gout", "hepatitis",
    "migraine", "pneumonia", "sciatica",
)  # fmt: skip


@dataclass(frozen=True)
class CanaryKey:
    """What was planted: ``canaries`` with ``secrets`` of one space, or made-up ``people``."""

    kind: Kind
    canaries: tuple[Canary, ...]
    secrets: Secrets | None = None
    people: MadeUp | None = None

    def save(self, path: Path) -> None:
        """Write the key to ``path``, for its owner only. Raise OutputError."""
        facts = {
            "form": _FORM,
            "kind": self.kind,
            "canaries": [asdict(canary) for canary in self.canaries],
            "secrets": None if self.secrets is None else asdict(cast("Any", self.secrets)),
            "people": None if self.people is None else asdict(self.people),
        }
        with writing(path), whole(path, private=True) as file:
            file.write((json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())

    @classmethod
    def from_saved(cls, path: Path) -> CanaryKey:
        """Return the key in the file ``path``. Raise InputError for a file that is none."""
        try:
            facts = json.loads(regular(path).read_bytes())
            if facts["form"] != _FORM or facts["kind"] not in KINDS:
                raise ValueError
            made = tuple(Canary(**canary) for canary in facts["canaries"])
            texts = [text for canary in made for text in (canary.opening, canary.secret)]
            if not made or not all(isinstance(text, str) for text in texts) or not all(one.secret for one in made):
                raise ValueError
            secrets, people = facts["secrets"], facts["people"]
            if facts["kind"] == "names":
                return cls("names", made, people=MadeUp(**people))
            return cls(facts["kind"], made, Digits(**secrets) if facts["kind"] == "phone" else _ends(secrets))
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ConfigurationError):
            raise InputError(
                f"{path.name} is no key of `sfumato canaries`; name the file that it wrote with --canaries."
            ) from None


def new_key(
    kind: str, count: int, openings: Sequence[str] = (), repeats: Sequence[int] = (1,), seed: int = 0
) -> CanaryKey:
    """Return ``count`` new canaries of a ``kind``; ``openings`` and ``repeats`` are taken in turn.

    The same ``seed`` makes the same canaries. Raise ConfigurationError for what cannot be.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"There are no canaries of the kind {kind!r}; choose {', '.join(KINDS)}.")
    if kind == "names":
        if openings or tuple(repeats) != (1,):
            raise ConfigurationError(
                "Made-up people are planted once, in sentences of their own; leave --opening out."
            )
        first, last = _names()
        people = made_up(first, last, _CONDITIONS, count, seed)
        return CanaryKey("names", tuple(people.canaries), people=people)
    known = cast("Kind", kind)
    secrets: Secrets = Digits() if known == "phone" else Ends(_WORDS)
    made = canaries(tuple(openings) or (OPENINGS[known],), secrets, count, seed, repeats)
    return CanaryKey(known, tuple(made), secrets)


def _ends(facts: Mapping[str, Any]) -> Ends:
    return Ends(tuple(facts["words"]), facts["length"])


def _names() -> tuple[list[str], list[str]]:
    """Return first and last names of a public list."""
    from faker.providers.person.en_US import Provider  # slow to import

    return [*Provider.first_names_female, *Provider.first_names_male], list(Provider.last_names)
