"""The statement of a polished release: that of the release with every figure as it was, and one more step.

Analysis. Let M be what made the release, and let M satisfy the stated guarantee. Polishing is a map f of the released
file with its statement, both of which are public, and of a public model. It reads nothing else and makes no draw that
depends on an original. For every set S of outcomes and any two originals x and x',

P(f(M(x)) ∈ S) = P(M(x) ∈ f⁻¹(S)) ≤ e^ε P(M(x') ∈ f⁻¹(S)) = e^ε P(f(M(x')) ∈ S),

with ε·d(x, x') for a metric guarantee and with + δ where the release has one. If f makes random choices of its own,
independent of x, the bound holds for each of them and so for their mixture (Dwork and Roth, The Algorithmic
Foundations of Differential Privacy, 2014, Proposition 2.1). So the statement of f(M(x)) has the figures of M(x). It
remains a bound for anyone holding both the release and what was made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.building.stated import STEPS, Stated, read_statement
from sfumato.errors import InputError
from sfumato.heuristics.redaction import RESTORED
from sfumato.storage.digests import digest_of_everything
from sfumato.version import VERSION

STEP = "polish"
JUDGED = "accepted"
READS = "the release, its statement and public models alone; never an original"
POST_PROCESSING = (
    "The outcome is a function of what was released, so every epsilon of this statement holds for it unchanged "
    "(Dwork and Roth 2014, Proposition 2.1)"
)
ASSUMES = "the language model was neither trained on the originals nor shown them"
TOLD = "Polished afterwards: a language model read the release alone, so every epsilon stays as it was."
TOLD_WITHOUT = "Polished afterwards: a language model read the release alone, and gave it no guarantee."


def statement_of(release: Path) -> Stated:
    """Return the statement of ``release``, which may be polished.

    Raise InputError for a release without a statement, or with that of another file, for synthetic records, and for
    one whose replacements have to stay as they are.
    """
    try:
        stated = read_statement(release)
    except InputError as error:
        raise InputError(
            f"{release.name} cannot be polished: {str(error).rstrip('.')}; name a release with its statement."
        ) from None
    named = stated.content.get("release")
    if not isinstance(named, Mapping) or named.get("sha256") != digest_of_everything(release):
        raise InputError(
            f"{stated.path.name} is the statement of another file, so {release.name} has no known guarantee; name "
            "the release as it was written, with its own statement."
        )
    if operator := next((name for name in operators(stated.content) if name in RESTORED), None):
        raise InputError(
            f"{release.name} holds replacements ({operator}) by which names are restored or records joined, and a "
            "rewriting would lose them; polish a release without them."
        )
    return stated


def operators(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield what replaced something in the release by a rule: operators of redaction, and methods of treatments."""
    parameters = statement.get("parameters")
    if isinstance(parameters, Mapping):
        yield str(parameters.get("operator"))
        yield str(parameters.get("first"))
        own = parameters.get("operators")
        yield from map(str, own.values()) if isinstance(own, Mapping) else ()
    treatments = statement.get("treatments")
    for treatment in treatments if isinstance(treatments, list) else ():
        if isinstance(treatment, Mapping):
            yield str(treatment.get("method"))
            yield from operators(treatment)


def has_guarantee(statement: Mapping[str, Any]) -> bool:
    """Return whether the statement promises anything for any of its treatments."""
    treatments = statement.get("treatments")
    promised = [treatment.get("certificate") for treatment in treatments or () if isinstance(treatment, Mapping)]
    return any(each is not None for each in (statement.get("certificate"), *promised))


def polished_statement(stated: Stated, output: Path, content: Path, done: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statement of what was made of the release, which is to be called ``output`` and is at ``content``.

    ``done`` says how it was made, and what was counted. That limits were held is not repeated: they were measured on
    the text before it was polished.
    """
    before = {name: value for name, value in stated.content.items() if name != JUDGED}
    guaranteed = stated.private and has_guarantee(before)
    earlier = before["release"]
    step = {
        "step": STEP,
        "reads": READS,
        **({"post_processing": POST_PROCESSING, "assumes": [ASSUMES]} if guaranteed else {}),
        **done,
        "release": {"name": earlier.get("name"), "sha256": earlier["sha256"]},
        "sfumato": VERSION,
    }
    steps = before.get(STEPS)
    summary = f"{before.get('summary', '')} {TOLD if guaranteed else TOLD_WITHOUT}".strip()
    made = {**before, "summary": summary, STEPS: [*(steps if isinstance(steps, list) else ()), step]}
    return {**made, "release": {"name": output.name, "sha256": digest_of_everything(content), "run": None}}
