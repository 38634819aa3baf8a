"""``sfumato certify --against STATEMENT``: is the stated privacy loss the loss of the stated law?

Losses come from :mod:`sfumato.checker`, which shares nothing with the analysis that certified the release. This file
compares them with the statement, and the statement's places with each other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.public_arrays import stated_mechanism, tables_of
from sfumato.checker import (
    ROUNDING,
    TOLERANCE,
    InSets,
    Public,
    TwoSteps,
    UnreadableError,
    law_of,
    rank_loss,
    softmax_loss,
)
from sfumato.errors import InputError, SfumatoError
from sfumato.vocabularies import partition

OVER_TOKENS = ("santext", "santext+", "custext", "custext+", "clusant", "tem")
IN_CONTEXT = ("dp-mlm", "dp-prompt", "dp-paraphrase")
_GARBLED = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, StopIteration)


def read_statement(path: Path) -> dict[str, Any]:
    """Return the statement in the file ``path``. Raise :class:`InputError` for one that cannot be checked."""
    statement = _read(path)
    of_policy, mechanism, vocabularies = "treatments" in statement, *map(statement.get, ("mechanism", "vocabularies"))
    stated = statement["treatments"] if of_policy else [statement]
    if not isinstance(stated, list) or not all(isinstance(each, dict) for each in stated):
        raise InputError(f"{path.name} cannot be checked: its treatments have an impossible value.")
    if not any("epsilon_per_draw" in each for each in stated) or not (of_policy or isinstance(mechanism, str)):
        raise InputError(f"{path.name} states no privacy loss of a draw, so there is nothing to recompute.")
    if statement.get("private") is not True:
        raise InputError(
            f"{path.name} is about a seeded run, which has no guarantee; name the statement of a release."
        )
    if not of_policy and mechanism not in (*OVER_TOKENS, *IN_CONTEXT):
        raise InputError(f"{path.name} is about {mechanism}, which has no finite law that the checker knows.")
    if mechanism in OVER_TOKENS and not (isinstance(vocabularies, dict) and vocabularies):
        raise InputError(f"{path.name} cannot be checked: its vocabularies are missing.")
    return statement


def _read(path: Path) -> dict[str, Any]:
    def refused(_: str) -> float:
        raise ValueError

    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=refused)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path.name} is no privacy statement, because it is not JSON.") from None
    if not isinstance(content, dict) or "summary" not in content:
        raise InputError(f"{path.name} is no privacy statement; name the OUTPUT.privacy.json of a release.")
    return content


@contextmanager
def complete(path: Path) -> Iterator[None]:
    """Turn whatever is raised in the block by a missing or garbled field into an :class:`InputError`."""
    try:
        yield
    except SfumatoError:
        raise
    except UnreadableError as error:
        raise InputError(f"{path.name} cannot be checked: {error}.") from None
    except _GARBLED as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else "a field has an impossible value"
        raise InputError(f"{path.name} cannot be checked: {what}.") from None


def number(value: Any) -> float:
    """Return a finite number of a statement. Raise ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


_OUTCOMES = ("candidate_words", "outcomes")
"""What mechanisms in context call the number of their outcomes among their parameters."""
_MOST_OUTCOMES = 1 << 24


class WrongError(Exception):
    """Says in a sentence where a statement is wrong, and what was recomputed for which tokens until then."""

    def __init__(self, problem: str, recomputed: float | None = None, tokens: list[str] | None = None) -> None:
        super().__init__(problem)
        self.recomputed, self.tokens = recomputed, tokens


@dataclass(frozen=True)
class Finding:
    """What was found about one vocabulary; for a mechanism in context about its one law, without a vocabulary.

    ``recomputed`` is the loss of the pair ``tokens``. ``problem`` says where the statement is wrong (None: nowhere).
    ``not_recomputed`` names domains of a kind of value whose loss the statement does not give, so that only their
    hashes were compared.
    """

    vocabulary: str | None
    claimed: float
    stated: float
    recomputed: float | None
    tokens: list[str] | None
    problem: str | None
    not_recomputed: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON types."""
        odd = self.recomputed is not None and not math.isfinite(self.recomputed)
        return {**vars(self), "recomputed": "infinity" if odd else self.recomputed}


def of_context(statement: Mapping[str, Any]) -> Finding:
    """Check the law of a mechanism in context: over all pairs of inputs, because the formula covers them all."""
    certificate = statement["certificate"]
    claimed, stated = number(certificate["claimed"]), number(certificate["certified"])
    try:
        check_claim(statement, statement["parameters"], certificate, "LDP")
        conditions, scale = certificate["conditions"], number(certificate["scale"])
        parameters, outcomes = statement["parameters"], int(number(conditions["outcomes"]))
        if outcomes != parameters[next(name for name in _OUTCOMES if name in parameters)]:
            raise WrongError("its number of outcomes is not the same everywhere")
        if not 2 <= outcomes <= _MOST_OUTCOMES:
            raise ValueError
        if conditions.get("law") == "rank":
            loss = rank_loss(_profile(conditions, outcomes), outcomes)
        else:
            _one_clip(statement, conditions, scale)
            loss = softmax_loss(scale, outcomes)
        one = conditions["certified_of_a_single_draw"] if "epsilon_per_document" in statement else stated
        check_loss(loss, number(one), 1.0, None)
    except WrongError as wrong:
        return Finding(None, claimed, stated, wrong.recomputed, None, str(wrong))
    return Finding(None, claimed, stated, loss, None, None)


def of_vocabulary(
    statement: Mapping[str, Any], name: str, vocabulary: Vocabulary, typed: Mapping[str, Any], all_pairs: bool
) -> Finding:
    """Check the law over the ``vocabulary`` that the statement has under ``name``.

    The pair that it names as worst is recomputed, and ``all_pairs`` (or a statement that names none) compares every
    pair with the stated loss. ``typed`` holds the files of clusters and similarity.
    """
    stated = statement["vocabularies"][name]
    claimed, loss = number(stated["certificate"]["claimed"]), number(stated["certificate"]["certified"])
    try:
        if vocabulary.hash != stated["hash"]:
            raise WrongError(
                f"it is about another vocabulary than the one that was given (SHA-256 {stated['hash'][:12]}…, not "
                f"{vocabulary.hash[:12]}…)"
            )
        law = _law(statement["mechanism"], stated, vocabulary, typed)
        definition, metric = "LDP", None
        if isinstance(law, TwoSteps):
            definition, metric = "metric-LDP", "Euclidean" if law.p == 2.0 else f"L{law.p:g}"
        if (statement["distance"] or "None").partition(" ")[0] != str(metric):
            raise WrongError(f"it names the distance {statement['distance']}, and its law has {metric}")
        check_claim(statement, stated["parameters"], stated["certificate"], definition)
        recomputed, tokens = _losses(law, stated["certificate"], stated["worst_tokens"], vocabulary.tokens, all_pairs)
    except WrongError as wrong:
        return Finding(name, claimed, loss, wrong.recomputed, wrong.tokens, str(wrong))
    return Finding(name, claimed, loss, recomputed, tokens, None)


def of_summary(statement: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the certificate at the top of a statement over vocabularies; None if nothing is."""
    certificates = [entry["certificate"] for entry in statement["vocabularies"].values()]
    largest = max(number(certificate["certified"]) for certificate in certificates)
    top = statement["certificate"]
    if top in certificates and top["certified"] == largest:
        return None
    return "its first certificate is not that of the vocabulary with the largest loss"


def _law(
    mechanism: str, stated: Mapping[str, Any], vocabulary: Vocabulary, typed: Mapping[str, Any]
) -> TwoSteps | InSets:
    """Return the law that an entry of the statement describes, over the sets that it describes."""
    made, facts = stated_mechanism(mechanism, vocabulary, stated, typed), stated.get("law", {})
    protected = () if made.protected is None else (made.protected,)
    for what, hashed, sets in (
        ("sets of tokens", facts.get("sets_hash"), made.sets),
        ("protected tokens", stated["parameters"].get("protected_hash"), protected),
    ):
        if hashed != (partition.fingerprint(sets) if sets else None):
            raise WrongError(f"its {what} are not those that its parameters give on this vocabulary")
    certificate = stated["certificate"]
    scales = [float(scale) for scale in facts.get("scales", "").split()]
    expected = min(scales) if scales else certificate["conditions"].get("cluster_scale", certificate["scale"])
    if number(certificate["scale"]) != expected:
        raise WrongError(f"its certificate has the scale {certificate['scale']:g}, and its law {expected:g}")
    if facts.get("law_digest") != (made.law_digest or None):
        raise WrongError("its laws are not those that its parameters give on this vocabulary")
    if made.law_digest and scales and scales != made.law_scales:
        raise WrongError("the scales of its laws are not those that its parameters give on this vocabulary")
    tables = tables_of(made) if made.law_digest else ()
    return law_of(mechanism, stated, Public(vocabulary.vectors, made.covered, made.sets, tables))


def check_claim(
    statement: Mapping[str, Any], parameters: Mapping[str, Any], certificate: Mapping[str, Any], definition: str
) -> None:
    """Compare what the statement says of its claim in several places."""
    claimed, certified = number(certificate["claimed"]), number(certificate["certified"])
    if {statement["definition"], certificate["definition"]} != {definition}:
        raise WrongError(f"it states {statement['definition']}, and its mechanism has {definition}")
    if "epsilon_per_document" in statement:
        if not claimed == certified == number(statement["epsilon_per_document"]):
            raise WrongError("its certificate is not about the epsilon of a document")
    elif not number(statement["epsilon_per_draw"]) == number(parameters["epsilon"]) == claimed:
        raise WrongError(
            f"it promises epsilon {statement['epsilon_per_draw']:g}, its parameters hold {parameters['epsilon']:g}, "
            f"and its certificate is about {claimed:g}"
        )
    if not 0.0 <= certified <= claimed:
        raise WrongError(f"its certificate has a loss of {certified:.9g}, more than the {claimed:g} that it claims")


def _one_clip(statement: Mapping[str, Any], conditions: Mapping[str, Any], scale: float) -> None:
    """Compare what the statement says of the range of scores: its width is the scale times the temperature."""
    lower, upper = number(conditions["clip_lower"]), number(conditions["clip_upper"])
    width = scale * number(conditions["temperature"])
    if not lower < upper or abs(width - (upper - lower)) > TOLERANCE * (upper - lower):
        raise WrongError("its scale is not the width of the clip range over the temperature")
    clip = statement["clip"]
    if not [lower, upper] == statement["parameters"]["clip"] == [clip["lower"], clip["upper"]]:
        raise WrongError("its clip range is not the same everywhere")


def _profile(conditions: Mapping[str, Any], outcomes: int) -> list[list[int]]:
    """Return the runs of equal weights of a law by rank: the first ranks share what the last ones leave of 2^62."""
    first, last = conditions["first_ranks"], conditions["weight_last"]
    if type(first) is not int or type(last) is not int:
        raise ValueError
    high, over = divmod((1 << 62) - (outcomes - first) * last, first)
    runs = [run for run in ([over, high + 1], [first - over, high], [outcomes - first, last]) if run[0]]
    if runs[0][1] != conditions["weight_first"]:
        raise WrongError("its weights do not add up to the whole")
    return runs


def _losses(
    law: TwoSteps | InSets, certificate: Mapping[str, Any], named: Any, tokens: Sequence[str], all_pairs: bool
) -> tuple[float | None, list[str] | None]:
    """Return the loss of the worst pair that the certificate names, and its tokens; None where it names none."""
    pair, stated, bound = certificate["worst_pair"], number(certificate["certified"]), certificate["kind"] != "exact"
    loss, words = None, None
    if pair is not None:
        first, second = (int(number(token)) for token in pair)
        words = [tokens[first], tokens[second]]
        if named != words:
            raise WrongError("its worst pair has other tokens than their numbers say", None, words)
        loss, apart = law.pair(first, second, bound)
        check_loss(loss, stated, apart, words)
    if pair is None or all_pairs:
        for first, second in law.above(stated * (1.0 + TOLERANCE)):  # no other pair can be more than the slack above
            other, apart = law.pair(first, second, bound)
            if not other <= stated + _slack(stated, apart):
                words = [tokens[first], tokens[second]]
                raise WrongError(f"a pair loses {other:.9g}, and {stated:.9g} is stated for the worst", other, words)
    return loss, words


def _slack(stated: float, apart: float) -> float:
    """Return how far a recomputed loss may lie from the ``stated`` one, for a pair at the distance ``apart``."""
    return TOLERANCE * stated + ROUNDING / apart


def check_loss(loss: float, stated: float, apart: float, words: list[str] | None) -> None:
    """Raise WrongError unless the recomputed ``loss`` is the ``stated`` one, for a pair at the distance ``apart``."""
    if not abs(loss - stated) <= _slack(stated, apart):
        whose = "law" if words is None else "worst pair"
        raise WrongError(f"its {whose} loses {loss:.9g} at the stated scale, not {stated:.9g}", loss, words)
