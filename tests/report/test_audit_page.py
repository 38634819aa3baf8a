"""The page of an audit: an honest claim and a refuted one, in a browser; for its owner only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import browsing
from command_line import CANARY, call, write_vectors
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.evaluation.audit.findings import CONSISTENT, Audit, PairVerdict
from sfumato.report.audit import audit_page

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
NAMES = ("<b>cat", "dog")


def audit(bound: float | None, claim: float = 1.0, exact: float | None = 0.9) -> Audit:
    return Audit(
        "santext", Distinguishing(0.99, 1000), [PairVerdict(NAMES, "the worst pair", claim, 1.0, exact, bound)]
    )


@pytest.mark.parametrize("made", [audit(0.8), audit(1.4), audit(None), audit(0.5, float("inf"))])
def test_it_fits_and_can_be_read(browser: Any, made: Audit) -> None:
    whole = audit_page([made])
    assert "<b>" not in whole
    with browsing.opened(browser, whole) as (seen, events):
        for look in browsing.looks(seen):
            assert browsing.overflow(seen) == 0, look
            assert browsing.faint(seen) == [], look
        assert set(browsing.sheets(seen)) == {(595, 842)}
        assert events == []


def test_it_opens_with_what_the_draws_showed() -> None:
    honest, refuted, uncovered = (audit_page([audit(bound)]) for bound in (0.8, 1.4, None))
    assert '<h1 id="verdict">No draw refutes the claim, in 1 pair</h1>' in honest
    assert "proves nothing" in honest
    assert CONSISTENT in honest
    assert 'class="sign' not in honest  # a bound within the claim is no good news
    assert "The claim is refuted by 1 of 1 pair</h1>" in refuted
    assert "Do not rely on the claim" in refuted
    assert 'class="card fails"' in refuted
    assert "The claim covers none of these pairs" in uncovered
    assert [page.count("<figure>") for page in (honest, refuted, uncovered)] == [1, 1, 0]
    assert audit_page([audit(0.5, float("inf"))]).count("<figure>") == 0


def test_the_command_writes_it_for_its_owner(tmp_path: Path) -> None:
    vectors = write_vectors(tmp_path)
    page = tmp_path / "audit.html"
    asked = ("audit", "--mechanism", "santext", "--epsilon", 2, "--set", f"vocabulary={vectors}", "--samples", 2000)
    assert call(*asked, "--seed", 3, "--tokens", "cat,dog", "--page", page).code == 0
    assert "No draw refutes the claim" in page.read_text("utf-8")
    if os.name != "nt":
        assert page.stat().st_mode & 0o777 == 0o600
    for place, reason in (
        (tmp_path / "in.jsonl", "ends in .html"),
        (tmp_path / CANARY / "a.html", "cannot be written"),
    ):
        refused = call(*asked, "--tokens", "cat,dog", "--page", place)
        assert refused.code != 0
        assert reason in refused.err
        assert not place.exists()
