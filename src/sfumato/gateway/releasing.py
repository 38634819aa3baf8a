"""`/sanitize`: texts or records by the server's policy, with their privacy statement, paid for in its ledger.

A request is a run like that over a file: everything that it will draw is reserved before the first draw, and the
ledger knows the release before it leaves. So nothing is returned that is not paid for, and a run that fails before it
has drawn is taken back. The files of a run are in a folder that nobody else may read, and go with the request.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.policies import build_policy
from sfumato.errors import BudgetError, ConfigurationError, GuaranteeError
from sfumato.gateway.asking import LIST, STRING, Asked
from sfumato.gateway.folders import private_folder
from sfumato.gateway.problems import ProblemError
from sfumato.gateway.slots import RefusedError
from sfumato.ledger import Ledger
from sfumato.policy import Policy
from sfumato.policy.sections import Fields
from sfumato.release.job import RunOptions
from sfumato.run.execute import execute
from sfumato.run.request import Request, read_as

_TEXT, _ID, _SUBJECT = "text", "id", "subject"


@dataclass(frozen=True)
class Asking:
    """What is to be released: ``records`` to be read by ``policy``. PRIVATE."""

    policy: Policy
    records: Sequence[Mapping[str, Any]] = field(repr=False)
    texts: bool

    @classmethod
    def of(cls, body: dict[str, Any], policy: Policy, most: int) -> Asking:
        """Return what ``body`` asks for, of ``most`` texts or records. Raise RefusedError."""
        asked = Asked(body, "texts records policy id subject")
        if asked.of("policy", STRING, policy.name) != policy.name:
            raise RefusedError("This server has another policy; leave policy out, or ask the server that has it.")
        if (body.get("texts") is None) == (body.get("records") is None):
            raise RefusedError("The body holds texts or records, one of them.")
        if body.get("records") is not None:
            if body.get(_ID) is not None or body.get(_SUBJECT) is not None:
                raise RefusedError("id and subject are for texts; of records the policy's [fields] name them.")
            return cls(policy, _several(asked.of("records", LIST), dict, "records", most), texts=False)
        texts = _several(asked.strings("texts"), str, "texts", most)
        columns = {_TEXT: texts, _ID: _names(body, _ID, len(texts))}
        columns[_ID] = columns[_ID] or [secrets.token_hex(16) for _ in texts]  # each is a record of its own
        if subjects := _names(body, _SUBJECT, len(texts)):
            columns[_SUBJECT] = subjects
        fields = Fields(text=(_TEXT,), id=_ID, subject=_SUBJECT if subjects else None, keep=())
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return cls(replace(policy, fields=fields), rows, texts=True)


@dataclass(eq=False)
class Releasing:
    """Releases texts and records by a ``policy``, or the one of that name as it is when it is first asked for.

    Attributes:
        seconds: How long a request may wait; it is not begun later.
        most: How many texts or records a request may hold.
        ledger: The ledger, if it is open in the thread that releases; else each request opens that of the policy.
    """

    policy: Policy | str
    seconds: float
    most: int = 10_000
    ledger: Ledger | None = field(default=None, repr=False)
    _made: dict[Fields, Sanitizer] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def release(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the releases and their statement. Raise RefusedError, ProblemError and what a run raises."""
        deadline = time.monotonic() + self.seconds

        def begin() -> None:
            if time.monotonic() > deadline:  # nothing was drawn or charged until here
                raise TimeoutError

        with self._lock, _told():
            asking = Asking.of(body, self._policy(), self.most)
            with private_folder() as folder:
                return self._run(asking, folder, begin)

    def _policy(self) -> Policy:
        if isinstance(self.policy, str):
            self.policy = Policy.load(self.policy)
        return self.policy

    def _run(self, asking: Asking, folder: Path, begin: Any) -> dict[str, Any]:
        given, made = folder / "given.jsonl", folder / "release.jsonl"
        given.write_text("".join(f"{json.dumps(record)}\n" for record in asking.records), encoding="utf-8")
        policy, files = read_as(asking.policy, {})
        request = Request(
            self._sanitizer(policy), given, made, RunOptions(files), pin=policy.pin,
            ledger=self.ledger or policy.ledger, ledger_key=policy.ledger_key, budget=policy.budget.budget,
            public=tuple(policy.files),
        )  # fmt: skip
        stated = execute(request, begin=begin).statement
        stated.pop("release", None)  # which is about a file that nobody has
        released = [json.loads(line) for line in made.read_bytes().splitlines()]
        told = {"releases": [record[_TEXT] for record in released]} if asking.texts else {"records": released}
        return {**told, "statement": stated}

    def _sanitizer(self, policy: Policy) -> Sanitizer:
        """Return the sanitizer of ``policy``, which is kept for the next request unless it has a key of its own."""
        made = self._made.get(policy.fields)
        if made is None:
            made = build_policy(policy)
            if policy.pin is not None or not made.run_digest:
                self._made[policy.fields] = made
        return made


@contextmanager
def _told() -> Iterator[None]:
    """Tell what a run refuses: its sentences name no text, but places on this machine."""
    try:
        yield
    except BudgetError:
        sentence = "Someone cannot pay for this by the budget; nothing was drawn and nothing is released."
        raise ProblemError(402, "invalid_request_error", "budget", sentence) from None
    except (ConfigurationError, GuaranteeError) as error:
        raise ProblemError(400, "invalid_request_error", "policy", str(error)) from None


def _several(values: list[Any], kind: type, name: str, most: int) -> list[Any]:
    if not values or len(values) > most or not all(isinstance(value, kind) for value in values):
        raise RefusedError(f"{name} is a list of 1 to {most:,} {'texts' if kind is str else 'objects'}.")
    return values


def _names(body: Mapping[str, Any], key: str, count: int) -> list[str]:
    """Return the name at ``key`` of each of ``count`` texts; nothing if there is none."""
    value = body.get(key)
    names = [value] * count if isinstance(value, str) else value
    if names is None:
        return []
    if (
        not isinstance(names, list)
        or len(names) != count
        or not all(isinstance(each, str) and each for each in names)
    ):
        raise RefusedError(f"{key} is a name, or a list with one for each text.")
    if key == _ID and len(set(names)) < count:
        raise RefusedError("id is a list with a name of its own for each text.")
    return names
