"""What a build would refuse is refused by a check, which embeds nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import call, write_key
from sfumato import sanitize_file
from sfumato.building.policies import build_policy, sanitizer_of
from sfumato.errors import ConfigurationError, SfumatoError
from sfumato.ledger import Currency
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.policy import Policy
from sfumato.policy.sections import check_currencies
from sfumato.policy.tables import shipped_names
from sfumato.release.plans import guarantees_of
from sfumato.run.policy_checks import _StandIn, check_policy

RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\nepsilon = {}\noptions = {{{}}}\n'
REFUSED = [
    (RULE.format("AGE", "custext", 1, "set_size = 1"), "AGE: "),
    (RULE.format("PERSON", "clusant", 1, "k = 0.5"), "PERSON: CluSanT's k must be at least 1"),
    (RULE.format("PLACE", "santext", 1, "p = 0.5"), "PLACE: "),
    (RULE.format("GROUP", "clusant", 1, "calibration = 'optimal'"), "GROUP: clusant: calibration optimal needs"),
    (RULE.format("WORD", "santext+", 1, "sensitive_share = 2.0"), "WORD: sensitive_share must lie in"),
    (RULE.format("AGE", "geometric", "1e5", ""), "AGE: The law of values on this line cannot be drawn"),
    (RULE.format("DATE", "shift", "1e-12", ""), "DATE: The epsilon of a shift must be at least 1e-09 per day"),
    (RULE.format("AGE", "santext", "1e5", ""), "AGE: santext: the smallest probability would be"),
    (RULE.format("TIME", "clusant", "1e5", ""), "TIME: clusant: the smallest probability would be"),
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


BUDGET = RULE.format("AGE", "geometric", 1, "") + '[treat_others]\nmethod = "label"\n'
CAPS = '[budget]\nname = "notes"\nledger = "spent"\n[budget.{}]\n{} = 3\n'
UNPAID = [
    (CAPS.format("record", '"*"').replace('ledger = "spent"\n', ""), "no ledger keeps it"),
    (CAPS.format("record", '"*"').replace("spent", "elsewhere"), "There is no ledger"),
    (CAPS.format("record", "LDP"), "no cap for the currency .AGE per year."),
    (CAPS.format("subject", '"*"'), "caps for subjects; name the field"),
    (CAPS.format("record", '"*"').replace("3", "4"), "another budget"),
    ('[randomness]\npin = "short.key"\n', "at least 32 random bytes"),
    ('[find]\nallow = ["own.key"]\n[randomness]\npin = "own.key"\n', "own.key is no secret key"),
]


@pytest.mark.parametrize(("toml", "part"), UNPAID, ids=lambda given: given[-30:])
def test_a_check_refuses_what_a_run_refuses_before_a_record(toml: str, part: str, tmp_path: Path) -> None:
    """The ledger, its caps and the key are those of the run: `policy check` and both ways to run say one sentence."""
    records, path = tmp_path / "records.jsonl", tmp_path / "own.toml"
    records.write_text('{"id": "a", "text": "Ann is 62 years old."}\n', encoding="utf-8")
    write_key(tmp_path / "own.key", bytes(range(32)))
    write_key(tmp_path / "short.key", b"short")
    path.write_text(BUDGET + toml, encoding="utf-8")
    caps = re.search(r"\[budget\.(\w+)\]\n\"?([^\"=]+?)\"? =", toml)
    if caps is not None:
        begun = call("ledger", "init", tmp_path / "spent", "--dataset", "notes", "--cap", f"{caps[1]}:{caps[2]}=3")
        assert begun.code == 0, begun.err
    policy = Policy.load(path)
    with pytest.raises(SfumatoError, match=part) as checked:
        check_policy(policy)
    with pytest.raises(SfumatoError) as ran:
        sanitize_file(policy, records, tmp_path / "out.jsonl", id_field="id")
    assert str(ran.value) == str(checked.value)
    checked_by = call("policy", "check", path)
    ran_by = call("sanitize", records, "-o", tmp_path / "out.jsonl", "--policy", path, "--id-field", "id")
    assert (checked_by.code, ran_by.code) == (2, 2)
    assert checked_by.err == ran_by.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_budget_that_a_run_keeps_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(BUDGET + '[fields]\nid = "id"\nsubject = "id"\n' + CAPS.format("subject", '"AGE per year"'))
    assert call("ledger", "init", tmp_path / "spent", "--policy", path).code == 0
    assert call("policy", "check", path).code == 0


def test_a_check_takes_what_the_run_takes(tmp_path: Path) -> None:
    """A policy whose ledger and people are named for the run could not be checked at all."""
    records, path = tmp_path / "records.jsonl", tmp_path / "own.toml"
    records.write_text('{"id": "a", "text": "Ann is 62 years old."}\n', encoding="utf-8")
    path.write_text(BUDGET + CAPS.format("subject", '"*"').replace('ledger = "spent"\n', ""), encoding="utf-8")
    begun = call("ledger", "init", tmp_path / "spent", "--dataset", "notes", "--cap", "subject:*=3")
    assert begun.code == 0, begun.err
    kept, whose = ("--ledger", tmp_path / "spent"), ("--subject-field", "id")
    run = ("sanitize", records, "-o", tmp_path / "out.jsonl", "--policy", path, "--id-field", "id")
    for given, part in (
        (whose, "no ledger keeps it"),
        (kept, "caps for subjects"),
        ((*whose, "--ledger", tmp_path / "elsewhere"), "There is no ledger"),
        ((*whose, *kept, "--ledger-key", tmp_path / "none.key"), "none.key"),
        ((*whose, *kept, "--set", "treat.AGE.epsilom=1"), "did you mean epsilon?"),
    ):
        checked, ran = call("policy", "check", path, *given), call(*run, *given)
        assert (checked.code, ran.code) == (2, 2), given
        assert part in " ".join(checked.err.split())
        assert checked.err == ran.err
    assert call("policy", "check", path, *kept, *whose).code == 0
    assert call(*run, *kept, *whose).code == 0


@pytest.mark.parametrize(
    "name", ["ZORK", "AGE per years", "AGE per day", "CODE per ", "age per year", "X by Euclidean"]
)
def test_a_cap_in_a_currency_that_does_not_exist_is_refused_wherever_it_is_written(name: str, tmp_path: Path) -> None:
    """A misspelt currency beside "*" would be an account that nothing is ever charged to."""
    with pytest.raises(ConfigurationError, match="a currency that does not exist") as told:
        Policy.parse(BUDGET + CAPS.format("record", f'"*" = 100\n"{name}"'))
    assert name not in str(told.value)
    begun = call("ledger", "init", tmp_path / "spent", "--dataset", "notes", "--cap", f"record:{name}=3")
    assert (begun.code, "does not exist" in begun.err) == (2, True)
    assert not [*tmp_path.iterdir()]


def test_every_currency_of_the_shipped_policies_can_be_capped() -> None:
    for name in sorted({*shipped_names()} - {"internal", "synthetic"}):  # neither has a currency
        policy = Policy.load(name)
        stand_in = _StandIn()
        made = sanitizer_of(policy, stand_in.encode, stand_in)
        check_currencies(Currency.of(each, kind).name for kind, each in guarantees_of(made).items())
