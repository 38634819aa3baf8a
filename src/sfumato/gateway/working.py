"""One thread that sanitizes: the models and the ledger belong to it, and clients take turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TypeVar

from sfumato.errors import InputError
from sfumato.gateway.paying import Till
from sfumato.gateway.sessions import Session, Sessions
from sfumato.gateway.settings import TYPED
from sfumato.gateway.shield import SESSION_FIELD, Looked, Shield
from sfumato.gateway.turns import Steps, Turns, Work
from sfumato.ledger import Ledger
from sfumato.ledger.ledger import kept_ledger
from sfumato.ledger.store import is_postgres
from sfumato.policy import Policy

_T = TypeVar("_T")
_OWN = ""
"""The line of the worker itself, beside those of clients."""
_KINDS = (
    "I am Jane Doe, jane@example.org, 555-0100.", "He is 34 years old.", "It was on 3 May 2021 at 9:15.",
    "They live in Boston.", "She works for ACME Ltd.", "She is a nurse.", "A Dutch Catholic.", "It takes 5 days.",
    "It costs $30.", "It weighs 20 kg.",
)  # fmt: skip


class Worker:
    """Sanitizes by ``shield`` in a thread of its own."""

    def __init__(self, build: Callable[[ExitStack], Shield], policy: Policy | None = None) -> None:
        self._stack, self.policy, self._turns = ExitStack(), policy, Turns()

        def built() -> Steps[Shield]:
            yield
            return build(self._stack)

        self.shield = self.waits(built, _OWN)

    @classmethod
    def of_policy(cls, policy: Policy, pseudonyms: str = TYPED) -> Worker:
        """Return the worker of ``policy``, with its ledger. Raise ConfigurationError, GuaranteeError, LedgerError."""

        def build(stack: ExitStack) -> Shield:
            ledger = stack.enter_context(kept_ledger(policy.ledger, policy.ledger_key, policy.budget.budget))
            shield = Shield.of(policy, pseudonyms)
            return shield if ledger is None else shield.paying(Till.of(ledger, shield.engine, SESSION_FIELD))

        return cls(build, policy)

    @property
    def ledger(self) -> Ledger | None:
        """Return the ledger that is open in the thread, for other work there.

        A connection to a database may break, so there each piece of work opens its own.
        """
        if self.policy is None or is_postgres(str(self.policy.ledger)):
            return None
        return None if self.shield.till is None else self.shield.till.ledger

    def warm(self) -> None:
        """Build what draws every kind, one after the other between requests, so that fewer of these wait for it."""

        def build() -> Steps[None]:
            for text in _KINDS:
                with suppress(InputError):  # the policy refuses English
                    self.shield.without_till.look(Sessions().of("", ""), [text])
                yield

        with suppress(RuntimeError):  # the server ends already
            self._turns.begin(_OWN, build)

    async def look(self, session: Session, texts: Sequence[str], seconds: float) -> Looked:
        """Return what replaces ``texts`` in ``session``. Raise TimeoutError, and what :meth:`Shield.look` raises."""
        return await self.does(lambda: self.shield.looking(session, texts), session.owner, seconds)

    async def does(self, work: Work[_T], client: str, seconds: float, patient: bool = False) -> _T:
        """Return the result of ``work`` for ``client``, in the thread of the models. Raise TimeoutError.

        What a ``patient`` caller has begun is not given up. A caller that is cancelled ends its work.
        """
        job = self._turns.begin(client, work)
        told = asyncio.wrap_future(job.told)
        try:
            done, _ = await asyncio.wait({told}, timeout=seconds)
        except asyncio.CancelledError:
            told.cancel()
            raise
        if not done and not (patient and not self._turns.drop(job)):
            told.cancel()
            raise TimeoutError
        result: _T = await told
        return result

    def waits(self, work: Work[_T], client: str) -> _T:
        """Return the result of ``work``, in the thread of the models, for a caller without an event loop."""
        result: _T = self._turns.begin(client, work).told.result()
        return result

    def close(self) -> None:
        """Close the ledger, and end the thread; what was not begun is dropped."""
        self._turns.close(self._stack.close)
