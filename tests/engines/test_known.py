"""A statement names the hashes of domains that were not built: a kept digest is that of the domains, or refused."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.vocabulary import SourceFile
from sfumato.building import policies
from sfumato.building.policies import build_policy
from sfumato.cli.certify import treatments_of
from sfumato.engines.engine import Engine
from sfumato.engines.known import About, Known, key_of
from sfumato.engines.routes import Route
from sfumato.engines.values import DrawnValues
from sfumato.errors import GuaranteeError
from sfumato.kinds.codes import Code
from sfumato.kinds.dates.age import Age
from sfumato.mechanisms.independent import Independent
from sfumato.policy import Policy
from sfumato.privacy.randomness import SystemRandomness
from sfumato.release.statement import statement
from sfumato.storage import cache, digests
from sfumato.text.document import Document
from sfumato.types import FloatArray, Progress

POLICY = """
[find]
detect = ["given"]
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = {epsilon}
[[treat]]
kinds = ["DATE"]
mechanism = "shift"
epsilon = 0.01
[[treat]]
kinds = ["CODE", "PHONE"]
mechanism = "independent"
[treat_others]
method = "label"
[kinds.DATE]
first = {first}
"""
PROGRAM = digests.digest_of_program, digests.digest_of_networks


@dataclass(frozen=True)
class Lengths:
    """Embeds a phrase as its length and its first letter."""

    id: str = "lengths"
    dimensions: int = 2

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        return np.array([[len(phrase), ord(phrase[0])] for phrase in phrases], dtype=np.float64) / 100


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))


def built(epsilon: float = 0.5, first: int = 1990) -> Engine:
    return build_policy(Policy.parse(POLICY.format(epsilon=epsilon, first=first)), encoder=Lengths())


def stated(made: Engine) -> dict[str, Any]:
    made.prepare()
    told = statement(made, SystemRandomness(), {1: 1})
    del told["summary"]
    return {**told, "setting": made.setting}


def known(made: Engine, kind: str) -> Known:
    treatment = made.treatment_of(kind)
    assert type(treatment) is Known
    return treatment


def document(text: str, label: str) -> Document:
    return Document(f"x {text} y", "1", {"spans": [{"start": 2, "end": 2 + len(text), "label": label}]})


def hashes(told: dict[str, Any]) -> list[str]:
    """Return every hash of a domain that a statement names."""
    text = json.dumps(told["treatments"])
    return [piece[:64] for piece in text.split('"hash": "')[1:]]


def test_a_statement_from_the_cache_is_the_one_computed_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    anew = stated(built())
    with monkeypatch.context() as patched:  # nothing may be built for it
        patched.setattr(policies, "_treatment", lambda *_: pytest.fail("a domain was built"))
        assert stated(built()) == anew
    shutil.rmtree(tmp_path / "cache")
    assert stated(built()) == anew
    assert len(hashes(anew)) > 3


def test_every_shipped_policy_says_the_same_from_the_cache(short_lists: None) -> None:
    for name in ("clinical", "support", "chat"):
        anew, again = (stated(build_policy(name, encoder=Lengths())) for _ in range(2))
        assert again == anew, name


def test_only_the_kinds_of_a_text_are_built() -> None:
    stated(built())
    made = built()
    stated(made)
    assert made.sanitize(document("54", "AGE")).text != "x AGE y"
    drawn = {treatment.kinds[0] for treatment in made.treated if "made" in vars(treatment)}
    assert drawn == {"AGE"}


@pytest.mark.parametrize("change", [{"epsilon": 0.7}, {"first": 1980}])
def test_a_changed_option_changes_the_digest(change: dict[str, Any]) -> None:
    first, second = stated(built()), stated(built(**change))
    assert first["setting"] != second["setting"]
    kind = "AGE" if "epsilon" in change else "DATE"
    assert known(built(), kind).facts != known(built(**change), kind).facts
    assert known(built(), kind).key != known(built(**change), kind).key
    assert known(built(), "CODE").key == known(built(**change), "CODE").key


def test_a_changed_list_source_network_or_version_changes_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The key covers every list, source file and network of the package, and what it needs."""
    package = Path(digests.__file__).parents[1]
    for folder in ("kinds", "storage", "data/lists", "data/language", "data/encoder"):
        shutil.copytree(package / folder, tmp_path / "sfumato" / folder)
    monkeypatch.setattr(digests, "__file__", str(tmp_path / "sfumato/storage/digests.py"))

    def key() -> str | None:
        for digest in PROGRAM:
            digest.cache_clear()
        return key_of("a kind")

    try:
        keys = {key()}
        for path in ("data/lists/clinical-terms.txt", "kinds/codes.py", "data/encoder/model.safetensors"):
            changed = tmp_path / "sfumato" / path
            changed.write_bytes(changed.read_bytes() + b"\n")
            keys.add(key())
        monkeypatch.setattr(digests, "installed", lambda package: "0" if package == "wordfreq" else "1")
        keys.add(key())
        assert len(keys) == 5
        assert key() == key()
    finally:
        for digest in PROGRAM:
            digest.cache_clear()


def test_a_kind_that_only_an_address_describes_is_not_kept() -> None:
    assert key_of(object()) is None


@pytest.mark.parametrize(("kind", "label"), [(Age, "AGE"), (Code, "CODE")])
def test_a_domain_that_is_not_that_of_the_digest_draws_nothing(kind: type[Any], label: str) -> None:
    """An entry of the right key with the hash of other lists: found before the first draw, then made again."""
    anew = stated(built())
    own = known(built(), label)
    assert own.key is not None
    entry = json.loads(
        json.dumps(cache.load_json(own.key)).replace(hashes({"treatments": own.described()})[0], "0" * 64)
    )
    cache.save_json(own.key, entry)
    made = built()
    with pytest.raises(
        GuaranteeError, match=f"{label}.*nothing was drawn from them.*run the command again"
    ) as refused:
        made.sanitize(document("54", label))
    assert "(they differ in: domains, facts)" in str(refused.value)
    assert "0000" not in str(refused.value)
    assert stated(built()) == anew
    assert built().sanitize(document("54", label)).text


def test_a_damaged_or_foreign_entry_is_made_again(tmp_path: Path) -> None:
    anew = stated(built())
    key = known(built(), "AGE").key
    assert key is not None
    path = tmp_path / "cache" / f"{key}.json"
    whole, kept = path.read_bytes(), cache.load_json(key)
    path.write_bytes(whole.replace(b'"name"', b'"mane"'))  # the seal no longer fits
    assert stated(built()) == anew
    for wrong in (
        {**kept, "certificate": {**kept["certificate"], "certified": 9.0}},  # beyond its claim
        {**kept, "certificate": {**kept["certificate"], "claimed": 9.0}},  # of another guarantee
        {name: value for name, value in kept.items() if name != "facts"},
        ["no entry"],
        None,
    ):
        cache.save_json(key, wrong)
        assert stated(built()) == anew
        assert cache.load_json(key) == kept


def test_a_worker_process_gets_what_is_built() -> None:
    stated(built())
    sent = pickle.loads(pickle.dumps(known(built(), "AGE")))
    assert "made" in vars(sent)
    assert About.of(sent.made).written == sent.about.written


def test_what_a_worker_process_gets_needs_no_cache(tmp_path: Path) -> None:
    """A copy of a treatment that was not begun has what it is made of, so that it can be certified in a worker."""
    own = replace(known(built(), "AGE"))
    sent = pickle.loads(pickle.dumps(own))
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    sent.prepare()
    sent.begin()
    assert sent.certificate == own.certificate


def test_public_files_are_those_of_what_is_built() -> None:
    """A run refuses a private file that values are drawn from, so the file must be named before anything is drawn."""
    source = SourceFile(Path("/ages.txt"), 3, "0" * 64)

    def make() -> DrawnValues:
        kind = Age()
        domains = {grain: replace(kind.vocabulary(grain), sources=(source,)) for grain in kind.grains}
        return DrawnValues(kind, {grain: Route(Independent(domain)) for grain, domain in domains.items()})

    for _ in range(2):
        treatment = Known("AGE", make, key_of("ages of a file"))
        treatment.prepare()
        assert list(treatment.sources) == [source]  # nothing is kept of it, so it is built each time
    assert list(known(built(), "AGE").sources) == []


def test_a_run_that_draws_for_people_has_its_key_before_it_builds() -> None:
    subject = POLICY.format(epsilon=0.5, first=1990).replace(
        "epsilon = 0.01", 'epsilon = 0.01\nconsistency = "subject"'
    )
    policy = Policy.parse(subject + '[fields]\nsubject = "who"\n')
    for _ in range(2):
        made = build_policy(policy, encoder=Lengths())
        dates = known(made, "DATE")
        assert len(dates.run_key) == 32
        assert dates.made.run_key == dates.run_key
        assert dates.for_subjects
        assert not known(made, "AGE").for_subjects
        assert made.run_digest == replace(made).run_digest != ""


def test_certify_looks_at_the_domains_and_not_at_what_is_kept() -> None:
    policy = Policy.parse(POLICY.format(epsilon=0.5, first=1990).replace('"given"', '"words"'))
    anew = treatments_of(policy, None)
    keys = [treatment.key for treatment in build_policy(policy).treated if type(treatment) is Known]
    assert len(keys) >= 4
    for key in filter(None, keys):
        kept = cache.load_json(key)
        cache.save_json(key, {**kept, "facts": "others"})
    with pytest.raises(GuaranteeError, match="run the command again"):
        treatments_of(policy, None)
    assert anew
