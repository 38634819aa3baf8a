"""From a policy to a sanitizer: what is built goes to other processes, and is the same whenever it is built."""

from __future__ import annotations

import json
import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.building.policies import build_policy
from sfumato.building.public_arrays import StatedValues
from sfumato.errors import ConfigurationError
from sfumato.policy import Policy
from sfumato.text.document import Document
from sfumato.types import FloatArray, Progress
from short_lists import short_lists

JOBS = """
[find]
detect = ["given"]
[[treat]]
kinds = ["OCCUPATION"]
mechanism = "independent"
consistency = "{}"
[treat_others]
method = "label"
[fields]
subject = "who"
"""


@dataclass(frozen=True)
class Lengths:
    """Embeds a phrase as its length and its first letter."""

    id: str = "lengths"
    dimensions: int = 2

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        return np.array([[len(phrase), ord(phrase[0])] for phrase in phrases], dtype=np.float64)


def test_two_builds_have_one_setting() -> None:
    """Keyed draws depend on the setting: one that held an address would never repeat a pinned release."""
    policy = Policy.parse(JOBS.format("document"))
    first, second = (build_policy(policy, encoder=Lengths()) for _ in range(2))
    assert first.setting == second.setting
    assert first.fingerprint() == second.fingerprint()
    assert first.run_digest == second.run_digest == ""
    near = Policy.parse(JOBS.format("document").replace('"independent"', '"santext"\nepsilon = 2.0'))
    settings = {build_policy(near, encoder=Lengths(name)).setting for name in ("lengths", "others")}
    assert len(settings) == 2


def test_a_setting_that_holds_an_address_is_refused() -> None:
    class Nameless(Lengths):
        def __repr__(self) -> str:
            return object.__repr__(self)

    near = Policy.parse(JOBS.format("document").replace('"independent"', '"santext"\nepsilon = 2.0'))
    made = build_policy(near, encoder=Lengths())
    [drawn] = made.treated
    unnamed = replace(drawn.made, kind=replace(drawn.made.kind, embed=Nameless().encode))
    with pytest.raises(ConfigurationError, match="address in memory"):
        _ = replace(made, treated=(unnamed, *made.treated[1:])).setting


_SETTING = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from building.test_policies import setting
print(setting())
"""


def setting() -> str:
    """Return the setting of the shipped policy with the most kinds, over short lists."""
    with short_lists():
        return build_policy("clinical", encoder=Lengths()).setting


def test_a_setting_is_the_same_in_another_process() -> None:
    """What is drawn by a key depends on it: a pinned release repeats itself, and a person has one name everywhere."""
    paths = json.dumps([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    ran = subprocess.run(
        [sys.executable, "-c", _SETTING, paths], capture_output=True, text=True, check=False, env=environment
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.strip() == setting()


def test_strangers_of_one_person_stay_apart() -> None:
    """A law that does not look takes one token for all values that its list lacks; they are not one value."""
    jobs = ("flarnist", "quonsetter", "flarnist")
    starts = (0, 13, 28)
    spans = [{"start": n, "end": n + len(job), "label": "OCCUPATION"} for n, job in zip(starts, jobs, strict=True)]
    document = Document(" met ".join(jobs), "1", {"spans": spans, "who": "p"})
    for scope in ("document", "subject"):
        made = build_policy(Policy.parse(JOBS.format(scope)), encoder=Lengths())
        drawn = [made.sanitize_batch([document])[0].text.lower().split(" met ") for _ in range(20)]
        assert all(first == again for first, _, again in drawn), scope
        assert any(first != other for first, other, _ in drawn), scope


def test_a_law_that_looks_at_no_distance_embeds_nothing() -> None:
    """24,000 names would be embedded for half a minute, and nothing would read their vectors."""

    class Unasked(Lengths):
        def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
            raise AssertionError("nothing is embedded")

    made = build_policy(Policy.parse(JOBS.format("document")), encoder=Unasked())
    text = "The cook saw a flarnist."
    spans = [{"start": start, "end": end, "label": "OCCUPATION"} for start, end in ((4, 8), (15, 23))]
    [release] = made.sanitize_batch([Document(text, "1", {"spans": spans})])
    assert "flarnist" not in release.text
    [drawn] = [treatment.made for treatment in made.treated if treatment.kinds == ("OCCUPATION",)]
    route = drawn.routes[drawn.kind.grains[0]]
    assert route.unknown == "surrogate"
    assert route.mechanism.certify().certified == 0.0
    stated = StatedValues().kind({"kinds": ["OCCUPATION"], "method": "independent", "options": {}})
    assert StatedValues().domain(stated, stated.grains[0]).hash == route.mechanism.vocabulary.hash
    measured = StatedValues().kind({"kinds": ["OCCUPATION"], "method": "santext", "options": {}})
    assert measured.is_measured


def test_what_is_built_goes_to_other_processes() -> None:
    made = build_policy(Policy.parse(JOBS.format("subject")), encoder=Lengths())
    sent = pickle.loads(pickle.dumps(made))
    assert sent.setting == made.setting
    assert sent.run_digest == made.run_digest  # all processes of a run draw by one key


def test_runs_have_keys_of_their_own() -> None:
    policy = Policy.parse(JOBS.format("subject"))
    digests = {build_policy(policy, encoder=Lengths()).run_digest for _ in range(3)}
    assert len(digests) == 3
    assert "" not in digests


KEPT = """
[find]
detect = ["given"]
[[treat]]
kinds = ["HEALTH", "DURATION", "QUANTITY"]
method = "keep"
[treat_others]
method = "label"
"""


def released(text: str, label: str) -> str:
    made = build_policy(Policy.parse(KEPT), encoder=Lengths())
    document = Document(f"x {text} y", metadata={"spans": [{"start": 2, "end": 2 + len(text), "label": label}]})
    return made.sanitize(document).text[2:-2]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Anna Larsen's injury", "DEM"),
        ("Mr Cancer", "GIVEN"),
        ("Ranvir", "LISTED"),
        ("5 mg", "LISTED"),
        ("Crohn's disease", "MISC"),
        ("62 years", "DATE"),
        ("30 months", "AGE"),
    ],
)
def test_what_a_text_says_does_not_keep_it(text: str, label: str) -> None:
    """A reader of diseases takes "Mr Cancer", and a deny list marks what must never stay."""
    assert text not in released(text, label)


@pytest.mark.parametrize(
    ("text", "label"),
    [("asthma", "HEALTH"), ("six months", "DATE"), ("two days", "DURATION"), ("300 mg", "QUANTITY")],
)
def test_what_a_label_says_is_kept(text: str, label: str) -> None:
    assert released(text, label) == text


def test_a_file_is_sanitized_with_the_fields_of_a_policy(tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    row = {"no": "a", "letter": "Anna came.", "name": "Anna", "ward": 3, "who": "p"}
    row["spans"] = [{"start": 0, "end": 4, "label": "PERSON"}]
    notes.write_text(json.dumps(row) + "\n", encoding="utf-8")
    policy = '[find]\ndetect = ["given"]\n[treat_others]\nmethod = "label"\n[fields]\ntext = ["letter"]\nid = "no"\n'
    for keep, left in (
        ('keep = ["ward"]\n', {"no", "letter", "ward"}),
        ("keep = []\n", {"no", "letter"}),
        ("", {"no", "letter"}),
    ):
        done = sfumato.sanitize_file(Policy.parse(policy + keep), notes, tmp_path / "safe.jsonl", overwrite=True)
        [written] = map(json.loads, done.output.read_text(encoding="utf-8").splitlines())
        assert set(written) - {"spans"} == left - {"spans"}
        assert written["letter"] == "[PERSON] came."


def test_rules_without_a_guarantee_do_not_share_options_unseen() -> None:
    rules = '[[treat]]\nkinds = ["{}"]\nmethod = "mask"\noptions = {{length = {}}}\n'
    both = rules.format("PERSON", 5) + rules.format("CODE", 0)
    with pytest.raises(ConfigurationError, match="two values"):
        Policy.parse(both)


def test_kinds_that_nothing_names_are_never_kept_unsaid() -> None:
    made = build_policy(Policy.load("research-words"), encoder=Lengths())
    assert made.treatment_of("A KIND OF TOMORROW").name == "redaction"


@pytest.mark.parametrize("given", ["clinical", Policy.load("clinical")], ids=["name", "policy"])
def test_a_policy_in_place_of_a_method_is_told_who_takes_it(given: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"sfumato\.build_policy"):
        sfumato.build(given)


def test_a_shift_says_what_it_does_in_place_of_a_law() -> None:
    policy = Policy.parse('[[treat]]\nkinds = ["DATE"]\nmechanism = "shift"\nepsilon = 1.0\nwithin = "30 days"\n')
    made = sfumato.build_policy(policy)
    with pytest.raises(ConfigurationError) as caught:
        made.explain("3 May 2020", label="DATE")
    [days] = re.findall(r"of at most (\d+) days in 95 % of draws", str(caught.value))
    falls = math.exp(-1 / 30)
    outside = 2 * falls ** (int(days) + 1) / (1 + falls)
    assert outside <= 0.05 < 2 * falls ** (int(days) - 2) / (1 + falls)
    assert "sfumato audit --policy POLICY --kind DATE" in str(caught.value)
