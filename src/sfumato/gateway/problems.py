"""Why a request is not answered, as far as a client may hear of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sfumato.errors import BudgetError, LedgerError, SfumatoError
from sfumato.gateway.slots import OtherLanguageError, RefusedError

_LOG = logging.getLogger("sfumato.gateway")


@dataclass
class ProblemError(Exception):
    """Why a request is not answered: the status, the kind and cause for counters, and one sentence."""

    status: int
    kind: str
    cause: str
    sentence: str


def problem_of(error: BaseException) -> ProblemError:
    """Return what a client hears of ``error``; of one that nobody foresaw nothing but that it was one."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, OtherLanguageError):
        return ProblemError(400, "invalid_request_error", "language", str(error))
    if isinstance(error, RefusedError):
        return ProblemError(400, "invalid_request_error", "shape", str(error))
    if isinstance(error, BudgetError):
        return ProblemError(
            402,
            "invalid_request_error",
            "budget",
            "The budget of this client or conversation is spent; nothing was sent.",
        )
    if isinstance(error, LedgerError):
        return ProblemError(503, "api_error", "ledger", "The ledger cannot be used, so nothing was sent; come again.")
    if isinstance(error, TimeoutError):
        return ProblemError(
            503, "api_error", "time", "The request took too long to be sanitized, so nothing was sent."
        )
    if isinstance(error, SfumatoError):
        return ProblemError(
            400, "invalid_request_error", "text", "A text of the request cannot be sanitized, so nothing was sent."
        )
    _LOG.error("a request failed: %s", type(error).__name__)
    return ProblemError(500, "api_error", "failure", "The request could not be sanitized, so nothing was sent.")
