"""From texts of a conversation to what may leave: a policy whose direct identifiers become pseudonyms.

A direct identifier becomes a pseudonym by HMAC of the session's secret and the value, so that one value has one
pseudonym in every turn. All else is treated as the policy says. What is drawn is drawn once for a session, by a key
of the session: the same value has the same draw in every turn, and is paid for once. Such draws are not undone on the
way back. A text that was sanitized is remembered, and neither looked at nor paid for again.

A value of one text of a request, or of a session that has a name, is replaced in all of them, also where the detector
does not mark it, such as a lone name in the result of a tool.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.engines.languages import Multilingual
from sfumato.errors import ConfigurationError, InputError
from sfumato.gateway.claims import Claiming, words_of
from sfumato.gateway.knowing import Knowing, with_parts
from sfumato.gateway.other_languages import in_other_languages
from sfumato.gateway.paying import Till
from sfumato.gateway.sessions import Sanitized, Session
from sfumato.gateway.settings import TYPED
from sfumato.gateway.turns import Steps, finished
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.labels import DIRECT
from sfumato.policy import Policy, Rule
from sfumato.policy.sections import Fields, Randomness
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.find import found_in
from sfumato.storage.keys import keyed
from sfumato.text.document import Document
from sfumato.text.guarding import Traces
from sfumato.text.marks import Finding, Spans

SESSION_FIELD, _ROUNDS = "session", 4
_TEXTS, _CHARACTERS = 32, 8_000
"""What one step takes of many texts."""


class Looked(NamedTuple):
    """What became of the texts of a request. PRIVATE.

    Attributes:
        texts: What replaces each text.
        names: The originals of all pseudonyms in them.
        marks: How many new marks of each kind there were.
        new: How many texts were not known before.
        seconds: How long the detector and the draws took.
        spent: What was charged, in nats by currency.
        others: How many texts show another language than the policy reads.
    """

    texts: Mapping[str, str]
    names: Mapping[str, str]
    marks: Mapping[str, int]
    new: int
    seconds: float
    spent: Mapping[str, float]
    others: int = 0


@dataclass(frozen=True, eq=False)
class Shield:
    """Sanitizes the texts of sessions by one policy, one request at a time.

    Attributes:
        engine: Treats everything but direct identifiers.
        direct: The kinds that become pseudonyms.
        pseudonyms: Whether these are typed, such as PERSON_1A2B3C4D, or realistic.
    """

    engine: Engine | Multilingual
    direct: tuple[str, ...]
    pseudonyms: str = TYPED
    till: Till | None = None

    @classmethod
    def of(cls, policy: Policy, pseudonyms: str = TYPED, **options: Any) -> Shield:
        """Return the shield of ``policy``; what it keeps stays, direct identifiers too.

        Raise ConfigurationError for a policy that cannot treat texts one by one.
        """
        policy.check_treats()
        direct = tuple(kind for kind in DIRECT if policy.treatment_of(kind).name != "keep")
        engine = build_policy(served(policy, direct), **options)
        if not isinstance(engine.others.method, Redaction):
            raise ConfigurationError(
                "The gateway needs pseudonyms beside what the policy draws; treat others by a label."
            )
        engine.prepare()
        return cls(engine, direct, pseudonyms)

    def of_session(
        self,
        session: Session,
        values: Mapping[str, str],
        seen: dict[str, Spans],
        spared: frozenset[str] = frozenset(),
        held: frozenset[str] = frozenset(),
    ) -> Engine | Multilingual:
        """Return the engine with the pseudonyms of ``session``, to which these ``values`` are known.

        What was ``seen`` is not detected again. Pseudonyms that are ``spared`` stay where a text holds them.
        No realistic pseudonym has a word that the request ``held``.
        """
        others: Any = self.engine.others
        operator = "pseudonym" if self.pseudonyms == TYPED else "surrogate"
        operators = {**others.heuristic.operators, **dict.fromkeys(self.direct, operator)}
        made = Claiming(
            **{each.name: getattr(others.heuristic, each.name) for each in fields(others.heuristic)}
            | {"operators": operators, "scope": "run", "key": keyed(session.key, "pseudonyms")},
            claims=session.claims, held=held,
        )  # fmt: skip
        detector = Knowing(self.engine.detector, Traces(with_parts(values)), seen, spared)
        return self.engine.with_parts(others=replace(others, heuristic=made), detector=detector)

    def paying(self, till: Till | None) -> Shield:
        """Return the same shield, which pays at ``till``."""
        return Shield(self.engine, self.direct, self.pseudonyms, till)

    @property
    def without_till(self) -> Shield:
        """Return the same shield, which pays for nothing: for public text."""
        return self.paying(None)

    def look(self, session: Session, texts: Sequence[str]) -> Looked:
        """Return what replaces each of ``texts`` in ``session``. Raise InputError, which names no text."""
        return finished(self.looking(session, texts))

    def looking(self, session: Session, texts: Sequence[str]) -> Steps[Looked]:
        """Do what :meth:`look` does, in steps. What is paid for is remembered in the same step."""
        session.make_room()
        unique, spent = list(dict.fromkeys(texts)), dict[str, float]()
        others = in_other_languages(self.engine.detector, unique)
        made = {text: known for text in unique if (known := session.sanitized(text)) is not None}
        new = [text for text in unique if text not in made]
        started = time.perf_counter()
        if new:
            values = dict(session.values) if session.named else {}
            spared = set(session.names) if session.named else set()
            for own in made.values():
                values |= own.values
                spared |= own.names.keys()
            made |= yield from self._sanitized(session, new, values, frozenset(spared), spent)
        marks = Counter(kind for text in new for kind in made[text].kinds)
        seconds = time.perf_counter() - started
        names = {pseudonym: original for own in made.values() for pseudonym, original in own.names.items()}
        drawn = {original: output for own in made.values() for original, output in own.drawn.items()}
        return Looked(
            {text: _as_drawn(own.text, text, drawn) for text, own in made.items()},
            names,
            marks,
            len(new),
            seconds,
            spent,
            others,
        )

    def finding(self, texts: Sequence[str]) -> Steps[list[list[Finding]]]:
        """Return what the policy's detector finds in each of ``texts``, in steps.

        Raise InputError, which names no text.
        """
        found = list[list[Finding]]()
        for some in _portions(texts):
            found += found_in(self.engine.detector, [Document(text, str(number)) for number, text in enumerate(some)])
            yield
        return found

    def _sanitized(
        self, session: Session, texts: Sequence[str], values: dict[str, str], spared: frozenset[str],
        spent: dict[str, float],
    ) -> Steps[dict[str, Sanitized]]:  # fmt: skip
        """Sanitize ``texts``, which are new, pay for them, and remember them.

        ``values`` are known, with their kinds; the pseudonyms that are ``spared`` were given before. What one text
        tells is looked for in the others too. So they are read again, until nothing new is known.
        """
        made, waiting = dict[str, Sanitized](), list(texts)
        held = frozenset[str]() if self.pseudonyms == TYPED else frozenset().union(*map(words_of, texts))
        seen, readers = dict[str, Spans](), dict[str, Engine | Multilingual]()
        for _ in range(_ROUNDS):
            engine = self.of_session(session, values, seen, spared, held)
            for some in _portions(waiting):
                made |= self._read(engine, session, some, values)
                readers |= dict.fromkeys(some, engine)
                yield
            known, waiting = Traces(with_parts(values)), list[str]()
            for some in _portions(texts):
                waiting += [text for text in some if any(known.find(part) for part in made[text].kept)]
                yield
            if not waiting:
                break
        else:
            raise InputError("A text of the request holds what cannot be replaced.")
        if self.till is not None:
            documents = _documents(session, texts)
            planned = [readers[text].planned([document])[0] for text, document in zip(texts, documents, strict=True)]
            pin = PinnedRandomness(keyed(session.key, "draws"))
            spent |= self.till.pay(session.id, session.owner, planned, pin, [made[text].text for text in texts])
        for text, own in made.items():
            session.learn(text, own)
        return made

    def _read(
        self, engine: Engine | Multilingual, session: Session, texts: Sequence[str], values: dict[str, str]
    ) -> dict[str, Sanitized]:
        """Return what becomes of ``texts`` by the known ``values``, and learn theirs."""
        documents = _documents(session, texts)
        releases, found = engine.sanitize_marked(documents, PinnedRandomness(keyed(session.key, "draws")))
        if found is None:
            raise ConfigurationError("A method whose marks are not known cannot be restored; name another.")
        owners = np.repeat(np.arange(len(found.counts)), found.counts)
        firsts, lasts = found.starts - found.origins[owners], found.ends - found.origins[owners]
        made = dict[str, Sanitized]()
        for number, (text, release) in enumerate(zip(texts, releases, strict=True)):
            own = owners == number
            names, kinds, direct, drawn = dict[str, str](), list[str](), dict[str, str](), dict[str, str]()
            for first, last, replaced in zip(firsts[own], lasts[own], release.replacements, strict=True):
                original = text[first:last]
                kind = engine.kind(replaced.label, original)
                kinds.append(kind)
                if kind in self.direct:
                    direct[original] = kind
                    if not replaced.output.startswith("["):
                        names[replaced.output] = max(names.get(replaced.output, ""), original, key=len)
                elif replaced.output != original:
                    drawn |= _drawn_as(original, replaced.output)
            values |= direct
            made[text] = Sanitized(release.text, names, tuple(kinds), release.parts[::2], direct, drawn)
        return made


def served(policy: Policy, direct: Sequence[str]) -> Policy:
    """Return ``policy`` for a conversation: direct identifiers by a method, and all draws once for a session."""
    treat = []
    for rule in policy.treat:
        kinds = tuple(kind for kind in rule.kinds if kind not in direct)
        if kinds or rule.labels:
            treat.append(replace(rule, kinds=kinds))
    treat.append(Rule(kinds=tuple(direct), method="label"))
    return replace(
        policy, treat=tuple(treat), fields=Fields(subject=SESSION_FIELD), randomness=Randomness(scope="subject")
    )


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield ``texts`` in order, as many at once as a step takes."""
    some, size = list[str](), 0
    for text in texts:
        if some and (len(some) == _TEXTS or size + len(text) > _CHARACTERS):
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some


def _documents(session: Session, texts: Sequence[str]) -> list[Document]:
    """Return ``texts`` as documents whose names tell nothing."""
    return [
        Document(text, id=keyed(session.key, "id", text).hex(), metadata={SESSION_FIELD: session.id})
        for text in texts
    ]


def _drawn_as(original: str, output: str) -> dict[str, str]:
    """Return what a value has become, and what its number has, if each has one: "32" of "32 years old"."""
    before, after = re.findall(r"\d+", original), re.findall(r"\d+", output)
    alone = {before[0]: after[0]} if len(before) == len(after) == 1 else {}
    return {**alone, original: output}


def _as_drawn(made: str, text: str, drawn: Mapping[str, str]) -> str:
    """Return what is ``made`` of ``text``; of a value alone that another text has drawn, that draw."""
    return drawn.get(text, made) if made == text else made
