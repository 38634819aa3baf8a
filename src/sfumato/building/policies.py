"""From a policy to the Sanitizer that treats each kind as it says."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Kind
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import Encoder
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building import methods
from sfumato.building.detectors import finder_of
from sfumato.engines.engine import Engine
from sfumato.engines.families import Families
from sfumato.engines.held_places import HeldPlaces
from sfumato.engines.holding import Holding
from sfumato.engines.in_languages import InLanguages
from sfumato.engines.known import Known, key_of
from sfumato.engines.languages import Multilingual
from sfumato.engines.parting import Parting
from sfumato.engines.replaced import Kept, Replaced
from sfumato.engines.routes import Route
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.kinds.labels import KindOf
from sfumato.kinds.people.person import Person
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.places.place import Place
from sfumato.kinds.registry import KINDS, Embed, kinds_of
from sfumato.mechanisms.geometric import Geometric
from sfumato.mechanisms.independent import Independent
from sfumato.mechanisms.santext import SanText
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.typed import typed
from sfumato.policy.policy import Policy
from sfumato.policy.refusing import check_known, placed
from sfumato.policy.rule import Rule
from sfumato.policy.sections import REFUSE
from sfumato.policy.suitability import GEOMETRIC, INDEPENDENT, SHIFT
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SystemRandomness
from sfumato.storage.keys import read_secret
from sfumato.text.measures import Measures
from sfumato.text.repair import Repair
from sfumato.types import FloatArray, Progress, part_of
from sfumato.vocabularies.load import embed

_LOG = logging.getLogger(__name__)
_PARTS = 10**9
"""The largest denominator of a shift's ε, whose noise is drawn exactly."""
_SCOPES: Mapping[str, Any] = {"mention": "mention", "document": "record", "subject": "subject"}


@dataclass(frozen=True)
class Embedding:
    """Embeds phrases. Unlike a function in a function it goes to worker processes, and its name has no address."""

    encoder: Encoder

    def __call__(self, phrases: Sequence[str]) -> FloatArray:
        """Return the vectors of public ``phrases``."""
        return embed(tuple(phrases), self.encoder)

    def __repr__(self) -> str:
        return f"embedding by {self.encoder.id}"


@typed
def build_policy(
    policy: Policy | str | Path, *, encoder: Encoder | None = None, progress: Progress | None = None
) -> Engine | Multilingual:
    """Return the sanitizer of a policy.

    Args:
        policy: A policy, the name of one that comes with sfumato, or a file. Its fields and its key are for files:
            `sanitize_file` takes a policy as it is.
        encoder: Embeds names, occupations and words; all-MiniLM-L6-v2 by default.
        progress: Called with the share of the treatments that are ready, from 0 to 1.

    Raises:
        ConfigurationError: The policy cannot be read, or does not fit together.
        VocabularyError: A domain cannot be made.
    """
    chosen = policy if isinstance(policy, Policy) else Policy.load(policy)
    chosen.check_files()
    started, encoder = time.perf_counter(), encoder or SentenceEncoder()
    sanitizer = sanitizer_of(chosen, Embedding(encoder), encoder, progress, known=True)
    _LOG.info("built %d treatments in %.1f s", len(sanitizer.treatments), time.perf_counter() - started)
    return sanitizer


def kind_of(policy: Policy, kinds: Mapping[str, Kind]) -> KindOf:
    """Return what says which of ``kinds`` a span is, or which label that ``policy`` treats by itself."""
    labels = frozenset(label for rule in policy.treat for label in rule.labels)
    kept = frozenset(kind for kind in kinds if policy.treatment_of(kind).name == "keep")
    return KindOf(kinds, labels, kept - labels)


def parting_of(policy: Policy, kinds: Mapping[str, Kind]) -> Parting | None:
    """Return what parts marks that no kind reads; None for given marks, whose bounds somebody chose, and words."""
    if any(name.startswith("given") or name in ("words", "content-words") for name in policy.find.detect):
        return None
    drawn = frozenset(kind for kind in kinds if policy.treatment_of(kind).has_guarantee)
    named = frozenset(name for rule in policy.treat for name in (*rule.kinds, *rule.labels))
    return Parting(kind_of(policy, kinds), drawn, named, _language_of(kinds))


def treatment_of_kind(policy: Policy, kind: str, encoder: Encoder | None = None) -> Treatment:
    """Return the treatment of ``kind`` alone, without building the others; of several languages that of all.

    Raise ConfigurationError for a kind that does not exist, and GuaranteeError for one that no mechanism treats.
    """
    policy.check_treats()
    check_known(kind, KINDS, "There is no kind of this name")
    rule = policy.treatment_of(kind)
    if not rule.has_guarantee:
        raise GuaranteeError(f"{kind} has no formal guarantee under this policy ({rule.name}): no claim to audit.")
    encoder = encoder or SentenceEncoder()
    own = dict[str, Treatment]()
    for code in policy.find.languages:
        kinds = kinds_of(Embedding(encoder), policy.kinds, code)
        own[code] = drawn_by(rule, kinds[kind], policy.fields.subject, encoder, policy.randomness.scope)
    return InLanguages(own) if len(own) > 1 else next(iter(own.values()))


def sanitizer_of(
    chosen: Policy, embed: Embed, encoder: Encoder, progress: Progress | None = None, known: bool = False
) -> Engine | Multilingual:
    """Return the sanitizer of the policy ``chosen``, whose open kinds ``embed`` by ``encoder``.

    If domains are ``known``, those are built later, of which the cache holds what a statement says.
    """
    chosen.check_treats()
    if chosen.polish:
        raise ConfigurationError(
            "This policy polishes what it releases, and `sfumato protect` carries it out; leave out [polish], and "
            "polish the output instead (`sfumato polish`)."
        )
    finder, codes = finder_of(chosen), chosen.find.languages
    engines: dict[str, Engine] = {}
    for number, code in enumerate(codes):
        share = part_of(progress, number / len(codes), 1 / len(codes))
        kinds = kinds_of(embed, chosen.kinds, code)
        engines[code] = _engine(chosen, kinds, finder, _treated(chosen, kinds, encoder, share, known))
    if len(codes) == 1:
        return engines[codes[0]]
    if chosen.find.other_languages == REFUSE:
        return Multilingual(engines)
    other = Engine(finder, Replaced(Redaction("label")), (), _by_label, chosen.fields.subject, policy=_named(chosen))
    return Multilingual(engines, other)


def _by_label(label: str, _: str) -> str:
    return label


def _named(chosen: Policy) -> Mapping[str, str]:
    return {"name": chosen.name, "sha256": chosen.fingerprint}


def _treated(
    chosen: Policy, kinds: Mapping[str, Kind], encoder: Encoder, progress: Progress | None, known: bool
) -> list[Treatment]:
    """Return the treatments of ``kinds`` that are drawn."""
    drawn = [kind for kind in kinds if chosen.treatment_of(kind).has_guarantee]
    treated: list[Treatment] = []
    for number, kind in enumerate(drawn):
        rule = chosen.treatment_of(kind)
        try:
            treated.append(
                drawn_by(rule, kinds[kind], chosen.fields.subject, encoder, chosen.randomness.scope, known)
            )
        except ConfigurationError as error:
            raise placed(error, kind) from None
        if progress is not None:
            progress((number + 1) / len(drawn))
    return treated


def _engine(chosen: Policy, kinds: Mapping[str, Kind], finder: Detector, treated: Sequence[Treatment]) -> Engine:
    """Return the engine of one language, whose ``kinds`` are ``treated``."""
    rules = {kind: chosen.treatment_of(kind) for kind in kinds}
    operators = {kind: rule.name for kind, rule in rules.items() if not rule.has_guarantee}
    operators |= {label: rule.name for rule in chosen.treat for label in rule.labels}
    kept = [name for name, operator in operators.items() if operator == "keep"]
    code = _language_of(kinds)
    replacing = {name: operator for name, operator in operators.items() if operator != "keep"}
    return Engine(
        finder,
        _others(chosen, replacing, code),
        [*treated, *([Kept(kept)] if kept else [])],
        kind_of(chosen, kinds),
        chosen.fields.subject,
        Repair(code) if chosen.release.repair else None,
        _named(chosen),
        held=_holding(chosen, kinds),
        parting=parting_of(chosen, kinds),
        families=_families(chosen, kinds),
        measures=Measures(code) if chosen.find.keep_measures else None,
    )


def _holding(chosen: Policy, kinds: Mapping[str, Kind]) -> Holding | None:
    """Return what makes dates and ages of a record fit; None if dates are not drawn, or nothing is mended."""
    if not (chosen.treatment_of("DATE").has_guarantee and chosen.release.repair):
        return None
    follow = chosen.fields.subject is None and chosen.treatment_of("AGE").has_guarantee
    return Holding(cast(Date, kinds["DATE"]), cast(Age, kinds["AGE"]), follow, places=_held_places(chosen, kinds))


def _held_places(chosen: Policy, kinds: Mapping[str, Kind]) -> HeldPlaces | None:
    """Return what makes places fit; None if they are not drawn. Institutions that are not drawn stay."""
    if not chosen.treatment_of("PLACE").has_guarantee:
        return None
    named = chosen.treatment_of("ORGANIZATION").has_guarantee
    organizations = cast(Organization, kinds["ORGANIZATION"]) if named else None
    return HeldPlaces(cast(Place, kinds["PLACE"]), organizations)


def _families(chosen: Policy, kinds: Mapping[str, Kind]) -> Families | None:
    """Return what gives relatives one last name; None if names are not drawn once for a record, or nothing is mended.

    A person whose names are drawn once for all records has one name in all of them, so nothing of one record decides.
    """
    rule = chosen.treatment_of("PERSON")
    for_records = chosen.randomness.scope != "subject" and rule.has_guarantee and rule.drawn_once == "document"
    return Families(cast(Person, kinds["PERSON"])) if for_records and chosen.release.repair else None


def read_by(policy: Policy, options: Mapping[str, Any]) -> tuple[Policy, dict[str, Any]]:
    """Return how a file is read: by ``options``, and by the fields of ``policy`` where they name none.

    A field that neither of them names goes, because nothing looks at it. The policy comes back as well: it is about
    the person whom the options name, if they name one.
    """
    fields = policy.fields
    own = {
        "fields": fields.text, "id_field": fields.id, "subject_field": fields.subject, "keep": fields.keep or (),
        "documents": policy.documents,
    }  # fmt: skip
    named = {name: value if options.get(name) is None else options[name] for name, value in own.items()}
    if named["subject_field"] != fields.subject:
        policy = replace(policy, fields=replace(fields, subject=str(named["subject_field"])))
    return policy, {**options, **named}


def randomness_of_policy(policy: Policy) -> Randomness:
    """Return the randomness of the key that ``policy`` names, or the operating system's."""
    return SystemRandomness() if policy.pin is None else PinnedRandomness(read_secret(policy.pin, "the key file"))


def drawn_by(
    rule: Rule, kind: Kind, subject: str | None, encoder: Encoder, drawn_for: str = "record", known: bool = False
) -> Treatment:
    """Return the treatment of ``kind`` by a mechanism; ``subject`` is the field that names a record's person.

    Where values are ``drawn_for`` a subject, each is drawn once for a person, whatever its rule says. What is
    ``known`` of the treatment may be kept in the cache, and spares building it before it draws.
    """
    kind = for_law(kind, rule.name)
    scope = "subject" if drawn_for == "subject" else _SCOPES[rule.drawn_once]
    if scope == "subject" and subject is None:
        scope = "record"
    key = secrets.token_bytes(32) if scope == "subject" else b""
    make = partial(_treatment, rule, kind, encoder, scope, key)
    if not known:
        return make()
    public = [repr(kind), rule.name, rule.epsilon_per_unit, rule.options, rule.form, scope, encoder.id]
    treatment = Known(kind.name, make, key_of(*public), key)
    treatment.begin()
    return treatment


def _treatment(rule: Rule, kind: Kind, encoder: Encoder, scope: Any, key: bytes) -> Treatment:
    """Return the treatment of ``kind`` with its domains. It draws once for a ``scope``, for subjects by ``key``."""
    epsilon: Any = rule.epsilon_per_unit
    form: Any = rule.form or "keep"
    if rule.mechanism == SHIFT:
        exact = Fraction(epsilon).limit_denominator(_PARTS)
        if not exact:
            raise ConfigurationError(f"The epsilon of a shift must be at least {1 / _PARTS:g} per day.")
        return Shifted(kind, exact, scope, key)
    routes = {grain: _route(rule, kind, grain, encoder) for grain in kind.grains}
    return DrawnValues(kind, routes, form, scope, key)


def for_law(kind: Kind, law: str) -> Kind:
    """Return ``kind`` as ``law`` needs it: for one that looks at no distance, phrases are numbered, not embedded."""
    return kind.without_distances() if law == INDEPENDENT else kind


def domain_of(kind: Kind, grain: str, encoder: Encoder) -> Vocabulary:
    """Return the domain ``grain``; ``encoder`` projects values that it lacks, where its distances mean something."""
    return kind.vocabulary(grain).measured_in(kind.unit, encoder if kind.is_open and kind.is_measured else None)


def _route(rule: Rule, kind: Kind, grain: str, encoder: Encoder) -> Route:
    domain = domain_of(kind, grain, encoder)
    made: Mechanism
    epsilon: Any = rule.epsilon_per_unit
    if rule.mechanism == INDEPENDENT:
        made = Independent(domain)
    elif rule.mechanism == GEOMETRIC and domain.vectors.shape[1] == 1:
        made = Geometric(domain, epsilon)
    elif rule.mechanism == GEOMETRIC:  # weekdays and days of a year lie on a circle, where SanText has no ends
        made = SanText(domain, epsilon)
    else:
        made = methods.mechanism(rule.name, domain, epsilon, **rule.options)
    surrogate = kind.surrogate
    unreadable = domain.find(surrogate.value) if surrogate.form.grain == grain else None
    return Route(made, "surrogate" if domain.encoder is None else "nearest", unreadable)


def _language_of(kinds: Mapping[str, Kind]) -> str:
    return cast(Date, kinds["DATE"]).language


def _others(policy: Policy, operators: Mapping[str, str], language: str) -> Treatment:
    """Return the one treatment of all spans that are not drawn and not kept, and of kinds that nothing names."""
    if policy.treat_others.name == "keep" and not operators:
        return Kept()
    usual = "label" if policy.treat_others.has_guarantee else policy.treat_others.name
    redaction = Redaction(usual, operators, language=language, **policy.options_of_methods)
    return Replaced(redaction, tuple(operators))


def treatment_in(method: object, kind: str | None) -> Treatment | None:
    """Return the treatment of ``kind`` by a policy or by what is built of one; None for anything else.

    Raises GuaranteeError for a kind that no mechanism treats, ConfigurationError where no kind is named.
    """
    if not isinstance(method, Policy) and not (isinstance(method, Sanitizer) and method.treatments):
        return None
    if kind is None:
        raise ConfigurationError("A policy treats kinds differently: name the kind that is audited (label).")
    return treatment_of_kind(method, kind) if isinstance(method, Policy) else method.treatment_of(kind)


def mechanism_of(sanitizer: object, label: str | None = None) -> Mechanism | Sanitizer:
    """Return the mechanism over the vocabulary of ``label``; in context the sanitizer, whose detector matters too.

    Raises GuaranteeError for a method without a guarantee: it claims nothing.
    """
    if isinstance(sanitizer, Sanitizer) and sanitizer.guarantee is not None:
        inside = sanitizer.others.law_over(label=label)
        return sanitizer if inside is None else inside[1]
    raise GuaranteeError(
        "This method has no formal guarantee, so there is no claim to audit; measure a release instead."
    )
