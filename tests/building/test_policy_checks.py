"""What a build would refuse is refused by a check, which embeds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call
from sfumato.building.policies import build_policy
from sfumato.building.policy_checks import check_policy
from sfumato.errors import SfumatoError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.policy import Policy

RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\nepsilon = {}\noptions = {{{}}}\n'
REFUSED = [
    (RULE.format("AGE", "custext", 1, "set_size = 1"), "AGE: "),
    (RULE.format("PERSON", "clusant", 1, "k = 0.5"), "PERSON: CluSanT's k must be at least 1"),
    (RULE.format("PLACE", "santext", 1, "p = 0.5"), "PLACE: "),
    (RULE.format("GROUP", "clusant", 1, "calibration = 'optimal'"), "GROUP: clusant: calibration optimal needs"),
    (RULE.format("WORD", "santext+", 1, "sensitive_share = 2.0"), "WORD: sensitive_share must lie in"),
    (RULE.format("AGE", "geometric", "1e300", ""), "AGE: The law of values on this line cannot be drawn"),
    ('[[treat]]\nkinds = ["CODE"]\nmethod = "hash"\n', "A hash"),
    ('[[treat]]\nkinds = ["CODE"]\nmethod = "mask"\noptions = {mask = "a"}\n', "A mask repeats a visible sign"),
    ('[[treat]]\nkinds = ["CODE"]\nmethod = "surrogate"\noptions = {locale = "xx"}\n', "xx"),
    (
        '[find]\ndetect = ["words", "identifiers"]\nallow = ["none.txt"]\n[treat_others]\nmethod = "label"\n',
        "none.txt",
    ),
]


@pytest.mark.parametrize(("toml", "part"), REFUSED, ids=lambda given: given[-30:])
def test_a_check_refuses_what_a_build_refuses(toml: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that is asked for a vector fails the test."""
    monkeypatch.setattr(SentenceEncoder, "encode", lambda *_: pytest.fail("something was embedded"))
    policy = Policy.parse(toml)
    with pytest.raises(SfumatoError, match=part.replace("(", r"\(")) as caught:
        check_policy(policy)
    assert "\n" not in str(caught.value)


def test_the_refusals_are_those_of_a_build() -> None:
    """Without the check, a build says the same: it is the check that is early, not the build that is lenient."""
    for toml, part in REFUSED[:1] + REFUSED[-4:-1]:
        with pytest.raises(SfumatoError, match=part):
            build_policy(Policy.parse(toml))


def test_the_command_checks_without_embeddings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SentenceEncoder, "encode", lambda *_: pytest.fail("something was embedded"))
    path = tmp_path / "own.toml"
    path.write_text(RULE.format("PERSON", "santext", 4, ""), encoding="utf-8")
    assert call("policy", "check", path).code == 0
    path.write_text(RULE.format("PERSON", "clusant", 4, "calibration = 'optimal'"), encoding="utf-8")
    ran = call("policy", "check", path)
    assert ran.code == 2
    assert "PERSON: clusant: calibration optimal" in " ".join(ran.err.split())
