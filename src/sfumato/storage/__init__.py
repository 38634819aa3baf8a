"""Files on disk: sealed caches, keys, and files that appear whole or not at all."""

from __future__ import annotations

from sfumato.storage.atomic import Place, created, owned, publish, regular, remove, whole, withdraw, writing

__all__ = ["Place", "created", "owned", "publish", "regular", "remove", "whole", "withdraw", "writing"]
