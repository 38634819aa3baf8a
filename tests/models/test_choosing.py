"""The number format that nobody named: the quickest for the machine that passes its check, stated, and kept."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato
from command_line import call, write_jsonl, write_key
from sfumato.abstract.models import MASKED, Cloze
from sfumato.batch import Sanitize
from sfumato.building.models import load_model
from sfumato.errors import ConfigurationError
from sfumato.models import devices
from sfumato.models.bert import session as session_file
from sfumato.models.bert.session import Graph
from sfumato.models.calibration import PublicText
from sfumato.models.masked import choosing
from sfumato.models.masked.choosing import Outcome, checked, chosen
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.model import MaskedNetwork
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness, SystemRandomness
from sfumato.release.statement import statement
from sfumato.text.document import Document
from tiny_models import Held, bert_like, bert_tokenizer, tiny_bert, write

pytest.importorskip("transformers")
pytestmark = [pytest.mark.models, pytest.mark.usefixtures("shared_models")]

GOOD = Outcome(110, 0.98, 0.0)
ASKED = Cloze([], [MASKED, 7])


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def quick_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor with products of bytes, whatever the one below has."""
    monkeypatch.setattr(devices, "processor_features", lambda: frozenset({"avx512_vnni"}))
    monkeypatch.setattr(session_file, "_check_bytes", lambda: None)


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """What checks find, one after the other; a check that finds the list empty fails the test."""
    found: list[Outcome] = []
    monkeypatch.setattr(choosing, "checked", lambda *_: found.pop(0))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture
def model(folder: Path) -> MaskedNetwork:
    return MaskedNetwork(str(folder), device="cpu")


def test_a_processor_that_nothing_is_known_of_computes_in_float32(
    model: MaskedNetwork, outcomes: list[Outcome]
) -> None:
    found = chosen(model)
    assert found.number_format == "float32"
    assert found.choice == "float32: no quicker format is known for this machine"
    assert outcomes == []


@pytest.mark.usefixtures("quick_bytes")
def test_bytes_are_chosen_and_the_check_is_not_repeated(
    model: MaskedNetwork, outcomes: list[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes.append(GOOD)
    first, again = chosen(model), chosen(MaskedNetwork(model.model, device="cpu"))
    assert first == again
    assert (first.number_format, first.device) == ("int8", "cpu")
    assert first.id == f"{model.id.removesuffix('float32')}int8"
    assert first.choice == (
        "int8: the quickest for this machine, 98.0 % of 110 public questions have float32's best word"
    )
    # Another processor, another version of a package, another window: each is another check.
    monkeypatch.setattr(devices, "processor_features", lambda: frozenset({"avx512_vnni", "amx_int8"}))
    outcomes.append(GOOD)
    chosen(model)
    monkeypatch.setattr(choosing, "installed", lambda package: f"another {package}")
    outcomes.append(GOOD)
    chosen(model)
    outcomes.append(GOOD)
    chosen(MaskedNetwork(model.model, device="cpu", limit=40))
    assert outcomes == []


@pytest.mark.usefixtures("quick_bytes")
def test_a_kept_outcome_reads_no_weights(
    model: MaskedNetwork, outcomes: list[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes.append(GOOD)
    chosen(model)
    monkeypatch.setattr("sfumato.models.masked.model.read_parameters", None)
    assert chosen(MaskedNetwork(model.model, device="cpu")).number_format == "int8"


@pytest.mark.usefixtures("quick_bytes")
@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(110, 0.94, 0.0), "only 94.0 % of 110 public questions have float32's best word"),
        (Outcome(110, 0.98, 2e-4), "a question shows in the scores of others"),
        (Outcome(110, 0.98, math.nan), "a question shows in the scores of others"),
        (Outcome(0, math.nan, 0.0), "public questions"),
    ],
)
def test_what_fails_its_check_is_not_used_and_that_is_said(
    model: MaskedNetwork, outcomes: list[Outcome], outcome: Outcome, said: str
) -> None:
    outcomes.append(outcome)
    for _ in range(2):  # checked, then kept
        found = chosen(model)
        assert found.number_format == "float32"
        assert found.choice.startswith("float32: int8 failed its check, ")
        assert said in found.choice


@pytest.mark.usefixtures("quick_bytes")
def test_the_embedded_model_passes() -> None:
    found = chosen(embedded_masked())
    assert found.number_format == "int8"
    assert "public questions have float32's best word" in found.choice


@pytest.mark.usefixtures("quick_bytes")
def test_a_network_that_mixes_records_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake that the check guards against: one step for the bytes of a whole batch."""
    by_rows = Graph.node

    def for_all(graph: Graph, kind: str, *inputs: str, **attributes: Any) -> str:
        largest = kind in ("ReduceMax", "ReduceMin")
        return by_rows(graph, kind, *(inputs[:1] if largest else inputs), **attributes)

    monkeypatch.setattr(Graph, "node", for_all)
    found = chosen(embedded_masked())
    assert found.choice == "float32: int8 failed its check, a question shows in the scores of others"
    assert found.number_format == "float32"


class Echoing(MaskedNetwork):
    """One of its rows remembers how many questions there were."""

    shown: Any = 1e-3

    def scores(self, questions: Any) -> Any:
        found = super().scores(questions).copy()
        found[0] += self.shown * len(questions)
        return found


class Broken(Echoing):
    """One of its rows is not a number where it has company."""

    shown = math.nan


class EchoingInLong(Echoing):
    """One of its answers depends on how many questions are asked, where one of them is long."""

    def scores(self, questions: Any) -> Any:
        longest = max(len(question.copy) for question in questions)
        return super().scores(questions) if longest > 30 else MaskedNetwork.scores(self, questions)


class EchoingInMasks(Echoing):
    """One of its answers depends on how many questions are asked, where one of them has several masks."""

    def scores(self, questions: Any) -> Any:
        several = any(list(question.copy).count(MASKED) > 1 for question in questions)
        return super().scores(questions) if several else MaskedNetwork.scores(self, questions)


@pytest.mark.parametrize("kind", [EchoingInLong, EchoingInMasks])
def test_long_questions_and_several_masks_are_tried(model: MaskedNetwork, kind: type[MaskedNetwork]) -> None:
    text = PublicText.shipped(20)
    assert max(len(question.copy) for question in choosing._questions(model, text)) <= 30
    assert "shows in the scores of others" in checked(model, kind(model.model, device="cpu"), text).fault("int8")


def test_draws_in_int8_by_a_key_belong_to_one_kind_of_processor(
    folder: Path, quick_bytes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores in int8 differ between processors: the same uniforms for both would be two draws from one."""

    def setting(number_format: str) -> str:
        return sfumato.build("dp-mlm", 25.0, model=str(folder), number_format=number_format, detect="words").setting

    before = setting("int8"), setting("float32")
    monkeypatch.setattr(devices, "processor_features", lambda: frozenset({"avx512_vnni", "amx_int8"}))
    assert setting("int8") != before[0]
    assert setting("float32") == before[1]


def test_one_record_that_shows_in_another_is_enough(model: MaskedNetwork) -> None:
    text = PublicText.shipped(20)
    assert checked(model, model, text).moved <= choosing.MOST_MOVED
    for mixing in (Echoing(model.model, device="cpu"), Broken(model.model, device="cpu")):
        assert "shows in the scores of others" in checked(model, mixing, text).fault("int8")


def test_any_move_is_too_much_in_bfloat16() -> None:
    assert Outcome(110, 0.98, 0.0).fault("bfloat16") == ""
    assert Outcome(110, 0.98, 1e-9).fault("bfloat16") != ""
    assert Outcome(110, 0.98, 1e-9).fault("int8") == ""


def test_a_gpu_that_computes_in_bfloat16_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "on_processor", lambda _: False)
    monkeypatch.setattr(choosing, "usable_device", lambda _: "cpu")  # as if it were one
    monkeypatch.setattr(choosing, "_name_of_gpu", lambda _: "a GPU")
    monkeypatch.setattr(choosing, "has_bfloat16", lambda _: False)
    assert chosen(MaskedNetwork(str(folder))).number_format == "float32"
    monkeypatch.setattr(choosing, "has_bfloat16", lambda _: True)
    found = checked(MaskedNetwork(str(folder)), MaskedNetwork(str(folder), "bfloat16", "cpu"), PublicText.shipped(30))
    assert found.moved == 0.0
    monkeypatch.setattr(choosing, "checked", lambda *_: GOOD)
    taken = chosen(MaskedNetwork(str(folder)))
    assert (taken.number_format, taken.device) == ("bfloat16", "cpu")  # a worker without that device is refused
    monkeypatch.undo()
    assert not choosing.has_bfloat16("cpu")


@pytest.mark.usefixtures("quick_bytes")
def test_a_processor_that_saturates_computes_in_float32(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ConfigurationError("This processor has no exact arithmetic of bytes.")

    monkeypatch.setattr(session_file, "_check_bytes", refuse)
    found = chosen(model)
    assert (found.number_format, found.choice) == ("float32", "float32: int8 cannot be used here")
    assert found.scores([ASKED]).dtype == np.float32


@pytest.mark.usefixtures("quick_bytes")
def test_other_builds_compute_in_float32(tmp_path: Path, outcomes: list[Outcome]) -> None:
    tokenizer = bert_tokenizer()
    other = write(tmp_path / "other", bert_like("DistilBert", len(tokenizer)), tokenizer)
    held = Held(bert_like("DistilBert", len(tokenizer)), tokenizer)
    for model in (MaskedNetwork(str(other), device="cpu"), MaskedNetwork("m", device="cpu", source=held)):
        found = chosen(model)
        assert found.choice == "float32: no quicker format is known for a model of this build"
        assert found.number_format == "float32"
    assert outcomes == []


@pytest.mark.usefixtures("quick_bytes")
def test_a_model_that_is_not_there_says_so_when_it_is_asked(tmp_path: Path) -> None:
    found = chosen(MaskedNetwork(str(tmp_path / "nowhere"), device="cpu"))
    assert found.number_format == "float32"
    with pytest.raises(sfumato.SfumatoError, match="There is no folder"):
        found.scores([ASKED])


@pytest.mark.usefixtures("quick_bytes")
def test_a_worker_gets_the_format_of_the_driver(
    model: MaskedNetwork, outcomes: list[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes.append(GOOD)
    monkeypatch.setattr(choosing, "on_processor", lambda _: True)
    driven = chosen(MaskedNetwork(model.model))
    assert driven.device == "cpu"  # a worker with a GPU would have no bytes there
    sent = pickle.dumps(driven)
    monkeypatch.setattr(devices, "processor_features", frozenset)  # another machine
    there: MaskedNetwork = pickle.loads(sent)
    assert there.number_format == "int8"
    there.scores([ASKED])
    started = session_file._started
    monkeypatch.undo()
    monkeypatch.setattr(session_file, "_started", lambda *given: Saturating(started(*given)))
    with pytest.raises(ConfigurationError, match="no exact arithmetic of bytes"):
        pickle.loads(sent).scores([ASKED])


class Saturating:
    """A session whose sums end at 16 bits."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, *given: Any) -> Any:
        return [np.minimum(self._session.run(*given)[0], 32_767)]


# What is built from names.


@pytest.fixture
def building(quick_bytes: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Builds dp-mlm with the embedded model, whose gains are shipped in float32 and never measured here."""
    monkeypatch.setattr(choosing, "checked", lambda *_: GOOD)
    monkeypatch.setattr("sfumato.models.calibration.masked_answers", None)
    return lambda **options: sfumato.build("dp-mlm", 20.0, **options)


def test_the_format_is_stated(building: Callable[..., Any]) -> None:
    made = building()
    assert made.others.mechanism.model.number_format == "int8"
    stated = statement(made, SystemRandomness(), {1: 1})
    assert stated["model"] == stated["parameters"]["model"] == made.others.mechanism.model.id
    assert stated["model"].endswith("/int8")
    assert stated["number_format"] == made.others.mechanism.model.choice
    law = made.explain("One two three.", 1)
    assert law.source["model"].endswith("/int8")
    assert law.source["number_format"] == made.others.mechanism.model.choice


@pytest.mark.parametrize("named", ["float32", "int8", "auto"])
def test_a_format_that_is_named_is_used(building: Callable[..., Any], named: str) -> None:
    made = building(number_format=named)
    model = made.others.mechanism.model
    assert model.number_format == named.replace("auto", "int8")
    assert bool(model.choice) == (named == "auto")
    assert ("number_format" in statement(made, SystemRandomness(), {1: 1})) == (named == "auto")


def test_draws_by_a_key_or_a_seed_do_not_depend_on_the_processor(building: Callable[..., Any]) -> None:
    made, named, bytewise = building(), building(number_format="float32"), building(number_format="int8")
    document = Document("The doctor saw Anna in the green house.", "1")
    for source in (PinnedRandomness(bytes(range(32))), SeededRandomness(7)):
        suited = made.suited_to(source)
        assert suited.others.mechanism.model.id == named.others.mechanism.model.id
        assert suited.setting == named.setting != made.setting
        assert made.sanitize(document, source) == named.sanitize(document, source)
        stated = statement(made, source, {1: 1})
        assert stated["model"].endswith("/float32")
        assert "number_format" not in stated
        assert bytewise.suited_to(source) is bytewise  # somebody named it
    assert made.suited_to(SystemRandomness()) is made


def test_the_command_says_the_format_and_a_key_keeps_float32(building: Callable[..., Any], tmp_path: Path) -> None:
    source, key = write_jsonl(tmp_path / "in.jsonl", [{"id": "1", "text": "The doctor slept."}]), tmp_path / "key"
    write_key(key)
    base = ("sanitize", source, "-m", "dp-mlm", "-e", 20, "--id-field", "id", "-o")
    free = call(*base, tmp_path / "free.jsonl")
    assert f"Model: {building().others.mechanism.model.id} (int8: the quickest for this machine, 98.0 %" in free.out
    kept = [call(*base, tmp_path / f"{n}.jsonl", "--pin", key, *named) for n, named in enumerate(FLOAT32)]
    assert all("/float32.\n" in done.out and "quickest" not in done.out for done in kept)
    assert (tmp_path / "0.jsonl").read_bytes() == (tmp_path / "1.jsonl").read_bytes()
    law = ("explain", "-m", "dp-mlm", "-e", 20, "--text", "The doctor slept.", "--position", 1)
    assert call(*law, "--json").json["number_format"].startswith("int8: ")
    assert "quickest for this" in call(*law).out


FLOAT32 = ((), ("--set", "number_format=float32"))


def test_the_callable_for_engines_keeps_float32(building: Callable[..., Any]) -> None:
    """Each machine builds it for itself: were each to choose, a repeated task could draw again."""
    table = pa.table({"id": ["1"], "text": ["The doctor slept."]})
    keyed = Sanitize("dp-mlm", 20.0, id_field="id", pin=bytes(range(32)))
    named = Sanitize("dp-mlm", 20.0, id_field="id", pin=bytes(range(32)), number_format="float32")
    assert keyed(table).equals(named(table))
    assert keyed.statement()["model"].endswith("/float32")
    assert Sanitize("dp-mlm", 20.0).statement()["model"].endswith("/int8")


def test_two_formats_share_no_draws(building: Callable[..., Any]) -> None:
    settings = {building(number_format=named).setting for named in ("float32", "int8")}
    assert len(settings) == 2


def test_a_causal_model_computes_in_float32_unless_somebody_names_another() -> None:
    assert load_model("dp-prompt", number_format="auto").number_format == "float32"
    assert load_model("dp-prompt").number_format == "float32"
    assert load_model("dp-prompt", number_format="bfloat16").number_format == "bfloat16"


def test_distortion_has_the_chosen_format_too(building: Callable[..., Any]) -> None:
    made = sfumato.build("distortion")
    stated = statement(made, SystemRandomness(), {1: 1})
    assert stated["parameters"]["model"].endswith("/int8")
    assert stated["number_format"].startswith("int8: ")
    keyed = statement(made, PinnedRandomness(bytes(range(32))), {1: 1})
    assert keyed["parameters"]["model"].endswith("/float32")
    assert "number_format" not in keyed
