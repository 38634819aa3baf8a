"""The page of an audit: whether a draw refutes the claim, what to do, and the bounds that the draws gave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.evaluation.audit.findings import PROVES, Audit, PairVerdict
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots
from sfumato.report.section import rendered
from sfumato.storage.atomic import put

_CAPTION = "Loss of each pair: the bar is the lower bound from draws, the black line ends at the exact loss"


def audit_page(audits: Sequence[Audit]) -> str:
    """Return the whole page, self-contained. It shows the tokens or words that were audited.

    Raise :class:`~sfumato.errors.MissingExtraError` without jinja2 or matplotlib.
    """
    refuted = sum(verdict.refuted for audit in audits for verdict in audit.verdicts)
    judged = sum(verdict.bound is not None for audit in audits for verdict in audit.verdicts)
    pairs = f"{judged:,} pair{'s' * (judged != 1)}"
    if refuted:
        title = f"The claim is refuted by {refuted:,} of {pairs}"
    else:
        title = f"No draw refutes the claim, in {pairs}" if judged else "The claim covers none of these pairs"
    return rendered(
        "audit.html.j2", title=title, refuted=bool(refuted), proves=PROVES, advice=list(_advice(audits)),
        audits=[_part(audit) for audit in audits], version=version.VERSION,
    )  # fmt: skip


def write_page(path: Path, audits: Sequence[Audit]) -> None:
    """Write the page of ``audits`` for its owner. Raise OutputError if that fails."""
    put(path, audit_page(audits).encode("utf-8", "backslashreplace"), private=True)


def _advice(audits: Sequence[Audit]) -> Iterator[str]:
    if any(audit.refuted for audit in audits):
        yield "Do not rely on the claim, and withdraw releases that state it."
        yield "Repair the mechanism, or claim a larger epsilon, and audit again."
    elif any(verdict.bound is not None for audit in audits for verdict in audit.verdicts):
        yield "Check the certificate (sfumato certify): it proves the claim, which no audit does."
    if any(audit.weak for audit in audits):
        yield "Draw more often (--samples) or compare shorter outputs, because these hardly repeat."
    if any(audit.inferred is not None and audit.inferred.vacuous for audit in audits):
        yield "Lower epsilon: the guarantee alone permits nearly every guess to be right."


def _part(audit: Audit) -> dict[str, Any]:
    """Return the content of the page for one audit."""
    about = f", {audit.label}" if audit.label else ""
    queries = [
        [token, "does not lead" if math.isinf(count) else f"{int(count):,}"] for token, count in audit.queries.items()
    ]
    return {
        "title": f"{audit.name}{about}", "remarks": audit.remarks, "refuted": audit.refuted,
        "pairs": [verdict.row for verdict in audit.verdicts],
        "pictures": list(_pictures(audit.verdicts)), "queries": queries,
        "guesses": [] if audit.inferred is None else audit.inferred.rows,
        "prior": None if audit.inferred is None else audit.inferred.prior.description,
    }  # fmt: skip


def _pictures(verdicts: Sequence[PairVerdict]) -> Iterator[tuple[str, str]]:
    """Yield the bounds of all pairs that the claim covers, beside their claim, if all numbers are finite."""
    bounds = [(verdict, verdict.bound) for verdict in verdicts if verdict.bound is not None and _finite(verdict)]
    for claim in dict.fromkeys(verdict.claim for verdict, _ in bounds):
        own = [(verdict, bound) for verdict, bound in bounds if verdict.claim == claim]
        ends = [bound if verdict.exact is None else verdict.exact for verdict, bound in own]
        estimates = [Estimate(bound, bound, end, 0) for (_, bound), end in zip(own, ends, strict=True)]
        most = max(claim, *(max(estimate.value, estimate.high) for estimate in estimates)) or 1.0
        names = [", ".join(verdict.names) for verdict, _ in own]
        yield plots.bars(names, estimates, line=claim, line_name=f"claim: {claim:.4g}", most=most), _CAPTION


def _finite(verdict: PairVerdict) -> bool:
    return all(number is None or math.isfinite(number) for number in (verdict.claim, verdict.exact, verdict.bound))
