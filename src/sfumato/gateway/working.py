"""One thread that sanitizes: the models and the ledger belong to it, and requests wait their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TypeVar

from sfumato.gateway.paying import Till
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.settings import TYPED
from sfumato.gateway.shield import SESSION_FIELD, Looked, Shield
from sfumato.ledger.ledger import kept_ledger
from sfumato.policy import Policy

_T = TypeVar("_T")
_KINDS = (
    "I am Jane Doe, jane@example.org, 555-0100.", "He is 34 years old.", "It was on 3 May 2021 at 9:15.",
    "They live in Boston.", "She works for ACME Ltd.", "She is a nurse.", "A Dutch Catholic.", "It takes 5 days.",
    "It costs $30.", "It weighs 20 kg.",
)  # fmt: skip


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
        """Build what draws every kind, one after the other between requests, so that fewer of these wait for it."""
        self._warm(list(_KINDS))

    def _warm(self, texts: list[str]) -> None:
        def build() -> None:
            self.shield.without_till.look(Sessions().of("", ""), [texts.pop(0)])
            if texts:
                self._thread.submit(build)

        with suppress(RuntimeError):  # the server ends already
            self._thread.submit(build)

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
