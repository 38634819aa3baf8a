"""DP-MLM and its engine: the order of the paper, public coins, windows, keyed draws, budgets, and the auditor."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from in_context import law_in, mechanism_in
from scripted_methods import dp_mlm
from scripted_models import ScriptedMasked
from sfumato.abstract.models import Cloze
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.detectors.given import Given
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.mechanisms._masked_rewrite import MaskedBatch, MaskedRewrite, Rewriting
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.models.masked.device_scores import DeviceScores
from sfumato.models.masked.model import MaskedNetwork
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SeededRandomness
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from sfumato.types import IntArray
from tiny_models import tiny_bert

CLIP = ClipRange(0.0, 1.0, "test")
KEY = bytes(range(32))
CANDIDATES = ScriptedMasked().words


class Stream(Randomness):
    """The same uniforms in the same order for every run, whatever the text: no keys. Only for tests."""

    keyed: ClassVar[bool] = False
    private: ClassVar[bool] = False
    stamp = "test"

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def _words(self, n: int, width: int, contexts: Any, layer: int) -> Any:
        return self.generator.integers(0, 2**64, size=(n, width), dtype=np.uint64)


@dataclass(frozen=True)
class Noted(PinnedRandomness):
    """A pinned source that notes the contexts it is asked for."""

    contexts: list[bytes] = field(default_factory=list)

    def uniforms(self, n: int, width: int, contexts: Sequence[bytes] | None = None) -> Any:
        self.contexts.extend(contexts or [])
        return super().uniforms(n, width, contexts)


@dataclass
class Recorder:
    """A script that notes its questions and answers with equal scores."""

    asked: list[tuple[list[str], list[str], int]] = field(default_factory=list)

    def __call__(self, context: list[str], copy: list[str], place: int) -> list[float]:
        self.asked.append((context, copy, place))
        return [0.0] * len(CANDIDATES)


def rewriter(model: Any = None, epsilon: float = 3.0, **more: Any) -> Engine:
    return Engine(Words(), Contextual(dp_mlm(model, epsilon, **more)))


def outputs(release: Any) -> list[str]:
    return [one.output for one in release.replacements]


def numbered(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


TEXTS = [
    "One two three.",
    "",
    "Four! five, six seven",
    "eight",
    "nine ten eleven; twelve",
    "!?",
    "a b c d e f g h i j",
]
DOCUMENTS = [Document(text, f"id{number}") for number, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert")


# --- batches, orders, parts of a run --------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"block": 3}, {"addition": 0.5, "deletion": 0.3}], ids=str)
@pytest.mark.parametrize("source", [SeededRandomness(7), PinnedRandomness(KEY)], ids=["seeded", "pinned"])
def test_a_keyed_run_is_one_run(options: dict[str, Any], source: Any) -> None:
    """Batches, another order and a run in two parts change nothing; another seed does."""
    wanted = [one.text for one in rewriter(**options).sanitize_batch(DOCUMENTS, source)]
    for batch in (1, 2, 32):
        assert [one.text for one in rewriter(batch=batch, **options).sanitize_batch(DOCUMENTS, source)] == wanted
    turned = rewriter(batch=2, **options).sanitize_batch(DOCUMENTS[::-1], source)
    assert [one.text for one in turned[::-1]] == wanted
    made = rewriter(**options)
    halves = [*made.sanitize_batch(DOCUMENTS[:3], source), *rewriter(**options).sanitize_batch(DOCUMENTS[3:], source)]
    assert [one.text for one in halves] == wanted
    assert [one.text for one in made.sanitize_batch(DOCUMENTS, SeededRandomness(8))] != wanted


@pytest.mark.models
def test_a_keyed_run_is_one_run_with_a_network(bert_folder: Path) -> None:
    documents = [Document(" ".join(WORDS_OF_BERT[i : i + 6 + 3 * i]), str(i)) for i in range(9)]

    def run(given: Sequence[Document], **options: Any) -> dict[str, str]:
        made = rewriter(MaskedNetwork(str(bert_folder), device="cpu"), 6.0, **options)
        return {one.id: one.text for one in made.sanitize_batch(given, SeededRandomness(7))}

    wanted = run(documents, batch=1)
    assert run(documents, batch=32) == run(documents[::-1], batch=4) == wanted
    assert {**run(documents[:4]), **run(documents[4:])} == wanted


WORDS_OF_BERT = ["the", "cat", "sat", "far", "away", "in", "park", "river", "dog", "ran", "on", "mat"] * 6


def test_releases_come_in_the_order_of_the_documents() -> None:
    releases = rewriter(batch=2).sanitize_batch(DOCUMENTS, SeededRandomness(1))
    assert [one.id for one in releases] == [one.id for one in DOCUMENTS]
    for document, release in zip(DOCUMENTS, releases, strict=True):
        assert re.sub(r"\w+", "_", release.text) == re.sub(r"\w+", "_", document.text)
    assert rewriter().sanitize_batch([], SeededRandomness(1)) == []


@pytest.mark.parametrize("batch", [1, 3, 50])
def test_no_more_documents_than_the_batch_are_asked_about_at_once(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    scores = ScriptedMasked.scores

    def noting(self: Any, questions: Any) -> Any:
        sizes.append(len(questions))
        return scores(self, questions)

    monkeypatch.setattr(ScriptedMasked, "scores", noting)
    rewriter(batch=batch).sanitize_batch([Document(numbered(n)) for n in (1, 2, 3, 4, 5, 6, 7)], SeededRandomness(1))
    assert max(sizes) == min(batch, 7)
    assert sum(sizes) == 28


def test_the_engine_tells_of_every_draw() -> None:
    told: list[int] = []
    made = Engine(Words(), Contextual(dp_mlm(block=3)), on_draws=told.append)
    releases = made.sanitize_batch(DOCUMENTS, SeededRandomness(1))
    assert sum(told) == sum(one.draws for one in releases) == sum(len(re.findall(r"\w+", text)) for text in TEXTS)


# --- Algorithm 2 ----------------------------------------------------------------------------------------------


def test_later_questions_see_earlier_outcomes() -> None:
    recorder, words = Recorder(), ["alpha", "beta", "gamma", "delta", "omega"]
    release = rewriter(ScriptedMasked(script=recorder)).sanitize("alpha beta, gamma delta omega", SeededRandomness(3))
    drawn = [output.lower() for output in outputs(release)]
    assert len(recorder.asked) == 5
    where = [0, 1, 3, 4, 5]  # a comma stands between
    for step, (context, copy, place) in enumerate(recorder.asked):
        assert context == ["alpha", "beta", ",", "gamma", "delta", "omega"]
        assert place == where[step]
        mixed = [*drawn[:step], "[MASK]", *words[step + 1 :]]
        assert [copy[at] for at in where] == mixed
        assert copy[2] == ","


def test_a_block_sees_no_outcome_of_its_own() -> None:
    recorder = Recorder()
    release = rewriter(ScriptedMasked(script=recorder), block=2).sanitize(numbered(5), SeededRandomness(3))
    drawn = [output.lower() for output in outputs(release)]
    passes = [(0, 3), (1, 4), (2,)]
    asked = iter(recorder.asked)
    done: set[int] = set()
    for together in passes:
        for place in together:
            context, copy, at = next(asked)
            assert (at, context) == (place, numbered(5).split())
            assert copy == [drawn[i] if i in done else "[MASK]" if i in together else f"w{i}" for i in range(5)]
        done |= set(together)
    assert next(asked, None) is None


def test_unmarked_words_stay_and_are_seen() -> None:
    recorder = Recorder()
    made = Engine(ContentWords(), Contextual(dp_mlm(ScriptedMasked(script=recorder))))
    release = made.sanitize("the horse is in the barn", SeededRandomness(1))
    assert re.fullmatch(r"the \w+ is in the \w+", release.text)
    assert release.draws == len(recorder.asked) == 2
    assert recorder.asked[1][1][:1] == ["the"]


# --- Algorithm 3 ----------------------------------------------------------------------------------------------


def test_all_words_are_deleted_or_doubled() -> None:
    text = "one two, three. Four"
    nothing = rewriter(deletion=1.0).sanitize(text, SeededRandomness(1))
    assert (nothing.text, nothing.draws, nothing.replacements) == (",.", 4, ())
    doubled = rewriter(addition=1.0).sanitize(text, SeededRandomness(1))
    assert re.fullmatch(r"\w+ \w+ \w+ \w+, \w+ \w+\. \w+ \w+", doubled.text)
    assert doubled.draws == 8
    assert {output.lower() for output in outputs(doubled)} <= set(CANDIDATES)
    replaced = rewriter(addition=1.0, deletion=1.0).sanitize(text, SeededRandomness(1))
    assert len(replaced.replacements) == 4
    assert replaced.draws == 8


@pytest.mark.parametrize(("addition", "deletion"), [(0.25, 0.0), (0.0, 0.25), (0.3, 0.05), (0.05, 0.6)])
def test_lengths_follow_the_probabilities(addition: float, deletion: float) -> None:
    n = 4000
    made = rewriter(addition=addition, deletion=deletion, block=400)
    release = made.sanitize(numbered(n), SeededRandomness(2))
    wanted = n * (1 + addition - deletion)
    doubt = 5 * (n * (addition * (1 - addition) + deletion * (1 - deletion))) ** 0.5
    assert abs(len(release.replacements) - wanted) < doubt
    swapped = n * (1 + deletion - addition)
    assert abs(len(release.replacements) - swapped) > doubt  # the two coins are told apart
    assert release.draws == (2 * n if addition else n)


def test_added_words_are_drawn_behind_the_word_they_follow() -> None:
    recorder = Recorder()
    rewriter(ScriptedMasked(script=recorder), addition=1.0).sanitize("one two", SeededRandomness(2))
    assert [place for _, _, place in recorder.asked] == [0, 1, 2, 3]
    assert [context for context, _, _ in recorder.asked] == [["one", "two"]] * 4
    # a word that is still to be added stands nowhere in the copy until it is asked about
    assert [copy.index("[MASK]") for _, copy, _ in recorder.asked] == [0, 1, 2, 3]
    assert [len(copy) for _, copy, _ in recorder.asked] == [2, 3, 3, 4]


def test_coins_do_not_depend_on_the_text() -> None:
    """The same coins delete and add at the same places whatever the words are."""
    made = rewriter(addition=0.4, deletion=0.4)
    for seed in range(30):
        first, second = (made.sanitize(text, Stream(seed)) for text in ("a bb ccc dddd eeeee", "zzzzz y xxx w vvvv"))
        assert re.sub(r"\w+", "_", first.text) == re.sub(r"\w+", "_", second.text)
    shapes = {re.sub(r"\w+", "_", made.sanitize("a bb ccc", Stream(seed)).text) for seed in range(40)}
    assert len(shapes) > 5


@pytest.mark.parametrize("wrong", [{"addition": -0.1}, {"deletion": 1.5}, {"addition": float("nan")}, {"block": 0}])
def test_settings_that_cannot_work_are_refused(wrong: dict[str, Any]) -> None:
    for given in (wrong, {"batch": 0}, {"epsilon": -1.0}, {"calibration": "loose"}):
        with pytest.raises(ConfigurationError):
            _ = dp_mlm(**given).score_law


# --- every marked word, once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [2, 3, 6, 11, 400])
@pytest.mark.parametrize("block", [1, 2, 5, 64])
def test_every_word_gets_one_draw(window: int, block: int) -> None:
    for n in (0, 1, 2, 3, 10, 41):
        recorder = Recorder()
        model = ScriptedMasked(script=recorder, window=window)
        release = rewriter(model, block=block, batch=3).sanitize(numbered(n), SeededRandomness(1))
        assert release.draws == len(release.replacements) == len(recorder.asked) == n
        assert {output.lower() for output in outputs(release)} <= set(CANDIDATES)
        assert "w" not in re.sub("|".join(CANDIDATES), "", release.text.lower())
        for context, copy, place in recorder.asked:
            assert copy[place] == "[MASK]"
            assert len(context) + len(copy) <= window


def test_the_window_is_cut_around_the_place() -> None:
    recorder = Recorder()
    rewriter(ScriptedMasked(script=recorder, window=10)).sanitize(numbered(30), SeededRandomness(1))
    for number, (context, copy, place) in enumerate(recorder.asked):
        first = min(max(number - 2, 0), 25)
        assert len(context) == len(copy) == 5
        assert context[place] == f"w{number}"
        assert abs(int(context[0][1:]) - first) <= 1


@pytest.mark.parametrize("window", [2, 7, 12])
@pytest.mark.parametrize("block", [1, 4])
def test_a_secret_is_rewritten_wherever_it_stands(window: int, block: int) -> None:
    """The published code cuts a long text off and returns the rest as it was."""
    for at, detector in itertools.product(range(40), (Words(), Given())):
        words = [f"w{number}" for number in range(40)]
        words[at] = "Zanzibar"
        text = " ".join(words)
        start = text.index("Zanzibar")
        made = Engine(detector, Contextual(dp_mlm(ScriptedMasked(window=window), block=block)))
        release = made.sanitize(Document(text, "1", {"spans": [[start, start + 8, "NAME"]]}), SeededRandomness(at))
        assert "Zanzibar" not in release.text
        assert release.draws == (40 if isinstance(detector, Words) else 1)


class CutsOff(MaskedRewrite):
    """The mistake: only the first words are asked about, and the rest is returned."""

    def __init__(self, mechanism: DPMLM, layout: Layout, coins: Any) -> None:
        super().__init__(mechanism.model, layout, coins, Rewriting(mechanism.block))
        self.layout, self._passes = layout, self._passes[-6:]

    def parts(self) -> list[str]:
        found = super().parts()
        found[1::2] = [
            output or self.layout.text[start:end]
            for output, (start, end) in zip(found[1::2], self.layout.spans, strict=True)
        ]
        return found


class CutMLM(DPMLM):
    def begin(self, layouts: Any, coins: Any) -> MaskedBatch:
        return MaskedBatch(self.model, [CutsOff(self, *one) for one in zip(layouts, coins, strict=True)], 8)


def test_a_text_that_is_cut_off_is_told_apart() -> None:
    made = Engine(Words(), Contextual(CutMLM(ScriptedMasked(window=12), 3.0, CLIP)))
    assert "Zanzibar" in made.sanitize(f"{numbered(20)} Zanzibar", SeededRandomness(1)).text
    assert "Zanzibar" not in made.sanitize(f"Zanzibar {numbered(20)}", SeededRandomness(1)).text


@pytest.mark.models
def test_a_secret_is_rewritten_by_a_network_with_a_small_window(bert_folder: Path) -> None:
    model = MaskedNetwork(str(bert_folder), device="cpu", limit=32)
    assert "zanzibar" not in model.words
    documents = []
    for at in range(0, 48, 3):
        words = WORDS_OF_BERT[:48]
        words[at] = "Zanzibar"
        documents.append(Document(" ".join(words), str(at)))
    for release in rewriter(model, 8.0, block=8).sanitize_batch(documents, SeededRandomness(1)):
        assert "zanzibar" not in release.text.lower()
        assert release.draws == 48


@pytest.mark.parametrize("text", ["", " ", "\n\n", "...", "🙂"])
def test_texts_without_words_cost_nothing(text: str) -> None:
    release = rewriter(addition=0.5).sanitize(text, SeededRandomness(1))
    assert (release.text, release.draws) == (text, 0)
    assert Engine(Words(), Contextual(dp_mlm(), document_epsilon=5.0)).cost(0).pure == 0.0


def test_one_word_and_five_thousand() -> None:
    one = rewriter().sanitize("Word", SeededRandomness(1))
    assert one.text.lower() in CANDIDATES
    assert one.draws == 1
    long = numbered(5000)
    for block in (1, 500):
        release = rewriter(ScriptedMasked(window=16), block=block).sanitize(long, SeededRandomness(1))
        assert release.draws == 5000
        assert {output.lower() for output in outputs(release)} <= set(CANDIDATES)


# --- randomness -----------------------------------------------------------------------------------------------


def contexts_of(text: str, made: Engine | None = None, id: str = "1") -> list[bytes]:
    source = Noted(KEY)
    (made or rewriter(addition=0.3)).sanitize(Document(text, id), source)
    return source.contexts


def test_the_same_text_has_the_same_draws_and_no_draw_shares_another() -> None:
    found = contexts_of(numbered(12))
    assert found == contexts_of(numbered(12))
    assert len(set(found)) == len(found) >= 24  # coins and draws
    made = rewriter()
    texts = {made.sanitize(Document(numbered(12), "1"), PinnedRandomness(KEY)).text for _ in range(3)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    "edited", ["x1 w1 w2 w3", "w0 w1 w2 x3", "w0 w1 w2 w3 ", "w0 w1 W2 w3", "w0 w1 w2 w3 w4", "w0 w1"]
)
def test_an_edit_anywhere_draws_afresh_everywhere(edited: str) -> None:
    assert not set(contexts_of(numbered(4))) & set(contexts_of(edited))


def test_draws_that_ignore_the_text_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power: keyed by setting and place only, two texts share their draws."""
    monkeypatch.setattr("sfumato.engines.contextual_batch.layout_key", lambda setting, *_: setting.encode())
    made = Engine(Words(), Contextual(dp_mlm()))
    assert set(contexts_of("w0 w1 w2", made)) & set(contexts_of("w0 w1 x2", made))


def test_ids_settings_and_spans_have_draws_of_their_own() -> None:
    text = "the horse is in w0 w1"
    made = [
        rewriter(),
        rewriter(epsilon=3.5),
        rewriter(addition=0.1),
        rewriter(block=2),
        rewriter(calibration="paper"),
        rewriter(scoring=ClipRange(-4.0, 0.5, "test")),
        rewriter(ScriptedMasked(words=CANDIDATES[:5])),
        rewriter(ScriptedMasked(window=50)),
        Engine(Words(), Contextual(dp_mlm(), document_epsilon=30.0)),
        Engine(ContentWords(), Contextual(dp_mlm())),
    ]
    found = [set(contexts_of(text, one)) for one in made] + [set(contexts_of(text, rewriter(), id="2"))]
    assert all(not one & other for one, other in itertools.combinations(found, 2))
    assert set(contexts_of(text, rewriter(batch=7))) == found[0]  # batches decide nothing
    assert len({one.fingerprint() for one in made}) == len(made)


@pytest.mark.parametrize("ids", [("", "b"), ("a", ""), ("a", "a"), ("", "")])
def test_a_pinned_run_needs_ids(ids: tuple[str, str]) -> None:
    documents = [Document("one", ids[0]), Document("two", ids[1])]
    with pytest.raises(ConfigurationError, match="id"):
        rewriter().sanitize_batch(documents, PinnedRandomness(KEY))
    assert len(rewriter().sanitize_batch(documents)) == 2
    assert len(rewriter().sanitize_batch(documents, SeededRandomness(1))) == 2


# --- budgets --------------------------------------------------------------------------------------------------


def spent(made: Engine, documents: Sequence[Document], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The ε of every draw, as the law was asked for it."""
    found: list[float] = []
    draw = ClippedSoftmax.draw

    def noting(self: Any, scores: Any, epsilons: Sequence[float], uniforms: Any) -> Any:
        found.extend(epsilons)
        return draw(self, scores, epsilons, uniforms)

    monkeypatch.setattr(ClippedSoftmax, "draw", noting)
    made.sanitize_batch(documents, SeededRandomness(1))
    monkeypatch.undo()
    return found


@pytest.mark.parametrize(
    "options", [{}, {"block": 4}, {"addition": 0.5}, {"addition": 1.0}, {"deletion": 0.5}], ids=str
)
def test_a_document_budget_is_split_over_its_draws(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made = Engine(Words(), Contextual(dp_mlm(**options), document_epsilon=12.0))
    assert made.guarantee.epsilon == 12.0
    assert made.guarantee.unit == "one document"
    for n in (1, 2, 7):
        charged = n * (2 if options.get("addition") else 1)
        found = spent(made, [Document(numbered(n))], monkeypatch)
        assert all(one == 12.0 / charged for one in found)
        assert sum(found) <= 12.0 * (1 + 1e-12)
        assert made.cost(charged).pure == 12.0
    mixed = spent(made, [Document(numbered(n)) for n in (3, 0, 5)], monkeypatch)
    assert sum(mixed) <= 24.0 * (1 + 1e-12)


@pytest.mark.parametrize("budget", [0.1, 1.0, 7.3, 12.0, 100.0])
def test_the_shares_of_a_budget_do_not_add_up_to_more(budget: float) -> None:
    made = Engine(Words(), Contextual(dp_mlm(), document_epsilon=budget))
    lengths = range(1, 200)
    shares = [mechanism_in(made, numbered(n)).epsilon for n in lengths]
    assert all(share * n <= budget for share, n in zip(shares, lengths, strict=True))
    assert shares == pytest.approx([budget / n for n in lengths], rel=1e-15)


def test_plain_division_would_pass_a_budget() -> None:
    assert any(7.3 / n * n > 7.3 for n in range(1, 200))


def test_every_document_spends_its_own_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longest first, one after the other: five draws share 12, then three share 12."""
    documents = [Document(numbered(n)) for n in (3, 0, 5)]
    made = Engine(Words(), Contextual(dp_mlm(batch=1), document_epsilon=12.0))
    assert spent(made, documents, monkeypatch) == [12.0 / 5] * 5 + [12.0 / 3] * 3
    together = Engine(Words(), Contextual(dp_mlm(batch=2), document_epsilon=12.0))
    assert spent(together, documents, monkeypatch) == [12.0 / 5, 12.0 / 3] * 3 + [12.0 / 5] * 2


def test_without_a_document_budget_every_draw_costs_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    made = rewriter(epsilon=2.5)
    assert spent(made, DOCUMENTS, monkeypatch) == [2.5] * sum(len(re.findall(r"\w+", text)) for text in TEXTS)
    assert made.guarantee.epsilon == 2.5
    assert made.cost(7).pure == 17.5
    assert made.guarantee.rho == 0.5 * made.others.mechanism.score_law.scale(2.5) ** 2


def test_certificates_and_preparation() -> None:
    assert rewriter(epsilon=2.5).certificate().claimed == 2.5
    assert Engine(Words(), Contextual(dp_mlm(), document_epsilon=9.0)).certificate().claimed == 9.0
    told: list[int] = []
    for detector in (Words(), Given()):  # the second wants a field that a trial text does not have
        Engine(detector, Contextual(dp_mlm(addition=1.0, deletion=1.0)), on_draws=told.append).prepare()
    assert told == []
    with pytest.raises(GuaranteeError, match="resolution"):
        rewriter(epsilon=5000.0).prepare()
    with pytest.raises(GuaranteeError, match="not numbers"):
        rewriter(ScriptedMasked(script=lambda *_: [float("nan")] * len(CANDIDATES))).prepare()


def test_the_law_shown_is_the_law_drawn_from() -> None:
    """The first word of a document, with a budget of its own and with one for the document."""
    text, n = "one three fifteen", 4000
    for made in (rewriter(addition=0.2), Engine(Words(), Contextual(dp_mlm(), document_epsilon=9.0))):
        words, law = law_in(made, text, 0)
        seen = [release.parts[1].lower() for release in made.sanitize_batch([Document(text)] * n, Stream(1))]
        counts = np.array([seen.count(word) for word in words])
        assert counts.sum() == n
        assert (((counts - n * law) ** 2) / (n * law)).sum() < 45.0  # chi-squared, 11 degrees: 1e-5
        _, other = law_in(rewriter(epsilon=6.0), text, 0)
        assert (((counts - n * other) ** 2) / (n * other)).sum() > 100.0
    with pytest.raises(ConfigurationError, match="3"):
        law_in(rewriter(), text, 3)


def test_a_mechanism_that_draws_more_than_it_charges_is_caught() -> None:
    class Cheap(DPMLM):
        def draws(self, layout: Layout) -> int:
            return 1

    made = Engine(Words(), Contextual(Cheap(ScriptedMasked(), 3.0, CLIP)))
    assert made.sanitize("one", SeededRandomness(1)).draws == 1
    with pytest.raises(ConfigurationError, match="charged"):
        made.sanitize("one two", SeededRandomness(1))


def test_a_model_that_gives_no_numbers_releases_nothing() -> None:
    made = rewriter(ScriptedMasked(script=lambda *_: [float("nan")] * len(CANDIDATES)))
    with pytest.raises(GuaranteeError, match="not numbers") as raised:
        made.sanitize("Zanzibar", SeededRandomness(1))
    assert "Zanzibar" not in str(raised.value)


# --- layout and case ------------------------------------------------------------------------------------------


def test_layout_is_kept_and_sentences_begin_with_a_capital() -> None:
    text = 'one two. three (four) FIVE:\n\n- "six seven?" eight\tnine… Ten'
    release = rewriter().sanitize(text, SeededRandomness(1))
    assert re.sub(r"\w+", "_", release.text) == re.sub(r"\w+", "_", text)
    opening = [output[0].isupper() for output in outputs(release)]
    assert opening == [True, False, True, False, False, False, False, True, False, True]


class CopiesCase(MaskedRewrite):
    """The mistake: an output takes the case of the word it stands for."""

    def __init__(self, mechanism: DPMLM, layout: Layout, coins: Any) -> None:
        super().__init__(mechanism.model, layout, coins, Rewriting(mechanism.block))
        self.words = [layout.text[start:end] for start, end in layout.spans]

    def parts(self) -> list[str]:
        found = super().parts()
        found[1::2] = [
            output.upper() if word.isupper() else output.title() if word.istitle() else output
            for output, word in zip(found[1::2], self.words, strict=True)
        ]
        return found


class CasedMLM(DPMLM):
    def begin(self, layouts: Any, coins: Any) -> MaskedBatch:
        states = [CopiesCase(self, *one) for one in zip(layouts, coins, strict=True)]
        return MaskedBatch(self.model, states, 8)


def test_case_is_never_copied() -> None:
    """Texts that differ in case only, scores that do not see it: one law, one output. The mistake is told apart."""
    pairs = [("we met alice there", "we met Alice there"), ("we met bob there", "we met BOB there")]
    for seed, pair in itertools.product(range(20), pairs):
        first, second = (rewriter().sanitize(text, Stream(seed)).text for text in pair)
        assert first == second
        wrong = Engine(Words(), Contextual(CasedMLM(ScriptedMasked(), 3.0, ClipRange(-4.0, 0.0, "test"))))
        first, second = (wrong.sanitize(text, Stream(seed)).text for text in pair)
        assert first != second


# --- the auditor ----------------------------------------------------------------------------------------------

WIDE = ("ash", "birch", "cedar", "elm")
AUDITOR = Distinguishing(confidence=1 - 1e-6, samples=8_000)


class Worst:
    """Scores as far apart as the clip allows, for alice and for anybody else."""

    def __init__(self, reach: float = 1.0) -> None:
        self.reach = reach

    def __call__(self, context: list[str], copy: list[str], place: int) -> list[float]:
        ends = (self.reach, 1.0 - self.reach)
        own, rest = ends if "alice" in context else ends[::-1]
        return [own, rest, rest, rest]


def audited(made: Engine, first: str, second: str) -> float:
    def sampler(text: str, seed: int) -> Callable[[int], Any]:
        return lambda n: [one.text for one in made.sanitize_batch([Document(text)] * n, Stream(seed))]

    return AUDITOR.audit(sampler(first, 1), sampler(second, 2)).epsilon


@dataclass(frozen=True)
class Widened(ClippedSoftmax):
    """The mistake: clipped to a wider range than the scale was calibrated for."""

    def weights(self, scores: Any, scales: Any) -> Any:
        wider = ClipRange(self.clip.lower - 1.0, self.clip.upper + 1.0, "too wide")
        return ClippedSoftmax(wider, self.outcomes).weights(scores, 3.0 * np.asarray(scales))


@dataclass(frozen=True)
class TopK(ClippedSoftmax):
    """The mistake: outcomes chosen by the private scores."""

    def weights(self, scores: Any, scales: Any) -> Any:
        found = ClippedSoftmax.weights(self, scores, scales)
        kept = np.sort(found, axis=1)[:, -3:-2]
        return np.where(found >= kept, found, 0.0)


@dataclass(frozen=True, eq=False)
class WrongMLM(DPMLM):
    law: type[ClippedSoftmax] = ClippedSoftmax

    @cached_property
    def score_law(self) -> ClippedSoftmax:
        return self.law(self.scoring, len(self.model.words), self.calibration)


def worst_case(epsilon: float, law: type[ClippedSoftmax] = ClippedSoftmax, reach: float = 1.0) -> Engine:
    model = ScriptedMasked(words=WIDE, script=Worst(reach), rows=256)
    return Engine(Words(), Contextual(WrongMLM(model, epsilon, CLIP, batch=5000, law=law)))


@pytest.mark.law
@pytest.mark.parametrize("epsilon", [1.0, 2.5])
def test_one_draw_loses_what_it_claims_and_no_more(epsilon: float) -> None:
    found = audited(worst_case(epsilon), "alice", "bob")
    assert 0.6 * epsilon < found <= epsilon


@dataclass(frozen=True, slots=True)
class ByPrivateScores(RankLaw):
    """The mistake: a text whose first word stands out gets another profile, so that texts are told apart by it."""

    def draw(self, scores: Any, epsilons: Any, uniforms: Any) -> Any:
        apart = scores[:, 0] > scores[:, 1]
        wide = replace(self, gains=RankGains((3, self.outcomes), (1.0, 0.1), "chosen on the private text"))
        drawn = RankLaw.draw(self, scores, epsilons, uniforms)
        return np.where(apart, drawn, RankLaw.draw(wide, scores, epsilons, uniforms))


@dataclass(frozen=True, eq=False)
class RankedMLM(DPMLM):
    ranked: type[RankLaw] = RankLaw

    @cached_property
    def score_law(self) -> RankLaw:
        return self.ranked(self.scoring, len(self.model.words))  # type: ignore[arg-type]


class Staying(ScriptedMasked):
    """A scripted model whose scores stay on a device, for which the processor stands in."""

    kind: ClassVar[type[DeviceScores]] = DeviceScores

    def scores_in_place(self, questions: Sequence[Cloze]) -> DeviceScores:
        torch = pytest.importorskip("torch")
        return self.kind(torch.from_numpy(self.scores(questions)).to(torch.bfloat16))


def ranked(epsilon: float, law: type[RankLaw] = RankLaw, kind: type[ScriptedMasked] = ScriptedMasked) -> Engine:
    model = kind(words=WIDE, script=Worst(1.0), rows=256)
    gains = RankGains((1, 2, len(WIDE)), (1.0, 0.4, 0.1), "test")
    return Engine(Words(), Contextual(RankedMLM(model, epsilon, gains, batch=5000, ranked=law)))


@pytest.mark.law
@pytest.mark.parametrize("kind", [ScriptedMasked, pytest.param(Staying, marks=pytest.mark.models)])
@pytest.mark.parametrize("epsilon", [1.0, 2.5])
def test_one_draw_by_rank_loses_what_it_claims_and_no_more(epsilon: float, kind: type[ScriptedMasked]) -> None:
    found = audited(ranked(epsilon, kind=kind), "alice", "bob")
    assert 0.6 * epsilon < found <= epsilon


class WithoutLast(DeviceScores):
    """The mistake: the device has no word for the last rank, and gives the first."""

    def of_ranks(self, ranks: IntArray) -> IntArray:
        return DeviceScores.of_ranks(self, np.where(ranks == self.shape[1] - 1, 0, ranks))


class StayingWithoutLast(Staying):
    kind = WithoutLast


@pytest.mark.law
@pytest.mark.models
def test_the_auditor_catches_a_device_that_looks_up_other_ranks() -> None:
    assert audited(ranked(1.0, kind=StayingWithoutLast), "alice", "bob") > 1.0


@pytest.mark.law
def test_the_auditor_catches_a_profile_that_is_chosen_on_the_private_text() -> None:
    epsilon = 1.5
    assert audited(ranked(epsilon, ByPrivateScores), "alice", "bob") > epsilon
    assert audited(ranked(epsilon), "alice", "bob") <= epsilon


@pytest.mark.law
def test_a_document_loses_the_sum_over_its_draws_and_no_more() -> None:
    """One private word moves the scores of all draws, its neighbours' too."""
    assert 1.1 < audited(worst_case(1.0), "alice went", "bob went") <= 2.0
    split = Engine(Words(), Contextual(worst_case(7.0).others.mechanism, document_epsilon=2.0))
    assert 1.1 < audited(split, "alice went", "bob went") <= 2.0


@pytest.mark.law
@pytest.mark.parametrize("law", [Widened, TopK])
def test_the_auditor_catches_laws_that_are_not_what_they_claim(law: type[ClippedSoftmax]) -> None:
    """On the same scores the honest law stays within its claim: see above, and here for scores beyond the clip."""
    epsilon, reach = 1.5, 2.0 if law is Widened else 1.0
    assert audited(worst_case(epsilon, law, reach), "alice", "bob") > epsilon
    if law is Widened:
        assert 0.6 * epsilon < audited(worst_case(epsilon, reach=reach), "alice", "bob") <= epsilon
