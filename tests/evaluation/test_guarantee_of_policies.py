"""The study of the guarantee over a release by a policy: figures for each treatment, or a sentence why not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CANARY, call, write_jsonl
from sfumato.evaluation.pairs import read_pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.guarantee import BAYES, COST, GUESSING, PERMITTED, TREATMENTS, GuaranteeStudy
from sfumato.files import FileOptions
from sfumato.privacy.line_law import LineLaw
from sfumato.report.sections.guarantee import guarantee_section as section

RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\n{}\n'
POLICY = (
    '[find]\ndetect = ["given"]\n'
    + RULE.format("DATE", "shift", 'epsilon = 1.0\nwithin = "30 days"')
    + RULE.format("AGE", "geometric", "epsilon = 0.25")
    + RULE.format("TIME", "custext", "epsilon = 2.0\noptions = {set_size = 6}")
    + RULE.format("DURATION", "geometric", "epsilon = 0.5")
    + RULE.format("CODE", "independent", "")
    + '[[treat]]\nkinds = ["HEALTH"]\nmethod = "keep"\n[treat_others]\nmethod = "label"\n[fields]\nid = "id"\n'
)
SPANS = [{"start": 0, "end": 2, "label": "AGE"}, {"start": 3, "end": 13, "label": "DATE"}]


def released(folder: Path, *more: object) -> tuple[Path, Path]:
    (folder / "own.toml").write_text(POLICY, encoding="utf-8")
    rows = [{"id": f"r{n}", "text": f"62 3 May 2019 {CANARY}", "spans": SPANS} for n in range(4)]
    original = write_jsonl(folder / "in.jsonl", rows)
    ran = call("sanitize", original, "-o", folder / "out.jsonl", "--policy", folder / "own.toml", *more)
    assert ran.code == 0, ran.err
    return original, folder / "out.jsonl"


def studied(original: Path, release: Path) -> Study:
    found = GuaranteeStudy(release).run(read_pairs(original, release, FileOptions(id_field="id")))
    assert CANARY not in json.dumps(found.as_json())
    return found


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return studied(*released(tmp_path_factory.mktemp("policy")))


def value(study: Study, name: str, vocabulary: str) -> float:
    [figure] = [each for each in study.figures if each.name == name and each.setting["vocabulary"] == vocabulary]
    return figure.estimate.value


def test_each_law_of_single_values_is_attacked(study: Study) -> None:
    assert {str(figure.setting["vocabulary"]).split(" (")[0] for figure in study.figures} == {
        "AGE",
        "TIME",
        "DURATION",
    }
    law = np.exp([LineLaw(np.arange(110.0), 0.25).log_law(place) for place in range(110)])
    brute = law.max(axis=0).sum() / 110
    assert value(study, GUESSING, "AGE (year)") == pytest.approx(1 / 110)
    assert value(study, BAYES, "AGE (year)") == pytest.approx(brute, rel=1e-9)
    assert brute < value(study, PERMITTED, "AGE (year)") < 1.0
    own = study.facts[TREATMENTS]
    assert own["AGE"]["prior"] == "110 values, all equally likely"
    assert own["AGE"][COST]["draws"] == 1
    assert own["DATE"][COST]["epsilon"] == pytest.approx(1 / 30)
    assert own["DURATION"]["largest_distance"] > 0.0


def test_of_the_others_a_sentence_says_why(study: Study) -> None:
    reasons = {skipped.what.removeprefix(f"{BAYES}, "): skipped.why for skipped in study.skipped}
    assert "no single date has a law" in reasons["DATE"]
    assert "does not look at the value (epsilon 0)" in reasons["CODE"]
    assert "keep has no formal guarantee" in reasons["HEALTH"]
    assert {"DATE", "CODE", "HEALTH"} <= reasons.keys()
    assert set(study.facts[TREATMENTS]) == {
        "DATE",
        "AGE",
        "TIME",
        "DURATION",
        "CODE",
    }  # no cost of what has no epsilon


def test_the_page_tells_the_costs_in_units(study: Study) -> None:
    more = {kinds: {COST: {"draws": 2, "epsilon": 0.0}} for kinds in ("CODE", "PHONE, EMAIL")}
    more["DURATION"] = {COST: {"draws": 2, "epsilon": 3.0, "per": "e-fold"}}
    told = section(replace(study, facts={TREATMENTS: {**study.facts[TREATMENTS], **more}}))
    text = " ".join(told.sentences)
    assert "The draws of CODE, PHONE, EMAIL do not look at the value, and cost nothing." in text
    assert "pays 0 " not in text
    [table] = told.tables
    assert ["AGE", "1", "0.25 per year", ""] in table.rows
    assert ["DATE", "1", "0.03334 per day", ""] in table.rows
    assert ["DURATION", "2", "3 per e-fold (a ratio of 2.72)", ""] in table.rows
    assert "CODE" not in [row[0] for row in table.rows]
    assert "Values of AGE (year) named right from one draw" in [title for _, title in told.pictures]


def test_a_seeded_release_permits_nothing(tmp_path: Path) -> None:
    found = studied(*released(tmp_path, "--seed", "1"))
    assert not [figure for figure in found.figures if figure.name == PERMITTED]
    assert [figure for figure in found.figures if figure.name == BAYES]
    assert not [facts for facts in found.facts[TREATMENTS].values() if COST in facts]


def test_a_statement_that_was_changed_gives_no_figure(tmp_path: Path) -> None:
    """A domain, a law or an option that cannot be made again is said; nothing else is attacked in its place."""
    original, release = released(tmp_path)
    path = release.with_name(f"{release.name}.privacy.json")
    honest = json.loads(path.read_text(encoding="utf-8"))

    def edited(change: Any) -> dict[str, str]:
        content = json.loads(json.dumps(honest))
        [age] = [entry for entry in content["treatments"] if entry["kinds"] == ["AGE"]]
        change(age)
        path.write_text(json.dumps(content), encoding="utf-8")
        found = studied(original, release)
        assert "AGE (year)" not in {figure.setting["vocabulary"] for figure in found.figures}
        return {skipped.what: skipped.why for skipped in found.skipped}

    assert "differs here" in edited(lambda age: age["domains"]["year"].update(hash="0"))[f"{BAYES}, AGE"]
    assert "cannot be built again" in edited(lambda age: age.update(method="tem"))[f"{BAYES}, AGE"]
    assert "incomplete" in edited(lambda age: age.pop("domains"))[f"{BAYES}, AGE"]
    assert "not of one kind" in edited(lambda age: age.update(kinds=["X"]))[f"{BAYES}, X"]


def test_the_command_evaluates_a_release_by_a_policy(tmp_path: Path) -> None:
    original, release = released(tmp_path)
    page, asked = tmp_path / "page", ("--id-field", "id", "--attacks", "guarantee", "--metrics", "surface")
    ran = call("evaluate", original, release, "-o", page, *asked)
    assert ran.code == 0, ran.err
    told = next(page.rglob("*.html")).read_text(encoding="utf-8")
    assert "Values of AGE (year) named right from one draw" in told
    assert "no single date has a law" in told
