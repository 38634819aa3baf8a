"""What a guarantee is about: the texts that a detector marks alike, and the tokens that a law mixes."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import call
from sfumato import PinnedRandomness, Route, SystemRandomness, Vocabulary, registry
from sfumato.abstract.detector import SAME_MARKS, Detector
from sfumato.building import methods
from sfumato.detectors.given import Given
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.engines.tokens import DrawnTokens
from sfumato.ledger.amounts import Currency
from sfumato.policy import Policy
from sfumato.policy.rule import Rule
from sfumato.privacy.composition import DELTA, compose, delta_for
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.randomness import RandomDraws
from sfumato.release.statement import statement, summary

NAMES = Vocabulary(("anna", "mark", "rose", "reading"), np.random.default_rng(0).normal(size=(4, 2)), "a toy")


def sanitizer(detector: Detector, name: str = "santext", **options: Any) -> Engine:
    return Engine(detector, DrawnTokens({"ANY": Route(methods.mechanism(name, NAMES, 1.0, **options))}, "ANY"))


def detectors() -> list[Detector]:
    from sfumato.detectors.rules import Listed

    found: list[Detector] = [ContentWords(), Given(), Listed.from_lines(["anna"])]
    return found


@pytest.mark.parametrize("detector", detectors(), ids=lambda one: type(one).__name__)
def test_a_detector_that_reads_the_text_limits_the_claim(detector: Detector) -> None:
    made = sanitizer(detector)
    assert SAME_MARKS in made.guarantee.adjacency
    assert SAME_MARKS in summary(made.guarantee, SystemRandomness(), made.implementation)
    said = statement(made, SystemRandomness(), {1: 1})
    assert SAME_MARKS in said["adjacency"]
    assert any("which may depend on what the text says" in line for line in said["visible"])
    if isinstance(detector, ContentWords):
        assert "stop words are never replaced" in made.guarantee.adjacency


def test_every_detector_but_words_reads_the_text() -> None:

    blind = []
    for name in registry.DETECTORS:
        if registry.detector_class(name).reads_content is not Detector.reads_content:
            blind.append(name)
    assert blind == ["words"]
    made = sanitizer(Words())
    assert SAME_MARKS not in made.guarantee.adjacency
    assert "words at the same places" in made.guarantee.adjacency
    assert not any("which may depend on" in line for line in statement(made, SystemRandomness(), {1: 1})["visible"])


def test_every_guarantee_of_a_statement_names_the_texts() -> None:
    made = sanitizer(ContentWords())
    said = statement(made, SystemRandomness(), {1: 1})
    assert SAME_MARKS in said["vocabularies"]["ANY"]["guarantee"]
    pinned = statement(made, PinnedRandomness(bytes(range(32))), {1: 1})
    assert any("sequence of marked tokens was changed" in line for line in pinned["visible"])


def test_draws_for_documents_compare_texts_with_the_same_pattern_of_equal_tokens() -> None:
    """ "anna rose" and "anna anna" can be told apart by whether the release repeats a token."""
    made = sanitizer(Words())
    once = replace(made, others=replace(made.others, consistency="document"))
    each, shared = sanitizer(Words()).guarantee.adjacency, once.guarantee.adjacency
    assert "taken for equal" not in each
    assert ", with the same places in each document taken for equal tokens; where they differ, " in shared
    said = statement(once, SystemRandomness(), {1: 1})
    assert shared in said["summary"]
    assert said["adjacency"] == shared
    assert shared in said["vocabularies"]["ANY"]["guarantee"]
    assert once.explain("anna").guarantee == once.guarantee
    assert Currency.of(once.guarantee) != Currency.of(sanitizer(Words()).guarantee)


def test_the_currency_of_ldp_names_all_that_its_draws_compare() -> None:
    said = Currency.of(sanitizer(Words(), "custext", set_size=2).guarantee).adjacency
    for shared in ("places are marked", "same labels", "same kinds", "taken for equal", "same domain", "form"):
        assert shared in said


def policy(kind: str, **options: Any) -> Guarantee:
    """Return the guarantee of the treatment of one kind."""
    made = sfumato.build_policy(Policy(treat=(Rule((kind,), **options),)))
    return made.treatment_of(kind).guarantee  # type: ignore[return-value]


def test_a_shift_compares_records_with_the_same_marks_and_forms() -> None:
    """Whether "May" is a date or a word can depend on the month, so versions that are marked alike are compared."""
    shifted = policy("DATE", mechanism="shift", epsilon=1.0, within="30 days")
    assert shifted.adjacency.startswith(
        "two records in which the same places are marked as the same kinds and the text between is equal; where they "
        "differ, DATE values of the same domain and of the same written form, all moved by the same number of days"
    )
    assert shifted.adjacency in Currency.of(shifted, "DATE").text


def test_values_that_share_a_draw_have_the_same_pattern_of_equal_values() -> None:
    age = {"mechanism": "geometric", "epsilon": 1.0, "within": "2 years"}
    once = policy("AGE", **age, consistency="document").adjacency
    assert "pattern" not in policy("AGE", **age).adjacency
    assert (
        ", with the same places in each record taken for equal AGE values; where they differ, AGE values of the"
        in once
    )


def test_a_rewriting_names_what_its_detector_leaves() -> None:
    from scripted_methods import dp_mlm

    for options in ({}, {"document_epsilon": 9.0}):
        made = Engine(ContentWords(), Contextual(dp_mlm(), **options))
        assert "stop words are never replaced" in made.guarantee.adjacency
        assert SAME_MARKS in str(made.guarantee)
        assert SAME_MARKS not in str(Engine(Words(), Contextual(dp_mlm(), **options)).guarantee)


def test_what_promises_nothing_stamps_no_guarantee() -> None:
    editor = sfumato.build("redaction", operator="label", detect="words")
    said = statement(editor, PinnedRandomness(bytes(range(32))), {0: 1})["randomness"]
    assert said.startswith("pinned")
    assert "guarantee" not in said
    assert "whole text" in said


def test_custext_names_its_smallest_set() -> None:
    many = Vocabulary(tuple(f"t{n}" for n in range(22)), np.random.default_rng(1).normal(size=(22, 2)), "a toy")
    for name in ("custext", "custext+"):
        made = methods.mechanism(name, many, 1.0)
        assert "the same set of 2 or more" in made.guarantee.adjacency
        assert made.certify().conditions["smallest_set"] == 2
    assert "the same set of 4 or more" in methods.mechanism("custext", NAMES, 1.0).guarantee.adjacency


def test_delta_follows_the_number_of_records() -> None:
    assert delta_for(1) == delta_for(100_000) == DELTA
    assert delta_for(10**7) == pytest.approx(1e-8)
    made = sanitizer(ContentWords(), "custext", set_size=2)
    few, many = (statement(made, SystemRandomness(), {50: count}) for count in (10, 10**8))
    costs = [said["records"]["cost_per_record"]["maximum"] for said in (few, many)]
    assert [cost["delta"] for cost in costs] == [DELTA, pytest.approx(1e-9)]
    assert costs[0]["epsilon_by_zcdp"] < costs[1]["epsilon_by_zcdp"]
    assert costs[1]["epsilon_by_zcdp"] == compose(made.guarantee, 50, 1e-9).approximate


def test_a_release_says_it_where_people_read_it(tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Anna met Mark.")
    vectors = tmp_path / "v.txt"
    vectors.write_text("anna 0 1\nmark 1 0\nrose 1 1\nreading 0 0\n")
    ran = call("sanitize", source, "-o", out, "-m", "santext", "-e", 1, "--set", f"vocabulary={vectors}", "--detect",
               "content-words")  # fmt: skip
    assert ran.code == 0, ran.err
    assert SAME_MARKS in " ".join(ran.out.split())
    said = json.loads((tmp_path / "out.txt.privacy.json").read_text())
    assert SAME_MARKS in said["adjacency"]
    assert SAME_MARKS in said["summary"]


def test_the_vectors_that_are_certified_are_the_vectors_that_are_used() -> None:
    """Small integers had a certificate of 2.000 where the loss was 2.747."""
    rng = np.random.default_rng(0)
    whole = rng.integers(-3, 4, size=(40, 3))
    whole = whole[np.unique(whole, axis=0, return_index=True)[1]]
    tokens = tuple(f"t{number}" for number in range(len(whole)))
    strided = np.empty((2 * len(whole), 6))
    strided[::2, ::2] = whole
    forms: dict[str, Any] = {
        "int64": whole, "int8": whole.astype(np.int8), "uint": (whole + 3).astype(np.uint8),
        "float32": whole.astype(np.float32), "float16": whole.astype(np.float16), "big-endian": whole.astype(">f8"),
        "fortran": np.asfortranarray(whole, dtype=float), "strided": strided[::2, ::2],
        "long": whole.astype(np.longdouble), "list": whole.tolist(),
    }  # fmt: skip
    from brute_force import pairwise_loss
    from sfumato.privacy.distances import Distance

    for form, vectors in forms.items():
        vocabulary = Vocabulary(tokens, vectors, "a toy")
        assert vocabulary.vectors.dtype == np.float64, form
        assert vocabulary.vectors.flags.c_contiguous, form
        assert not vocabulary.vectors.flags.writeable, form
        for name, options in (("santext", {}), ("clusant", {"set_size": 4}), ("custext", {"set_size": 4})):
            made = methods.mechanism(name, vocabulary, 2.0, **options)
            law = np.array([made.law(token) for token in range(len(tokens))])
            if name == "santext":
                apart = Distance().block(vocabulary.vectors, vocabulary.vectors)
                with np.errstate(divide="ignore"):
                    assert pairwise_loss(np.log(law), apart) <= 2.0 * (1 + 1e-9), form
            drawn = made.draw(np.zeros(8000, dtype=np.int64), RandomDraws(SystemRandomness(), 8000))
            seen = np.bincount(drawn, minlength=len(tokens)) / 8000
            assert seen == pytest.approx(law[0], abs=0.04), (name, form)  # seven standard deviations


def test_a_copy_of_a_vocabulary_cannot_be_changed_under_its_certificate(tmp_path: Path) -> None:
    made = methods.mechanism("santext", NAMES, 1.0)
    made.certify()
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        with pytest.raises(ValueError, match="read-only"):
            again.vocabulary.vectors[:] = 50.0
    np.save(tmp_path / "v.npy", NAMES.vectors)
    vocabulary = Vocabulary(NAMES.tokens, np.load(tmp_path / "v.npy", mmap_mode="r"), "a toy")
    np.load(tmp_path / "v.npy", mmap_mode="r+")[:] *= 100.0
    assert np.array_equal(vocabulary.vectors, NAMES.vectors)


def test_a_vocabulary_owns_its_vectors_and_refuses_what_is_no_number() -> None:
    vectors = np.array([[0.0], [1.0]])
    vocabulary = Vocabulary(("a", "b"), vectors, "a toy")
    before = vocabulary.hash
    vectors[:] = 7.0
    assert vocabulary.vectors.tolist() == [[0.0], [1.0]]
    assert Vocabulary(("a", "b"), vocabulary.vectors, "a toy").hash == before
    wrong: Any
    for wrong in (
        np.array([["x"], ["y"]]),
        np.array([[1j], [2j]]),
        np.array([[None], [1]]),
        np.array([[True], [False]]),
    ):
        with pytest.raises(sfumato.SfumatoError, match="not real numbers"):
            Vocabulary(("a", "b"), np.array(wrong), "a toy")
