"""Detector and mechanism joined: nothing leaks around the mechanism, and nothing depends on how the work is cut."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato import PinnedRandomness, Route, SeededRandomness, Vocabulary, build
from sfumato.abstract.detector import Detector
from sfumato.building import methods
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines.engine import Engine
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError, SfumatoError
from sfumato.release.statement import visible
from sfumato.text.document import Document
from sfumato.text.marks import Spans
from sfumato.text.sentences import begins_sentence

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
TOKENS = ("alpha", "Beta", "gamma", "delta", "épsilon")
TINY = Vocabulary(TOKENS, np.random.default_rng(0).normal(size=(5, 2)), "a toy made by the tests")
PLACES = Vocabulary(("Oslo", "Rome"), np.array([[0.0], [1.0]]), "a toy made by the tests")


def sanitizer(mechanism: str = "santext", epsilon: float = 1.0, **options: Any) -> Engine:
    consistency = options.pop("consistency", "mention")
    made = methods.mechanism(mechanism, TINY, epsilon, **options)
    return Engine(Words(), DrawnTokens({"ANY": Route(made)}, "ANY", consistency=consistency))


@lru_cache(maxsize=1)
def shared() -> Engine:
    """One sanitizer for the tests that try hundreds of texts."""
    return sanitizer()


def documents(count: int = 12) -> list[Document]:
    rng = np.random.default_rng(1)
    words = [*TOKENS, "Zaphod", "ALPHA", "été"]
    texts = [" ".join(rng.choice(words, size=int(rng.integers(0, 30)))) + ". End!" for _ in range(count)]
    return [Document(text, id=f"r{number}") for number, text in enumerate(texts)]


def texts_of(releases: Any) -> list[str]:
    return [release.text for release in releases]


# --- how the work is cut ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("consistency", ["mention", "document"])
@pytest.mark.parametrize("mechanism", ["santext", "custext", "clusant", "vickrey"])
def test_keyed_runs_do_not_depend_on_batches_order_or_workers(mechanism: str, consistency: str) -> None:
    made, given_documents = sanitizer(mechanism, consistency=consistency), documents()
    for randomness in (SeededRandomness(3), PinnedRandomness(KEY)):
        whole = texts_of(made.sanitize_batch(given_documents, randomness))
        for size in (1, 2, 5):
            parts = [given_documents[i : i + size] for i in range(0, len(given_documents), size)]
            assert texts_of(itertools.chain(*(made.sanitize_batch(p, randomness) for p in parts))) == whole
            with ThreadPoolExecutor(3) as pool:
                found = pool.map(lambda part, r=randomness: made.sanitize_batch(part, r), parts[::-1])
                assert texts_of(itertools.chain(*list(found)[::-1])) == whole
        assert texts_of(made.sanitize_batch(given_documents[::-1], randomness)) == whole[::-1]
        fresh = sanitizer(mechanism, consistency=consistency)
        assert texts_of(fresh.sanitize_batch(given_documents, randomness)) == whole


def test_draws_in_small_slices_are_the_same_draws(monkeypatch: Any) -> None:
    made, randomness = sanitizer(), SeededRandomness(3)
    whole = texts_of(made.sanitize_batch(documents(), randomness))
    monkeypatch.setattr(type(made.others.routes["ANY"].mechanism), "draws_at_once", 7)
    assert texts_of(made.sanitize_batch(documents(), randomness)) == whole


def test_places_and_documents_are_drawn_independently() -> None:
    made = sanitizer(epsilon=0.1)
    document = "gamma " * 4000
    for randomness in (None, SeededRandomness(1), PinnedRandomness(KEY)):
        batch = [Document(document, id="a"), Document(document, id="b")]
        one, other = (release.text.casefold().split() for release in made.sanitize_batch(batch, randomness))
        law = made.others.routes["ANY"].mechanism.law(2)
        same = float((law**2).sum())
        for first, second in ((one, other), (one[1:], one[:-1])):
            repeats = np.mean([a == b for a, b in zip(first, second, strict=True)])
            assert repeats == pytest.approx(same, abs=0.04)
        assert Counter(one)["gamma"] / 4000 == pytest.approx(law[2], abs=0.04)


def test_system_randomness_never_repeats() -> None:
    made = sanitizer(epsilon=0.1)
    assert len({made.sanitize("alpha " * 50).text for _ in range(20)}) == 20


# --- pinned ----------------------------------------------------------------------------------------------------


def test_pinned_draws_depend_on_key_record_and_place() -> None:
    made = sanitizer(epsilon=0.1)
    text = "alpha " * 50
    base = made.sanitize(Document(text, id="r1"), PinnedRandomness(KEY)).text
    assert made.sanitize(Document(text, id="r1"), PinnedRandomness(OTHER_KEY)).text != base
    assert made.sanitize(Document(text, id="r2"), PinnedRandomness(KEY)).text != base
    assert len(set(base.casefold().split())) > 1


def test_pinned_runs_refuse_short_keys_and_missing_ids() -> None:
    with pytest.raises(ConfigurationError, match="32 random bytes"):
        PinnedRandomness(KEY[:31])
    with pytest.raises(ConfigurationError, match="separate id for every document"):
        sanitizer().sanitize("alpha", PinnedRandomness(KEY))
    assert sanitizer().sanitize("alpha", SeededRandomness(1)).text  # a seeded run is for tests: no id needed


# --- consistency -----------------------------------------------------------------------------------------------


def test_document_consistency_draws_once_for_each_token_of_a_document() -> None:
    made = sanitizer(epsilon=0.1, consistency="document")
    words = [*TOKENS, "Alpha", "BETA"] * 20
    for randomness in (None, SeededRandomness(2), PinnedRandomness(KEY)):
        batch = [Document(f"x, {' '.join(words)}", id=f"r{i}") for i in range(30)]
        releases = made.sanitize_batch(batch, randomness)
        answers = set()
        for release in releases:
            found = [one.output for one in release.replacements][1:]
            chosen: dict[str, set[str]] = {}
            for word, output in zip(words, found, strict=True):
                chosen.setdefault(word.casefold(), set()).add(output)
            assert all(len(outputs) == 1 for outputs in chosen.values())
            answers.add(tuple(next(iter(outputs)) for outputs in chosen.values()))
            assert release.draws == 5  # "x" is unknown: it is treated as the surrogate, one of the five
        assert len(answers) > 15
    assert any("same token" in line for line in visible(made, SeededRandomness(1), None))


def test_mention_consistency_pays_for_every_mention() -> None:
    assert sanitizer().sanitize("alpha alpha Zaphod.").draws == 3
    assert sanitizer().sanitize("... !").draws == 0
    with pytest.raises(ConfigurationError, match="consistency"):
        sanitizer(consistency="corpus")


def test_kept_stop_words_cost_nothing() -> None:
    tokens = ("the", "cat", "dog", "of")
    vocabulary = Vocabulary(tokens, np.arange(4.0)[:, None], "toy")
    made = Engine(Words(), DrawnTokens({"ANY": Route(methods.mechanism("custext+", vocabulary, 1.0))}, "ANY"))
    release = made.sanitize("so the cat of THE dog")
    assert release.draws == 3  # "so" is unknown: it becomes the surrogate
    parts = release.parts
    assert (parts[3], parts[7], parts[9]) == ("the", "of", "the")


# --- what leaves -----------------------------------------------------------------------------------------------

RAW = st.text(st.characters(codec="utf-8", exclude_categories=()) | st.sampled_from("alpha ’'-.\n\u200d\u00adß"))
MIXED = st.lists(st.sampled_from([*TOKENS, "Zaphod", "Zoë", "naïve", "12", " ", ". ", "'", "-", "\n"]) | RAW).map(
    "".join
)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(st.lists(MIXED, min_size=1, max_size=4))
def test_gaps_are_released_byte_for_byte_and_no_unknown_word_passes(texts: list[str]) -> None:
    made = shared()
    batch = [Document(text, id=f"r{number}") for number, text in enumerate(texts)]
    releases = made.sanitize_batch(batch)
    allowed = {*TOKENS, *(token[:1].upper() + token[1:] for token in TOKENS)}
    for document, spans, release in zip(batch, Words().detect(batch), releases, strict=True):
        gaps, at = [], 0
        for start, end, _ in spans:
            gaps.append(document.text[at:start])
            at = end
        gaps.append(document.text[at:])
        assert list(release.parts[::2]) == gaps
        assert set(release.parts[1::2]) <= allowed
        assert len(release.replacements) == len(spans) == release.draws
        for one in release.replacements:
            assert release.text[one.start : one.end] == one.output
        for number, output in enumerate(release.parts[1::2]):  # the public rule for the first letter
            opens = begins_sentence(gaps[number], number == 0)
            assert not opens or output[:1] == output[:1].upper()
            assert opens or output in TOKENS
        again = [release.text[start:end] for start, end, _ in Words().detect([Document(release.text)])[0]]
        assert set(again) <= allowed


@QUICK
@given(MIXED)
def test_case_of_the_private_word_never_shows(text: str) -> None:
    """Any other case of the words gives the very same release, draw for draw."""
    spans = Words().detect([Document(text)])[0]
    for change in (str.lower, str.swapcase):
        pieces, at = [], 0
        for start, end, _ in spans:
            word = text[start:end]
            known = TINY.find(word) is not None and TINY.find(change(word)) == TINY.find(word)
            pieces += [text[at:start], change(word) if known else word]
            at = end
        other = "".join([*pieces, text[at:]])
        found = [shared().sanitize(one, SeededRandomness(4)).text for one in (text, other)]
        assert found[0] == found[1]


def test_case_follows_the_gaps() -> None:
    made = sanitizer()
    for text in ("alpha. gamma! delta", "ALPHA. Gamma! dELTA", "Zaphod. zaphod! ZAPHOD"):
        assert all(one.output[0].isupper() for one in made.sanitize(text).replacements)
    outputs = {one.output for _ in range(50) for one in made.sanitize("1, Alpha, GAMMA Delta").replacements[1:]}
    assert outputs == set(TOKENS)


def test_a_release_holds_no_original() -> None:
    made = sanitizer()
    document = Document("Zaphod met alpha in Magrathea.", id="r1", metadata={"secret": "Trillian"})
    release = made.sanitize(document)
    for private in ("Zaphod", "Magrathea", "met", "Trillian"):
        assert private not in repr(release)
        assert private not in repr(document)
    assert not hasattr(release, "__dict__")
    assert set(release.__slots__) == {"id", "text", "bounds", "labels", "draws", "draws_by"}


def test_errors_hold_no_private_text() -> None:
    private = "Zaphod Beeblebrox"

    @dataclass(frozen=True)
    class Wrong(Detector):
        description = unprotected = "wrong"

        def detect(self, given_documents: Sequence[Document]) -> list[Spans]:
            return [Spans.checked([], 0, "r1") for _ in given_documents[1:]]

    made = Engine(Wrong(), DrawnTokens(sanitizer().others.routes, "ANY"))
    with pytest.raises(ValueError) as caught:
        made.sanitize(private)
    assert "Zaphod" not in str(caught.value)
    with pytest.raises(SfumatoError) as refused:
        sanitizer().sanitize(private, PinnedRandomness(KEY))
    assert "Zaphod" not in str(refused.value)


# --- routes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marked(Detector):
    """Words in capitals are places, others words; the labels come one a span or one for all."""

    description = unprotected = "marked"

    def detect(self, given_documents: Sequence[Document]) -> list[Spans]:
        found = []
        for document, spans in zip(given_documents, Words().detect(given_documents), strict=True):
            labels = ["PLACE" if document.text[s:e].isupper() else "WORD" for s, e, _ in spans]
            found.append(Spans(spans.bounds, labels if "PLACE" in labels else "WORD"))
        return found


def test_every_label_takes_its_route() -> None:
    routes = {
        "PLACE": Route(methods.mechanism("santext", PLACES, 1.0)),
        "WORDS": Route(methods.mechanism("santext", TINY, 1.0)),
    }
    made = Engine(Marked(), DrawnTokens(routes, "WORDS"))
    texts = ["go OSLO alpha ROME", "just words", "", "PARIS", "alpha OSLO"]
    batch = [Document(text, id=str(number)) for number, text in enumerate(texts)]
    for randomness in (None, SeededRandomness(1)):
        for document, release in zip(batch, made.sanitize_batch(batch, randomness), strict=True):
            for word, one in zip(document.text.split(), release.replacements, strict=True):
                tokens = PLACES.tokens if word.isupper() else TINY.tokens
                assert one.output.casefold() in {token.casefold() for token in tokens}
                assert one.label == ("PLACE" if word.isupper() else "WORD")
    alone = [made.sanitize_batch([document], SeededRandomness(1))[0] for document in batch]
    assert texts_of(alone) == texts_of(made.sanitize_batch(batch, SeededRandomness(1)))
    with pytest.raises(ConfigurationError, match="default route"):
        Engine(Marked(), DrawnTokens(routes, "NOWHERE"))


def test_unknown_words_go_to_the_surrogate_or_the_nearest() -> None:
    class Letters:
        """Embeds a phrase by its first letter."""

        id, dimensions = "letters", 1

        def encode(self, phrases: Sequence[str], progress: Any = None) -> Any:
            return np.array([[float(ord(phrase[0].casefold()))] for phrase in phrases])

    encoder = Letters()
    vocabulary = Vocabulary(("ant", "cow", "zebra"), encoder.encode(["ant", "cow", "zebra"]), "toy", encoder)
    made = methods.mechanism("santext", vocabulary, 1.0)
    nearest = Route(made, "nearest")
    assert nearest.tokens(["ANT", "bee", "yak", "dog", "yak", "Cow"]).tolist() == [0, 0, 2, 1, 2, 1]
    surrogate = Route(made, "surrogate")
    assert surrogate.tokens(["ANT", "bee", "yak"]).tolist() == [0, vocabulary.medoid(), vocabulary.medoid()]
    assert "'cow'" in surrogate.rule
    assert Route(made, "surrogate", 2).tokens(["bee"]).tolist() == [2]
    with pytest.raises(ConfigurationError, match="encoder"):
        Route(methods.mechanism("santext", TINY, 1.0), "nearest")


def test_fingerprints_tell_settings_apart() -> None:
    other = (TINY.medoid() + 1) % len(TINY)
    base = sanitizer().fingerprint()
    assert sanitizer().fingerprint() == base
    others = [
        sanitizer(epsilon=1.1),
        sanitizer("custext"),
        sanitizer(calibration="paper"),
        sanitizer(consistency="document"),
        Engine(ContentWords(), DrawnTokens(sanitizer().others.routes, "ANY")),
        Engine(Words(), DrawnTokens({"ANY": Route(methods.mechanism("santext", PLACES, 1.0))}, "ANY")),
        Engine(
            Words(),
            DrawnTokens({"ANY": Route(sanitizer().others.routes["ANY"].mechanism, "surrogate", other)}, "ANY"),
        ),
    ]
    assert len({base, *(one.fingerprint() for one in others)}) == len(others) + 1


def test_build_refuses_in_one_sentence() -> None:
    for wrong, message in (
        ({"method": "santex"}, "did you mean santext"),
        ({"epsilon": 0}, "greater than 0"),
        ({"epsilon": "x"}, "must be a number"),
        ({"k": 3.0}, "belongs to clusant"),
        ({"surrogate": "Zaphod"}, "surrogate must be a token"),
        ({"detect": "word"}, "did you mean words"),
        ({"unknown": "nearest"}, "encoder"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            build(**{"method": "santext", "vocabulary": TINY, **wrong})
    made = build("custext", 3.0, vocabulary=TINY, surrogate="gamma", set_size=2)
    assert made.sanitize("alpha Zaphod").draws == 2
    progress: list[float] = []
    made.prepare(progress.append)


# --- unknown words, mixed promises, and errors on the way --------------------------------------------------------


class FirstLetters:
    """An encoder that sees first letters only; it can be told to fail with the phrase in its message."""

    id, dimensions = "first letters", 1

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken

    def encode(self, phrases: Sequence[str], progress: Any = None) -> Any:
        if self.broken:
            raise RuntimeError("no model")
        return np.array([[float(ord(phrase[0].casefold()))] for phrase in phrases])


PLUS = ("the", "and", "zebra", "anthem", "theory", "zymurgy", "antler", "thermal")


@pytest.mark.parametrize("mechanism", ["custext+", "santext+"])
@pytest.mark.parametrize("unknown", ["nearest", "surrogate"])
def test_unknown_words_never_become_words_that_are_kept(mechanism: str, unknown: Any) -> None:
    encoder = FirstLetters()
    vocabulary = Vocabulary(PLUS, encoder.encode(PLUS), "toy", encoder)
    made = methods.mechanism(mechanism, vocabulary, 1.0, **({"set_size": 2} if mechanism == "custext+" else {}))
    route = Route(made, unknown)
    names = ["Anh", "Themba", "Zoe", "Tara", "Aaron"]
    found = route.tokens(names)
    assert made.protected is not None
    assert set(found.tolist()) <= set(made.protected.tolist())
    # without that rule some of these names would come out as "and" or "the": the guard has something to guard
    assert set(vocabulary.project(names).tolist()) - set(made.protected.tolist())
    release = Engine(Words(), DrawnTokens({"ANY": route}, "ANY")).sanitize(" ".join(names))
    assert release.draws == len(names)
    with pytest.raises(ConfigurationError, match="protects"):
        Route(made, "surrogate", surrogate=PLUS.index("the"))


def test_routes_with_different_promises_are_refused() -> None:
    weak = {
        "A": Route(methods.mechanism("santext", TINY, 1.0)),
        "B": Route(methods.mechanism("santext", TINY, 50.0)),
    }
    with pytest.raises(ConfigurationError, match="same mechanism, epsilon"):
        Engine(Words(), DrawnTokens(weak, "A"))
    mixed = {"A": weak["A"], "B": Route(methods.mechanism("fbdd", TINY, 1.0))}
    with pytest.raises(ConfigurationError, match="same mechanism, epsilon"):
        Engine(Words(), DrawnTokens(mixed, "A"))


def test_no_traceback_holds_the_private_word() -> None:
    encoder = FirstLetters()
    vocabulary = Vocabulary(PLUS, encoder.encode(PLUS), "toy", encoder)
    route = Route(methods.mechanism("santext", vocabulary, 1.0), "nearest")
    encoder.broken = True
    with pytest.raises(RuntimeError) as caught:
        Engine(Words(), DrawnTokens({"ANY": route}, "ANY")).sanitize("Zebrafinch")
    chain: BaseException | None = caught.value
    while chain is not None:
        assert "Zebrafinch" not in str(chain)
        chain = chain.__cause__ or chain.__context__


def test_the_unit_follows_the_consistency() -> None:
    from sfumato.privacy.randomness import SystemRandomness
    from sfumato.release.statement import statement

    by_document = statement(sanitizer(consistency="document"), SystemRandomness(), {3: 2})
    by_mention = statement(sanitizer(), SystemRandomness(), {3: 2})
    assert "distinct in its document" in by_document["unit"]
    assert "distinct in its document" in by_document["summary"]
    assert by_mention["unit"] == "one token"
    assert any("unknown" in line for line in by_mention["visible"])


def test_noise_mechanisms_claim_no_resolution() -> None:
    from sfumato.privacy.randomness import SystemRandomness
    from sfumato.release.statement import statement

    assert "e^-650" in statement(sanitizer(), SystemRandomness(), {1: 1})["resolution"]
    assert "e^-650" not in statement(sanitizer("fbdd"), SystemRandomness(), {1: 1})["resolution"]


def test_a_law_that_cannot_be_drawn_is_refused_before_anything_is_read() -> None:
    points = np.arange(6.0)[:, None] ** 3
    spread = Vocabulary(tuple("abcdef"), points, "toy")
    made = Engine(Words(), DrawnTokens({"ANY": Route(methods.mechanism("santext", spread, 40.0))}, "ANY"))
    with pytest.raises(SfumatoError, match="resolution"):
        made.prepare()
