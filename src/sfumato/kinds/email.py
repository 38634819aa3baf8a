"""EMAIL: addresses of mailboxes, replaced by mailboxes at domains for examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.kinds.reserved import DOMAINS
from sfumato.kinds.unseen import Unseen

_MAILBOX = re.compile(r"(?:mailto:)?[^\s@,;:<>()\[\]{}\"“”|]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}")


@dataclass(frozen=True)
class Email(Unseen):
    """Mailboxes, without a bracket or a name beside them."""

    name: ClassVar[str] = "EMAIL"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield user10000@example.com to user29999@example.net, domain by domain."""
        return (f"user{number}@example.{end}" for end in DOMAINS for number in range(10_000, 30_000))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` has a name, the sign @ and a domain."""
        return _MAILBOX.fullmatch(text.strip()) is not None
