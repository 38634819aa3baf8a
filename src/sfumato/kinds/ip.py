"""IP: addresses of machines, replaced by addresses of a network for tests."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.kinds.reserved import TEST_NETWORK
from sfumato.kinds.unseen import Unseen

_PORT = re.compile(r"([0-9.]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


@dataclass(frozen=True)
class Ip(Unseen):
    """Addresses of version 4 and 6, with or without the length of a network or a port."""

    name: ClassVar[str] = "IP"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield 198.18.0.1 to 198.18.255.254."""
        return (f"{TEST_NETWORK}{third}.{last}" for third in range(256) for last in range(1, 255))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` is an address that a machine may have."""
        plain = text.strip()
        port = _PORT.fullmatch(plain)
        try:
            ipaddress.ip_interface(port.group(1).strip("[]") if port else plain)
        except ValueError:
            return False
        return True
