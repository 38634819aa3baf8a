"""The guarantee study: what the strongest attacker gets out of one draw, beside what the guarantee permits.

The release's own statement says which mechanism made it. The attacker knows that mechanism, its parameters and how
often words are used, and names the likeliest input of each output (``sfumato.attacks.bayes``). Its success is
computed from the law, and counted on this very release where its words stand beside those of the original.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from sfumato import registry
from sfumato.abstract.detector import Detector
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import MaskedModel
from sfumato.detectors.words import ContentWords, Words
from sfumato.errors import InputError, SfumatoError
from sfumato.evaluation.audit.token_inference import PRIOR_TOKENS, Inference, inference, unigram_prior
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.samples import drawn
from sfumato.evaluation.studies._context_prior import ContextAttack, Drawn
from sfumato.evaluation.studies._rebuilding import Stated, read_statement, rebuilt
from sfumato.metrics.estimates import Estimate, mean_by_record
from sfumato.models.masked.embedded import embedded_masked
from sfumato.text.document import Document
from sfumato.types import Progress

STUDY = "guarantee"
BAYES, GUESSING = "tokens named by the strongest attacker", "tokens named without looking"
PERMITTED, NAMED = "tokens named, as the guarantee permits", "words of this release named"
DRAWN, IN_PRIOR = "all that were drawn", "those in the prior"
IN_CONTEXT = "with a language model reading around them"


@dataclass(frozen=True, eq=False)
class GuaranteeStudy(Measure):
    """``release`` is the file whose statement is read; ``folders`` are where vocabulary files may be, beside the
    release's own folder and the working folder. The ``prior_tokens`` of the prior are shared out over the
    vocabularies, because each takes the law of a token. ``model`` reads around ``read`` of the drawn words. Up to
    ``sampled`` records, drawn at random, are counted on.
    """

    release: Path
    folders: Sequence[Path] = ()
    prior_tokens: int = PRIOR_TOKENS
    sampled: int = 2000
    seed: int = 0
    model: MaskedModel | None = None
    read: int = 500

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the statement, which decides the study beside the files; for what keeps finished studies."""
        try:
            return hashlib.sha256(repr(read_statement(self.release).content).encode()).hexdigest()
        except InputError as error:
            return str(error)

    needs: ClassVar[tuple[str, ...]] = ("release",)

    @classmethod
    def of(cls, bench: Bench) -> GuaranteeStudy:
        """Return the study with what is on the ``bench``."""
        return cls(bench.release or Path(), seed=bench.plan.seed, model=embedded_masked())

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """A set of figures for each vocabulary of the statement."""
        try:
            stated = read_statement(self.release)
            stated.check(pairs.sources.get("release", {}))
        except InputError as error:
            return Study(STUDY, skipped=[Skipped(BAYES, str(error).rstrip("."), again=True)])
        if stated.content.get("certificate") is None:
            why = f"{stated.mechanism} has no formal guarantee, so that there is none to hold the release against"
            return Study(STUDY, skipped=[Skipped(BAYES, why)])
        if stated.mechanism in registry.methods(registry.CONTEXTUAL):
            why = (
                f"the law of {stated.mechanism} depends on the whole document; sfumato audit looks at one draw of it"
            )
            return Study(STUDY, skipped=[Skipped(BAYES, why)])
        names = stated.content.get("vocabularies")
        if not isinstance(names, Mapping) or not names:
            return Study(STUDY, skipped=[Skipped(BAYES, f"{stated.path.name} names no vocabulary")])
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        facts: dict[str, Any] = {"mechanism": stated.mechanism, "private": stated.private}
        for number, name in enumerate(names):
            told = None if progress is None else _part(progress, number, len(names))
            try:
                made = rebuilt(stated, name, [*self.folders, self.release.parent, Path()], told)
                found = inference(made, unigram_prior(made, -(-self.prior_tokens // len(names))), told)
            except (SfumatoError, KeyError) as error:
                skipped.append(Skipped(f"{BAYES}, vocabulary {name}", str(error).rstrip("."), again=True))
                continue
            facts[name] = {"guarantee": str(made.guarantee), **found.as_dict()}
            some, others = self._figures(stated, name, made, found)
            figures, skipped = [*figures, *some], [*skipped, *others]
            if len(names) == 1:
                counted, others = self._counted(stated, made, found, pairs, told)
                figures, skipped = [*figures, *counted], [*skipped, *others]
        if len(names) > 1:
            skipped.append(Skipped(NAMED, "several vocabularies took part, and which one a word is of is not known"))
        return Study(STUDY, figures, skipped, facts=facts)

    def _figures(
        self, stated: Stated, name: str, made: Mechanism, found: Inference
    ) -> tuple[list[Figure], list[Skipped]]:
        """What follows from the law and from the guarantee: no estimates, so that their intervals have no width."""
        setting: Setting = {
            "mechanism": made.name, "epsilon": made.guarantee.epsilon, "vocabulary": name,
            "prior": found.prior.description,
        }  # fmt: skip

        def figure(title: str, value: float) -> Figure:
            return Figure(title, Estimate(value, value, value, found.prior.tokens, "tokens"), setting, "low")

        figures = [figure(GUESSING, found.guessing)]
        skipped = []
        if found.attack is None:
            skipped.append(Skipped(f"{BAYES}, vocabulary {name}", f"{made.name} has no law in closed form"))
        else:
            figures.append(figure(BAYES, found.attack.success))
        if stated.private:
            figures.append(figure(PERMITTED, found.permitted))
        else:
            skipped.append(Skipped(f"{PERMITTED}, vocabulary {name}", "a seeded run has no guarantee"))
        return figures, skipped

    def _counted(
        self, stated: Stated, made: Mechanism, found: Inference, pairs: Pairs, progress: Progress | None = None
    ) -> tuple[list[Figure], list[Skipped]]:
        """How often the attacker's name for a released word is the word that stood there."""
        marks = _detector(stated)
        if marks is None or found.attack is None:
            why = "which words were drawn cannot be seen" if found.attack is not None else "no law in closed form"
            return [], [Skipped(NAMED, why)]
        rows, left_out = self._drawn(marks, made, pairs)
        skipped = []
        if left_out:
            why = "the number of words changed, so that no word stands beside another"
            skipped.append(Skipped(f"words of {left_out:,} records", why))
        guess, weights = _named_for(made, found), found.prior.weights
        tokens = made.vocabulary.tokens
        named = [tokens[at] if (at := guess(one.output)) >= 0 else "" for one in rows]
        figures = [self._share(made, rows, named, DRAWN)]
        places = [made.vocabulary.find(one.word) for one in rows]
        inside = [number for number, at in enumerate(places) if at is not None and weights[at] > 0]
        figures.append(self._share(made, [rows[at] for at in inside], [named[at] for at in inside], IN_PRIOR))
        if self.model is not None and rows:
            some = [rows[at] for at in drawn(len(rows), self.read, self.seed, 17)]
            read = ContextAttack(made, found.prior, self.model).named(pairs.texts, some, progress)
            figures.append(self._share(made, some, read, IN_CONTEXT))
        return [one for one in figures if one.estimate.n], skipped

    def _share(self, made: Mechanism, rows: Sequence[Drawn], named: Sequence[str], of: str) -> Figure:
        right = [float(name.casefold() == one.word.casefold()) for name, one in zip(named, rows, strict=True)]
        setting: Setting = {"mechanism": made.name, "epsilon": made.guarantee.epsilon, "of": of}
        return Figure(NAMED, mean_by_record(right, [one.record for one in rows], self.seed, "words"), setting, "low")

    def _drawn(self, marks: Detector, made: Mechanism, pairs: Pairs) -> tuple[list[Drawn], int]:
        """The words of sampled records that were drawn, and how many records were left out."""
        there = [number for number, text in enumerate(pairs.released) if text is not None]
        chosen = [there[at] for at in drawn(len(there), self.sampled, self.seed, 13)]
        before = _words(Words(), [pairs.originals[number] for number in chosen])
        after = _words(Words(), [pairs.texts[number] for number in chosen])
        marked = _words(marks, [pairs.originals[number] for number in chosen])
        covered = None if made.protected is None else set(made.protected.tolist())
        rows: list[Drawn] = []
        left_out = 0
        for number, words, others, places in zip(chosen, before, after, marked, strict=True):
            if len(words) != len(others):
                left_out += 1
                continue
            replaced = {start for start, _ in places}
            for (start, word), (place, other) in zip(words, others, strict=True):
                index = made.vocabulary.find(word)
                if start in replaced and (covered is None or index is None or index in covered):
                    rows.append(Drawn(number, word, other, place))
        return rows, left_out


def _named_for(made: Mechanism, found: Inference) -> Any:
    """What the attacker names for a released word: a token, or -1 for a word that no token of the prior becomes."""
    seen: dict[str, int] = {}
    attack = found.attack
    assert attack is not None

    def named(word: str) -> int:
        if word not in seen:
            index = made.vocabulary.find(word)
            seen[word] = -1 if index is None else int(attack.guess[index])
        return seen[word]

    return named


def _detector(stated: Stated) -> Detector | None:
    """The detector of the release, where its words can be found again from the original alone."""
    told = stated.content.get("detector")
    described = told.get("protects") if isinstance(told, Mapping) else None
    return next((one for one in (Words(), ContentWords()) if one.description == described), None)


def _words(detector: Detector, texts: Sequence[str]) -> list[list[tuple[int, str]]]:
    """Where each marked word of each text begins, and the word."""
    marked = detector.detect([Document(text) for text in texts])
    return [
        [(start, text[start:end]) for start, end in spans.bounds] for text, spans in zip(texts, marked, strict=True)
    ]


def _part(progress: Progress, number: int, of: int) -> Progress:
    return lambda done: progress((number + done) / of)
