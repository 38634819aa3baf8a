"""Say a policy in lines for people: what is looked for, and how every kind is treated."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.detectors.languages import named
from sfumato.policy.policy import Policy
from sfumato.policy.rule import Rule
from sfumato.policy.sections import REFUSE, Find
from sfumato.policy.suitability import INDEPENDENT, KINDS, PER_UNIT
from sfumato.privacy.guarantee import unit_in_words


def lines_of(policy: Policy) -> Iterator[str]:
    """Yield the lines."""
    if policy.name or policy.about:
        yield ": ".join(text for text in (policy.name, policy.about) if text)
    if policy.synthesize:
        yield from _synthesis(policy)
        return
    options = ", ".join(f"{name} = {value}" for name, value in policy.find.options.items())
    yield f"finds {', '.join(policy.find.detect)}" + (f" ({options})" if options else "")
    yield _languages(policy.find)
    for lists, what in ((policy.find.allow, "stays"), (policy.find.deny, "is always marked")):
        if lists:
            yield f"what {', '.join(lists)} lists {what}"
    if policy.find.keep_measures:
        yield "doses, laboratory values, scores, and names of genes and instruments stay; no guarantee covers them"
    subject = policy.fields.subject
    for treatment in policy.treat:
        labels = [f"label {label}" for label in treatment.labels]
        yield f"{', '.join([*labels, *treatment.kinds])}: {in_words(treatment, subject is not None)}"
    yield f"all other kinds: {in_words(policy.treat_others)}"
    yield "a subject is " + (f"what the field {subject} names" if subject else "a record")
    yield "random numbers: " + ("pinned by a key" if policy.randomness.pin else "the operating system's")
    if policy.randomness.scope == "subject":
        yield "every value is drawn once for a person, whatever a treatment says"
    for account, caps in policy.budget.caps.items():
        yield f"budget of {'the data set' if account == 'dataset' else f'a {account}'}: " + ", ".join(
            f"{name} {cap}" for name, cap in caps.items()
        )
    yield "the edges of replacements are " + ("mended" if policy.release.repair else "left as drawn")


def _languages(find: Find) -> str:
    """Return in which language records are treated, and what becomes of others."""
    refused, names = find.other_languages == REFUSE, named(find.languages)
    if len(find.languages) == 1:
        return f"reads {names}; a record whose words show another language is {'refused' if refused else 'counted'}"
    others = "is refused" if refused else "has a label for each mark"
    return f"reads each record in the language that its words show ({names}); one that shows none of them {others}"


def _synthesis(policy: Policy) -> Iterator[str]:
    """Yield how new records are written, and what a person pays."""
    asked = policy.synthesize
    who = "person" if policy.fields.subject else "record"
    yield f"new records by {asked.method}, epsilon {asked.epsilon:g} for a whole {who}"
    yield f"about {asked.units:,} units" if asked.units else "about how many units is not named yet"
    if asked.codes:
        yield f"codes are {', '.join(asked.codes)}"
    if asked.topics:
        yield f"{asked.topics} public topics at most say what a record is about"
    yield f"{asked.held_out:.0%} of the people are held out, at random, so that attacks have a measure"


def in_words(treatment: Rule, subjects: bool = True) -> str:
    """Return how values are treated: the mechanism with its ε, or the method, and that it has no guarantee.

    Without a field that names ``subjects``, what is drawn once for a subject is drawn once for a record.
    """
    options = [f"{name} = {value}" for name, value in treatment.options.items()]
    if not treatment.has_guarantee:
        return ", ".join([treatment.name, "no formal guarantee", *options])
    once = "record" if treatment.drawn_once == "subject" and not subjects else treatment.drawn_once
    words = [treatment.name, _epsilon(treatment), f"one draw for each {once}"]
    if treatment.form == "public":
        words.append("one written form")
    return ", ".join([*words, *options])


def _epsilon(treatment: Rule) -> str:
    if treatment.name == INDEPENDENT:
        return "epsilon 0"
    epsilon, units = treatment.epsilon_per_unit, {KINDS[kind].unit for kind in treatment.kinds}
    if treatment.within is not None:
        return (
            f"epsilon {treatment.epsilon:g} within {treatment.within} ({epsilon:.4g} per {unit_in_words(min(units))})"
        )
    if treatment.name not in PER_UNIT:
        return f"epsilon {epsilon:g}"
    unit = unit_in_words(min(units)) if len(units) == 1 and min(units) else "unit of distance"
    return f"epsilon {epsilon:g} per {unit}"
