"""A comparison: strict plans, runs made once and kept, failures told, corners where they belong, one page."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import browsing
import sfumato
from command_line import CANARY, WORDS, call, write_jsonl, write_vectors
from sfumato.cli import compare as commands
from sfumato.errors import ConfigurationError, InputError, MissingExtraError
from sfumato.evaluation.bench import Results
from sfumato.evaluation.comparison.compare import Outcome, compare
from sfumato.evaluation.comparison.frontier import Frontier, frontier, not_measured
from sfumato.evaluation.comparison.measures import Measure, Point, measured
from sfumato.evaluation.comparison.methods import Method
from sfumato.evaluation.comparison.plan import Comparison, Finished, read_comparisons
from sfumato.evaluation.comparison.runs import Run, Runs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.files import Memory, RememberingSplitter
from sfumato.files.parts import Parts
from sfumato.metrics.estimates import Estimate
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.report.compare import Compared

SECRET = f"{CANARY}lane"
INPUT = '[input]\nfile = "in.jsonl"\nid = "id"\n'
SANTEXT = '[[method]]\nmechanism = "santext"\nvocabulary = "words.vec.txt"\nepsilon = {}\n'
CORNERS = '[[method]]\nmechanism = "identity"\n[[method]]\nmechanism = "full-redaction"\n'
QUICK = "[evaluate]\nattacks = []\nmetrics = ['utility']\nsample = 50\n"
"""Without the linkage, whose parser takes seconds to load."""
GUESSED = QUICK.replace("[]", "['attributes']")


def rows(count: int = 12) -> list[dict[str, Any]]:
    numbered = [(n, WORDS[n], n * 37 + 411) for n in range(count)]
    text = "{} saw the river near {} {} times. It was cold in {}{}."
    return [{"id": f"r{n}", "text": text.format(word, SECRET, many, word, n)} for n, word, many in numbered]


def desk_in(folder: Path) -> Path:
    """A folder with an input, a public vocabulary, and another tool's release."""
    write_jsonl(folder / "in.jsonl", rows())
    write_vectors(folder)
    theirs = [{"id": row["id"], "content": row["text"].replace(SECRET, "a street")} for row in rows()]
    write_jsonl(folder / "their.jsonl", theirs)
    return folder


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Such a folder."""
    return desk_in(tmp_path)


def plan(desk: Path, *parts: str, name: str = "plan.toml") -> Path:
    (desk / name).write_text("".join([INPUT, *parts]), encoding="utf-8")
    return desk / name


def read_comparison(path: Path) -> Comparison:
    """That of the only input."""
    [asked] = read_comparisons(path)
    return asked


def times(folder: Path) -> dict[str, int]:
    """When each file of the runs was written."""
    places = (one for part in ("releases", "evaluations") for one in (folder / part).rglob("*"))
    return {str(one.relative_to(folder)): one.stat().st_mtime_ns for one in places if one.is_file()}


def found(folder: Path) -> Any:
    return json.loads((folder / "frontier.json").read_text(encoding="utf-8"))


# What a plan may say


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "compares nothing"),
        ("sedes = [1]\n", "unknown key 'sedes'; did you mean seeds"),
        ("spam = 1\n[[method]]\nmechanism = 'identity'\n", "[input] has an unknown key 'spam'"),
        ("[evaluate]\natacks = ['linkage']\n[[method]]\nmechanism = 'identity'\n", "did you mean attacks"),
        ("[evaluate]\nfield = 'x'\n[[method]]\nmechanism = 'identity'\n", "[evaluate] has an unknown key 'field'"),
        ("[evaluate]\nsample = 'all'\n[[method]]\nmechanism = 'identity'\n", "sample in [evaluate] is a whole"),
        ("[evaluate]\nlabel = 'x'\n[[method]]\nmechanism = 'identity'\n", "label in [evaluate] is a list"),
        ("[evaluate]\nlabel = ['x']\nlabels = ['x']\n[[method]]\nmechanism = 'identity'\n", "gives labels twice"),
        ("[evaluate]\nattacks = ['guessing']\n[[method]]\nmechanism = 'identity'\n", "no attack 'guessing'"),
        ("[evaluate]\nseeds = [1, 1]\n[[method]]\nmechanism = 'identity'\n", "holds a number twice"),
        ("[evaluate]\nseeds = [true]\n[[method]]\nmechanism = 'identity'\n", "list of whole numbers"),
        ("[[method]]\nepsilon = 3\n", "[[method]] 1 has no mechanism"),
        ("[[method]]\nmechanism = 'santxt'\nepsilon = 3\n", "did you mean santext"),
        ("[[method]]\nmechanism = 'santext'\n", "has no epsilon"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = 'four'\n", "a number or a list of numbers"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = [4, true]\n", "a number or a list of numbers"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = [4, -1]\n", "greater than 0"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = []\n", "is empty"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = [4, 4.0]\n", "holds one twice"),
        ("[[method]]\nmechanism = 'dp-mlm'\nepsilon = 4\ndocument_epsilon = 4\n", "two budgets"),
        ("[[method]]\nmechanism = 'identity'\nepsilon = 4\n", "takes no options"),
        ("[[method]]\nmechanism = 'redaction'\nepsilon = 4\n", "has no formal guarantee, so it has no epsilon"),
        ("[[method]]\nmechanism = 'distortion'\ndocument_epsilon = [4]\n", "leave out document_epsilon"),
        ("[[method]]\nmechanism = 'redaction'\nkey = 'abc'\n", "a key is never part of a plan"),
        ("[[method]]\nmechanism = 'redaction'\noperator = 'hash'\n", "set SFUMATO_KEY"),
        ("[[method]]\nmechanism = 'redaction'\noperators = {PERSON = 'hash'}\n", "set SFUMATO_KEY"),
        ("[[method]]\nmechanism = 'redaction'\nscope = 'run'\n", "set SFUMATO_KEY"),
        ("[[method]]\nmechanism = 'redaction'\nway = 'masked'\n", "(redaction) has an unknown key 'way'"),
        ("[[method]]\nmechanism = 'redaction'\nmodel = 'x'\n", "(redaction) has an unknown key 'model'"),
        ("[[method]]\nmechanism = 'distortion'\nchat_model = 'x'\n", "unknown key 'chat_model'"),
        ("[[method]]\nmechanism = 'paraphrase'\n", "asks a language model, which a comparison does not"),
        ("[[method]]\nmechanism = 'redaction'\ndetect = 'disclosures'\n", "asks a language model"),
        ("[evaluate]\nchat = 'x'\n[[method]]\nmechanism = 'identity'\n", "[evaluate] has an unknown key 'chat'"),
        ("[evaluate]\nheld_out = 'x'\n[[method]]\nmechanism = 'identity'\n", "names held_out. A comparison is of"),
        ("[evaluate]\none_to_one = false\n[[method]]\nmechanism = 'identity'\n", "`sfumato evaluate --synthetic`"),
        ("[evaluate]\nattacks = ['copies']\n[[method]]\nmechanism = 'identity'\n", "names copies. A comparison"),
        ("[[method]]\nmechanism = 'finetune'\nepsilon = 4\n", "[[method]] 1 (finetune) writes synthetic records"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = 4\nnonsense = 1\n", "(santext) has an unknown key 'nonsense'"),
        ("[[method]]\nmechanism = 'dp-mlm'\nepsilon = 4\nk = 1\n", "(dp-mlm) has an unknown key 'k'"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = 4\nspans_field = 'x'\n", "unknown key 'spans_field'"),
        ("[[method]]\nmechanism = 'santext'\nepsilon = 4\ndetect = 'given'\n", "say where they are"),
        (SANTEXT.format(4) * 2, "is in the plan twice"),
        (SANTEXT.format(4) + SANTEXT.format(5), "put their epsilons into one list"),
        ("[[release]]\nname = 'a'\nfile = 'x.jsonl'\nfeild = 'b'\n", "[[release]] 1 has an unknown key 'feild'"),
        ("[[release]]\nname = 'a'\n", "[[release]] 1 has no file"),
        ("[method]\nmechanism = 'identity'\n", "write [[method]]"),
        ("[[method]\n", "is not a TOML file"),
    ],
)
def test_a_plan_is_read_strictly(desk: Path, text: str, reason: str) -> None:
    path = desk / "plan.toml"
    path.write_text(text + INPUT if text.startswith("sedes") else INPUT + text, encoding="utf-8")
    ran = call("compare", path, "-o", desk / "out")
    assert ran.code == 2
    assert reason in ran.err
    assert not (desk / "out").exists()


def test_an_input_that_is_not_there_and_a_plan_that_is_not(desk: Path) -> None:
    (desk / "in.jsonl").unlink()
    with pytest.raises(InputError, match="relative to the plan"):
        read_comparison(plan(desk, CORNERS))
    with pytest.raises(InputError, match="cannot be read"):
        read_comparison(desk / "nothing.toml")
    (desk / "plan.toml").write_text("seeds = [1]\n" + CORNERS, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"no \[input\]"):
        read_comparison(desk / "plan.toml")


def test_methods_are_named_by_what_tells_them_apart(desk: Path) -> None:
    more = SANTEXT.format("[4, 8]") + 'unknown = "surrogate"\n' + '[[method]]\nmechanism = "fbdd"\nepsilon = 2\n'
    asked = read_comparison(plan(desk, SANTEXT.format(4), more))
    assert [one.name for one in asked.methods] == ["santext", "santext, unknown surrogate", "fbdd"]
    assert asked.methods[1].budgets == (4.0, 8.0)
    assert asked.methods[0].options["vocabulary"] == str(desk / "words.vec.txt")
    assert asked.evaluation == Plan(id_field="id")


def test_no_path_stands_in_a_title_or_in_what_is_said_of_a_failure(desk: Path) -> None:
    (desk / "other.json").write_text('{"ORG": ["Bank", "Mill"]}')
    clusters = '[[method]]\nmechanism = "clusant"\nepsilon = 4\nclusters = {{ ORG = "{}" }}\n'
    named = [clusters.format(desk / name) for name in ("words.vec.txt", "other.json")]
    asked = read_comparison(plan(desk, *named))
    assert [one.name for one in asked.methods] == [
        "clusant, clusters {ORG: words.vec.txt}", "clusant, clusters {ORG: other.json}"
    ]  # fmt: skip
    listed = f'[[method]]\nmechanism = "redaction"\ndetect = "list:{desk / "none" / "names.txt"}"\n'
    model = f'[[method]]\nmechanism = "dp-prompt"\nepsilon = 4\nmodel = "{desk / "none" / "m"}"\n'
    [first, second] = compare(read_comparison(plan(desk, QUICK, listed, model)), desk / "out")
    for one, name in ((first, "names.txt"), (second, "m")):
        assert one.reason is not None
        assert name in one.reason
        assert str(desk) not in one.reason


def test_several_detectors_and_lists_stand_beside_the_plan(desk: Path) -> None:
    for name in ("names.txt", "more.txt", "allow.txt", "deny.txt"):
        (desk / name).write_text("cat\n")
    listed = (
        '[[method]]\nmechanism = "redaction"\ndetect = ["list:names.txt", "list:more.txt"]\nallow = "allow.txt"\n'
        'deny = ["deny.txt"]\n'
    )
    asked = read_comparison(plan(desk, QUICK, listed))
    options = asked.methods[0].options
    assert options["detect"] == [f"list:{desk / 'names.txt'}", f"list:{desk / 'more.txt'}"]
    assert (options["allow"], options["deny"]) == (str(desk / "allow.txt"), [str(desk / "deny.txt")])
    [made] = compare(asked, desk / "out")
    assert made.reason is None
    told = json.loads(next((desk / "out" / "releases").glob("*.privacy.json")).read_text())
    assert "names.txt (1 entries); the words, phrases and patterns of more.txt" in told["detector"]["protects"]
    assert "always the words, phrases and patterns of deny.txt" in told["detector"]["protects"]
    assert str(desk) not in json.dumps(told["detector"])
    for wrong in ('"given"', '["words", "given"]', "7", "[7]", "[]"):
        text = f'[[method]]\nmechanism = "santext"\nepsilon = 1\ndetect = {wrong}\n'
        with pytest.raises(ConfigurationError):
            read_comparison(plan(desk, text))


def test_given_spans_are_read_where_the_plan_says_also_among_others(desk: Path) -> None:
    spans = [{"start": 0, "end": 3, "label": "WORD"}]
    write_jsonl(desk / "in.jsonl", [{**row, "marks": spans} for row in rows()])
    asked = '[[method]]\nmechanism = "redaction"\ndetect = ["given", "list:names.txt"]\noperator = "label"\n'
    (desk / "names.txt").write_text("river\n")
    [made] = compare(read_comparison(plan(desk, 'spans = "marks"\n', QUICK, asked)), desk / "out")
    assert made.reason is None
    [release] = (desk / "out" / "releases").glob("*.jsonl")
    marked = [json.loads(line)["marks"] for line in release.read_text().splitlines()]
    assert all(spans[0] not in found and len(found) > 1 for found in marked)


TWO = '[[input]]\nname = "first"\nfile = "in.jsonl"\nid = "id"\n[[input]]\nfile = "other.jsonl"\nid = "id"\n'
LISTED = '[[method]]\nmechanism = "redaction"\ndetect = "list:names.txt"\noperator = "{}"\n'


def test_several_inputs_share_their_methods_and_have_releases_of_their_own(desk: Path) -> None:
    write_jsonl(desk / "other.jsonl", rows(10))
    theirs = '[[release]]\nname = "theirs"\nfile = "their.jsonl"\nfield = "content"\ninput = "first"\n'
    path = desk / "plan.toml"
    path.write_text(TWO + CORNERS + theirs, encoding="utf-8")
    one, two = read_comparisons(path)
    assert (one.name, two.name, two.file) == ("first", "other", desk / "other.jsonl")
    assert one.methods == two.methods
    assert ([each.name for each in one.finished], two.finished) == (["theirs"], ())
    wrong = {
        theirs.replace('"first"', '"none"'): "belongs to no input 'none'",
        theirs.replace('input = "first"\n', ""): "has no input",
        '[[input]]\nname = "First"\nfile = "in.jsonl"\n': "Two inputs are called",
        '[[input]]\nname = "../x"\nfile = "in.jsonl"\n': "go to a folder of that name",
        "[[method]]\nmechanism = 'custext'\nepsilon = 1\ndetect = 'given'\n": "say where they are",
    }
    for text, reason in wrong.items():
        path.write_text(TWO + CORNERS + text, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=re.escape(reason)):
            read_comparisons(path)


def test_another_input_takes_the_place_of_the_plans_own(desk: Path) -> None:
    path = desk / "plan.toml"
    path.write_text(TWO.replace("in.jsonl", "nowhere.jsonl") + CORNERS, encoding="utf-8")
    with pytest.raises(InputError, match=r"nowhere\.jsonl does not exist"):
        read_comparisons(path)
    [asked] = read_comparisons(path, desk / "in.jsonl")
    assert (asked.file, asked.evaluation.id_field) == (desk / "in.jsonl", "id")
    path.write_text(TWO + CORNERS + "[[release]]\nfile = 'their.jsonl'\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="belongs to an input of the plan"):
        read_comparisons(path, desk / "in.jsonl")
    with pytest.raises(InputError, match=r"gone\.jsonl does not exist"):
        read_comparisons(path, desk / "gone.jsonl")


def test_a_key_comes_from_the_environment_and_decides_a_run(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk / "names.txt").write_text("river\n", encoding="utf-8")
    found = []
    for key in (bytes(range(32)).hex(), bytes(range(32, 64)).hex()):
        monkeypatch.setenv("SFUMATO_KEY", key)
        found.append(names(desk, LISTED.format("hash")))
        assert key not in repr(read_comparison(plan(desk, LISTED.format("hash"))))
    assert found[0] != found[1]
    monkeypatch.setenv("SFUMATO_KEY", "nothing")
    with pytest.raises(ConfigurationError, match="hexadecimal"):
        read_comparison(plan(desk, LISTED.format("hash")))
    assert names(desk, LISTED.format("label"))  # which needs none


def test_files_of_a_detector_decide_a_run_by_their_content(desk: Path) -> None:
    own = '[[method]]\nmechanism = "redaction"\ndetect = ["presidio"]\ndetect_options = {recognizers = "own.yaml"}\n'
    before = names(desk, own)
    (desk / "own.yaml").write_text("recognizers: []\n", encoding="utf-8")
    there = names(desk, own)
    (desk / "own.yaml").write_text("recognizers: [] # more\n", encoding="utf-8")
    assert len({*before, *there, *names(desk, own)}) == 3


# Runs: which there are, and when a name changes


def names(desk: Path, *parts: str) -> list[str]:
    return [run.name for run in Runs(read_comparison(plan(desk, *parts)), desk / "out")]


def test_a_run_is_named_by_everything_that_decides_it(desk: Path) -> None:
    seeds = "[evaluate]\nseeds = [1, 2]\n"
    before = names(desk, seeds, SANTEXT.format("[4, 0.5]"), CORNERS)
    assert [re.sub(r"-[0-9a-f]{12}$", "", one) for one in before] == [
        "santext-4-1", "santext-4-2", "santext-0.5-1", "santext-0.5-2", "identity", "full-redaction",
    ]  # fmt: skip
    assert names(desk, seeds, "sample = 7\n", SANTEXT.format("[4, 0.5]"), CORNERS) == before  # decides no release
    assert not set(names(desk, seeds, SANTEXT.format("[4, 0.5]") + "unknown = 'surrogate'\n")) & set(before)
    longer = names(desk, "[evaluate]\nseeds = [1, 2, 3]\n", SANTEXT.format("[4, 0.5]"), CORNERS)
    assert set(before) < set(longer)
    write_vectors(desk, seed=1)  # another vocabulary of the same name
    assert not set(names(desk, seeds, SANTEXT.format("[4, 0.5]"))) & set(before)
    write_vectors(desk)
    write_jsonl(desk / "in.jsonl", rows(11))
    assert not set(names(desk, seeds, SANTEXT.format("[4, 0.5]"), CORNERS)) & set(before)


def test_memory_asks_once_and_forgets_the_oldest() -> None:
    asked: list[list[str]] = []

    class Upper:
        description = "capitals"

        def split(self, texts: list[str], progress: Any = None) -> list[tuple[str, ...]]:
            asked.append(texts)
            return [(text.upper(),) for text in texts]

    splitter = RememberingSplitter(Upper(), Memory(4, len))
    assert splitter.split(["a", "b", "a"]) == [("A",), ("B",), ("A",)]
    assert splitter.split(["b", "cc"]) == [("B",), ("CC",)]
    assert asked == [["a", "b"], ["cc"]]
    splitter.split(["d"])  # five characters: "a" goes
    assert splitter.split(["b", "cc", "d"]) == [("B",), ("CC",), ("D",)]
    assert asked[2:] == [["d"]]
    splitter.split(["a"])
    assert asked[-1] == ["a"]
    assert splitter.description == "capitals"
    assert SECRET not in repr(Memory(9, len))


# A comparison from end to end


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan without the linkage, and what a first call made of it."""
    desk = desk_in(tmp_path_factory.mktemp("first"))
    broken = '[[method]]\nmechanism = "custext"\nepsilon = 3\nset_size = 1\nvocabulary = "words.vec.txt"\n'
    odd = SANTEXT.format(3) + 'name = "odd"\nsurrogate = 7\n'
    theirs = '[[release]]\nname = "theirs"\nfile = "their.jsonl"\nfield = "content"\n'
    gone = '[[release]]\nname = "gone"\nfile = "gone.jsonl"\n'
    parts = QUICK + "seeds = [1, 2]\n", CORNERS, broken, odd, SANTEXT.format("[1, 90]"), theirs, gone
    path = plan(desk, *parts)
    ran = call("compare", path, "-o", desk / "out")
    assert ran.code == 0, ran.err
    return desk


@pytest.fixture
def quick(first: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of that plan and of the folder of its runs; names depend on content, not on places."""
    shutil.copytree(first, tmp_path / "first")
    return tmp_path / "first" / "plan.toml", tmp_path / "first" / "out"


@pytest.mark.models
def test_the_second_call_makes_nothing_and_more_seeds_only_themselves(quick: tuple[Path, Path]) -> None:
    path, out = quick
    before, said = times(out), found(out)
    ran = call("compare", path, "-o", out, "--json")
    assert ran.code == 0
    assert times(out) == before
    assert ran.json == said == found(out)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("seeds = [1, 2]", "seeds = [1, 2, 3]"), encoding="utf-8")
    assert call("compare", path, "-o", out).code == 0
    after = times(out)
    assert {name: after[name] for name in before} == before
    new = {name for name in after if name not in before and name.endswith(".jsonl")}
    assert sorted(re.sub(r"-[0-9a-f]{12}", "", name) for name in new) == [
        "releases/santext-1-3.jsonl", "releases/santext-90-3.jsonl",
    ]  # fmt: skip
    [one] = [one for one in found(out)["points"] if (one["method"], one["budget"]) == ("santext", 1.0)]
    assert one["seeds"] == [1, 2, 3]


@pytest.mark.models
def test_a_stopped_call_goes_on_and_a_lost_file_is_made_again(quick: tuple[Path, Path]) -> None:
    path, out = quick
    said, before = found(out), times(out)
    [release] = (out / "releases").glob("santext-1-1-*.jsonl")
    text = release.read_bytes()
    release.unlink()
    [results] = (out / "evaluations").glob("santext-90-2-*/results-*.json")
    results.unlink()
    runs = call("compare", path, "-o", out, "--dry-run", "--json").json["runs"]
    listed = {one["run"]: one["state"] for one in runs}
    assert listed["santext, epsilon 1, seed 1"] == "to make"
    assert listed["santext, epsilon 90, seed 2"] == "to evaluate"
    assert listed["identity"] == listed["santext, epsilon 1, seed 2"] == "there"
    assert listed["gone"] == "missing"
    assert call("compare", path, "-o", out).code == 0
    assert release.read_bytes() == text  # seeded
    assert found(out) == said
    changed = {name for name, when in times(out).items() if before.get(name) != when}
    names = {re.sub(r"-[0-9a-f]{12}", "", name) for name in changed}
    assert names == {
        "releases/santext-1-1.jsonl", "releases/santext-1-1.jsonl.privacy.json",
        "evaluations/santext-90-2/results.json",
    }  # fmt: skip


@pytest.mark.models
@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_stopped_comparison_says_what_is_kept(quick: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = quick
    monkeypatch.setattr(commands, "compared", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    told = call("compare", path, "-o", out)
    assert told.code == 128 + signal.SIGTERM
    runs = call("compare", path, "-o", out, "--dry-run", "--json").json["runs"]
    kept = sum(run["state"] == "there" for run in runs)
    assert 0 < kept < len(runs)
    assert f"Stopped; {kept} of {len(runs)} runs are kept" in told.err


def test_a_changed_input_makes_new_runs(quick: tuple[Path, Path]) -> None:
    path, out = quick
    before = times(out)
    write_jsonl(path.parent / "in.jsonl", rows(11))
    assert call("compare", path, "-o", out).code == 0
    after = times(out)
    assert {name: after[name] for name in before} == before
    assert len([one for one in after if one.endswith(".jsonl")]) == 8
    assert found(out)["original"]["records"] == 11


@pytest.mark.models
def test_what_fails_is_told_and_the_others_go_on(quick: tuple[Path, Path]) -> None:
    path, out = quick
    failed = {(one["method"], one["seed"]): one["failed"] for one in found(out)["runs"] if "failed" in one}
    assert set(failed) == {("custext", 1), ("custext", 2), ("odd", 1), ("odd", 2), ("gone", None)}
    assert "at least 2 tokens" in failed["custext", 1]
    assert "The option surrogate of santext is text, not 7" in failed["odd", 2]
    assert "does not exist" in failed["gone", None]
    page = (out / "frontier.html").read_text(encoding="utf-8")
    assert failed["custext", 1] in unescape(page)
    assert "gone.jsonl does not exist" in page
    only = plan(path.parent, '[[release]]\nname = "gone"\nfile = "gone.jsonl"\n', name="only.toml")
    ran = call("compare", only, "-o", path.parent / "other")
    assert ran.code == 2
    assert "No run could be made of 1; the first: The release gone.jsonl" in ran.err


@pytest.mark.models
def test_no_private_text_beside_the_releases(quick: tuple[Path, Path]) -> None:
    path, out = quick
    for file in out.rglob("*"):
        assert CANARY not in file.name
        if file.is_file():
            assert CANARY.encode() not in file.read_bytes(), file.name
    assert not list((out / "releases").glob("identity*"))
    assert not list((out / "releases").glob("full-redaction*"))
    ran = call("compare", path, "-o", out)
    assert CANARY not in ran.out + ran.err
    assert "NOT PRIVATE" in (out / "frontier.html").read_text(encoding="utf-8")
    digest = hashlib.sha256((path.parent / "in.jsonl").read_bytes()).hexdigest()
    for name in ("frontier.html", "frontier.json"):  # which may be forwarded
        assert digest[:12] not in (out / name).read_text(encoding="utf-8")


@pytest.mark.models
def test_the_corners_and_what_lies_between(desk: Path) -> None:
    evaluate = "[evaluate]\nattacks = ['linkage']\nmetrics = ['utility']\nclaims = 1\n"
    theirs = '[[release]]\nname = "theirs"\nfile = "their.jsonl"\nfield = "content"\n'
    ran = call("compare", plan(desk, evaluate, CORNERS, SANTEXT.format(1), theirs), "-o", desk / "out")
    assert ran.code == 0, ran.err
    points = {one["method"]: one["measures"] for one in found(desk / "out")["points"]}
    identity, redacted, between = points["identity"], points["full-redaction"], points["santext"]
    assert identity["cosine similarity"]["value"] == pytest.approx(1.0)
    assert identity["words kept"]["value"] == 1.0
    assert identity["facts not disclosed"]["value"] == 0.0
    assert identity["not re-identified"]["value"] < 0.2
    assert redacted["facts not disclosed"]["value"] == 1.0
    assert redacted["not re-identified"]["value"] > 0.6  # by chance alone, of twelve
    assert redacted["words kept"]["value"] == 0.0
    assert redacted["cosine similarity"]["value"] < between["cosine similarity"]["value"] < 0.99
    assert points["theirs"]["cosine similarity"]["value"] > between["cosine similarity"]["value"]
    page = (desk / "out" / "frontier.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 6  # three of utility by two of privacy
    for name in ("identity", "full-redaction", "santext", "theirs"):
        assert name in page


@pytest.mark.models
def test_methods_without_a_guarantee_on_two_inputs(desk: Path) -> None:
    write_jsonl(desk / "other.jsonl", rows(9))
    (desk / "names.txt").write_text(f"{SECRET}\n", encoding="utf-8")
    path = desk / "plan.toml"
    parts = (TWO, QUICK, CORNERS, LISTED.format("label"), LISTED.format("pseudonym"), SANTEXT.format(4))
    path.write_text("".join(parts), encoding="utf-8")
    ran = call("compare", path, "-o", desk / "out")
    assert ran.code == 0, ran.err
    assert "formal" in ran.out  # no formal guarantee, broken into lines
    inputs = {one["input"]: one for one in found(desk / "out")["inputs"]}
    assert {name: one["original"]["records"] for name, one in inputs.items()} == {"first": 12, "other": 9}
    points = {one["method"]: one for one in inputs["first"]["points"]}
    assert points["redaction, operator label"]["budget"] is None
    kept = {name: one["measures"]["words kept"]["value"] for name, one in points.items()}
    assert kept["full-redaction"] < kept["redaction, operator label"] < kept["identity"]
    for release in (desk / "out" / "other" / "releases").glob("redaction*.jsonl"):
        assert SECRET not in release.read_text(encoding="utf-8")
        statement = json.loads(release.with_name(f"{release.name}.privacy.json").read_text(encoding="utf-8"))
        assert "no formal guarantee" in statement["summary"].lower()
        assert "epsilon" not in statement["summary"].lower()
    page = (desk / "out" / "frontier.html").read_text(encoding="utf-8")
    assert page.count("<td>no formal guarantee</td>") == 4  # two methods on two inputs
    assert "other.jsonl" in page
    before = times(desk / "out" / "first")
    assert call("compare", path, "-o", desk / "out").code == 0
    assert times(desk / "out" / "first") == before


@pytest.mark.models
def test_an_output_that_cannot_be_written_is_told_first(desk: Path) -> None:
    (desk / "out").write_text("a file")
    ran = call("compare", plan(desk, CORNERS), "-o", desk / "out")
    assert ran.code == 2
    assert "cannot be written" in ran.err


@pytest.mark.models
def test_what_cannot_be_measured_is_told_and_not_tried_for_ever(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", [{**row, "job": "nurse"} for row in rows()])  # nothing to tell apart
    path = plan(desk, GUESSED + "label = ['job']\n", CORNERS)
    assert call("compare", path, "-o", desk / "out").code == 0
    listed = call("compare", path, "-o", desk / "out", "--dry-run", "--json").json["runs"]
    assert {one["state"] for one in listed} == {"there"}
    skipped = [one for run in found(desk / "out")["runs"] for one in run["skipped"]]
    assert {one["what"] for one in skipped} == {"inference of job"}
    missing = call("compare", plan(desk, GUESSED + "label = ['town']\n", CORNERS, name="no.toml"), "-o", desk / "no")
    assert missing.code == 2
    assert "has the field 'town'" in missing.err


def desk_with_tasks(desk: Path) -> Path:
    """A folder with two inputs; the second one lacks a field, and all its records have the same value in another."""
    write_jsonl(
        desk / "in.jsonl", [{**row, "urgent": n % 2 == 0, "ward": "ab"[n % 2]} for n, row in enumerate(rows())]
    )
    write_jsonl(desk / "other.jsonl", [{**row, "ward": "a"} for row in rows(10)])
    return desk / "plan.toml"


@pytest.mark.models
def test_every_input_is_checked_with_every_task_before_anything_is_made(desk: Path) -> None:
    path = desk_with_tasks(desk)
    path.write_text(TWO + GUESSED + "task = ['urgent', 'ward']\nlabel = ['town']\n" + CORNERS, encoding="utf-8")
    for more in ([], ["--dry-run"]):
        ran = call("compare", path, "-o", desk / "out", *more)
        assert ran.code == 2
        assert (
            "No record of in.jsonl has the field 'town' (label); none of other.jsonl has the field 'town'" in ran.err
        )
        assert "none of other.jsonl has the field 'urgent' (task)" in ran.err
        assert "its own label and task" in ran.err
        assert not (desk / "out").exists()
    own_task = TWO.replace('"other.jsonl"', '"other.jsonl"\ntask = ["ward"]')
    path.write_text(own_task + GUESSED + "task = ['urgent']\n" + CORNERS, encoding="utf-8")
    assert [part.evaluation.tasks for part in read_comparisons(path)] == [("urgent",), ("ward",)]
    ran = call("compare", path, "-o", desk / "out", "--dry-run")
    assert ran.code == 0
    assert "other: inference of ward will not be measured: All records have the same label" in ran.out
    assert call("compare", path, "-o", desk / "out", "--dry-run", "--json").json["not_measured"] == [
        {"input": "other", "what": "inference of ward",
         "why": "All records have the same label, so that there is nothing to infer"}
    ]  # fmt: skip
    assert not (desk / "out").exists()


def test_typed_methods_are_those_of_a_plan(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs have the same names, which everything decides that a release depends on."""
    monkeypatch.chdir(desk)
    written = plan(desk, QUICK, CORNERS, SANTEXT.format("[2, 8]"))
    santext = [sfumato.SanText(epsilon=epsilon, vocabulary=Path("words.vec.txt")) for epsilon in (2.0, 8.0)]
    methods = ["identity", "full-redaction", *santext]
    [typed] = read_comparisons(plan(desk, QUICK, name="bare.toml"), None, methods)
    titles = [[(run.title, run.name) for run in Runs(asked, desk)] for asked in (typed, read_comparison(written))]
    assert titles[0] == titles[1]
    assert [title for title, _ in titles[0]][2:] == ["santext, epsilon 2, seed 0", "santext, epsilon 8, seed 0"]
    [instead] = read_comparisons(written, None, [sfumato.Redaction(detect=["words"])])
    assert [method.mechanism for method in instead.methods] == ["redaction"]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("santext", r"\[\[method\]\] 1 \(santext\) has no epsilon"),
        ("sandtext", "there is no mechanism 'sandtext'"),
        (sfumato.Finetune(), "writes synthetic records"),
        (sfumato.Redaction(operator="hash", key=b"0f" * 16), "a key is never part of a plan"),
        (sfumato.SanText(epsilon=2.0, encoder=SentenceEncoder()), "takes encoder as text"),
    ],
)
def test_a_typed_method_that_no_plan_can_hold_is_refused(desk: Path, method: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        sfumato.compare(plan(desk, QUICK, CORNERS), desk / "out", methods=[method])
    assert not (desk / "out").exists()


def test_methods_beside_a_plan_that_was_read_are_refused(desk: Path) -> None:
    asked = read_comparisons(plan(desk, QUICK, CORNERS))
    with pytest.raises(ConfigurationError, match="has its inputs and methods"):
        sfumato.compare(asked, desk / "out", methods=["identity"])


def test_a_task_that_no_attack_guesses_is_refused(desk: Path) -> None:
    for given in (QUICK + "task = ['urgent']\n", QUICK + "label = ['urgent']\n"):
        with pytest.raises(ConfigurationError, match="attack 'attributes' guesses; add it to attacks"):
            read_comparison(plan(desk, given, CORNERS))
    with pytest.raises(ConfigurationError, match=r"\[input\] gives tasks twice"):
        read_comparison(plan(desk, "task = ['a']\ntasks = ['a']\n", GUESSED, CORNERS))


@pytest.mark.models
def test_a_failed_run_is_tried_again_whatever_it_left(desk: Path) -> None:
    """What a failed or stopped run leaves is of another plan, or of an input that was touched since."""
    path = plan(desk, QUICK, SANTEXT.format(4))
    runs = Runs(read_comparison(path), desk / "out")
    [run] = runs
    release = runs.release(run)
    assert release is not None
    release.parent.mkdir(parents=True)
    Parts(release, "jsonl", "another run").start(False)
    assert Parts(release, "jsonl", "").begun
    ran = call("compare", path, "-o", desk / "out")
    assert ran.code == 0, ran.err
    assert [one for one in found(desk / "out")["runs"] if "failed" in one] == []
    assert not Parts(release, "jsonl", "").begun
    gone = plan(desk, QUICK, CORNERS, '[[release]]\nname = "gone"\nfile = "gone.jsonl"\n', name="gone.toml")
    told = call("compare", gone, "-o", desk / "other")
    assert "1 failed, and the same command tries them again" in told.out
    write_jsonl(desk / "gone.jsonl", rows())
    again = call("compare", gone, "-o", desk / "other")
    assert "3 runs, 1 of them new." in again.out
    assert "failed" not in json.dumps(found(desk / "other"))


@pytest.mark.models
def test_a_release_holds_no_field_that_is_guessed_and_serves_every_plan(desk: Path) -> None:
    desk_with_tasks(desk)
    out = desk / "out"
    assert call("compare", plan(desk, QUICK, SANTEXT.format(4)), "-o", out).code == 0
    [release] = (out / "releases").glob("*.jsonl")
    made = release.stat().st_mtime_ns
    ran = call("compare", plan(desk, GUESSED + "task = ['urgent']\nlabel = ['ward']\n", SANTEXT.format(4)), "-o", out)
    assert ran.code == 0, ran.err
    assert [one.stat().st_mtime_ns for one in (out / "releases").glob("*.jsonl")] == [made]
    [point] = found(out)["points"]
    assert {"use for urgent", "ward not guessed"} <= set(point["measures"])
    assert point["strongest_attackers"]["ward not guessed"].split(", ")[0] in ("tfidf", "embeddings")
    guessed = GUESSED + "task = ['urgent']\nlabel = ['ward']\n"
    assert call("compare", plan(desk, guessed, SANTEXT.format(4)), "-o", desk / "fresh").code == 0
    for one in (release, *(desk / "fresh" / "releases").glob("*.jsonl")):
        assert all(set(json.loads(line)) == {"id", "text"} for line in one.read_text().splitlines())
    assert found(desk / "fresh")["points"] == [point]


@pytest.mark.models
def test_what_is_skipped_says_why_on_the_page_in_the_terminal_and_in_json(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", [{**row, "job": "nurse"} for row in rows()])
    wanted = GUESSED.replace("['utility']", "['utility', 'quality']").replace(
        "['attributes']", "['attributes', 'guarantee']"
    )
    path = plan(desk, wanted + "label = ['job']\n", CORNERS)
    ran = call("compare", path, "-o", desk / "out")
    reasons = {
        "guarantee": "the releases of a comparison are seeded, so no guarantee holds for them",
        "quality": "it asks a language model, which a comparison does not",
        "inference of job": "All records have the same label, so that there is nothing to infer",
    }
    page = unescape((desk / "out" / "frontier.html").read_text(encoding="utf-8"))
    assert {one["what"]: one["why"] for one in found(desk / "out")["not_measured"]} == reasons
    for what, why in reasons.items():
        assert f"Not measured: {what}: {why} (all runs)" in ran.out
        assert f"<li>{what}: {why} (all runs)</li>" in page
    bare = call("compare", plan(desk, "[evaluate]\nmetrics = []\n", name="bare.toml"), "-o", desk / "bare")
    assert bare.code == 2  # compares nothing
    unnamed = read_comparison(plan(desk, "[evaluate]\nmetrics = []\n", CORNERS))
    assert [(left.what, left.why) for left in not_measured(unnamed.evaluation, [])] == [
        ("attributes", "the plan names no label and no task for this input")
    ]


@pytest.mark.models
def test_figures_are_a_table_and_a_csv(quick: tuple[Path, Path]) -> None:
    path, out = quick
    compared = sfumato.compare(path, out)
    table = compared.table
    lines = list(csv.DictReader((out / "frontier.csv").read_text(encoding="utf-8").splitlines()))
    assert table.column_names == list(lines[0])
    assert table.num_rows == len(lines)
    rows_of = {(one["method"], one["epsilon"], one["seed"], one["measure"]): one for one in lines}
    for run in found(out)["runs"]:
        if "failed" in run:
            key = run["method"], "" if run["budget"] is None else f"{run['budget']:g}"
            failed = [one for one in lines if (one["method"], one["epsilon"]) == key and one["failed"]]
            assert run["failed"] in {one["failed"] for one in failed}
            continue
        for name, value in run["measures"].items():
            seed, budget = ("" if run[key] is None else f"{run[key]:g}" for key in ("seed", "budget"))
            row = rows_of[run["method"], budget, seed, name]
            assert float(row["value"]) == pytest.approx(value["value"])
            assert (row["side"], row["input"], row["failed"]) == ("utility", "in", "")
    assert CANARY not in (out / "frontier.csv").read_text(encoding="utf-8")


def test_a_frame_says_what_it_needs(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = Compared(desk, [drawn(desk)])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        compared.frame()
    monkeypatch.undo()
    pd = pytest.importorskip("pandas")
    frame = compared.frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == compared.table.column_names


# The page


def estimate(value: float) -> Estimate:
    return Estimate(value, value - 0.04, value + 0.03, 200)


def study(rate: float, cosine: float) -> list[Study]:
    setting = {"knowledge": "random", "k": 3, "query": "merged"}
    linkage = [
        Figure("linkage rate", estimate(rate), {**setting, "linker": "bm25"}),
        Figure("linkage rate", estimate(rate / 2), {**setting, "linker": "embeddings"}),
        Figure("linkage rate", estimate(0.99), {**setting, "linker": "bm25", "k": 5}),
        Figure("claims not supported", estimate(1 - rate)),
    ]
    useful = [Figure(name, estimate(cosine)) for name in ("cosine similarity", "ROUGE-L", "words kept")]
    left = [Skipped("something", "a reason <b>")] * 2  # of two attackers
    return [Study("linkage", linkage, left), Study("utility", useful)]


def outcomes() -> Iterator[Outcome]:
    def one(name: str, budget: float | None, seed: int | None, rate: float, cosine: float) -> Outcome:
        made_by = {"identity": "identity", "full-redaction": "full-redaction", "pseudonyms": "redaction"}
        source = Method(name, made_by.get(name, "santext"), (budget,))
        run = Run(source, budget, seed, f"{name}, epsilon {budget}, seed {seed}", f"{name}-0")
        facts = {"original": {"name": "<safe>.jsonl", "records": 240, "sha256": "f" * 64}, "missing": 0}
        return Outcome(run, Results(facts, study(rate, cosine)), None, "NOT PRIVATE (a seeded run)")

    yield one("identity", None, None, 1.0, 1.0)
    yield one("full-redaction", None, None, 0.0, 0.1)
    yield one("pseudonyms", None, 1, 0.95, 0.3)
    for number in range(9):  # as many lines as a long plan has
        for at, budget in enumerate((1.0, 4.0, 10.0)):
            for seed in (1, 2):
                worse = 0.02 * number + 0.01 * seed
                yield one(f"method {number}", budget, seed, 0.1 + 0.3 * at + worse, 0.4 + 0.2 * at - worse)
    lost = Run(Finished("lost", Path("x.jsonl"), "text", None), None, None, "lost <i>", "lost-0")
    yield Outcome(lost, None, "The release x.jsonl does not exist.")


def drawn(desk: Path) -> Frontier:
    return frontier(read_comparison(plan(desk, CORNERS)), list(outcomes()))


def test_measures_take_the_strongest_attacker_of_the_plans_setting() -> None:
    own = {measure.name: value for measure, value in measured(study(0.4, 0.5), Plan()).items()}
    assert own["not re-identified"].value == pytest.approx(0.6)
    assert own["not re-identified"].low == pytest.approx(1 - 0.43)
    assert own["cosine similarity"].value == 0.5


def test_points_are_means_over_seeds_and_the_best_are_not_beaten(desk: Path) -> None:
    made = drawn(desk)
    one = next(point for point in made.points if (point.method, point.budget) == ("method 0", 1.0))
    assert one.seeds == (1, 2)
    assert one.values["cosine similarity"].value == pytest.approx(0.385)
    assert one.values["cosine similarity"].low == pytest.approx(0.345)
    assert one.spread["cosine similarity"] == (pytest.approx(0.38), pytest.approx(0.39))
    x, y = made.pairs[0]
    assert (x.name, y.name) == ("cosine similarity", "not re-identified")
    assert [(best.method, best.budget) for best in made.best(x, y)] == [("method 0", eps) for eps in (1.0, 4.0, 10.0)]
    twins = [Point(name, "method", 1.0, (), {"x": estimate(0.5), "y": estimate(0.5)}) for name in "ab"]
    tied = Frontier(made.comparison, [], [], [], twins)
    assert len(tied.best(Measure("x", "", "utility"), Measure("y", "", "privacy"))) == 2


@pytest.fixture(scope="module")
def whole_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of :func:`drawn`, which takes seconds to draw."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    from sfumato.report.compare import frontier_page

    return frontier_page(drawn(desk_in(tmp_path_factory.mktemp("whole"))))


def test_the_page_holds_plots_and_tables_and_loads_nothing(whole_page: str, desk: Path) -> None:
    from sfumato.report.compare import frontier_page

    page = whole_page
    assert page.count("<svg") == 6
    assert "must not be shared" in page
    assert "&lt;safe&gt;.jsonl" in page
    assert "something: a reason &lt;b&gt; (all runs)" in page
    assert "lost &lt;i&gt;" in page
    assert "<td>pseudonyms</td><td>no formal guarantee</td>" in page
    assert page.count(">pseudonyms</text>") >= 6  # beside its point in every plot
    assert "method 0 at epsilon 4" in page
    assert "f" * 12 not in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "<script" not in page
    empty = Frontier(drawn(desk).comparison, [], [], [], [])
    assert "nothing to draw" in frontier_page(empty)


def test_a_browser_draws_it_without_complaint(browser: Any, whole_page: str) -> None:
    with browsing.opened(browser, whole_page) as (page, events):
        for look in browsing.looks(page):
            shown = page.eval_on_selector_all("section > .pictures svg", "all => all.map(svg => svg.clientWidth)")
            assert len(shown) == 2
            assert min(shown) >= 300, look
            assert browsing.overflow(page) == 0, look  # nothing has to be scrolled sideways
            assert browsing.faint(page) == [], look
        assert set(browsing.sheets(page)) == {(595, 842)}  # A4
        assert events == []


def test_the_example_is_a_plan_that_can_be() -> None:
    examples = Path(__file__).parents[2] / "examples"
    [asked] = read_comparisons(examples / "compare.toml", examples / "records.jsonl")
    kinds = {run.source.mechanism for run in Runs(asked, Path("out")) if isinstance(run.source, Method)}
    assert kinds == {
        "identity", "full-redaction", "redaction", "distortion", "santext", "custext", "clusant", "dp-mlm"
    }  # fmt: skip


_OVERLAPS = """() => {
  document.querySelectorAll('details').forEach(details => details.open = true);
  const found = [], apart = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) < 0.5
    || Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) < 0.5;
  for (const svg of document.querySelectorAll('svg:has(text)')) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([text, box], number) => {
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top) found.push([text, 'the frame']);
      for (const [other, theirs] of texts.slice(0, number)) if (!apart(box, theirs)) found.push([text, other]);
    });
  }
  return [document.querySelectorAll('svg text').length, found];
}"""


@pytest.mark.parametrize("width", [390, 1440])
def test_no_text_of_a_plot_overlaps_another_in_a_browser(browser: Any, whole_page: str, width: int) -> None:
    """The boxes are those of the fonts that the browser has, not of those that the plot was laid out with."""
    with browsing.opened(browser, whole_page, width) as (page, _):
        texts, overlapping = page.evaluate(_OVERLAPS)
    assert texts > 6 * 30
    assert overlapping == []


@pytest.mark.parametrize("count", [2, 9, 24, 70])
def test_labels_in_one_place_cover_nothing(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the boxes that matplotlib measures: neither each other, nor a mark, a ring or the edge of the plot."""
    pytest.importorskip("matplotlib")
    from sfumato.report import labels, plots

    measured: list[tuple[list[Any], Any, list[tuple[float, float]], float]] = []

    def looked(axes: Any, given: Any, lines: Any = ()) -> None:
        labels.write_labels(axes, given, lines)
        axes.figure.draw_without_rendering()
        written = [text for text in axes.texts if text.get_text()]
        boxes = [Text.get_window_extent(text) for text in written]  # without the line that leads to the point
        spots = [tuple(axes.transData.transform((label.x, label.y))) for label in given]
        measured.append((boxes, axes.get_window_extent(), spots, axes.figure.dpi / 72))

    from matplotlib.text import Text

    monkeypatch.setattr(plots, "write_labels", looked)
    spots = [plots.Spot(estimate(0.9), estimate(0.1), f"method {number}", number == 0) for number in range(count)]
    plots.frontier([(spot.label, [spot]) for spot in spots], [plots.Spot(estimate(1.0), estimate(0.0), "identity")],
                   "use", "privacy")  # fmt: skip
    [(boxes, inside, places, points)] = measured
    assert len(boxes) == count + 1
    for number, box in enumerate(boxes):
        assert not [other for other in boxes[:number] if box.overlaps(other)]
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1
        for x, y in places:
            away = max(box.x0 - x, x - box.x1, box.y0 - y, y - box.y1)
            assert away > (7.0 if (x, y) == places[1] else 3.0) * points  # the first spot is ringed


def test_labels_of_spots_in_one_place_stand_apart() -> None:
    pytest.importorskip("matplotlib")
    from sfumato.report import plots

    called = [f"method {number}" for number in range(6)]
    lines = [(name, [plots.Spot(estimate(0.9), estimate(0.1), name)]) for name in called]
    svg = plots.frontier(lines, [plots.Spot(estimate(1.0), estimate(0.0), "identity")], "use", "privacy")
    beside = re.findall(r'font-size="8px"[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]+)</text>', svg)
    places = {name: (float(x), float(y)) for x, y, name in beside}
    assert set(places) == {*called, "identity"}
    for name, (x, y) in places.items():
        near = [other for other, (a, b) in places.items() if abs(a - x) < 30 and abs(b - y) < 7]
        assert near == [name]
