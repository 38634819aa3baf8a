"""Files that appear whole or not at all, several of them together, and belong to one run at a time."""

from __future__ import annotations

from sfumato.storage.atomic import created, regular, remove, whole, writing
from sfumato.storage.ownership import owned
from sfumato.storage.places import Place, publish, withdraw

__all__ = ["Place", "created", "owned", "publish", "regular", "remove", "whole", "withdraw", "writing"]
