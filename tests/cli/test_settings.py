"""One grammar of options: --set NAME=VALUE for methods, detectors and policies, and a help that a reader takes in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import command_line
import warm_command
from command_line import Ran, call, write_jsonl, write_vectors
from sfumato.building.offers import Offer
from sfumato.cli.commands import PLACES, _command
from sfumato.cli.settings import of_detectors, settings, values_of
from sfumato.errors import ConfigurationError
from sfumato.policy import Policy

HELPED = ("sanitize", "protect", "synthesize", "evaluate", "compare", "audit")
PANELS = ["What", "Where", "Privacy", "Files", "Run"]
COMPLETED = [
    ("sanitize a -m clusant --set c", "clusters="),
    ("find a --detect presidio --set detect.th", "detect.threshold="),
    ("sanitize a --policy clinical --set treat.DATE.e", "treat.DATE.epsilon="),
    ("synthesize a -m predict --set c", "clip="),
    ("find a --detect identifiers --set detect.st", "detect.strict="),
    ("find a --detect noun", "noun-phrases"),
    ("sanitize a -m clu", "clusant"),
]
"""What is typed, and a name that completes it."""


@pytest.mark.parametrize("name", HELPED)
def test_the_help_shows_few_flags_in_panels_each_in_few_words(name: str) -> None:
    shown = [each for each in _command(name).params if each.param_type_name == "option" and not each.hidden]
    assert len(shown) < 20  # with --help, twenty
    assert [each.name for each in shown if len(each.help.split()) > 8] == []
    told = call(name, "--help").out
    titles = [line.removesuffix(":") for line in told.splitlines() if line.endswith(":") and line[0] not in " U"]
    assert titles[0] == "Arguments" or name == "audit"
    assert [title for title in PANELS if title in titles] == [title for title in titles if title != "Arguments"]


@pytest.mark.parametrize("name", sorted(set(PLACES) - {"models", "policy", "ledger", "vocabulary"}))
def test_every_option_is_in_some_help(name: str) -> None:
    whole = call(name, "--help-all").out if "--help-all" in call(name, "--help").out else call(name, "--help").out
    for each in _command(name).params:
        if each.param_type_name == "option":
            assert max(each.opts, key=len) in whole


@pytest.fixture
def desk(tmp_path: Path) -> tuple[Path, Path]:
    return write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna has a cat."}]), write_vectors(tmp_path)


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        (("-m", "custext", "--set", "set_sise=4"), "did you mean set_size?"),
        (("-m", "custext", "--set", "treat.DATE.epsilon=1"), "an option of a policy; name one with --policy"),
        (("-m", "custext", "--set", "set_size.X=4"), "no option set_size.X"),
        (("-m", "custext", "--set", "set_size"), "it takes NAME=VALUE"),
        (("-m", "custext", "--set", "set_size=4", "--set", "set-size=5"), "set_size twice"),
        (("-m", "custext", "--set", "detect.treshold=1"), "no option treshold"),
        (("--policy", "clinical", "--set", "treat.DATE.epsilom=1"), "did you mean epsilon?"),
        (("--policy", "clinical", "--set", "detect.strikt=high"), "strikt"),
        (("--policy", "clinical", "--set", "set_size=4"), "nothing of this name to set"),
    ],
)
def test_what_cannot_be_set_is_one_sentence(desk: tuple[Path, Path], typed: tuple[str, ...], part: str) -> None:
    source, vectors = desk
    words = ("-e", 4, "--set", f"vocabulary={vectors}") if "-m" in typed else ()
    ran = call("sanitize", source, "-o", source.with_name("out.jsonl"), *words, *typed)
    assert (ran.code, part in " ".join(ran.err.split())) == (2, True), ran.err


def test_options_of_nothing_that_runs_are_refused_everywhere(desk: tuple[Path, Path]) -> None:
    source, _ = desk
    asked: list[tuple[object, ...]] = [
        ("find", source, "--set", "k=4"),
        ("explain", "-m", "custext", "-e", 4, "--token", "cat", "--set", "detect.strict=high"),
        ("certify", "-m", "custext", "-e", 4, "--set", "detect.strict=high"),
        ("audit", "--command", "cat", "-e", 4, "--set", "k=4", "--input", "a", "--input", "b"),
        ("audit", "-m", "finetune", "-e", 4, "--set", "rank=4"),
        (
            "synthesize",
            source,
            "-o",
            "x.jsonl",
            "-m",
            "predict",
            "-e",
            4,
            "--units",
            9,
            "--set",
            "detect.strict=high",
        ),
        ("models", "calibrate", "--set", "k=4"),
    ]
    for words in asked:
        assert call(*words).code == 2, words


def test_what_is_set_is_read_alike_for_methods_and_policies_and_not_repeated() -> None:
    read = settings(["treat.DATE.within = 3 days", "a=b=c", "set-size=8"])
    assert read == {"treat.DATE.within": "3 days", "a": "b=c", "set_size": "8"}
    for typed, part in (
        (["Anna Smith"], "without ="),
        (["a=1", "a=2"], "a twice"),
        (["Anna S=1", "Anna S=2"], "twice"),
    ):
        with pytest.raises(ConfigurationError, match=part) as caught:
            settings(typed)
        assert "Anna" not in str(caught.value)


def test_a_value_for_one_label_stands_beside_one_for_all() -> None:
    typed = settings(["vocabulary.PERSON=people.txt", "vocabulary=words.txt", "set-size=7"])
    values = values_of(typed, Offer("custext").options)
    assert values == {"vocabulary": {"ANY": "words.txt", "PERSON": "people.txt"}, "set_size": 7}
    assert values_of({"operators.PERSON": "hash"}, Offer("redaction").options) == {"operators": {"PERSON": "hash"}}
    with pytest.raises(ConfigurationError, match="set_size is a whole number"):
        values_of({"set_size": "many"}, Offer("custext").options)


def test_a_detector_has_one_name_for_an_option_with_a_method_and_in_a_policy() -> None:
    for way in (("detect.strict=high",), ("find.options.strict=high",)):
        shown = call("policy", "show", "clinical", "--set", *way, "--json").json["policy"]
        assert shown["find"]["options"] == {"strict": "high"}
    shown = call("policy", "show", "clinical", "--set", "detect.allow=own.txt", "--json").json["policy"]
    assert shown["find"]["allow"] == ["own.txt"]


@pytest.mark.parametrize("run", [command_line.run, warm_command.run], ids=["installed", "forked"])
def test_a_shell_completes_names(run: Callable[..., Ran]) -> None:
    """The installed command completes the first; a start of it for each would take a second."""
    for typed, name in COMPLETED[:1] if run is command_line.run else COMPLETED[1:]:
        words = f"sfumato {typed}"
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_SFUMATO_COMPLETE": "complete_bash"}
        ran = run(env=asked)
        assert name in ran.out.split(), (typed, ran)


def test_an_option_that_is_given_twice_is_refused() -> None:
    for twice in (("--policy", "clinical", "--policy", "court"), ("-m", "santext", "-e", "3", "--epsilon", "4")):
        ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", *twice)
        assert ran.code == 2
        assert "is given 2 times; keep one" in ran.err


def test_a_flag_that_a_method_once_had_is_answered_by_the_way_it_is_set() -> None:
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "santext", "-e", "3", "--vocabulary", "v.txt")
    assert ran.code == 2
    assert "--set NAME=VALUE" in ran.err


def test_options_of_given_spans_have_two_names_and_are_given_by_one() -> None:
    assert of_detectors(settings(["detect.field=spans", "detect.merge=true"])) == {
        "spans_field": "spans", "merge_spans": "true",
    }  # fmt: skip
    with pytest.raises(ConfigurationError, match="spans_field twice"):
        settings(["detect.field=spans", "detect.spans_field=other"])


@pytest.mark.parametrize(
    "twice",
    [
        ("detect.field", "detect.spans_field"),
        ("detect.strict", "find.options.strict"),
        ("detect.allow", "find.allow"),
    ],
)
def test_two_names_of_one_option_of_a_policy_are_refused(twice: tuple[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=f"{twice[0]} and {twice[1]}: Both name one option"):
        Policy.load("clinical").with_changes(dict.fromkeys(twice, "0.5"))
