"""Files on disk: sealed caches, keys, and files that appear whole or not at all."""

from __future__ import annotations

from sfumato.storage.atomic import created, regular, remove, whole, writing
from sfumato.storage.places import Place, owned, publish, withdraw

__all__ = ["Place", "created", "owned", "publish", "regular", "remove", "whole", "withdraw", "writing"]
