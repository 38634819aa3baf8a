"""What the rounds of a rewriting say: who gave what away after which round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import call, write_jsonl
from sfumato.abstract.journal import Journal, Tally
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.rounds import ANY, INFERRED, RoundsStudy
from sfumato.report.sections.usefulness import rounds_section as section

NO_PAIRS = Pairs([], [], [])


def noted(folder: Path) -> Path:
    journal = Journal(folder / "r.jsonl")

    def look(rewritten: bool, **found: int) -> dict[str, object]:
        return {"found": found, "refused": 0, "rewritten": rewritten}

    journal.note("a", "iterative", Tally(rounds=[look(True, age=5, sex=3), look(True, sex=3), look(False)]))
    journal.note("b", "iterative", Tally(rounds=[look(False)]))
    journal.note("c", "iterative", Tally(rounds=[look(True, age=4)]))  # the last look is missing
    journal.note("d", "iterative", Tally(rounds=[look(False, age=1)]))
    journal.note("e", "iterative", Tally(rounds=[look(True, age=4)], lost=True))
    journal.note("a", "disclosures", Tally(questions=1))
    journal.close()
    return folder / "r.jsonl"


def value(study: Study, attribute: str, rewritten: int) -> tuple[float, int]:
    one = study.figure(INFERRED, attribute=attribute, rewritten=rewritten)
    assert one is not None
    return round(one.estimate.value, 4), one.estimate.n


def test_shares_by_round(tmp_path: Path) -> None:
    study = RoundsStudy(noted(tmp_path)).run(NO_PAIRS)
    assert value(study, ANY, 0) == (0.5, 4)
    assert value(study, "age", 0) == (0.5, 4)
    assert value(study, "sex", 0) == (0.25, 4)
    assert value(study, "age", 1) == (0.0, 3)
    assert value(study, "sex", 1) == (0.3333, 3)
    assert value(study, ANY, 2) == (0.0, 3)
    assert study.facts["lost"] == 1
    assert value(RoundsStudy(noted(tmp_path), 1).run(NO_PAIRS), "age", 2) == (0.3333, 3)
    told = section(study)
    assert "50 % of 4 texts" in told.sentences[0]
    assert "0 % of 3 after" in told.sentences[0]
    assert told.tables[0].rows[0] == [ANY, "50 %", "33 %", "0 %"]


def test_what_is_no_file_of_rounds_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no file"):
        Plan(rounds=str(tmp_path / "nothing"))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    with pytest.raises(InputError, match="line 1"):
        RoundsStudy(bad).run(NO_PAIRS)
    bad.write_text("")
    assert RoundsStudy(bad).run(NO_PAIRS).skipped


def test_rounds_of_other_records_are_not_shown(tmp_path: Path) -> None:
    path = noted(tmp_path)
    [left] = RoundsStudy(path, by_id=True).run(Pairs(["1", "2"], ["", ""], ["", ""])).skipped
    assert "of this release" in left.why
    assert RoundsStudy(path, by_id=True).run(Pairs(["b"], [""], [""])).figures


def test_what_no_last_look_saw_is_said_to_be_unknown(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "r.jsonl")
    journal.note("a", "iterative", Tally(rounds=[{"found": {"age": 4}, "refused": 0, "rewritten": True}]))
    journal.close()
    told = section(RoundsStudy(tmp_path / "r.jsonl").run(NO_PAIRS))
    assert "after all rounds it is not known" in told.sentences[0]
    assert "nan" not in str((told.sentences, told.tables))


@pytest.mark.models
def test_the_report_shows_them(tmp_path: Path) -> None:
    texts = [{"id": name, "text": f"Text {name}."} for name in "abcd"]
    before, after = (write_jsonl(tmp_path / f"{name}.jsonl", texts) for name in ("before", "after"))
    options = ("--id-field", "id", "--attacks", "", "--metrics", "", "--rounds", noted(tmp_path))
    ran = call("evaluate", before, after, "-o", tmp_path / "report", *options)
    assert ran.code == 0, ran.err
    results = json.loads((tmp_path / "report" / "results.json").read_text("utf-8"))
    assert results["rounds"] == "r.jsonl"
    assert "rounds" in [one["study"] for one in results["studies"]]
    assert "What could the rewriting model still infer?" in (tmp_path / "report" / "report.html").read_text("utf-8")
