"""One thread that sanitizes: the models and the ledger belong to it, and requests wait their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

from sfumato.gateway.paying import Till
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.settings import TYPED
from sfumato.gateway.shield import SESSION_FIELD, Looked, Shield
from sfumato.ledger.ledger import kept_ledger
from sfumato.policy import Policy

_T = TypeVar("_T")
_EVERY_KIND = (
    "Dr Jane Doe, 34, a nurse from Boston, called 555-0100 on 3 May 2021 at 9:15 about 20 mg, 5 days and $30; "
    "jane@example.org, ACME Ltd, id AB-12345, a Dutch Catholic with asthma."
)


class Worker:
    """Sanitizes by ``shield`` in a thread of its own."""

    def __init__(self, build: Callable[[ExitStack], Shield], policy: Policy | None = None) -> None:
        self._stack, self.policy = ExitStack(), policy
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sfumato")
        self.shield = self._thread.submit(build, self._stack).result()

    @classmethod
    def of_policy(cls, policy: Policy, pseudonyms: str = TYPED) -> Worker:
        """Return the worker of ``policy``, with its ledger. Raise ConfigurationError, GuaranteeError, LedgerError."""

        def build(stack: ExitStack) -> Shield:
            ledger = stack.enter_context(kept_ledger(policy.ledger, policy.ledger_key, policy.budget.budget))
            shield = Shield.of(policy, pseudonyms)
            return shield if ledger is None else shield.paying(Till.of(ledger, shield.engine, SESSION_FIELD))

        return cls(build, policy)

    def warm(self) -> None:
        """Build what draws every kind, so that the first request does not wait for it."""
        self._thread.submit(lambda: self.shield.without_till.look(Sessions().of("", ""), [_EVERY_KIND]))

    async def look(self, session: Session, texts: Sequence[str], seconds: float) -> Looked:
        """Return what replaces ``texts`` in ``session``. Raise TimeoutError, and what :meth:`Shield.look` raises."""
        return await self.does(lambda: self.shield.look(session, texts), seconds)

    async def does(self, work: Callable[[], _T], seconds: float) -> _T:
        """Return what ``work`` returns, in the thread of the models. Raise TimeoutError."""
        waiting = asyncio.get_running_loop().run_in_executor(self._thread, work)
        return await asyncio.wait_for(waiting, seconds)

    def waits(self, work: Callable[[], _T]) -> _T:
        """Return what ``work`` returns, in the thread of the models, for a caller without an event loop."""
        return self._thread.submit(work).result()

    def close(self) -> None:
        """Close the ledger, and end the thread."""
        self._thread.submit(self._stack.close).result()
        self._thread.shutdown()
