"""The Python face: what a person meets in a notebook, and texts that arrive without an end."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError, GuaranteeError, InputError
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text import notebook
from sfumato.text.document import Document, Release

HOSTILE = "<script>alert(\"x\")</script> & 'Anna' \ud800"
WORDS = ("oslo", "rome", "paris", "anna", "<script>", "river")


def words(**options: Any) -> sfumato.Sanitizer:
    vectors = np.random.default_rng(3).normal(size=(len(WORDS), 3))
    vocabulary = Vocabulary(WORDS, vectors, "a toy <b>list</b>")
    return sfumato.build("santext", 4.0, vocabulary=vocabulary, **options)


def given(**options: Any) -> sfumato.Sanitizer:
    return sfumato.build("redaction", detect="given", **options)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.shown = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.shown += data


def read(html: str) -> _Tags:
    html.encode()  # what a notebook writes to its file
    page = _Tags()
    page.feed(html)
    return page


HARMLESS = {"table", "tr", "td", "th", "p", "strong", "mark", "div", "ul", "li", "figure", "figcaption"}


@pytest.mark.parametrize(
    "html",
    [
        notebook.escaped(HOSTILE),
        notebook.caption(HOSTILE),
        notebook.table([(HOSTILE, 1)], (HOSTILE,)),
        notebook.bars([(HOSTILE, 0.5)]),
        notebook.marked(HOSTILE, [(0, 8, '"><script>')]),
        notebook.columns([HOSTILE], [notebook.marked(HOSTILE, [])]),
    ],
    ids=["text", "caption", "table", "bars", "marked", "columns"],
)
def test_hostile_text_is_shown_and_does_nothing(html: str) -> None:
    page = read(html)
    assert page.tags <= HARMLESS
    assert "<script>alert" in page.shown.replace("<script></script>", "<script>")


def test_a_preview_shows_both_texts_only_in_a_notebook() -> None:
    span = {"start": 31, "end": 35, "label": "PERSON"}
    document = Document(HOSTILE, id="r1", metadata={"spans": [span]})
    assert HOSTILE[31:35] == "Anna"
    preview = given(operator="label").preview(document)
    for plain in (repr(preview), str(preview), f"{preview}", repr(preview.release)):
        assert "Anna" not in plain
        assert "script" not in plain
        assert len(plain) < 200
    page = read(preview._repr_html_())
    assert page.tags <= HARMLESS
    assert page.shown.count('<script>alert("x")</script>') == 2
    assert page.shown.count("Anna") == 1
    assert '<mark title="PERSON">Anna</mark>' in preview._repr_html_()
    assert '<mark title="PERSON">[PERSON]</mark>' in preview._repr_html_()


def test_a_preview_marks_every_mention_that_is_replaced() -> None:
    text = "Anna met anna."
    document = Document(text, metadata={"spans": [{"start": 0, "end": 4, "label": "PERSON"}]})
    assert given().preview(document).spans == [(0, 4, "PERSON"), (9, 13, "PERSON")]
    assert [span[:2] for span in words().preview("Rome, Oslo").spans] == [(0, 4), (6, 10)]


def test_a_law_is_the_mechanisms_own() -> None:
    made = words()
    law = made.explain("oslo")
    exact = made.others.routes["ANY"].mechanism.law(0)  # type: ignore[attr-defined]
    assert {outcome: law.probability(outcome) for outcome in law.outcomes} == pytest.approx(
        dict(zip(WORDS, exact, strict=True))
    )
    assert list(law.probabilities) == sorted(law.probabilities, reverse=True)
    assert law.probability("nowhere") == 0.0
    assert len(law) == len(WORDS)
    assert law.unknown is None
    assert "surrogate" in str(made.explain("zaphod").unknown)
    assert "zaphod" not in repr(made.explain("zaphod"))


def test_a_law_is_a_list_of_bars() -> None:
    law = words().explain("<script>")
    page = read(law._repr_html_())
    assert page.tags <= HARMLESS
    assert "<script>" in page.shown
    assert all(word in page.shown for word in WORDS)
    assert "<script>" not in repr(law)


def test_what_has_no_law_says_so() -> None:
    with pytest.raises(GuaranteeError, match="no formal guarantee"):
        given().explain("Anna")
    with pytest.raises(ConfigurationError, match="leave out position"):
        words().explain("oslo", 3)


def test_a_guarantee_and_a_certificate_are_tables() -> None:
    made = words()
    assert made.guarantee is not None
    certificate = made.certificate()
    for value, text in ((made.guarantee, "metric-LDP, ε 4 per unit"), (certificate, "certified 4")):
        page = read(value._repr_html_())
        assert page.tags <= HARMLESS
        assert text in page.shown
    assert str(certificate) == f"metric-LDP: claimed 4, certified {certificate.certified:.9g} (exact)"


# Streams.


def counted(texts: Sequence[str] | Iterator[str], seen: list[int]) -> Iterator[str]:
    for text in texts:
        seen.append(1)
        yield text


@pytest.mark.parametrize("batch", [1, 3, 10])
def test_a_stream_reads_one_batch_ahead_and_no_more(batch: int) -> None:
    seen: list[int] = []
    stream = words().sanitize_stream(counted(itertools.repeat("Oslo by the river"), seen), batch=batch)
    assert not seen, "nothing is read before a release is asked for"
    for index in range(25):
        assert isinstance(next(stream), Release)
        assert len(seen) == (index // batch + 1) * batch


@pytest.mark.parametrize("batch", [1, 2, 7, 1000, None])
def test_a_stream_is_in_order_and_complete(batch: int | None) -> None:
    documents = [Document(f"Rome {number}", id=str(number)) for number in range(23)]
    found = list(words().sanitize_stream(iter(documents), batch=batch))
    assert [release.id for release in found] == [document.id for document in documents]
    assert list(words().sanitize_stream([])) == []


def test_a_stream_releases_what_a_batch_releases() -> None:
    texts = ["Oslo and Rome", "Anna", "", "by the river"]
    one_by_one = list(words().sanitize_stream(texts, SeededRandomness(4), batch=1))
    together = words().sanitize_batch([Document(text) for text in texts], SeededRandomness(4))
    assert [len(release.replacements) for release in one_by_one] == [len(one.replacements) for one in together]
    assert next(words().sanitize_stream(texts, SeededRandomness(4), batch=4)).text == together[0].text


def test_memory_of_a_stream_is_flat() -> None:
    made = words()
    texts = (f"Oslo {number} " + "Rome by the river " * 200 for number in itertools.count())
    stream = made.sanitize_stream(texts, batch=4)

    def peak(count: int) -> int:
        tracemalloc.reset_peak()
        for _ in range(count):
            next(stream)
        return tracemalloc.get_traced_memory()[1]

    tracemalloc.start()
    try:
        peak(40)  # what is remembered of words
        first = peak(40)
        later = peak(400)
    finally:
        tracemalloc.stop()
    assert later < 1.3 * first


@pytest.mark.parametrize("index", [0, 4, 5, 11])
def test_an_error_in_a_stream_names_the_text_and_nothing_of_it(index: int) -> None:
    bad = [{"start": 0, "end": 999, "label": "PERSON"}]
    documents = [Document("Anna", metadata={"spans": bad if number == index else []}) for number in range(12)]
    found: list[Release] = []
    with pytest.raises(InputError) as error:
        found.extend(given().sanitize_stream(documents, batch=5))
    assert str(error.value).startswith(f"Document {index + 1} of the stream: ")
    assert error.value.document == index
    assert "Anna" not in str(error.value)
    assert error.value.__context__ is None


def test_what_is_no_text_is_refused() -> None:
    texts: Any = ["Oslo", "Rome", b"Paris"]
    with pytest.raises(InputError, match="Document 3 of the stream: a text must be a str or a Document, not bytes"):
        list(words().sanitize_stream(texts, batch=2))
    nothing: Any
    for nothing in (None, ["Oslo", "Rome"]):
        for ask in (words().sanitize, words().preview, words().explain):
            with pytest.raises(InputError, match=f"must be a str or a Document, not {type(nothing).__name__}"):
                ask(nothing)


def test_a_sanitizer_and_its_vocabulary_are_short_to_print() -> None:
    made = words()
    assert len(repr(made)) < 200
    assert "Sanitizer(santext" in repr(made)
    vocabulary = made.others.routes[made.others.default].mechanism.vocabulary
    assert repr(vocabulary).startswith(f"Vocabulary({len(vocabulary)} tokens")
    assert vocabulary.tokens[0] not in repr(vocabulary).split()
    with pytest.raises(ConfigurationError, match="batch must be 1 or more"):
        words().sanitize_stream(["Oslo"], batch=0)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_stream_never_cuts_a_record(batch: int) -> None:
    """A name that is marked in one field is replaced in the other fields of its record as well."""
    spans = [{"start": 0, "end": 4, "label": "PERSON"}]

    def records() -> Iterator[Document]:
        for number in range(5):
            rest: dict[str, Any] = {"spans": [], "number": number}
            yield Document("Nothing here.", metadata={"spans": []})
            for text in ("Anna called.", "Then Anna left."):
                yield Document(text, metadata=rest)

    class Named(sfumato.build("redaction", detect="given").detector.__class__):  # type: ignore[misc]
        def detect(self, documents: Sequence[Document]) -> Any:
            marked = [
                Document(one.text, metadata={"spans": spans if one.text.startswith("Anna") else []})
                for one in documents
            ]
            return super().detect(marked)

    from dataclasses import replace

    made: Any = given()
    found = list(replace(made, detector=Named()).sanitize_stream(records(), batch=batch))
    assert len(found) == 15
    assert not any(re.search("Anna", release.text) for release in found)
