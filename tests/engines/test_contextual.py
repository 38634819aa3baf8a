"""What keeps a record out of another's law, and a statement beside every release: each guard against its mistake."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import sfumato
from command_line import write_jsonl
from in_context import law_in, mechanism_in
from releasing import release_file
from scripted_models import ScriptedMasked
from sfumato import version
from sfumato.abstract.detector import Detector
from sfumato.abstract.models import MASKED, Cloze
from sfumato.building.models import measured
from sfumato.detectors.words import Words
from sfumato.engines.contextual import Contextual, Spending
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError, InputError, VocabularyError
from sfumato.files import FileOptions
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.models.bert.session import Row
from sfumato.models.calibration import PublicText
from sfumato.models.clip_ranges import read_range
from sfumato.models.devices import exact_bytes
from sfumato.models.local_files import checked
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.model import MaskedNetwork
from sfumato.models.masked.networks import Placed, placed
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.privacy.guarantee import MOST_EPSILON
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.privacy.sampling import draw_once
from sfumato.release.job import RunOptions
from sfumato.text.document import Document
from sfumato.text.marks import Spans

pytestmark = pytest.mark.models


def scripted(**spent: Any) -> Engine:
    return sfumato.build("dp-mlm", model=ScriptedMasked(), clip=(-5.0, 0.0), **spent)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "in.jsonl", [{"id": str(n), "text": "one two three"} for n in range(3)])


@pytest.mark.parametrize("budget", [5.0, 400.0, 2000.0, MOST_EPSILON])
def test_a_budget_of_any_size_has_its_statement(source: Path, budget: float) -> None:
    released = release_file(scripted(document_epsilon=budget), source, source.with_name("out.jsonl"))
    told = json.loads(released.statement_path.read_text(encoding="utf-8"))
    assert told["records"]["cost_per_record"]["maximum"]["epsilon"] == budget
    assert told["certificate"]["certified"] == budget
    assert told["certificate"]["conditions"]["certified_of_a_single_draw"] <= min(budget, 500.0)
    assert "epsilon" not in told["parameters"]


def test_what_cannot_be_stated_is_not_released(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewriter = scripted(epsilon=5.0)
    monkeypatch.setattr(Engine, "visible", property(lambda self: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        release_file(rewriter, source, source.with_name("out.jsonl"))
    assert not source.with_name("out.jsonl").exists()


@pytest.mark.parametrize(("record", "fields"), [
    ({"a": "one", "b": "two"}, ("a", "b")),
    ({"a": ["one", "two"]}, ("a[]",)),
    ({"a": [{"t": "one"}, {"t": "two"}]}, ("a[].t",)),
])  # fmt: skip
def test_a_budget_pays_for_one_text_of_a_record_only(
    tmp_path: Path, record: dict[str, Any], fields: tuple[str, ...]
) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [record])
    options = RunOptions(FileOptions(fields=fields))
    with pytest.raises(ConfigurationError, match="several fields"):
        release_file(scripted(document_epsilon=5.0), source, tmp_path / "out.jsonl", options)
    assert release_file(scripted(epsilon=5.0), source, tmp_path / "out.jsonl", options).summary.draws == 2


def test_the_law_that_is_explained_is_the_one_of_the_budget() -> None:
    rewriter = scripted(document_epsilon=30.0)
    spending = mechanism_in(rewriter, "one two three")
    assert spending.epsilon == 10.0
    _, law = law_in(rewriter, "one two three", 1)
    _, same = law_in(scripted(epsilon=10.0), "one two three", 1)
    assert np.array_equal(law, same)


class _Labelled(Detector):
    """Marks the whole text with a label that is none."""

    description = unprotected = "nothing"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [Spans([(0, len(document.text))], [None]) for document in documents]  # type: ignore[list-item]


def test_a_label_that_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="label"):
        replace(scripted(epsilon=5.0), detector=_Labelled()).sanitize("Alice")


def _questions(model: MaskedNetwork, texts: Sequence[str]) -> list[Cloze]:
    found = []
    for text in texts:
        pieces = [piece for one in model.pieces([f" {word}" for word in text.split()]) for piece in one]
        found.append(Cloze(pieces, [MASKED, *pieces[1:]]))
    return found


LONG = "a winding road along the coast of the island led them to a village that nobody had ever heard of before"


_in_format = cache(embedded_masked)


@pytest.mark.parametrize(("form", "bound"), [("float32", 1e-4), ("int8", 1e-4), ("bfloat16", 0.0)])
def test_neighbours_do_not_move_scores(form: Any, bound: float) -> None:
    if form == "int8" and not exact_bytes():
        pytest.skip("this processor has no exact arithmetic of bytes")
    model = _in_format(form)
    questions = _questions(model, ["the cat slept", LONG, "rain fell on the hills all day", "a b c d e f g"])
    alone = np.concatenate([model.scores([question]) for question in questions])
    together = model.scores(questions)
    assert np.abs(alone - together).max() <= bound
    assert np.abs(model.scores(questions[::-1])[::-1] - alone).max() <= bound


def test_bfloat16_needs_batches_of_one_shape() -> None:
    """The mistake that the shapes guard against: neighbours in a batch of any shape move a score by far more."""
    model = _in_format("bfloat16")
    model.scores(_questions(model, ["warm up"]))
    short, long = (Row([101, *range(2000, 2000 + n), 103, 102], n + 3, [n + 1]) for n in (6, 40))
    network = model._placed
    alone, beside = network.answer([short]), network.answer([long, short])
    assert alone is not None
    assert beside is not None
    assert np.abs(alone[0] - beside[1]).max() > 0.01


def test_a_network_that_mixes_texts_is_refused() -> None:
    class Mixing(torch.nn.Module):
        """Its answer for a row depends on all rows."""

        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(50, 50)
            self.config = type("Config", (), {"vocab_size": 50, "type_vocab_size": 0})()

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            hidden = self.table(input_ids) + self.table(input_ids).mean(dim=(0, 1))
            return type("Answer", (), {"logits": hidden})()

    with pytest.raises(ConfigurationError, match="depends on the text beside it"):
        placed(Mixing(), "cpu", "float32")
    assert Placed("cpu", "float32", Mixing()).answer([Row([1, 2], 2, [1])]) is not None


def test_a_pinned_run_in_bfloat16_is_refused() -> None:
    rewriter = sfumato.build("dp-mlm", 5.0, number_format="bfloat16", clip=(-12.0, -3.0))
    with pytest.raises(ConfigurationError, match="repeatable"):
        rewriter.sanitize(Document("one", "1"), PinnedRandomness(bytes(range(32))))


def test_a_text_written_anew_needs_quotation_marks(tmp_path: Path) -> None:
    from scripted_models import ScriptedCausal

    source = tmp_path / "in.csv"
    source.write_text("id,text\n1,one two\n", encoding="utf-8")
    rewriter = sfumato.build("dp-prompt", 5.0, model=ScriptedCausal(), clip=(0.0, 1.0))
    options = RunOptions(FileOptions(quoting="none"))
    with pytest.raises(ConfigurationError, match="leave out quoting"):
        release_file(rewriter, source, tmp_path / "out.csv", options)


def test_a_clip_range_of_the_private_text_is_refused(source: Path, tmp_path: Path) -> None:
    text = PublicText.of(source)
    assert text.file is not None
    clip = tmp_path / "clip.json"
    facts = {
        "model": ScriptedMasked().id,
        "lower": -5.0,
        "upper": 0.0,
        "source": text.name,
        "text": {"sha256": text.file[0], "bytes": text.file[1]},
    }
    clip.write_text(json.dumps(facts), encoding="utf-8")
    assert text.file[0] not in read_range(str(clip), ScriptedMasked().id).source
    rewriter = sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip=str(clip))
    with pytest.raises(VocabularyError, match="must be public"):
        release_file(rewriter, source, tmp_path / "out.jsonl")
    other = write_jsonl(tmp_path / "other.jsonl", [{"text": "four"}])
    assert release_file(rewriter, other, tmp_path / "out.jsonl").summary.records == 1


@pytest.mark.parametrize("outcomes", [22_585, 50_265, 250_000])
def test_shares_of_many_outcomes_are_right_to_the_stated_precision(outcomes: int) -> None:
    """The edges of the outcomes' intervals, found by bisection on the sampler itself."""
    weights = np.full(outcomes, 0.7)
    weights[: outcomes // 2] = 0.3
    total = 0.3 * (outcomes // 2) + 0.7 * (outcomes - outcomes // 2)

    def upper_edge(outcome: int) -> float:
        low, high = 0.0, 1.0
        for _ in range(80):
            middle = 0.5 * (low + high)
            drawn = int(draw_once(weights[None], np.array([middle]))[0])
            low, high = (middle, high) if drawn <= outcome else (low, middle)
        return high

    for outcome in (outcomes // 2 - 1, outcomes // 4, outcomes - 2):
        share = upper_edge(outcome) - upper_edge(outcome - 1)
        assert abs(share * total / weights[outcome] - 1.0) < 1e-9


@pytest.mark.parametrize(("method", "taken"), [("bitsandbytes", False), ("gptq", False), ("gguf", True)])
def test_quantized_weights_are_refused_but_for_those_that_are_turned_into_floats(method: str, taken: bool) -> None:
    network = torch.nn.Linear(2, 2)
    network.config = type("Config", (), {"quantization_config": {"quant_method": method}})()  # type: ignore[assignment]
    if taken:
        assert checked(network, "here") is network
    else:
        with pytest.raises(ConfigurationError, match="quantized"):
            checked(network, "here")


# --- found by reading ---


@pytest.mark.parametrize("package", ["sfumato", "torch", "transformers", "tokenizers"])
def test_another_version_has_draws_of_its_own(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Windows and frames may differ between versions: the same uniforms under other scores are bounded by nothing."""
    before = sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip=(0.0, 1.0)).setting
    installed = version.installed
    if package == "sfumato":
        monkeypatch.setattr(version, "VERSION", "another")
    else:
        monkeypatch.setattr(version, "installed", lambda name: "another" if name == package else installed(name))
    assert sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip=(0.0, 1.0)).setting != before


@pytest.mark.parametrize("mechanism", ["dp-mlm", "dp-prompt"])
def test_a_device_that_is_not_here_is_refused(mechanism: str) -> None:
    with pytest.raises(ConfigurationError, match="device=cpu"):
        sfumato.build(mechanism, 5.0, device="nowhere", clip=(0.0, 1.0))
    with pytest.raises(ConfigurationError, match="device=cpu"):
        embedded_masked(device="nowhere").scores([Cloze([], [MASKED])])


@pytest.mark.parametrize("law", ["softmax", "rank"])
@pytest.mark.parametrize(
    "content",
    ["[]", "3", "{}", '{"lower": 1}', "no json", '{"lower": 0, "upper": 1, "firsts": [1, 2], "gains": [1, 1]}'],
)
def test_a_file_that_calibrate_did_not_write_is_refused(tmp_path: Path, content: str, law: str) -> None:
    path = tmp_path / "scores.json"
    path.write_text(content, encoding="utf-8")
    option = {"clip": path} if law == "softmax" else {"gains": path}
    with pytest.raises(ConfigurationError, match=f"sfumato models calibrate --law {law}"):
        sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), **option)


def test_a_clip_range_that_is_neither_numbers_nor_a_file_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="LOW,HIGH"):
        sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip="nowhere.json")


@dataclass(frozen=True)
class Jittery(ScriptedMasked):
    """Scores whose last digits depend on how many questions are asked together, as those of a network do."""

    def scores(self, questions: Sequence[Cloze]) -> Any:
        found = super().scores(questions)
        return found + 1e-5 * (np.arange(found.shape[1]) % 2) * (-1) ** len(questions)


def _tied(context: list[str], copy: list[str], place: int) -> list[float]:
    return [0.0] * 12


def test_the_law_by_rank_of_a_text_depends_on_no_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores of all words are equal up to rounding, and rounding depends on the neighbours."""
    gains = RankGains((4, 12), (1.0, 0.3), "test")
    made = Engine(Words(), Contextual(DPMLM(Jittery(script=_tied), 6.0, gains)))
    documents = [Document(f"horse {number}", id=str(number)) for number in range(6)]
    key = PinnedRandomness(bytes(range(32)))

    def apart() -> bool:
        alone = [made.sanitize_batch([document], key)[0].text for document in documents]
        together = [release.text for release in made.sanitize_batch(documents, key)]
        return alone != together

    assert not apart()
    monkeypatch.setattr(RankLaw, "unclear", lambda *_: np.empty(0, dtype=np.int64))
    assert apart()  # the mistake: nothing is computed again


def test_a_row_is_unclear_only_at_the_edge_of_the_first_ranks() -> None:
    law = RankLaw(RankGains((2, 4), (1.0, 0.1), "test"), 4)
    scores = np.array(
        [[3.0, 3.00001, 1.0, 0.0], [3.0, 2.0, 1.99999, 0.0], [3.0, 2.0, 2.0, 0.0], [np.inf, np.inf, 1.0, 1.00001]]
    )
    assert law.unclear(scores, [2.0] * 4).tolist() == [1, 2]


@pytest.mark.parametrize("law", ["rank", "softmax"])
@pytest.mark.parametrize("budget", [9.0, 400.0])
def test_the_certificate_of_a_budget_is_about_the_document(law: str, budget: float) -> None:
    """One draw of the law by rank never loses more than 43, and ten draws that share 400 do."""
    made = sfumato.build("dp-mlm", document_epsilon=budget, model=ScriptedMasked(), law=law)
    certificate = made.certificate()
    assert certificate.claimed == certificate.certified == budget
    assert certificate.kind == "upper-bound"
    assert certificate.conditions["certified_of_a_single_draw"] <= budget
    assert isinstance(made, Engine)
    part = Spending(made.others.mechanism, budget).mechanism_for(10).score_law.certificate(budget / 10).certified
    assert 0.9 * budget < 10 * part <= certificate.certified * (1 + 1e-12)


def test_a_clip_range_of_another_model_is_refused(tmp_path: Path) -> None:
    clip = tmp_path / "clip.json"
    facts = {"lower": -5.0, "upper": 0.0, "source": "s"}
    clip.write_text(json.dumps({**facts, "model": "another"}), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="another model"):
        sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip=clip)
    clip.write_text(json.dumps({**facts, "model": ScriptedMasked().id}), encoding="utf-8")
    assert sfumato.build("dp-mlm", 5.0, model=ScriptedMasked(), clip=clip).others.mechanism.scoring.lower == -5.0


def test_windows_of_no_pieces_and_models_of_other_mechanisms_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="window"):
        embedded_masked(limit=0)
    with pytest.raises(ConfigurationError, match="without a language model"):
        measured("santext", "rank")


def test_the_law_of_a_word_in_a_block_masks_its_whole_pass() -> None:
    """Against the mistake of masking that word alone: the scripted model counts the masks it sees."""
    words = ("ash", "birch", "cedar")

    def script(context: list[str], copy: list[str], at: int) -> list[float]:
        return [float(copy.count("[MASK]") == count) for count in (1, 2, 3)]

    made = DPMLM(ScriptedMasked(words, script=script), 4.0, ClipRange(0.0, 1.0, "test"), block=2)
    rewriter = Engine(Words(), Contextual(made))
    text = "one two three four"
    seen = [rewriter.sanitize(text, SeededRandomness(seed)).parts[1::2] for seed in range(400)]
    for position in range(4):
        _, law = law_in(rewriter, text, position)
        assert law.argmax() == 1
        often = sum(parts[position].lower() == "birch" for parts in seen) / len(seen)
        assert abs(often - law[1]) < 5 * math.sqrt(law[1] * (1 - law[1]) / len(seen))
    _, alone = law_in(Engine(Words(), Contextual(replace(made, block=1))), text, 1)
    assert alone.argmax() == 0


def test_a_range_needs_little_memory_and_all_of_the_text() -> None:
    """Long lines are cut, not left out; one short line does not end the others."""
    from scripted_models import ScriptedCausal
    from sfumato.models.calibration import causal_answers, masked_answers
    from sfumato.models.clip_ranges import Measurement

    model = ScriptedMasked(window=16)
    long = " ".join(["word"] * 100)
    assert sum(one.scores.shape[0] for one in masked_answers(model, [long, "a b"], None)) == 8 + 2
    causal = ScriptedCausal()
    word = causal.text([int(causal.outcomes[0])])
    texts = [word, " ".join([word] * 5)]
    asked = [one.scores.shape[0] for one in causal_answers(causal, list, texts, None)]
    pieces = [len(set(causal.outcomes.tolist()).intersection(causal.pieces(text))) for text in texts]
    assert min(pieces) > 0
    assert sum(asked) == sum(len(causal.pieces(text)) for text in texts) + 2 * (causal.end is not None)
    many = Measurement.of(masked_answers(ScriptedMasked(), ["horse " * 4] * 400, None))
    assert len(many._kept) <= 300


def test_a_range_is_the_mean_and_the_deviation_of_all_scores() -> None:
    from sfumato.models.calibration import Answered
    from sfumato.models.clip_ranges import Measurement

    draw = np.random.default_rng(1)
    blocks = [draw.normal(1e3, 2.0, (n, 7)).astype(np.float32) for n in (1, 5, 40)]
    every = np.concatenate(blocks).astype(np.float64)
    found = Measurement.of(Answered(one, [-1] * len(one)) for one in blocks).range("best", "numbers")
    assert found["lower"] == float(f"{every.mean():.6g}")
    assert found["upper"] == float(f"{every.mean() + 4 * every.std():.6g}")
    assert "the paper's rule" in found["source"]  # no outcome is known, so that nothing can be the best


def test_a_block_counts_words_in_a_window() -> None:
    """A document of many windows takes as many passes as one of a single window; the paper's order one a word."""

    def passes(words: int, block: int) -> int:
        told: list[int] = []
        made = DPMLM(ScriptedMasked(window=80), 4.0, ClipRange(0.0, 1.0, "test"), block=block)
        Engine(Words(), Contextual(made), on_draws=told.append).sanitize(
            " ".join(["word"] * words), SeededRandomness(1)
        )
        assert sum(told) == words
        return len(told)

    assert passes(20, 5) == passes(400, 5) == 4
    assert passes(400, 1) == 400
