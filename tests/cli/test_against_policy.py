"""``certify --against`` the statement of a policy: honest ones agree, and a lie is found in any treatment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import Ran, call, write_jsonl
from sfumato.kinds.dates.date import Date

FIND = '[find]\ndetect = ["given"]\n'
RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\n{}\n'
CLOSED = (
    FIND
    + RULE.format("DATE", "shift", 'epsilon = 1.0\nwithin = "30 days"')
    + RULE.format("AGE", "geometric", "epsilon = 0.25")
    + RULE.format("DURATION", "geometric", "epsilon = 0.5")
    + RULE.format("CODE", "independent", "")
    + '[[treat]]\nkinds = ["HEALTH"]\nmethod = "keep"\n[treat_others]\nmethod = "label"\n'
)
SETS = (
    FIND
    + RULE.format("AGE", "custext", "epsilon = 2.0\noptions = {set_size = 5}")
    + RULE.format("TIME", "santext", "epsilon = 0.001")
    + '[kinds.DATE]\nfirst = 2000\nlast = 2020\n'
    + RULE.format("DATE", "geometric", "epsilon = 0.05")
)  # fmt: skip
Statement = dict[str, Any]
SPANS = [{"start": 0, "end": 2, "label": "AGE"}, {"start": 3, "end": 13, "label": "DATE"}]


def released(folder: Path, policy: str, *more: object) -> Path:
    (folder / "own.toml").write_text(policy, encoding="utf-8")
    write_jsonl(folder / "in.jsonl", [{"text": "62 3 May 2019", "spans": SPANS}])
    ran = call("sanitize", folder / "in.jsonl", "-o", folder / "out.jsonl", "--policy", folder / "own.toml", *more)
    assert ran.code == 0, ran.err
    return folder / "out.jsonl.privacy.json"


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("closed"), CLOSED)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("sets"), SETS)


def against(statement: Path, *more: object) -> Ran:
    return call("certify", "--against", statement, *more)


def of(statement: Statement, kind: str) -> Statement:
    """Return the entry of a kind."""
    [entry] = [entry for entry in statement["treatments"] if kind in entry["kinds"]]
    found: Statement = entry
    return found


def changed(statement: Path, change: Callable[[Statement], Any]) -> Path:
    """Return the statement with a lie in it."""
    content = json.loads(statement.read_text(encoding="utf-8"))
    before = json.dumps(content)
    change(content)
    assert json.dumps(content) != before
    path = statement.with_name("changed.privacy.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "more"), [("closed", ()), ("sets", ()), ("sets", ("--all-pairs",))])
def test_an_honest_statement_agrees(name: str, more: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    statement: Path = request.getfixturevalue(name)
    told = against(statement, *more)
    assert told.code == 0, told.out + told.err
    content = json.loads(statement.read_text(encoding="utf-8"))
    promised = [", ".join(entry["kinds"]) for entry in content["treatments"] if "epsilon_per_draw" in entry]
    assert [line.split(", treatment of ")[1].split(", agrees")[0] for line in told.out.splitlines()] == promised
    found = against(statement, *more, "--json").json
    assert (found["agrees"], found["mechanism"], found["refused"]) == (True, "policy", [])
    for row in found["checked"]:
        assert row["problem"] is None
        assert row["recomputed"] == pytest.approx(row["stated"], rel=found["tolerance"])
        assert row["stated"] <= row["claimed"]


MANY = FIND + "[kinds.DATE]\nfirst = 2000\nlast = 2020\n" + RULE.format("DATE", "santext", "epsilon = 0.001")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("many"), MANY)


def test_domains_whose_loss_was_not_recomputed_are_named(many: Path, sets: Path, closed: Path) -> None:
    """Of a kind with many domains the statement gives the loss of the weakest alone."""
    [weakest] = of(json.loads(many.read_text(encoding="utf-8")), "DATE")["domains"]["weakest"]
    others = [grain for grain in Date(first=2000, last=2020).grains if grain != weakest]
    said = against(many).out
    assert f"Of {len(others)} more domains ({', '.join(others)}) only the hash was compared, and no loss" in said
    [row] = against(many, "--json").json["checked"]
    assert row["not_recomputed"] == others
    left = {row["kinds"]: row["not_recomputed"] for row in against(sets, "--json").json["checked"]}
    assert left["AGE"] == left["TIME"] == []  # all of few domains are stated
    assert left["DATE"]  # beside a law on a line, those on a circle
    assert "day" not in left["DATE"]
    assert all(row["not_recomputed"] == [] for row in against(closed, "--json").json["checked"])
    assert "only the hash" not in against(closed).out


def scaled(statement: Statement, kind: str, factor: float) -> None:
    """Change ε wherever the entry of a kind states it, and so the scale of a closed form."""
    entry = of(statement, kind)
    domains = entry.get("domains", {})
    listed = domains.get("weakest", domains).values()
    for holder in (entry, *listed):
        certificate = holder["certificate"]
        certificate["claimed"] *= factor
        holder["parameters"]["epsilon"] *= factor
    entry["epsilon_per_draw"] *= factor


LIES: list[tuple[str, str, Callable[[Statement], Any], str]] = [
    ("closed", "AGE", lambda s: scaled(s, "AGE", 2.0), "its scale is not its epsilon"),
    ("closed", "AGE", lambda s: of(s, "AGE").update(epsilon_per_draw=0.1), "it promises epsilon 0.1"),
    ("closed", "AGE", lambda s: of(s, "AGE").update(per="day"), "per day"),
    ("closed", "AGE", lambda s: of(s, "AGE")["domains"]["year"].update(hash="0" * 64), "its domain year is not"),
    ("closed", "AGE", lambda s: of(s, "AGE")["domains"].pop("decade"), "its domains are not those of its kind"),
    ("closed", "AGE", lambda s: of(s, "AGE").update(guarantee="no formal guarantee"), "no formal guarantee"),
    ("closed", "AGE", lambda s: of(s, "AGE").update(method="independent"), "another epsilon than 0"),
    (
        "closed", "AGE",
        lambda s: of(s, "AGE")["domains"]["week"].update(worst_values=["1", "5"]), "its worst pair has other values",
    ),
    ("closed", "DURATION", lambda s: of(s, "DURATION")["domains"].update(count=3), "its domains are not those"),
    ("closed", "DURATION", lambda s: of(s, "DURATION")["domains"].update(hash="0" * 64), "its domains are not those"),
    ("closed", "DATE", lambda s: of(s, "DATE").update(scale_in_days=60.0), "its scale is not the same everywhere"),
    ("closed", "DATE", lambda s: of(s, "DATE").update(epsilon_per_draw=0.01), "it promises epsilon 0.01"),
    ("closed", "CODE", lambda s: of(s, "CODE").update(epsilon_per_draw=0.5), "another epsilon than 0"),
    (
        "closed", "CODE",
        lambda s: [each.update(certified=0.5, claimed=0.5) for each in certificates(s, "CODE")],
        "another epsilon than 0",
    ),
    ("sets", "AGE", lambda s: of(s, "AGE")["domains"]["year"]["law"].update(sets_hash="0"), "its sets of tokens"),
    (
        "sets", "TIME",
        lambda s: [each.update(certified=each["certified"] * 0.9) for each in certificates(s, "TIME")],
        "its worst pair loses",
    ),
    (
        "sets", "TIME",
        lambda s: [each.update(scale=each["scale"] * 1.5) for each in certificates(s, "TIME")],
        "its worst pair loses",
    ),
    (
        "sets", "DATE",
        lambda s: of(s, "DATE")["laws"].update({"weekday": "geometric"}), "its values do not lie on a line",
    ),
    ("sets", "DATE", lambda s: of(s, "DATE")["options"].update(last=2030), "its domains are not those"),
    (
        "sets", "TIME",
        lambda s: of(s, "TIME").update(certificate=certificates(s, "TIME")[0] | {"certified": 0}),
        "not that of the domain with the largest loss",
    ),
]  # fmt: skip


def certificates(statement: Statement, kind: str) -> list[Statement]:
    """Return every certificate in the entry of a kind."""
    entry = of(statement, kind)
    return [entry["certificate"], *(each["certificate"] for each in entry["domains"].values())]


@pytest.mark.parametrize(("name", "kind", "lie", "said"), LIES)
def test_a_lie_is_found(
    name: str, kind: str, lie: Callable[[Statement], Any], said: str, request: pytest.FixtureRequest
) -> None:
    told = against(changed(request.getfixturevalue(name), lie))
    assert told.code == 1, told.out + told.err
    [line] = [line for line in told.out.splitlines() if "is wrong" in line]
    assert f"treatment of {kind}, is wrong: " in line
    assert said in line


def test_a_shift_of_another_scale_is_found(closed: Path) -> None:
    """Claim, parameters and scale agree with one another, and not with the law."""

    def lie(statement: Statement) -> None:
        date = of(statement, "DATE")
        date["scale_in_days"] = date["certificate"]["conditions"]["scale_in_days"] = 5.0

    told = against(changed(closed, lie))
    assert told.code == 1
    assert "its law loses 0.2 at the stated scale, not 0.0333" in told.out


def test_a_law_that_is_not_finite_is_refused_by_its_name(tmp_path: Path) -> None:
    policy = FIND + RULE.format("AGE", "fbdd", "epsilon = 1.0") + RULE.format("CODE", "independent", "")
    statement = released(tmp_path, policy)
    told = against(statement)
    assert told.code == 2
    assert "not the treatment of AGE, because fbdd has no finite law that the checker knows" in told.err
    assert "treatment of CODE, agrees" in told.out
    asked = against(statement, "--json")
    assert asked.code == 2
    assert json.loads(asked.out)["refused"][0]["kinds"] == "AGE"
    wrong = changed(statement, lambda content: of(content, "CODE").update(epsilon_per_draw=0.5))
    assert against(wrong).code == 1


def test_what_cannot_be_checked_is_one_sentence(closed: Path, tmp_path: Path) -> None:
    def keep_all(statement: Statement) -> None:
        statement["treatments"] = [entry for entry in statement["treatments"] if "certificate" not in entry]

    odd: list[Callable[[Statement], Any]] = [
        keep_all,
        lambda s: s.update(treatments=3),
        lambda s: s.update(private=False),
        lambda s: of(s, "AGE").pop("domains"),
        lambda s: of(s, "AGE").update(kinds=["NOBODY"]),
        lambda s: of(s, "AGE").update(options={"x": 1}),
        lambda s: of(s, "AGE")["certificate"].update(certified="much"),
        lambda s: of(s, "DATE").update(scale_in_days=None),
        lambda s: of(s, "AGE")["domains"]["year"]["certificate"].update(worst_pair=[0, 10**9]),
    ]
    for change in odd:
        told = against(changed(closed, change))
        assert told.code in (1, 2), told.out
        assert "Internal error" not in told.err
        assert len(told.err.strip().splitlines()) <= 1
    told = against(closed, "--set", f"vocabulary={closed}")
    assert told.code == 2
    assert "domains of its own" in " ".join(told.err.split())
