"""What is asked of a synthesis: all of it public, checked before anything private is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.abstract.synthesizer import Order, Schedule, Synthesizer
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.options.typed import typed
from sfumato.privacy.accounting import Event, GaussianNoise, check_delta, epsilon_of, smallest_sigma
from sfumato.privacy.composition import delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee, checked_epsilon
from sfumato.synthesis.codes import CodeField, CodeTable
from sfumato.synthesis.topics import TOPIC, Topics
from sfumato.types import Progress

_SHARE_OF_CODES = 0.1
"""Counts of codes alone would cost this share of ε; together with the rest they cost far less."""
_SHARE_OF_FINDING = 0.1
"""This share of δ pays for values that one unit alone has."""
_MOST = 10**12
"""More records or people than any input or release has."""


@typed
@dataclass(frozen=True, slots=True)
class Request:
    """The options of a run that no method decides.

    Attributes:
        records: How many records are written.
        units: About how many people or records the input holds. Public: the sampling rate depends on it.
        epsilon: The ε for a whole unit, in nats; None: without a guarantee.
        delta: The δ; None: a tenth of 1 over the units, and 1e-6 at most.
        codes: The fields that say what a record is about.
        public_fields: Fields that are released as they are, record by record.
        unit_field: The field that names the person of a record; None: each record is a unit.
        texts_per_unit: How many records of a person are used at most.
        topics: How many public topics say what a record is about, at most; 0: none do.
    """

    records: int | None
    units: int
    epsilon: float | None
    delta: float | None = None
    codes: tuple[CodeField, ...] = ()
    public_fields: tuple[str, ...] = ()
    unit_field: str | None = None
    texts_per_unit: int = 1
    topics: int = 0

    def __post_init__(self) -> None:
        counts = (self.units, self.texts_per_unit, 1 if self.records is None else self.records)
        if not all(1 <= number <= _MOST for number in counts):
            raise ConfigurationError(f"Numbers of records and people are whole numbers from 1 to {_MOST:,}.")
        if self.records is None and not self.public_fields:
            raise ConfigurationError("How many records are to be written? Give --records.")
        named = [
            *(code.name for code in self.codes),
            *self.public_fields,
            *([self.unit_field] if self.unit_field else []),
            *([TOPIC] if self.topics else []),
        ]
        if len(set(named)) < len(named):
            also = f", and with topics none is called {TOPIC!r}" if self.topics else ""
            raise ConfigurationError(f"A field is a code, public, or names the person; name each once{also}.")
        if self.codes and self.public_fields:
            raise ConfigurationError(
                "Codes are counted with noise, and public fields are released as they are; name a code as a public "
                "field instead (--public-field), or leave the public fields out."
            )
        if self.topics and self.public_fields:
            raise ConfigurationError(
                "Topics are counted with noise, and a record with public fields would show its own; leave out topics "
                "or the public fields."
            )
        if self.public_fields and self.unit_field is not None:
            raise ConfigurationError(
                "Which records a person has would show among public fields, record by record; leave out --unit-field "
                "or --public-field."
            )
        if self.unit_field is None and self.texts_per_unit > 1:
            raise ConfigurationError("Several texts of a person need the field that names the person (--unit-field).")
        if self.epsilon is not None:
            checked_epsilon(self.epsilon)
            check_delta(self.spent_delta, self.units)

    @property
    def spent_delta(self) -> float:
        """Return the δ of the whole."""
        return delta_for(self.units) if self.delta is None else self.delta

    @property
    def finding(self) -> float:
        """Return the δ that the threshold of each field spends whose values are to be found."""
        fields = sum(code.values is None for code in self.codes)
        return _SHARE_OF_FINDING * self.spent_delta / fields if fields else 0.0

    @property
    def counts_codes(self) -> bool:
        """Return whether shares of codes are counted in the private records: not where each record has its own."""
        return bool(self.codes or self.topics)


@dataclass(frozen=True)
class Planned:
    """A run with all its parameters, fixed from what is public.

    ``noise`` is σ of the counts of codes; ``topics`` are the public ones, if they are to be read off the texts.
    """

    request: Request
    synthesizer: Synthesizer
    order: Order
    schedule: Schedule
    noise: float | None
    topics: Topics | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """Return everything that is spent."""
        return (*self.order.spent, *self.schedule.events)

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of the release; None without one."""
        request = self.request
        if request.epsilon is None:
            return None
        who = "one record" if request.unit_field is None else f"one person: all records with one {request.unit_field}"
        used = f", of which {request.texts_per_unit} records at most are used" if request.unit_field else ""
        adjacency = f"two inputs of which one has {who} more{used}"
        if request.public_fields:
            fields = ", ".join(request.public_fields)
            adjacency = (
                f"two inputs that agree in the public fields ({fields}) of all records, and of which one leaves out "
                f"all else of {who}{used}"
            )
        return Guarantee(
            "DP", request.epsilon, who, adjacency, None, self.synthesizer.proof,
            (
                f"about how many there are ({request.units:,}), models, codes' names and all options are public",
                "earlier runs, and choosing options by looking at results on these records, add to the cost",
                "what the base model read in its own training is not covered",
            ),
            delta=request.spent_delta,
        )  # fmt: skip

    def prepare(self, progress: Progress | None = None) -> None:
        """Load models, and read the public topics, before anything private is read."""
        self.synthesizer.prepare(progress)
        if self.topics is not None:
            _ = self.topics.vectors

    def certificate(self) -> Certificate:
        """Return the check of the claim: the ε of everything that is spent, at the δ that is left for it."""
        request = self.request
        if request.epsilon is None:
            raise GuaranteeError("A run without a guarantee has nothing to certify; attack what it writes instead.")
        spent = epsilon_of(self.events, self.order.delta)
        noise = min((event.sigma for event in self.events if isinstance(event, GaussianNoise)), default=0.0)
        conditions = {
            "delta": request.spent_delta,
            "delta_of_codes": request.spent_delta - self.order.delta,
            "relation": "add or remove one",
            "events": [event.as_dict() for event in self.events],
        }
        return Certificate("DP", request.epsilon, spent, "upper-bound", noise, noise, conditions)

    def lines(self) -> Iterator[str]:
        """Yield what the run would do and cost."""
        yield f"{self.synthesizer.name}: {self.guarantee or 'no formal guarantee'}"
        for name, value in self.schedule.as_dict().items():
            if name != "events":  # listed below, with those of the codes
                yield f"  {name.replace('_', ' ')}: {value}"
        if self.topics is not None:
            least = f" that more than about {self.topics.limit(self.noise):.0f} units have" if self.noise else ""
            yield f"  topics: {self.topics.most} at most of {len(self.topics.phrases)} public ones{least}"
        for event in self.events:
            told = (f"{name.replace('_', ' ')} {value}" for name, value in event.as_dict().items())
            yield f"  is paid for: {', '.join(told)}"
        if self.schedule.seconds is not None:
            minutes = max(1, round(self.schedule.seconds / 60))
            yield f"  takes about {minutes} minute{'s' * (minutes > 1)} on this machine if it is idle"
        yield from (f"Note: {warning}" for warning in self.schedule.warnings)


def planned(synthesizer: Synthesizer, request: Request) -> Planned:
    """Return the run of ``synthesizer`` for ``request``. Reads nothing private.

    Raise ConfigurationError or GuaranteeError for what makes no sense, or costs more than it may.
    """
    if request.public_fields and not synthesizer.takes_public_fields:
        raise ConfigurationError(
            f"{synthesizer.name} needs many records of each code, and public fields give each record its own; use "
            "finetune or predict, or declare codes (--code)."
        )
    finding = sum(code.values is None for code in request.codes)
    delta = request.spent_delta - finding * request.finding
    noise, spent = None, tuple[Event, ...]()
    topics = Topics.shipped(request.topics) if request.topics else None
    if request.epsilon is not None and request.counts_codes:
        share = _SHARE_OF_CODES * request.epsilon
        counted = finding + (topics is not None) + request.counts_codes
        noise = smallest_sigma(lambda sigma: (GaussianNoise(sigma, counted),), share, delta)
        spent = tuple(GaussianNoise(noise) for _ in range(counted))
    fields = [code for code in request.codes if code.values is not None]
    declared = CodeTable.of([*([] if topics is None else [CodeField(TOPIC, topics.longest)]), *fields], {})
    order = Order(
        declared.texts(), request.units, request.texts_per_unit,
        request.records or request.units * request.texts_per_unit, request.epsilon, delta, spent, finding,
    )  # fmt: skip
    made = Planned(request, synthesizer, order, synthesizer.schedule(order), noise, topics)
    if request.epsilon is not None:
        _check(made)
    return made


def _check(made: Planned) -> None:
    certificate = made.certificate()
    if not certificate.certified <= certificate.claimed * (1.0 + 1e-9):
        raise GuaranteeError(
            f"The run would cost epsilon {certificate.certified:.4g}, more than the {certificate.claimed:g} that is "
            "allowed; this is a mistake of the method, please report it."
        )
