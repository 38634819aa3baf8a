"""One treatment: a mechanism with its ε, or a method without a guarantee, for some kinds or labels."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from sfumato.errors import ConfigurationError
from sfumato.heuristics.redaction import OPERATORS, Redaction
from sfumato.options.option import Option, options_of
from sfumato.options.values import choices_of
from sfumato.policy.refusing import check_known, check_options, placed
from sfumato.policy.suitability import (
    GEOMETRIC,
    INDEPENDENT,
    KINDS,
    OF_VALUES,
    PER_UNIT,
    SHIFT,
    distance_of,
    mechanisms,
    plural,
    unsuitable,
)
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.registry import method_class

Form = Literal["keep", "public"]
Consistency = Literal["mention", "document", "subject"]
OPTIONS_OF_METHODS: Mapping[str, tuple[str, ...]] = {
    "label": (), "mask": ("mask", "length"), "pseudonym": ("scope",), "surrogate": ("scope", "locale"),
    "generalise": ("dates", "digits"), "hash": (), "keep": (),
}  # fmt: skip
"""What each method without a guarantee can be given; the rest of redaction's options follow from the policy."""


@dataclass(frozen=True)
class Rule:
    """How values of some ``kinds``, and spans with some ``labels``, are replaced.

    Raises ConfigurationError for what cannot be: a mechanism that a kind cannot take, an ε too many or too few.
    """

    kinds: Annotated[tuple[str, ...], Option("kinds of value")] = ()
    labels: Annotated[tuple[str, ...], Option("labels of a detector, which are looked at before kinds")] = ()
    mechanism: Annotated[str | None, Option("a mechanism with a guarantee")] = None
    method: Annotated[str | None, Option("a method without a guarantee")] = None
    epsilon: Annotated[float | None, Option("the privacy loss of a draw, per unit of the kind's distance")] = None
    within: Annotated[str | None, Option("the distance that epsilon is for, such as 30 days")] = None
    form: Annotated[str | None, Option("keep: the written form of the value; public: one form for all")] = None
    consistency: Annotated[str | None, Option("what is drawn once: mention, document or subject")] = None
    options: Annotated[Mapping[str, Any], Option("further options of the mechanism or method")] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        for kind in self.kinds:
            check_known(kind, KINDS, "kinds holds a name that is no kind")
        if both := KINDS.keys() & set(self.labels):
            raise ConfigurationError(
                f"{min(both)} is a kind; name it in kinds, where it is treated whatever its label."
            )
        for names, what in ((self.kinds, "kind"), (self.labels, "label")):
            if len(set(names)) < len(names):
                raise ConfigurationError(f"The same {what} is named twice; name it once.")
        if (self.mechanism is None) == (self.method is None):
            raise ConfigurationError("Name a mechanism or a method, and not both.")
        if self.mechanism is not None:
            self._check_mechanism(self.mechanism)
        else:
            self._check_method(str(self.method))

    @property
    def name(self) -> str:
        """Return the name of the mechanism or method."""
        return self.mechanism or str(self.method)

    @property
    def has_guarantee(self) -> bool:
        """Return whether a mechanism with a guarantee is named."""
        return self.mechanism is not None

    @property
    def epsilon_per_unit(self) -> float | None:
        """Return the ε that the mechanism is built with: per unit of distance, if it has one. None without one."""
        if self.epsilon is None or self.within is None:
            return self.epsilon
        return self.epsilon / distance_of(self.within)[0]

    @property
    def drawn_once(self) -> str:
        """Return what is drawn once. Dates that are shifted move together; other values are drawn at each mention."""
        return self.consistency or ("subject" if self.mechanism == SHIFT else "mention")

    def check_kinds(self, kinds: Collection[str]) -> None:
        """Raise ConfigurationError if one of ``kinds`` cannot be treated so."""
        for kind in kinds:
            if self.mechanism is not None and (reason := unsuitable(kind, self.mechanism)):
                raise ConfigurationError(f"{kind} cannot take {self.mechanism}: {reason}.")
            unit = KINDS[kind].unit
            if self.within is not None and (own := distance_of(self.within)[1]) != unit:
                measured = f"is measured in another unit ({unit})" if unit else "has no unit"
                raise ConfigurationError(f"{kind} {measured}, so within cannot be in {plural(own)}.")

    def _check_mechanism(self, mechanism: str) -> None:
        if mechanism in OPERATORS:
            raise ConfigurationError(f'{mechanism} has no guarantee; write method = "{mechanism}".')
        check_known(mechanism, mechanisms(), "There is no such mechanism over values or words")
        if self.labels:
            raise ConfigurationError(
                f"A label has no values to draw from and cannot take {mechanism}; name the kind, or treat the label "
                "by a method."
            )
        self._check_epsilon(mechanism)
        _check_choice("form", self.form, get_args(Form))
        _check_choice("consistency", self.consistency, get_args(Consistency))
        if mechanism == SHIFT and self.form is not None:
            raise ConfigurationError("A shift keeps the written form of dates; leave out form.")
        if mechanism == SHIFT and self.consistency not in (None, "subject"):
            raise ConfigurationError("All dates of a subject are shifted together; leave out consistency.")
        known = () if mechanism in OF_VALUES else options_of(method_class(mechanism))
        check_options(mechanism, self.options, known)
        for option in known:
            given = self.options.get(option.name)
            named = isinstance(given, str) and given not in choices_of(option.type)
            if option.option.file and named:  # of one vocabulary's tokens
                raise ConfigurationError(
                    f"A kind has several domains, which no file is for; give {option.name} of {mechanism} another "
                    "value."
                )
        self.check_kinds(self.kinds)

    def _check_epsilon(self, mechanism: str) -> None:
        if mechanism == INDEPENDENT:
            if self.epsilon is not None or self.within is not None:
                raise ConfigurationError("independent does not look at the value; leave out epsilon, which is 0.")
            return
        if self.epsilon is None:
            raise ConfigurationError(f"{mechanism} needs an epsilon.")
        if self.epsilon == 0 or (self.within is not None and not 0 < self.epsilon < math.inf):
            example = 1 if self.within is not None or mechanism in (GEOMETRIC, SHIFT) else 8
            raise ConfigurationError(
                f"epsilon must be finite and greater than 0; try {example}, or write mechanism = "
                f'"{INDEPENDENT}", which does not look at the value and has epsilon 0.'
            )
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        if self.within is None:
            return
        distance, unit = distance_of(self.within)
        if mechanism not in PER_UNIT:
            raise ConfigurationError(f"The epsilon of {mechanism} is not per unit of distance; leave out within.")
        try:
            checked_epsilon(self.epsilon / distance)
        except ConfigurationError as error:
            raise placed(error, f"Per {unit}") from None

    def _check_method(self, method: str) -> None:
        if method in mechanisms():
            raise ConfigurationError(f'{method} has a guarantee; write mechanism = "{method}".')
        check_known(method, OPERATORS, "There is no such method")
        for key in ("epsilon", "within", "form", "consistency"):
            if getattr(self, key) is not None:
                raise ConfigurationError(f"{method} is a method without a guarantee; leave out {key}.")
        own = OPTIONS_OF_METHODS[method]
        check_options(method, self.options, [option for option in options_of(Redaction) if option.name in own])


def _check_choice(key: str, value: str | None, known: Collection[str]) -> None:
    if value is not None:
        check_known(value, known, f"{key} has a value that does not fit")
