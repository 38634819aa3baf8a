"""The limit on people whom nobody else shares what is shown with: what it counts, needs, and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.studies.population import FEWEST, population_id
from sfumato.files import FileOptions
from sfumato.policy import Policy
from sfumato.protection.attempts import decided_by
from sfumato.protection.needs import Available, needs
from sfumato.protection.protecting import protect_request
from sfumato.protection.request import Request, check_input, public

pytestmark = pytest.mark.models
TOWNS = ("Lyon", "Oslo")
TABLE = "place,sex,age,count\n" + "".join(
    f"{town},{sex},{age},{1 if age == '80-89' else 900}\n"
    for town in TOWNS
    for sex in ("female", "male")
    for age in ("30-39", "80-89")
)
POLICY = """
[find]
detect = ["identifiers"]
[[treat]]
kinds = ["AGE"]
method = "{age}"
[[treat]]
kinds = ["PLACE"]
method = "keep"
[treat_others]
method = "label"
[accept]
population_unique_upper = {limit}
population = "census.csv"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Twenty-four records of people whose age and town the table has: every fourth is the only one of them."""
    lines = []
    for number in range(24):
        age, town = (84 if number % 4 == 0 else 35), TOWNS[number % 2]
        text = f"The patient, a {age}-year-old man, lives in {town}. He was seen for a cough and went home."
        lines.append(json.dumps({"id": str(number), "text": text}))
    (tmp_path / "records.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "census.csv").write_text(TABLE)
    return tmp_path


def request_of(home: Path, name: str, limit: float = 0.2, age: str = "keep") -> Request:
    policy = Policy.parse(POLICY.format(limit=limit, age=age), home)
    files = FileOptions(fields=("text",), id_field="id")
    return Request(home / "records.jsonl", policy, home / name, files, home / "key", sample=10, trials=False)


def test_a_release_that_shows_rare_people_is_refused_and_one_that_does_not_is_accepted(
    home: Path, short_lists: None
) -> None:
    shown = protect_request(request_of(home, "shown"))
    assert not shown.accepted
    (limit,) = (each for each in shown.judgements if each.name == "population_unique_upper")
    assert limit.measured is not None
    assert (limit.measured.value, limit.measured.n, limit.state) == (0.25, 24, "does not hold")
    hidden = protect_request(request_of(home, "hidden", age="label"))
    assert hidden.accepted
    page = (home / "hidden.release" / "report.html").read_text(encoding="utf-8")
    assert "census.csv" in page
    assert "the fewest are" not in page
    assert "the fewest are" in (home / "hidden.private" / "report.html").read_text(encoding="utf-8")
    [study] = [study for study in hidden.attack.studies if study.name == "population"]
    assert any(name.startswith(FEWEST) for name in study.facts)


def test_a_table_that_cannot_be_used_is_refused_before_anything_is_drawn(home: Path) -> None:
    (home / "census.csv").write_text("age,count\n30,5\n")
    with pytest.raises(InputError, match="no column 'place'"):
        check_input(request_of(home, "wrong"))
    (home / "census.csv").unlink()
    with pytest.raises(ConfigurationError, match=r"no file census\.csv with a population"):
        check_input(request_of(home, "absent"))


def test_another_table_is_another_attempt(home: Path) -> None:
    request = request_of(home, "again")
    before = decided_by(request)
    (home / "census.csv").write_text(TABLE.replace("900", "901"))
    assert decided_by(request) != before


def test_a_table_without_its_limit_is_refused_and_so_is_the_limit_of_synthetic_records() -> None:
    treats = "[treat_others]\nmethod = 'label'\n"
    with pytest.raises(ConfigurationError, match="needs its limit; set population_unique_upper"):
        Policy.parse(f"{treats}[accept]\npopulation = 'census.csv'\n")
    with pytest.raises(ConfigurationError, match="population_unique_upper is a limit of values that are treated"):
        Policy.load("synthetic").with_changes({"accept.population_unique_upper": "0.1"})


def test_readers_get_the_tables_name_and_no_folder(home: Path) -> None:
    policy = Policy.parse(POLICY.format(limit=0.2, age="keep").replace("census", "ours/census"), home)
    assert public(policy).accept.population == "census.csv"
    assert policy.population == home / "ours" / "census.csv"


def test_the_limit_counts_everybody_and_decides_no_draw() -> None:
    policy = Policy.parse("[treat_others]\nmethod = 'label'\n[accept]\npopulation_unique_upper = 0.05\n")
    [need] = needs(policy, Available.alike(71))
    assert (need.least, need.there, need.enough) == (72, 71, False)
    assert policy.population is None
    assert population_id("shipped:places")
    assert policy.fingerprint == policy.with_changes({"accept.population_unique_upper": "0.5"}).fingerprint
