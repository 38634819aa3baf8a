"""``certify --against``: honest statements of the real command agree, and a lie is found wherever it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import WORDS, Ran, call, write_jsonl, write_vectors
from releasing import release_file
from scripted_models import ScriptedMasked
from sfumato import build
from sfumato.cli.against import IN_CONTEXT, OVER_TOKENS
from sfumato.privacy.rank_profile import RankGains
from sfumato.registry import CONTEXTUAL, TOKENS, methods
from sfumato.release.job import RunOptions
from sfumato.vocabularies.builtin import FAMILIES
from sfumato.vocabularies.load import load_vocabulary

MADE = {
    "santext": (),
    "santext+": ("--set", "sensitive_share=0.6"),
    "custext": ("--set", "set_size=4"),
    "custext+": ("--set", "set_size=4", "--set", "similarity=cosine"),
    "clusant": ("--set", "k=8", "--set", "set_size=4"),
    "tem": ("--set", "threshold=2"),
}
NOISE = ("fbdd", "mahalanobis", "vickrey")
Statement = dict[str, Any]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


def released(vectors: Path, mechanism: str, *options: object, epsilon: float = 4.0) -> Path:
    """The statement of a release that the command makes."""
    source, output = vectors.with_name("in.jsonl"), vectors.with_name(f"{mechanism}.jsonl")
    write_jsonl(source, [{"id": "1", "text": "A cat saw the doctor."}])
    method = ("-m", mechanism, "-e", epsilon, *(options or MADE.get(mechanism, ())))
    made = call("sanitize", source, "-o", output, *method, "--set", f"vocabulary={vectors}", "--force")
    assert made.code == 0, made.err
    return output.with_name(f"{output.name}.privacy.json")


def against(statement: Path, vectors: Path, *more: object) -> Ran:
    return call("certify", "--against", statement, "--set", f"vocabulary={vectors}", *more)


def changed(statement: Path, change: Callable[[Statement], Any]) -> Path:
    """The statement with a lie in it."""
    content = json.loads(statement.read_text(encoding="utf-8"))
    before = json.dumps(content)
    change(content)
    assert json.dumps(content) != before
    path = statement.with_name("changed.privacy.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def every_certificate(statement: Statement) -> list[Statement]:
    """The certificate at the top and that of the vocabulary, if there is one."""
    return [statement["certificate"], *(one["certificate"] for one in statement.get("vocabularies", {}).values())]


def test_the_checker_knows_every_mechanism_with_a_finite_law() -> None:
    assert {*OVER_TOKENS, *NOISE} == set(methods(TOKENS))
    assert set(IN_CONTEXT) == set(methods(CONTEXTUAL))


@pytest.mark.parametrize("mechanism", MADE)
def test_an_honest_statement_agrees(vectors: Path, mechanism: str) -> None:
    statement = released(vectors, mechanism)
    told = against(statement, vectors)
    assert told.code == 0, told.err
    assert "agrees" in told.out
    for pairs in ((), ("--all-pairs",)):
        found = against(statement, vectors, *pairs, "--json").json
        [checked] = found["checked"]
        assert (found["agrees"], found["mechanism"], checked["problem"]) == (True, mechanism, None)
        assert found["all_pairs"] == bool(pairs)
        assert checked["recomputed"] == pytest.approx(checked["stated"], rel=found["tolerance"])
        assert checked["stated"] <= checked["claimed"] == 4.0
        assert len(checked["tokens"]) == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--set", "clusters=5"),
        ("--set", "clusters=20", "--set", "k=1"),
        ("--set", "k=inf", "--set", "set_size=5"),
        ("--set", "k=3", "--set", "token-distance=stretched", "--set", "set_size=5"),
        ("--set", "k=3", "--set", "token-distance=normalised", "--set", "p=1", "--set", "calibration=paper"),
    ],
)
def test_the_clusters_of_a_release_are_made_again(vectors: Path, options: tuple[str, ...]) -> None:
    statement = released(vectors, "clusant", *options)
    assert against(statement, vectors, "--all-pairs").code == 0


def test_clusters_that_were_supplied_are_asked_for(vectors: Path) -> None:
    words = [line.split()[0] for line in vectors.read_text(encoding="utf-8").splitlines()]
    clusters = vectors.with_name("clusters.json")
    clusters.write_text(json.dumps([words[:8], words[8:]]), encoding="utf-8")
    statement = released(vectors, "clusant", "--set", f"clusters={clusters}")
    told = against(statement, vectors)
    assert told.code == 2
    assert "give it with --set clusters=FILE" in told.err
    assert against(statement, vectors, "--set", f"clusters={clusters}", "--all-pairs").code == 0
    clusters.write_text(json.dumps([words[:9], words[9:]]), encoding="utf-8")
    other = against(statement, vectors, "--set", f"clusters={clusters}")
    assert other.code == 1
    assert "its sets of tokens are not those" in other.out


def scaled(factor: float) -> Callable[[Statement], None]:
    """Change the scale, wherever a statement has it."""

    def change(statement: Statement) -> None:
        for one in every_certificate(statement):
            one["scale"] *= factor
            for name in ("cluster_scale", "token_scale", "scale_smallest", "scale_median", "scale_largest"):
                if name in one["conditions"]:
                    one["conditions"][name] *= factor
            if "temperature" in one["conditions"]:
                one["conditions"]["temperature"] /= factor
        for entry in statement.get("vocabularies", {}).values():
            if "scales" in entry.get("law", {}):
                scales = [repr(float(scale) * factor) for scale in entry["law"]["scales"].split()]
                entry["law"]["scales"] = " ".join(scales)

    return change


def claiming(epsilon: float) -> Callable[[Statement], None]:
    """Change the claim, wherever a statement has it; its loss stays."""

    def change(statement: Statement) -> None:
        statement["epsilon_per_draw"] = epsilon
        for holder in [statement, *statement.get("vocabularies", {}).values()]:
            holder.get("parameters", {}).pop("epsilon", None)
            holder.get("parameters", statement).update({"epsilon": epsilon})
        for one in every_certificate(statement):
            one["claimed"] = epsilon

    return change


def claiming_and_losing(epsilon: float) -> Callable[[Statement], None]:
    """Change the claim and the loss with it, wherever a statement has them."""

    def change(statement: Statement) -> None:
        claiming(epsilon)(statement)
        for one in every_certificate(statement):
            one["certified"] = epsilon * (1.0 - 1e-9)

    return change


def another_pair(statement: Statement) -> None:
    """Name two other tokens as worst, with their words."""
    [entry] = statement["vocabularies"].values()
    first, second = entry["certificate"]["worst_pair"]
    for one in every_certificate(statement):
        one["worst_pair"] = [second, first - 1 if first - 1 not in (second, -1) else first + 1]
    entry["worst_tokens"] = [WORDS[token] for token in entry["certificate"]["worst_pair"]]


def another_certificate_on_top(statement: Statement) -> None:
    statement["certificate"]["certified"] *= 0.5


LIES: dict[str, tuple[Callable[[Statement], Any], str]] = {
    "a larger scale": (scaled(1.01), "at the stated scale"),
    "a smaller scale": (scaled(0.99), "at the stated scale"),
    "a lower claim": (claiming(3.9), "more than the 3.9 that it claims"),
    "a lower claim and loss": (claiming_and_losing(3.9), "at the stated scale"),
    "another epsilon on top": (lambda one: one.update({"epsilon_per_draw": 3.0}), "promises epsilon 3"),
    "another definition": (lambda one: one.update({"definition": "DP"}), "it states DP"),
    "another distance": (lambda one: one.update({"distance": "L3"}), "the distance L3"),
    "another worst pair": (another_pair, "worst pair"),
    "no worst pair and a lower loss": (
        lambda one: [every.update({"worst_pair": None, "certified": 3.0}) for every in every_certificate(one)],
        "and 3 is stated for the worst",
    ),
    "another certificate on top": (another_certificate_on_top, "its first certificate"),
    "another scale in the certificate alone": (
        lambda one: [every.update({"scale": every["scale"] * 1.01}) for every in every_certificate(one)],
        "scale",
    ),
    "other words for the worst pair": (
        lambda one: one["vocabularies"]["ANY"]["worst_tokens"].reverse(),
        "other tokens than their numbers say",
    ),
}


@pytest.mark.parametrize("mechanism", MADE)
def test_a_lie_is_found(vectors: Path, mechanism: str) -> None:
    honest = released(vectors, mechanism)
    for lie, (change, sentence) in LIES.items():
        told = against(changed(honest, change), vectors, "--json")
        assert told.code == 1, (lie, told)
        found = json.loads(told.out)
        assert found["agrees"] is False
        assert sentence in (found["problem"] or found["checked"][0]["problem"]), lie
    assert "is wrong: its worst pair" in against(changed(honest, scaled(1.01)), vectors).out


def without_a_pair(statement: Statement) -> None:
    """Name no worst pair, so that only the comparison of all pairs is left."""
    for one in every_certificate(statement):
        one.update({"worst_pair": None, "certified": 3.9})
    statement["vocabularies"]["ANY"]["worst_tokens"] = None


@pytest.mark.parametrize("mechanism", ["santext", "custext", "clusant"])
def test_what_is_no_number_is_no_agreement(vectors: Path, mechanism: str) -> None:
    honest = released(vectors, mechanism)

    def change(statement: Statement) -> None:
        without_a_pair(statement)
        scaled(1e305)(statement)

    def push(statement: Statement) -> None:
        without_a_pair(statement)
        for entry in statement["vocabularies"].values():
            entry["parameters"]["k"] = 1e300

    for lie in (change, push):
        told = against(changed(honest, lie), vectors, "--json")
        assert told.code == 1, told
        assert json.loads(told.out)["agrees"] is False


def test_a_larger_claim_than_needed_is_no_lie(vectors: Path) -> None:
    assert against(changed(released(vectors, "santext"), claiming(5.0)), vectors).code == 0


@pytest.mark.parametrize("mechanism", ["santext", "clusant", "tem"])
def test_a_worse_pair_than_the_named_one_is_found_among_all_pairs(vectors: Path, mechanism: str) -> None:
    """The loss of the named pair is stated as it is, so that only the others give the lie away."""
    honest = released(vectors, mechanism)
    loss = json.loads(against(changed(honest, another_pair), vectors, "--json").out)["checked"][0]["recomputed"]
    assert 1.0 < loss < 3.99

    def change(statement: Statement) -> None:
        another_pair(statement)
        for one in every_certificate(statement):
            one["certified"] = loss

    statement = changed(honest, change)
    assert against(statement, vectors).code == 0
    told = against(statement, vectors, "--all-pairs")
    assert told.code == 1
    assert "is stated for the worst" in told.out


@pytest.mark.parametrize("mechanism", ["custext", "custext+"])
def test_a_scale_of_another_set_is_found_among_all_pairs(vectors: Path, mechanism: str) -> None:
    honest = released(vectors, mechanism)
    found = against(honest, vectors, "--json").json["checked"][0]
    statements = []
    for number in range(3):

        def change(statement: Statement, number: int = number) -> None:
            law = statement["vocabularies"]["ANY"]["law"]
            scales = law["scales"].split()
            scales[number] = repr(float(scales[number]) * 1.01)
            law["scales"] = " ".join(scales)
            for one in every_certificate(statement):
                one["scale"] = min(map(float, scales))

        statements.append(against(changed(honest, change), vectors, "--all-pairs"))
    assert {told.code for told in statements} == {1}
    assert sum("is stated for the worst" in told.out for told in statements) >= 2
    assert found["recomputed"] == pytest.approx(4.0)


def test_a_list_of_stop_words_is_stated_and_another_is_found(vectors: Path) -> None:
    listed = vectors.with_name("stops.txt")
    listed.write_text("Cat\nthe\n", encoding="utf-8")
    honest = released(vectors, "custext+", "--set", "set_size=4", "--set", f"stop_words={listed}")
    stated = json.loads(honest.read_text(encoding="utf-8"))["vocabularies"]["ANY"]["parameters"]
    assert stated["stop_words"] == ["cat", "the"]
    assert against(honest, vectors, "--all-pairs").code == 0

    def shorter(statement: Statement) -> None:
        statement["vocabularies"]["ANY"]["parameters"]["stop_words"] = ["the"]

    assert against(changed(honest, shorter), vectors, "--all-pairs").code != 0


def test_supplied_scores_are_given_again_and_others_are_found(vectors: Path) -> None:
    count, files = len(vectors.read_text(encoding="utf-8").splitlines()), []
    for seed in (0, 1):
        files.append(vectors.with_name(f"scores-{seed}.npy"))
        np.save(files[-1], np.random.default_rng(seed).random((count, count)))
    honest = released(vectors, "custext", "--set", "set_size=4", "--set", f"similarity={files[0]}")
    assert against(honest, vectors, "--all-pairs", "--set", f"similarity={files[0]}").code == 0
    told = against(honest, vectors, "--set", f"similarity={files[1]}")
    assert told.code == 1
    assert "its sets of tokens are not those" in told.out
    assert "give it with --set similarity=FILE" in against(honest, vectors).err
    usual = released(vectors, "santext")
    assert "no similarity that was supplied" in against(usual, vectors, "--set", f"similarity={files[0]}").err

    def quieter(statement: Statement) -> None:
        entry = statement["vocabularies"]["ANY"]
        entry["law"]["scales"] = " ".join("0.001" for _ in entry["law"]["scales"].split())
        for certificate in (entry["certificate"], statement["certificate"]):
            certificate["scale"] = certificate["conditions"]["scale_smallest"] = 0.001

    honest = released(vectors, "custext", "--set", "set_size=4", "--set", f"similarity={files[0]}")
    told = against(changed(honest, quieter), vectors, "--all-pairs", "--set", f"similarity={files[0]}")
    assert told.code == 1
    assert "the scales of its laws are not those" in told.out

    def louder(statement: Statement) -> None:
        entry = statement["vocabularies"]["ANY"]
        entry["law"]["law_digest"] = "0" * 64

    told = against(changed(honest, louder), vectors, "--set", f"similarity={files[0]}")
    assert told.code == 1
    assert "its laws are not those" in told.out


OPTIMAL = {
    "custext": ("--set", "set_size=4", "--set", "calibration=optimal"),
    "custext+": ("--set", "set_size=4", "--set", "calibration=optimal", "--set", "prior=frequency"),
    "clusant": ("--set", "set_size=4", "--set", "k=inf", "--set", "calibration=optimal"),
}


@pytest.mark.parametrize("mechanism", list(OPTIMAL))
def test_optimal_laws_are_checked_by_their_tables(vectors: Path, mechanism: str) -> None:
    honest = released(vectors, mechanism, *OPTIMAL[mechanism])
    assert against(honest, vectors, "--all-pairs").code == 0

    def another(statement: Statement) -> None:
        statement["vocabularies"]["ANY"]["law"]["law_digest"] = "0" * 64

    def denied(statement: Statement) -> None:
        del statement["vocabularies"]["ANY"]["law"]["law_digest"]

    for lie in (another, denied):
        told = against(changed(honest, lie), vectors)
        assert told.code == 1
        assert "its laws are not those" in told.out
    told = against(changed(honest, claiming_and_losing(3.9)), vectors)
    assert told.code == 1


@pytest.mark.parametrize("epsilon", [1e-3, 4.0, 60.0, 1e4])
def test_laws_in_whole_numbers_are_checked_at_any_epsilon(vectors: Path, epsilon: float) -> None:
    for mechanism, options in (
        ("custext", ("--set", "set_size=4")),
        ("clusant", ("--set", "set_size=4", "--set", "k=inf")),
    ):
        honest = released(vectors, mechanism, *options, epsilon=epsilon)
        told = against(honest, vectors, "--all-pairs")
        assert told.code == 0, told


def test_another_vocabulary_is_found(vectors: Path) -> None:
    honest = released(vectors, "tem")
    moved = write_vectors(vectors.parent, name="moved.vec.txt", seed=1)
    told = against(honest, moved)
    assert told.code == 1
    assert "another vocabulary" in told.out
    other = load_vocabulary(moved).hash
    for mechanism in MADE:  # and where the hash is changed too, the loss is that of other vectors
        lie = changed(released(vectors, mechanism), lambda one: one["vocabularies"]["ANY"].update({"hash": other}))
        told = against(lie, moved)
        assert told.code == 1
        assert "another vocabulary" not in told.out


GARBLED: dict[str, Callable[[Statement], Any]] = {
    "no certificate": lambda one: one["vocabularies"]["ANY"].pop("certificate"),
    "no hash": lambda one: one["vocabularies"]["ANY"].pop("hash"),
    "no words": lambda one: one["vocabularies"]["ANY"].pop("worst_tokens"),
    "no sets": lambda one: one["vocabularies"]["ANY"]["law"].pop("scales"),
    "no vocabularies": lambda one: one.update({"vocabularies": {}}),
    "a claim that is text": lambda one: one["vocabularies"]["ANY"]["certificate"].update({"claimed": "4"}),
    "a scale that is true": lambda one: one["vocabularies"]["ANY"]["certificate"].update({"scale": True}),
    "a pair of one": lambda one: one["vocabularies"]["ANY"]["certificate"].update({"worst_pair": [1]}),
    "a pair of no tokens": lambda one: one["vocabularies"]["ANY"]["certificate"].update({"worst_pair": [1, 10**9]}),
    "sets of no size": lambda one: one["vocabularies"]["ANY"]["parameters"].update({"set_size": "four"}),
    "an unknown mechanism": lambda one: one.update({"mechanism": "rainbow"}),
    "a seeded run": lambda one: one.update({"private": False}),
    "no epsilon": lambda one: one.pop("epsilon_per_draw"),
    "no summary": lambda one: one.pop("summary"),
}


def test_a_statement_that_cannot_be_checked_is_refused_in_a_sentence(vectors: Path) -> None:
    honest = released(vectors, "custext")
    for what, change in GARBLED.items():
        told = against(changed(honest, change), vectors)
        assert told.code == 2, (what, told)
        assert told.err.count("\n") == 1
        assert "Internal error" not in told.err


def test_what_is_no_statement_is_refused(vectors: Path) -> None:
    path = vectors.with_name("none.privacy.json")
    for content in ("", "{", "[]", "NaN", '{"summary": NaN}', "[" * 100_000, '{"a": 1}'):
        path.write_text(content, encoding="utf-8")
        told = against(path, vectors)
        assert told.code == 2
        assert "no privacy statement" in told.err
    assert against(vectors.with_name("absent.json"), vectors).code == 2


@pytest.mark.parametrize("mechanism", NOISE)
def test_noise_has_no_finite_law(vectors: Path, mechanism: str) -> None:
    told = against(released(vectors, mechanism), vectors)
    assert told.code == 2
    assert "no finite law" in told.err


def test_the_statement_says_which_method_ran(vectors: Path) -> None:
    statement = released(vectors, "custext")
    for more in (("-m", "santext"), ("-e", "4"), ("--set", "set_size=4"), ("--label", "ORG"), ("--set", "p=1")):
        told = against(statement, vectors, *more)
        assert told.code == 2
        assert "The statement says which method ran" in told.err
    assert "give its file with --set vocabulary=FILE" in call("certify", "--against", statement).err
    strange = call("certify", "--against", statement, "--set", f"vocabulary.ORG={vectors}")
    assert "no vocabulary ORG" in strange.err
    assert "Give --mechanism" in call("certify").err
    assert "Give --mechanism" in call("certify", "--all-pairs", "-m", "santext").err


def rewritten(vectors: Path, law: str, **spent: float) -> Path:
    """The statement of a rewriting with a model that needs no network."""
    source = write_jsonl(vectors.with_name("in.jsonl"), [{"id": "1", "text": "A cat saw the doctor."}])
    made: Any = build("dp-mlm", **spent, model=ScriptedMasked(), clip=(-5.0, 0.0))
    if law == "rank":
        outcomes = made.others.mechanism.score_law.outcomes
        gains = RankGains((1, 3, outcomes), (0.4, 0.39, 0.1), "a test")
        made = replace(made, others=replace(made.others, mechanism=replace(made.others.mechanism, scoring=gains)))
    output = vectors.with_name("rewritten.jsonl")
    release_file(made, source, output, RunOptions(overwrite=True))
    return output.with_name(f"{output.name}.privacy.json")


def stating(**values: object) -> Callable[[Statement], None]:
    """Change conditions of the certificate."""
    return lambda statement: statement["certificate"]["conditions"].update(values)


@pytest.mark.parametrize("law", ["softmax", "rank"])
def test_a_law_in_context_is_checked_without_its_model(vectors: Path, law: str) -> None:
    for spent in ({"epsilon": 9.0}, {"document_epsilon": 9.0}):
        found = call("certify", "--against", rewritten(vectors, law, **spent), "--json").json
        assert (found["agrees"], found["all_pairs"]) == (True, True)
    honest = rewritten(vectors, law, epsilon=9.0)
    conditions = json.loads(honest.read_text(encoding="utf-8"))["certificate"]["conditions"]
    lies = [claiming(8.9), claiming_and_losing(8.9), LIES["another epsilon on top"][0], stating(outcomes=10**6)]
    if law == "softmax":
        lies += [scaled(1.01), scaled(0.99), stating(clip_lower=-6.0), stating(temperature=9.0)]
    else:
        first, last = conditions["weight_first"], conditions["weight_last"]
        lies += [stating(weight_first=first + 1), stating(weight_last=last - 1), stating(weight_last=last // 2)]
        lies += [stating(first_ranks=conditions["first_ranks"] + 1), stating(weight_last=-1)]
    for number, change in enumerate(lies):
        told = call("certify", "--against", changed(honest, change))
        assert told.code == 1, (number, told)
        assert "is wrong" in told.out
    for value, code in ((1e300, 1), (1, 1), ("all", 2)):
        assert call("certify", "--against", changed(honest, stating(outcomes=value))).code == code


def test_built_in_vocabularies_are_made_again(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Encoder:
        """Numbers out of a hash for each phrase, in the place of a model that takes minutes."""

        id, dimensions = "hash@1", 8

        def __init__(self, _: object = None) -> None:
            pass

        def encode(self, phrases: Sequence[str], progress: object = None) -> Any:
            raw = b"".join(hashlib.sha256(phrase.encode()).digest()[:8] for phrase in phrases)
            return np.frombuffer(raw, dtype=np.uint8).reshape(-1, 8).astype(np.float64)

    few = {name: family._replace(size=60) for name, family in FAMILIES.items()}
    monkeypatch.setattr("sfumato.vocabularies.builtin.FAMILIES", few)
    monkeypatch.setattr("sfumato.models.encoders.sentence.SentenceEncoder", Encoder)
    monkeypatch.setattr("sfumato.building.build.SentenceEncoder", Encoder)
    source, output = vectors.with_name("in.jsonl"), vectors.with_name("out.jsonl")
    options = ("-m", "custext", "-e", 5, "--detect", "given", "--set", "unknown=surrogate")
    write_jsonl(source, [{"id": "1", "text": "A cat.", "spans": [{"start": 2, "end": 5, "label": "ORG"}]}])
    made = call("sanitize", source, "-o", output, *options)
    assert made.code == 0, made.err
    statement = output.with_name("out.jsonl.privacy.json")
    found = call("certify", "--against", statement, "--all-pairs", "--json").json
    assert {one["vocabulary"] for one in found["checked"]} == {*FAMILIES}
    lie = changed(statement, lambda one: one["vocabularies"]["DATE"]["certificate"].update({"certified": 4.9}))
    wrong = json.loads(call("certify", "--against", lie, "--json").out)
    assert {one["vocabulary"] for one in wrong["checked"] if one["problem"]} == {"DATE"}
