"""``sfumato audit --policy``: one kind's treatment against its claim, and what cannot be audited."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import Ran, call
from sfumato.building.policies import treatment_of_kind
from sfumato.engines import shift
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.mechanisms.geometric import Geometric
from sfumato.policy import Policy
from sfumato.privacy.discrete_noise import discrete_laplace
from sfumato.privacy.randomness import SeededRandomness

RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\n{}\n'
POLICY = (
    '[find]\ndetect = ["given"]\n'
    + RULE.format("DATE", "shift", 'epsilon = 1.0\nwithin = "3 days"')
    + RULE.format("AGE", "geometric", "epsilon = 0.5")
    + RULE.format("CODE", "independent", "")
    + '[[treat]]\nkinds = ["HEALTH"]\nmethod = "keep"\n[treat_others]\nmethod = "label"\n[fields]\nsubject = "who"\n'
)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def audited(policy: Path, *more: object, samples: int = 6000) -> Ran:
    """An audit by a seed: of those by system randomness, one in a hundred may refute an honest claim."""
    return call("audit", "--policy", policy, "--samples", samples, "--seed", 1, "--json", *more)


@pytest.mark.parametrize(
    ("kind", "values", "distance", "claim"),
    [("AGE", "62,64", 2.0, 0.5), ("AGE", "sixty-two,64", 2.0, 0.5), ("DATE", "3 May 2019,6 May 2019", 3.0, 1 / 3)],
)
def test_the_claim_of_a_kind_stands(own: Path, kind: str, values: str, distance: float, claim: float) -> None:
    ran = audited(own, "--kind", kind, "--tokens", values)
    assert ran.code == 0, ran.err
    found = ran.json["pairs"][-1]
    assert (found["distance"], found["claim"]) == (distance, pytest.approx(claim))
    assert found["why"] == "asked for"
    assert found["exact"] == pytest.approx(claim)
    assert 0.5 * claim < found["lower_bound"] <= claim  # so near that an ε twice as large would be refuted


def test_without_values_the_audit_chooses(own: Path) -> None:
    for kind, distance in (("DATE", 3.0), ("AGE", 1.0)):
        ran = audited(own, "--kind", kind)
        assert ran.code == 0, ran.err
        assert ran.json["pairs"][0]["distance"] == distance
    assert audited(own, "--kind", "CODE").json["pairs"][0]["lower_bound"] == 0.0


def test_a_shift_with_half_the_noise_is_refuted(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine draws, so that a mistake in it is seen; the closed form of the claim sees none."""
    monkeypatch.setattr(shift, "discrete_laplace", lambda scale, words: discrete_laplace(Fraction(scale) / 2, words))
    ran = audited(own, "--kind", "DATE")
    assert ran.code == 1
    assert "REFUTES" in ran.out


def test_a_draw_that_stays_is_refuted(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Geometric, "draw", lambda self, tokens, uniforms: tokens)
    ran = audited(own, "--kind", "AGE")
    assert ran.code == 1


def test_set_changes_the_claim_that_is_audited(own: Path) -> None:
    ran = audited(own, "--kind", "AGE", "--set", "treat.AGE.epsilon=2")
    assert ran.json["pairs"][0]["claim"] == 2.0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--kind", "HEALTH"), "no formal guarantee under this policy (keep)"),
        (("--kind", "PERSON"), "no formal guarantee under this policy (label)"),
        (("--kind", "DTE"), "did you mean DATE?"),
        ((), "give --policy and the --kind"),
        (("--kind", "AGE", "-e", "1"), "leave out --epsilon"),
        (("--kind", "AGE", "--text", "x"), "leave out --text"),
        (("--kind", "AGE", "--label", "x"), "leave out --label"),
        (("--kind", "AGE", "-m", "santext"), "Give one of"),
        (("--kind", "AGE", "--tokens", "62,Zebrafinch"), "Value 2 of --tokens cannot be read as AGE"),
        (("--kind", "AGE", "--tokens", "62,three weeks old"), "several domains"),
        (("--kind", "DATE", "--tokens", "3 May 2019"), "2 to 4 dates"),
        (("--kind", "DATE", "--tokens", "Monday,Tuesday"), "dates with a year"),
        (("--kind", "CODE", "--tokens", "QX-1,QX-2"), "not in the vocabulary"),
    ],
)
def test_what_cannot_be_audited_is_one_sentence(own: Path, more: tuple[str, ...], said: str) -> None:
    ran = call("audit", "--policy", own, "--samples", 100, *more)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert said in " ".join(ran.err.split())
    assert "Zebrafinch" not in ran.err


def test_python_audits_a_policy_or_what_is_built_of_it(own: Path) -> None:
    policy, more = Policy.load(own), {"label": "AGE", "tokens": ["30", "31"], "samples": 3000}
    more["randomness"] = SeededRandomness(1)
    made = sfumato.build_policy(policy)
    for method in (policy, made):
        found: Any = sfumato.audit(method, **more)  # type: ignore[arg-type]
        assert found.verdicts[-1].names == ("30", "31")
        assert not found.refuted
    with pytest.raises(ConfigurationError, match="name the kind"):
        sfumato.audit(made)
    with pytest.raises(GuaranteeError, match="no formal guarantee"):
        sfumato.audit(made, label="HEALTH")
    with pytest.raises(ConfigurationError, match="has its epsilons and options"):
        sfumato.audit(policy, 1.0, label="AGE")


def test_every_language_with_a_domain_of_its_own_is_audited(tmp_path: Path, short_lists: None) -> None:
    """Only the first of several languages was."""
    path = tmp_path / "several.toml"
    rules = RULE.format("GROUP", "independent", "") + RULE.format("AGE", "geometric", "epsilon = 0.5")
    path.write_text(f'[find]\ndetect = ["given"]\nlanguage = "en de"\n{rules}', encoding="utf-8")
    both = audited(path, "--kind", "GROUP")
    assert both.code == 0, both.err
    assert [each["label"].rpartition(", ")[2] for each in both.json["audits"]] == ["en", "de"]
    assert "taken for the same language" in str(treatment_of_kind(Policy.load(path), "GROUP").guarantee)
    one = audited(path, "--kind", "AGE")  # one domain for all languages
    assert one.code == 0, one.err
    assert "audits" not in one.json
    german = audited(path, "--kind", "AGE", "--tokens", "zweiundsechzig,vierundsechzig")
    assert german.code == 0, german.err
    made = sfumato.build_policy(Policy.load(path))
    assert not sfumato.audit(made, label="AGE", samples=2000, randomness=SeededRandomness(1)).refuted
