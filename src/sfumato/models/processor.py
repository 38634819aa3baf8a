"""What this machine's processor can do, as its operating system says."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_LISTED = Path("/proc/cpuinfo")


@lru_cache(maxsize=1)
def features() -> frozenset[str]:
    """Return the names of the processor's additional instructions; none where the system does not list them."""
    try:
        lines = _LISTED.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for name, _, value in (line.partition(":") for line in lines):
        if name.strip() in ("flags", "Features"):
            return frozenset(value.split())
    return frozenset()
