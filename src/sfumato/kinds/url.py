"""URL: web addresses and domains, replaced by pages at domains for examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.kinds.reserved import DOMAINS
from sfumato.kinds.unseen import Unseen

_ADDRESS = re.compile(r"(?:(?i:https?|ftps?|sftp)://|(?i:www)\.)[^\s<>\"“”]+")
_BARE = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#][^\s<>\"“”]*)?")
"""A domain without a scheme is written in lower case; otherwise "J.Smith" would be one."""


@dataclass(frozen=True)
class Url(Unseen):
    """Addresses of pages, with or without a scheme."""

    name: ClassVar[str] = "URL"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield https://www.example.com/10000 to https://www.example.net/29999, domain by domain."""
        return (f"https://www.example.{end}/{number}" for end in DOMAINS for number in range(10_000, 30_000))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` has a scheme, begins with "www.", or is a domain with or without a path."""
        plain = text.strip()
        return (_ADDRESS.fullmatch(plain) or _BARE.fullmatch(plain)) is not None
