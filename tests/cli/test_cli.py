"""The command line: every command says in JSON what is true, checked by numbers made without sfumato's analysis."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import sfumato
from command_line import CANARY, WORDS, Ran, call, run, vectors_of, write_jsonl, write_key, write_vectors
from sfumato.building.option_groups import DetectionOptions
from sfumato.evaluation.plan import Plan
from sfumato.options.option import options_of
from sfumato.registry import CONTEXTUAL, DETECTORS, TOKENS, methods
from warm_command import run as run_warm

FINITE = {
    "santext": (),
    "santext+": ("--set", "sensitive_share=0.6"),
    "custext": ("--set", "set_size=4"),
    "custext+": ("--set", "set_size=4"),
    "clusant": ("--set", "k=8", "--set", "clusters=5"),
    "tem": (),
}
NOISE = ("fbdd", "mahalanobis", "vickrey")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Records of 1, 2, 4 and 9 words, the canary among them."""
    texts = [CANARY, "Cat, dog.", "A cat saw dogs!", f"one two three four five six seven {CANARY} nine"]
    return write_jsonl(tmp_path / "in.jsonl", [{"n": n, "text": text} for n, text in enumerate(texts)])


def sanitized(source: Path, vectors: Path, *more: object, name: str = "out.jsonl", epsilon: float = 6.0) -> Ran:
    output = source.with_name(name)
    base = ("sanitize", source, "-o", output, "--epsilon", epsilon, "--set", f"vocabulary={vectors}")
    mechanism = () if "--mechanism" in more else ("--mechanism", "santext")
    return call(*base, *mechanism, *more)


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


# --- what stands around the commands ---


def test_version_list_and_help() -> None:
    assert run("--version").out == f"sfumato {sfumato.__version__}\n"
    found = call("list", "--json").json
    assert set(found["mechanisms"]) == {*methods(TOKENS, CONTEXTUAL)}
    assert set(found["detectors"]) == set(DETECTORS)
    assert {"WORDS", "PLACE", "ORG", "PERSON", "DATE", "CODE"} <= set(found["builtin_vocabularies"])
    table = call("list").out
    assert all(name in table for name in methods(TOKENS))
    bare = call()
    assert bare.code == 0
    assert "sanitize" in bare.out
    assert all(call(command, "--help").code == 0 for command in ("sanitize", "explain", "certify", "list"))


def test_the_package_runs_as_a_module(source: Path, vectors: Path) -> None:
    """With two workers, whose processes import the main module again: each must sanitize, not start a run."""
    arguments = ["sanitize", source, "-m", "santext", "-e", 6, "--set", f"vocabulary={vectors}", "--seed", 3]
    asked = [*arguments, "-o", source.with_name("two.jsonl"), "--workers", 2]
    ran = subprocess.run(
        [sys.executable, "-m", "sfumato", *map(str, asked)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    assert as_module(*arguments, "-o", source.with_name("one.jsonl"), "--workers", 1) == (0, "")
    assert call(*arguments, "-o", source.with_name("here.jsonl")).code == 0
    here = texts(source.with_name("here.jsonl"))
    assert len(here) == 4
    assert texts(source.with_name("one.jsonl")) == texts(source.with_name("two.jsonl")) == here
    code, told = as_module("nothing")
    assert code == 2
    assert told.startswith("Error: ")


def as_module(*arguments: object) -> tuple[int, str]:
    """Run the package as ``python -m`` does, in this process; returns its exit code and standard error."""
    sys.modules.pop("sfumato.__main__", None)  # a module that is imported already is run with a warning
    told, code = io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["sfumato", *map(str, arguments)]),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(told),
    ):
        try:
            runpy.run_module("sfumato", run_name="__main__")
        except SystemExit as left:
            code = int(left.code or 0)
    return code, told.getvalue()


def test_what_is_printed_for_people(source: Path, vectors: Path) -> None:
    told = sanitized(source, vectors)
    assert told.code == 0
    assert "4 records, 16 draws" in told.out
    assert "metric-LDP, epsilon 6" in told.out
    assert CANARY not in told.out
    assert told.err == ""
    assert sanitized(source, vectors, "--quiet", name="quiet.jsonl") == (0, "", "")


# --- the statement ---


def test_the_statement_says_all_that_was_promised(source: Path, vectors: Path) -> None:
    ran = sanitized(source, vectors, "--json")
    assert len(ran.out.splitlines()) == 1
    told = ran.json
    output = source.with_name("out.jsonl")
    assert told["output"] == str(output)
    assert told["statement"] == f"{output}.privacy.json"
    statement = json.loads(Path(told["statement"]).read_text(encoding="utf-8"))
    assert told["privacy"] == statement
    assert statement["definition"] == "metric-LDP"
    assert statement["distance"] == "Euclidean"
    assert statement["unit"] == "one token"
    assert statement["epsilon_per_draw"] == 6.0
    assert statement["calibration"] == "exact"
    assert statement["private"] is True
    assert statement["randomness"].startswith("system")
    records = statement["records"]
    assert (records["count"], records["quarantined"]) == (4, 0)
    assert records["draws_per_record"] == {"minimum": 1, "median": 2, "maximum": 9, "total": 16}
    for which, draws in (("minimum", 1), ("median", 2), ("maximum", 9)):
        assert records["cost_per_record"][which] == {"draws": draws, "epsilon": 6.0 * draws}
    certificate = statement["certificate"]
    assert certificate["kind"] == "exact"
    assert 3.0 == certificate["paper_scale"] <= certificate["scale"] <= 6.0
    assert 0.999 * 6.0 <= certificate["certified"] <= 6.0
    vocabulary = statement["vocabularies"]["ANY"]
    assert len(vocabulary["hash"]) == 64
    assert vocabulary["tokens"] == len(WORDS)
    assert vectors.name in vocabulary["provenance"]
    assert "surrogate" in vocabulary["unknown_words"]
    assert "every word" in statement["detector"]["protects"]
    assert "punctuation" in statement["detector"]["leaves_unprotected"]
    assert any("how many spans" in seen for seen in statement["visible"])
    assert any("other fields" in seen for seen in statement["visible"])
    assert {"sfumato", "python", "numpy"} <= set(statement["versions"])


def test_fields_that_are_not_named_are_left_out(source: Path, vectors: Path) -> None:
    write_jsonl(
        source, [{"n": 1, "text": "cat", "note": CANARY, "kind": "x"}, {"n": 2, "note": CANARY, "text": "dog"}]
    )
    ran = sanitized(source, vectors, "--id-field", "n", "--keep-field", "kind", "--json")
    with Path(ran.json["output"]).open(encoding="utf-8") as file:
        assert [list(json.loads(line)) for line in file] == [["n", "text", "kind"], ["n", "text"]]
    seen = "the other fields of a record that are named (kind), its id, and the order of records"
    assert seen in ran.json["privacy"]["visible"]
    seeded = sanitized(source, vectors, "--id-field", "n", "--keep-field", "n", "--json", name="b.jsonl")
    assert any("that are named (none)" in line for line in seeded.json["privacy"]["visible"])


def test_it_is_told_that_other_fields_pass_through(source: Path, vectors: Path) -> None:
    write_jsonl(source, [{"n": 1, "text": "cat", "note": "x", "a\nb": 2}, {"text": "dog", "n": 2, "kind": CANARY}])
    told = (
        'Passed unchanged: n, note, "a\\nb", kind, names in them included; --keep-field drops what you do not name.\n'
    )
    assert told in sanitized(source, vectors).out
    assert (
        "Passed unchanged: n. No other field is in the release.\n"
        in sanitized(source, vectors, "--keep-field", "n", name="b.jsonl").out
    )
    assert "Passed" not in sanitized(source, vectors, "--keep-field", "text", name="c.jsonl").out
    ran = sanitized(source, vectors, "--id-field", "n", "--json", name="d.jsonl")
    assert ran.json["passing"] == {"note": 1, "a\nb": 1, "kind": 1}


@pytest.mark.parametrize("read", ["in.jsonl", "vectors"])
def test_a_file_that_the_run_reads_is_no_key(source: Path, vectors: Path, read: str) -> None:
    file = source if read == "in.jsonl" else vectors
    told = sanitized(source, vectors, "--id-field", "n", "--pin", file)
    assert told.code == 2
    assert "is no secret key" in told.err
    assert not source.with_name("out.jsonl").exists()


def test_the_cost_of_an_ldp_record_is_given_in_three_ways(source: Path, vectors: Path) -> None:
    """Composed by hand: n·ε, and n·ε²/2-zCDP turned into (ε, δ) by the textbook formula, which is an upper bound."""
    statement = sanitized(
        source, vectors, "--mechanism", "custext", "--set", "set_size=5", "--json", epsilon=0.5
    ).json["privacy"]
    assert statement["definition"] == "LDP"
    assert statement["distance"] is None
    assert "same set of 5" in statement["adjacency"]
    assert statement["certificate"]["conditions"]["loss_across_sets"] == "infinity"
    most = statement["records"]["cost_per_record"]["maximum"]
    assert (most["draws"], most["epsilon"], most["delta"]) == (9, 4.5, 1e-6)
    rho = 9 * 0.5**2 / 2
    assert rho < most["epsilon_by_zcdp"] <= rho + 2 * math.sqrt(rho * math.log(1e6))
    assert most["epsilon_by_renyi"] <= min(4.5, most["epsilon_by_zcdp"])
    assert most["smallest"] == ("renyi" if most["epsilon_by_renyi"] < 4.5 else "pure")
    assert most["assumes"].endswith("not pure")


# --- explain ---


@pytest.mark.parametrize("mechanism", FINITE)
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_explain_shows_a_law(vectors: Path, mechanism: str, calibration: str) -> None:
    base = (
        "explain",
        "-m",
        mechanism,
        "-e",
        5,
        "--set",
        f"vocabulary={vectors}",
        "--set",
        f"calibration={calibration}",
        "--json",
    )
    asked = (*base, *FINITE[mechanism], "--token", "river")
    whole, top = call(*asked, "--all").json, call(*asked).json
    assert set(whole) >= {"token", "law"}
    assert whole["token"] == "river"
    assert whole["law_kind"] == "exact"
    probabilities = [row["probability"] for row in whole["law"]]
    assert abs(math.fsum(probabilities) - 1.0) <= 1e-9
    assert probabilities == sorted(probabilities, reverse=True)
    assert {row["token"] for row in whole["law"]} <= set(WORDS)
    assert len(whole["law"]) == whole["support"]
    assert top["law"] == whole["law"][:20]


def test_explain_shows_at_most_twenty(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(30)]
    path = write_vectors(tmp_path, words)
    asked = ("explain", "-m", "santext", "-e", 2, "--set", f"vocabulary={path}", "--token", "word7", "--json")
    assert len(call(*asked).json["law"]) == 20
    assert {row["token"] for row in call(*asked, "--all").json["law"]} == set(words)
    assert "10 other outcomes" in call(*asked[:-1]).out
    assert "other outcome" not in call(*asked[:-1], "--all").out  # there are none


def test_explain_names_the_vocabulary_that_it_takes(tmp_path: Path) -> None:
    names = write_vectors(tmp_path, [f"name{number}" for number in range(9)], name="names.txt")
    given = ("--set", f"vocabulary={write_vectors(tmp_path)}", "--set", f"vocabulary.PERSON={names}")
    asked = ("explain", "-m", "santext", "-e", 2, *given, "--token", "cat", "--json")
    assert "No vocabulary for FOO; using ANY." in call(*asked, "--label", "FOO").err
    assert "No vocabulary" not in call(*asked, "--label", "PERSON").err
    assert "An empty one has none" in call(*asked[:-2], "", "--json").err


@pytest.mark.parametrize("mechanism", NOISE)
def test_explain_estimates_noise_and_says_so(vectors: Path, mechanism: str) -> None:
    found = call(
        "explain", "-m", mechanism, "-e", 30, "--set", f"vocabulary={vectors}", "--token", "river", "--json", "--all"
    ).json
    assert found["law_kind"].startswith("estimated from")
    assert abs(math.fsum(row["probability"] for row in found["law"]) - 1.0) <= 1e-9
    likely = sorted(found["law"], key=lambda row: -row["probability"])[:2]
    assert "river" in [row["token"] for row in likely]  # at this epsilon hardly any noise is left


def test_explain_says_what_an_unknown_word_becomes(vectors: Path) -> None:
    base = ("explain", "-m", "santext", "-e", 5, "--set", f"vocabulary={vectors}", "--json", "--all", "--token")
    first, second = call(*base, "qwertyuiop").json, call(*base, "asdfgh").json
    assert first["asked"] == "qwertyuiop"
    assert "surrogate" in first["unknown"]
    assert first["token"] == second["token"]
    assert first["law"] == second["law"] == call(*base, first["token"]).json["law"]


# --- certify ---


def laws(vectors: Path, mechanism: str, calibration: str, epsilon: float, *more: object) -> np.ndarray[Any, Any]:
    """P(y|x) of all pairs, as `explain --all` shows it."""
    tokens, _ = vectors_of(vectors)
    found = np.zeros((len(tokens), len(tokens)))
    for row, token in enumerate(tokens):
        base = (
            "explain",
            "-m",
            mechanism,
            "-e",
            epsilon,
            "--set",
            f"vocabulary={vectors}",
            "--set",
            f"calibration={calibration}",
        )
        shown = call(*base, *more, "--token", token, "--all", "--json").json
        for entry in shown["law"]:
            found[row, tokens.index(entry["token"])] = entry["probability"]
    return found


@pytest.mark.parametrize("calibration", ["exact", "paper"])
@pytest.mark.parametrize("epsilon", [0.7, 6.0])
def test_certify_santext_by_brute_force(tmp_path: Path, calibration: str, epsilon: float) -> None:
    vectors = write_vectors(tmp_path, WORDS[:11])
    told = call(
        "certify",
        "-m",
        "santext",
        "-e",
        epsilon,
        "--set",
        f"vocabulary={vectors}",
        "--set",
        f"calibration={calibration}",
        "--json",
    ).json
    assert set(told) >= {"definition", "claimed", "certified", "kind", "scale", "paper_scale", "conditions"}
    assert (told["definition"], told["claimed"], told["kind"]) == ("metric-LDP", epsilon, "exact")
    law, (_, points) = np.log(laws(vectors, "santext", calibration, epsilon)), vectors_of(vectors)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    largest = max(
        float(np.abs(law[x] - law[z]).max() / apart[x, z]) for x in range(len(law)) for z in range(len(law)) if x != z
    )
    assert told["certified"] == pytest.approx(largest, rel=1e-7)
    assert told["certified"] <= epsilon
    assert told["paper_scale"] == epsilon / 2
    if calibration == "exact":
        assert told["certified"] == pytest.approx(epsilon, rel=1e-6)
        assert told["scale"] > told["paper_scale"]
    else:
        assert told["scale"] == told["paper_scale"]
    np.testing.assert_allclose(law, -told["scale"] * apart - _log_sums(-told["scale"] * apart), rtol=1e-9)


def _log_sums(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.log(np.exp(scores).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_certify_custext_by_brute_force(vectors: Path, calibration: str) -> None:
    told = call(
        "certify", "-m", "custext", "-e", 3, "--set", "set_size=6", "--set", f"vocabulary={vectors}",
        "--set", f"calibration={calibration}",
        "--json",
    ).json  # fmt: skip
    law = laws(vectors, "custext", calibration, 3, "--set", "set_size=6")
    sets = {tuple(np.flatnonzero(row)) for row in law}
    assert sorted(len(one) for one in sets) == [2, 6, 6, 6]
    assert sorted(token for one in sets for token in one) == list(range(len(WORDS)))
    losses = [float(np.ptp(np.log(law[np.ix_(one, one)]), axis=0).max()) for one in sets]
    assert told["certified"] == pytest.approx(max(losses), rel=1e-7)
    assert told["certified"] <= told["claimed"] == 3.0
    assert told["conditions"]["loss_inside_a_set"] == pytest.approx(max(losses), rel=1e-7)
    assert told["conditions"]["loss_across_sets"] == "infinity"
    assert told["conditions"]["smallest_set"] == 2
    if calibration == "exact":
        assert told["certified"] == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize("mechanism", [*FINITE, *NOISE])
def test_certify_answers_for_every_mechanism(vectors: Path, mechanism: str) -> None:
    asked = ("certify", "-m", mechanism, "-e", 4, "--set", f"vocabulary={vectors}", *FINITE.get(mechanism, ()))
    told = call(*asked, "--json").json
    assert told["kind"] == ("analytic" if mechanism in NOISE else told["kind"])
    assert told["kind"] in ("exact", "upper-bound", "analytic")
    assert told["certified"] <= told["claimed"] == 4.0
    assert len(told["vocabulary_hash"]) == 64
    assert "claimed 4" in call(*asked).out


# --- names and options ---


def test_the_options_of_a_study_are_those_of_its_flags() -> None:
    [rows] = call("list", "linkage", "--json").json["options"].values()
    flags = {row["flag"]: row for row in rows}
    assert "--id-field" in flags
    plan = {option.option.flag: option for option in options_of(Plan)}
    assert plan["--synthetic"].shown_default == "false"
    assert plan["--label"].kind == "text"
    detect = next(option for option in options_of(DetectionOptions) if option.name == "detect")
    assert "identifiers" in detect.shown_default


@pytest.mark.parametrize(("written", "meant"), [("santex", "santext"), ("custxt", "custext"), ("clusan", "clusant")])
def test_the_nearest_mechanism_is_suggested(source: Path, vectors: Path, written: str, meant: str) -> None:
    told = sanitized(source, vectors, "--mechanism", written)
    assert told.code == 2
    assert f"did you mean {meant}?" in told.err


@pytest.mark.parametrize(
    ("mechanism", "option", "owner"),
    [
        ("santext", ("--set", "set_size=4"), "custext"),
        ("custext", ("--set", "k=4"), "clusant"),
        ("santext", ("--set", "clusters=4"), "clusant"),
        ("fbdd", ("--set", "similarity=cosine"), "custext"),
    ],
)
def test_an_option_of_another_mechanism(
    source: Path, vectors: Path, mechanism: str, option: tuple[str, ...], owner: str
) -> None:
    told = sanitized(source, vectors, "--mechanism", mechanism, *option)
    assert told.code == 2
    assert "has no option" in told.err
    assert owner in told.err


def test_errors_in_json(source: Path, vectors: Path) -> None:
    told = sanitized(source, vectors, "--mechanism", "santex", "--json")
    assert told.code == 2
    error = json.loads(told.out)["error"]
    assert error["kind"] == "ConfigurationError"
    assert f"Error: {error['message']}\n" == told.err
    usage = call("sanitize", "--json")
    assert json.loads(usage.out)["error"]["kind"] == "UsageError"


# --- randomness ---


def test_a_seeded_run_is_reproducible_and_stamped(tmp_path: Path) -> None:
    """One chunk ends at a million characters: three of them, over one process and over two that begin as new ones."""
    vectors = write_vectors(tmp_path)
    long = " ".join(WORDS * 4)
    source = write_jsonl(tmp_path / "in.jsonl", ({"text": f"{long} {n} {'-' * 2_000}"} for n in range(1_000)))
    released = []
    for workers in (1, 2):
        output = tmp_path / f"out{workers}.jsonl"
        told = run_warm(
            "sanitize", source, "-o", output, "-m", "santext", "-e", 3, "--set", f"vocabulary={vectors}", "--seed", 7,
            "--workers", workers, "--json",
        ).json  # fmt: skip
        released.append(output.read_bytes())
        assert told["privacy"]["private"] is False
        assert "not private" in told["privacy"]["randomness"]
        assert "NOT PRIVATE" in told["privacy"]["summary"]
        assert told["privacy"]["records"]["count"] == 1_000
    assert released[0] == released[1]
    assert len(set(texts(tmp_path / "out1.jsonl"))) == 1_000  # the same words, but not the same draws


def test_another_seed_and_no_seed_differ(tmp_path: Path, vectors: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": " ".join(WORDS * 5)}])
    seen = set()
    for name, more in {"a": ("--seed", 1), "b": ("--seed", 2), "c": (), "d": ()}.items():
        sanitized(source, vectors, *more, name=f"{name}.jsonl", epsilon=1)
        seen.update(texts(tmp_path / f"{name}.jsonl"))
    assert len(seen) == 4


def test_a_pinned_run_repeats_itself_and_draws_an_edited_text_afresh(tmp_path: Path, vectors: Path) -> None:
    keys = [tmp_path / "key0", tmp_path / "key1"]
    for number, key in enumerate(keys):
        write_key(key, bytes(range(number, number + 32)))
    words = WORDS * 5
    first = write_jsonl(tmp_path / "first.jsonl", [{"id": "a", "text": " ".join(words)}])
    edited = write_jsonl(tmp_path / "edited.jsonl", [{"id": "a", "text": " ".join(["bird", *words[1:]])}])
    released: dict[str, list[str]] = {}
    for name, source, key in (("a", first, 0), ("b", first, 0), ("c", first, 1), ("d", edited, 0)):
        told = sanitized(
            source, vectors, "--id-field", "id", "--pin", keys[key], "--json", name=f"{name}.jsonl", epsilon=0.1
        ).json
        released[name] = texts(tmp_path / f"{name}.jsonl")[0].lower().split()
        assert told["privacy"]["private"] is True
        assert told["privacy"]["randomness"].startswith("pinned")
        assert any(
            "marked tokens was changed since an earlier pinned run" in seen for seen in told["privacy"]["visible"]
        )
        assert keys[key].read_bytes().hex() not in json.dumps(told)
    assert released["a"] == released["b"]
    for other in ("c", "d"):  # another key; another first word, which would otherwise show that the rest is the same
        assert sum(x != y for x, y in zip(released["a"][1:], released[other][1:], strict=True)) > 50


def test_seed_and_pin_exclude_each_other(tmp_path: Path, source: Path, vectors: Path) -> None:
    write_key(tmp_path / "key")
    told = sanitized(source, vectors, "--id-field", "n", "--seed", 1, "--pin", tmp_path / "key")
    assert told.code == 2
    assert "exclude each other" in told.err


def test_a_key_needs_ids(tmp_path: Path, source: Path, vectors: Path) -> None:
    """By the place alone, two files under one key would share their draws."""
    write_key(tmp_path / "key")
    told = sanitized(source, vectors, "--pin", tmp_path / "key")
    assert told.code == 2
    assert "needs --id-field" in told.err


# --- what is replaced, and how often ---


def test_consistency_document(tmp_path: Path, vectors: Path) -> None:
    text = " ".join(["cat", "dog"] * 40)
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": text}, {"text": text}])
    told = sanitized(source, vectors, "--set", "consistency=document", "--json", epsilon=0.01).json
    for line in texts(tmp_path / "out.jsonl"):
        words = line.lower().split()
        assert len(set(words[::2])) == len(set(words[1::2])) == 1
    privacy = told["privacy"]
    assert privacy["records"]["draws_per_record"]["maximum"] == 2
    assert any("hold the same token" in seen for seen in privacy["visible"])
    assert privacy["consistency"] == "document"
    sanitized(source, vectors, name="mention.jsonl", epsilon=0.01)
    assert all(len(set(line.lower().split())) > 5 for line in texts(tmp_path / "mention.jsonl"))


def test_detect_list(tmp_path: Path, vectors: Path) -> None:
    (tmp_path / "names.txt").write_text(f"{CANARY}\nCODE\tblue whale\n/[0-9]{{4}}/\n", encoding="utf-8")
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": f"Dr {CANARY}, a Blue Whale of 1999; zebra."}])
    told = sanitized(source, vectors, "--detect", f"list:{tmp_path / 'names.txt'}", "--json").json
    (text,) = texts(tmp_path / "out.jsonl")
    words = text.removeprefix("Dr ").removesuffix("; zebra.").replace(", a ", " of ").split(" of ")
    assert len(words) == 3
    assert set(words) <= set(WORDS)
    assert told["privacy"]["records"]["draws_per_record"]["total"] == 3
    assert "3 entries" in told["privacy"]["detector"]["protects"]


def test_detect_content_words(tmp_path: Path, vectors: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": f"The {CANARY} was WITH them, and THEIRS."}])
    told = sanitized(source, vectors, "--detect", "content-words", "--json").json
    (text,) = texts(tmp_path / "out.jsonl")
    before, word, after = text.partition(text.split()[1])
    assert (before, after) == ("The ", " was WITH them, and THEIRS.")
    assert word in WORDS
    assert "stop words" in told["privacy"]["detector"]["leaves_unprotected"]


def test_detect_given_with_a_vocabulary_for_each_label(tmp_path: Path) -> None:
    colours = write_vectors(tmp_path, ["red", "blue", "teal"], "colours.txt")
    animals = write_vectors(tmp_path, ["ox", "emu", "yak", "gnu"], "animals.txt")
    others = write_vectors(tmp_path, ["one", "two"], "others.txt")
    text = f"{CANARY} paints Old {CANARY} in June."
    spans = [
        {"start": 0, "end": 10, "label": "COLOUR"},
        {"start": 18, "end": 32, "label": "ANIMAL"},
        {"start": 36, "end": 40, "label": "MONTH"},
    ]
    source = write_jsonl(tmp_path / "in.jsonl", [{"spans": spans, "text": text}, {"spans": [], "text": "none"}])
    told = call(
        "sanitize", source, "-o", tmp_path / "out.jsonl", "-m", "santext", "-e", 1, "--detect", "given",
        "--set", f"vocabulary={others}", "--set", f"vocabulary.COLOUR={colours}",
        "--set", f"vocabulary.ANIMAL={animals}", "--json",
    ).json  # fmt: skip
    first, second = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())
    released = {span["label"]: first["text"][span["start"] : span["end"]] for span in first["spans"]}
    assert released["COLOUR"].lower() in ("red", "blue", "teal")
    assert released["COLOUR"][0].isupper()  # it opens the text
    assert released["ANIMAL"] in ("ox", "emu", "yak", "gnu")
    assert released["MONTH"] in ("one", "two")
    assert first["text"] == f"{released['COLOUR']} paints {released['ANIMAL']} in {released['MONTH']}."
    assert second == {"spans": [], "text": "none"}
    assert set(told["privacy"]["vocabularies"]) == {"ANY", "COLOUR", "ANIMAL"}
    assert any("kind of what was replaced" in seen for seen in told["privacy"]["visible"])


def test_given_spans_merged_and_skipped(tmp_path: Path, vectors: Path) -> None:
    entities = [
        {"start_offset": 0, "end_offset": 4, "entity_type": "PERSON", "identifier_type": "DIRECT"},
        {"start_offset": 2, "end_offset": 9, "entity_type": "ORG", "identifier_type": "QUASI"},
        {"start_offset": 14, "end_offset": 18, "entity_type": "LOC", "identifier_type": "NO_MASK"},
    ]
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna Lees saw Rome.", "entities": entities}])
    given = ("--detect", "given", "--set", "detect.spans_field=entities", "--set", "detect.skip_labels=NO_MASK")
    assert "overlaps" in sanitized(source, vectors, *given).err
    told = sanitized(source, vectors, *given, "--set", "detect.merge_spans=true", "--json").json
    (line,) = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())
    word = line["text"].removesuffix(" saw Rome.")
    assert word.lower() in WORDS
    assert line["entities"] == [{"start": 0, "end": len(word), "label": "PERSON"}]
    assert "NO_MASK" in told["privacy"]["detector"]["protects"]
    refused = sanitized(source, vectors, "--set", "detect.skip_labels=NO_MASK", "--force", "--keep-field", "text")
    assert refused.code == 2
    assert "reads no given spans; leave out --set detect.skip_labels" in refused.err


def test_lower_cases_a_vocabulary(tmp_path: Path) -> None:
    path = write_vectors(tmp_path, ["Rome", "ROME", "Oslo", "Bergen"])
    asked = ("explain", "-m", "santext", "-e", 1, "--set", f"vocabulary={path}", "--token", "rome", "--all", "--json")
    assert {row["token"] for row in call(*asked).json["law"]} == {"Rome", "ROME", "Oslo", "Bergen"}
    lowered = call(*asked, "--set", "lower=true").json
    assert {row["token"] for row in lowered["law"]} == {"rome", "oslo", "bergen"}
    assert "1 repeats dropped" in lowered["vocabulary"]


# --- the options of CluSanT and CusText ---


def test_clusters_by_number_and_by_file(tmp_path: Path, vectors: Path) -> None:
    base = ("certify", "-m", "clusant", "-e", 4, "--set", f"vocabulary={vectors}", "--json")
    told = call(*base, "--set", "clusters=4").json
    assert told["conditions"]["clusters"] == 4
    groups = tmp_path / "clusters.json"
    groups.write_text(json.dumps({"a": WORDS[:3], "b": WORDS[3:10], "c": WORDS[10:]}), encoding="utf-8")
    told = call(*base, "--set", f"clusters={groups}").json
    sizes = [told["conditions"][key] for key in ("clusters", "smallest_cluster", "largest_cluster")]
    assert sizes == [3, 3, 10]
    assert told["certified"] <= 4.0
    groups.write_text(json.dumps([WORDS[:3], WORDS[4:]]), encoding="utf-8")
    assert "exactly once" in call(*base, "--set", f"clusters={groups}").err
    refused = call(*base, "--set", "clusters=vocabulary")
    assert refused.code == 2
    assert "came without clusters" in refused.err


def test_infinite_k_never_leaves_a_cluster(vectors: Path) -> None:
    asked = ("-m", "clusant", "-e", 4, "--set", f"vocabulary={vectors}", "--set", "k=inf", "--set", "clusters=4")
    told = call("certify", *asked, "--json").json
    assert told["definition"] == "LDP"
    assert told["conditions"]["loss_across_clusters"] == "infinity"
    law = laws(vectors, "clusant", "exact", 4, "--set", "k=inf", "--set", "clusters=4")
    sets = {tuple(np.flatnonzero(row)) for row in law}
    assert len(sets) == 4
    inside = max(float(np.ptp(np.log(law[np.ix_(one, one)]), axis=0).max()) for one in sets)
    assert told["certified"] == pytest.approx(inside, rel=1e-7)


@pytest.mark.parametrize("size", [2, 3, 20, 500])
def test_set_sizes(vectors: Path, size: int) -> None:
    told = call(
        "certify", "-m", "custext", "-e", 2, "--set", f"vocabulary={vectors}", "--set", f"set_size={size}", "--json"
    ).json
    assert told["conditions"]["smallest_set"] >= 2
    assert told["conditions"]["largest_set"] <= max(size + 1, 3)
    assert told["certified"] <= 2.0


@pytest.mark.models
def test_clusters_of_the_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    path.write_text(json.dumps({"north": ["Oslo", "Bergen", "Umeå"], "south": ["Rome", "Bari"]}), encoding="utf-8")
    asked = (
        "certify",
        "-m",
        "clusant",
        "-e",
        8,
        "--set",
        f"vocabulary={path}",
        "--set",
        "clusters=vocabulary",
        "--json",
    )
    told = call(*asked).json
    assert told["conditions"]["clusters"] == 2
    assert told["certified"] <= 8.0


# --- force ---


def test_force_replaces_output_and_statement_together(source: Path, vectors: Path) -> None:
    output, beside = source.with_name("out.jsonl"), source.with_name("out.jsonl.privacy.json")
    assert sanitized(source, vectors, epsilon=6).code == 0
    before = output.read_bytes(), beside.read_bytes()
    refused = sanitized(source, vectors, epsilon=2)
    assert refused.code == 2
    assert "exists" in refused.err
    for more, epsilon in (("--resume", 2), ("--mechanism=santex", 6)):
        assert sanitized(source, vectors, more, epsilon=epsilon).code == 2
        assert (output.read_bytes(), beside.read_bytes()) == before, "a refused run took the statement away"
    assert sanitized(source, vectors, "--force", epsilon=2).code == 0
    assert json.loads(beside.read_text())["epsilon_per_draw"] == 2.0


def test_resuming_a_finished_run_is_no_error(source: Path, vectors: Path) -> None:
    """It is done, and said to be done; unless something else is asked than what was done."""
    output, beside = source.with_name("out.jsonl"), source.with_name("out.jsonl.privacy.json")
    assert sanitized(source, vectors).code == 0
    removed = source.with_name(".out.jsonl.removed")  # of a run that was killed while it cleared up
    removed.mkdir()
    before = output.read_bytes(), beside.read_bytes()
    told = sanitized(source, vectors, "--resume")
    assert (told.code, told.err) == (0, "")
    assert "nothing was left to do" in told.out
    assert not removed.exists()
    assert sanitized(source, vectors, "--resume", "--json").json["privacy"] == json.loads(beside.read_text())
    assert sanitized(source, vectors, "--resume", "--quiet").out == ""
    assert "exists" in sanitized(source, vectors, "--resume", epsilon=2).err
    assert "exists" in sanitized(source, vectors, "--resume", "--detect", "content-words").err
    assert (output.read_bytes(), beside.read_bytes()) == before
    changed = source.stat().st_mtime_ns
    for time in (changed + 10**9, 0):  # also one that is older than the release
        os.utime(source, ns=(time, time))
        assert "exists" in sanitized(source, vectors, "--resume").err, "another input"
    os.utime(source, ns=(changed, changed))
    assert sanitized(source, vectors, "--resume").code == 0
    output.write_bytes(before[0] + b"\n")
    assert "exists" in sanitized(source, vectors, "--resume").err, "the release changed since"


def test_resuming_is_not_told_that_another_field_or_list_is_done(tmp_path: Path) -> None:
    """What the statement says is equal for both: the release of one is not the release of the other."""
    source, names = tmp_path / "in.jsonl", tmp_path / "names.txt"
    write_jsonl(source, [{"a": "Anna slept", "b": "Anna woke"}])
    names.write_text("Anna\n", encoding="utf-8")
    asked = ("sanitize", source, "-o", tmp_path / "out.jsonl", "-m", "redaction", "--detect", f"list:{names}")
    assert call(*asked, "--field", "a").code == 0
    assert call(*asked, "--field", "a", "--resume").code == 0
    assert "exists" in call(*asked, "--field", "b", "--resume").err
    before = names.stat()
    names.write_text("Bert\n", encoding="utf-8")
    os.utime(names, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "exists" in call(*asked, "--field", "a", "--resume").err


def test_a_forced_run_that_fails_leaves_the_old_output_with_its_statement(source: Path, vectors: Path) -> None:
    assert sanitized(source, vectors).code == 0
    kept = {path.name: path.read_bytes() for path in source.parent.iterdir() if path.name.startswith("out")}
    assert len(kept) == 2
    with source.open("a", encoding="utf-8") as file:
        file.write(f'{{"text": "{CANARY}\n')
    assert "line 5" in sanitized(source, vectors, "--force").err
    assert all(source.with_name(name).read_bytes() == content for name, content in kept.items())


def test_a_statement_without_its_output_is_not_overwritten(source: Path, vectors: Path) -> None:
    """It belongs to a release that was moved elsewhere."""
    beside = source.with_name("out.jsonl.privacy.json")
    beside.write_text("{}", encoding="utf-8")
    assert "exists" in sanitized(source, vectors).err
    assert beside.read_text() == "{}"


# --- what is refused before minutes of work ---


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_an_output_that_exists_is_found_before_anything_is_prepared(
    source: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("the vocabulary was prepared")

    output = source.with_name("out.jsonl")
    asked = ("sanitize", source, "-o", output, "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}", *more)
    monkeypatch.setattr("sfumato.run.execute.build", never)
    assert "AssertionError" in call(*asked).err
    output.write_text("precious")
    assert "out.jsonl exists" in call(*asked).err


OWN = ["epsilon", "detect", "progress", "mechanism", "chat_model", "chat-model"]


@pytest.mark.parametrize("command", ["sanitize", "certify", "explain"])
def test_an_option_with_a_flag_of_its_own_is_refused(source: Path, vectors: Path, command: str) -> None:
    """Such an option would go round the checks of the flag."""
    given: dict[str, tuple[object, ...]] = {
        "sanitize": (source, "-o", source.with_name("out.jsonl")), "certify": (), "explain": ("--token", "cat"),
    }  # fmt: skip
    method = ("-m", "custext", "-e", 4, "--set", f"vocabulary={vectors}")
    for name in OWN:
        asked = (command, *given[command], *method, "--set", f"{name}=7")
        told = call(*asked)
        assert told.code == 2, name
        assert "is given by --" in told.err, told.err


def test_the_help_for_everything_leaves_the_next_one_short() -> None:
    """A program may call the command line again and again; a command is built once for all of its calls."""
    short, whole, again = (call("sanitize", flag).out for flag in ("--help", "--help-all", "--help"))
    assert again == short
    assert len(whole) > 1.5 * len(short)


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--json",)])
def test_a_run_that_sets_every_record_aside_says_so(
    tmp_path: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text(f'{{"text": {CANARY}}}\n' * 3)
    words = ("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "redaction", "--on-error", "quarantine", *more)
    for again in ((), ("--resume",), ("--force",)):
        ran = call(*words, *again)
        assert ran.code == 5, ran.err
        assert (
            "All 3 records were broken, so out.jsonl is empty; out.jsonl.quarantine.jsonl (private!) says" in ran.err
        )
        assert Path("out.jsonl").read_bytes() == b""
        assert CANARY not in ran.out + ran.err
        if more == ("--json",):
            assert json.loads(ran.out)["privacy"]["records"]["quarantined"] == 3


def test_a_run_over_no_records_or_with_some_left_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for content in ("", "\n", '{"text": "a"}\n{\n'):
        Path("in.jsonl").write_text(content)
        words = ("-m", "redaction", "--on-error", "quarantine", "--force")
        assert call("sanitize", "in.jsonl", "-o", "out.jsonl", *words).code == 0
    Path("in.jsonl").write_text("{\n")
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", *words)
    assert (ran.code, "The only record was broken" in ran.err) == (5, True)


def test_no_library_prints_what_it_logs(tmp_path: Path) -> None:
    """Without a handler Python prints every warning of a library, such as psycopg's of a lost connection."""
    code = "import logging, sys; sys.argv = ['sfumato', 'list', '--json']\nfrom sfumato.cli import main\nmain()\n"
    code += "logging.getLogger('psycopg').warning('%s')"
    ran = subprocess.run([sys.executable, "-c", code % CANARY], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
