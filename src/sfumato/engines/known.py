"""A treatment by draws whose domains are built when a text holds its kind; what a statement says of it is kept.

A statement and a keyed draw need the hashes of all domains, not the domains. The cache keeps them under a key of
everything public that decides them: the program with its lists and networks, the packages that it needs, the encoder,
and the options of the kind and of its treatment. If the domains are built after all, they must be those of the entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.privacy.certificates import believed
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.storage import cache
from sfumato.storage.digests import digest_of_networks, digest_of_program
from sfumato.types import Progress
from sfumato.version import is_own

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


@dataclass(frozen=True)
class About:
    """What a statement, a key and a chunk of a file need to know of a treatment, as JSON types."""

    name: str
    guarantee: Guarantee
    certificate: Certificate
    described: Mapping[str, Any]
    visible: Sequence[str]
    facts: Any
    relative_error: float
    records_at_once: int | None

    @classmethod
    def of(cls, treatment: Treatment) -> About:
        """Return what ``treatment``, which has a guarantee, says itself; it is certified for that."""
        own = {name: getattr(treatment, name) for name in ("name", "guarantee", "certificate", "visible", "facts")}
        numbers = {name: getattr(treatment, name) for name in ("relative_error", "records_at_once")}
        return cls.read(json.loads(cls(**own, **numbers, described=treatment.described()).written))

    @cached_property
    def written(self) -> str:
        """Return all of it as JSON."""
        return json.dumps(asdict(self), sort_keys=True, default=repr)

    def differing(self, other: About) -> list[str]:
        """Return the names of the parts in which the two differ, never what they say."""
        own, others = (json.loads(about.written) for about in (self, other))
        pairs = [(own.pop("described"), others.pop("described")), (own, others)]
        return sorted({name for a, b in pairs for name in {*a, *b} if a.get(name) != b.get(name)})

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> About:
        """Return what an entry says. Raise GuaranteeError for a claim that does not hold."""
        guarantee, certificate = Guarantee(**kept["guarantee"]), Certificate(**kept["certificate"])
        guarantee = replace(guarantee, assumes=tuple(guarantee.assumes))
        if certificate.pair is not None:
            first, second = certificate.pair
            certificate = replace(certificate, pair=(int(first), int(second)))
        if (certificate.definition, certificate.claimed) != (guarantee.definition, guarantee.epsilon):
            raise GuaranteeError("The certificate is about another claim; report it.")
        about = {**kept, "guarantee": guarantee, "certificate": believed(str(kept["name"]), certificate)}
        return cls(**about)


@dataclass(frozen=True, eq=False)
class Known(Treatment):
    """Treats one kind as the treatment that ``make`` returns, which is built before the first draw.

    Attributes:
        kind: The name of the kind.
        make: Builds the treatment.
        key: The name of its entry in the cache; None if no entry may be kept.
        run_key: Secret bytes of this run, which the treatment has too; empty unless it draws for subjects.
    """

    kind: str
    make: Callable[[], Treatment]
    key: str | None
    run_key: bytes = field(default=b"", repr=False)

    @property
    def kinds(self) -> Sequence[str]:  # type: ignore[override]
        """Return the name of the kind."""
        return (self.kind,)

    @cached_property
    def _kept(self) -> About | None:
        """Return the entry of the cache; None if it is absent, damaged or foreign, or claims what does not hold."""
        try:
            return None if self.key is None else About.read(cache.load_json(self.key))
        except (TypeError, KeyError, ValueError, AttributeError, GuaranteeError):
            return None

    @cached_property
    def about(self) -> About:
        """Return what is kept of the treatment, or else what it says; then that is kept."""
        return self._kept or About.of(self._built)

    def begin(self) -> None:
        """Build the treatment now, if the cache holds nothing of it. Raise as what builds it does."""
        if self._kept is None and tuple(self._built.kinds) != tuple(self.kinds):
            raise ConfigurationError(f"What treats {self.kind} treats another kind; report it.")

    def _keep(self, about: About) -> None:
        every = self._built.mechanisms.values()
        if self.key is not None and not self._built.sources and all(is_own(type(law)) for law in every):
            cache.save_json(self.key, json.loads(about.written))

    @cached_property
    def _built(self) -> Treatment:
        return self.make()

    @cached_property
    def made(self) -> Treatment:
        """Return the treatment, certified. Raise GuaranteeError if it is not what the cache kept of it."""
        if self._kept is not None:
            about = About.of(self._built)
            if about.written != self._kept.written:
                self._keep(about)
                parts = ", ".join(about.differing(self._kept))
                raise GuaranteeError(
                    f"{self.kind}: the domains are not those of the cache, so nothing was drawn from them (they "
                    f"differ in: {parts}); run the command again, and if this repeats, empty the cache folder."
                )
        return self._built

    def __getstate__(self) -> dict[str, Any]:
        parts = {"about": self.about, "made": self.made}  # first, because they add what they are made of
        return {**self.__dict__, **parts, "make": None}  # a worker builds nothing

    def prepare(self, progress: Progress | None = None) -> None:
        """Certify every law of which the cache does not hold a certificate; others are built when they draw."""
        if self._kept is None:
            self._built.prepare(progress)
            self._keep(self.about)

    # What it promises and says: from the digest.

    @property
    def name(self) -> str:
        """Return the name of the method."""
        return self.about.name

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw."""
        return self.about.guarantee

    @property
    def certificate(self) -> Certificate:
        """Return the certificate of the weakest law."""
        return self.about.certificate

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that are drawn from."""
        return self.about.relative_error

    @property
    def for_subjects(self) -> bool:
        """Return whether a draw is for all records of a person."""
        return bool(self.run_key)

    def described(self) -> Mapping[str, Any]:
        """Return parameters and domains, for the statement."""
        return self.about.described

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of what it put in."""
        return self.about.visible

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output."""
        return self.about.facts

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes values from; nothing is kept of a treatment that takes any."""
        return self._built.sources if self._kept is None else ()

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold."""
        return self.about.records_at_once

    # What needs the domains.

    @property
    def built(self) -> Treatment:
        """Return the treatment, certified. Raise as :attr:`made`."""
        return self.made

    @property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """Return the mechanism over each domain."""
        return self.made.mechanisms

    def cost(self, draws: int, records: int = 1) -> Composed | None:
        """Return the total cost of so many draws."""
        return self.made.cost(draws, records)

    def draws_of_person(self, added: int) -> int:
        """Return for how many draws a person pays at most."""
        return self.made.draws_of_person(added)

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law | None:
        """Return the law of the value that ``text`` says."""
        return self.made.law(text, position, label, detector)

    def law_over(
        self, values: Sequence[str] = (), label: str | None = None
    ) -> tuple[str, Mechanism, list[str]] | None:
        """Return the domain of ``values``, its mechanism, and what they say."""
        return self.made.law_over(values, label)

    def positions(self, values: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return ``values``, what each says, and where it is on a line."""
        return self.made.positions(values)


def key_of(*public: Any) -> str | None:
    """Return the name of the entry for a treatment that ``public`` decides beside the program.

    None if one of them is described by an address in memory, which says nothing of it.
    """
    told = json.dumps(public, sort_keys=True, default=repr)
    if _ADDRESS.search(told):
        return None
    return cache.content_key("treatment", digest_of_program(), digest_of_networks(), told)
