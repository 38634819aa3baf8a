"""Tables in, tables out: one callable for the engines that share tables out to many machines."""

from __future__ import annotations

from sfumato.batch.sanitize import Sanitize

__all__ = ["Sanitize"]
