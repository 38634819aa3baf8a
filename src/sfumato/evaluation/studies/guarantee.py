"""The guarantee study: what the strongest attacker learns from one draw, and what the guarantee permits.

The release's own statement names the mechanism. The attacker knows that mechanism, its parameters and how often words
are used, and names the most likely input of each output (``sfumato.attacks.token_attacks``). The attacker's success
rate is computed from the law, and counted on this release if its words can be paired with those of the original.

A stronger attacker also reads (:class:`~sfumato.attacks.mask_inference.ContextAttack`).
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
from sfumato.attacks.mask_inference import ContextAttack, DrawnWord
from sfumato.building.public_arrays import StatedValues
from sfumato.building.stated import STEPS, Stated, read_statement, rebuilt
from sfumato.detectors.words import Words
from sfumato.errors import InputError, SfumatoError
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Inference, inference, unigram_prior
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._rebuilding import kinds_of_entry, weakest_of, without_law
from sfumato.metrics.estimates import Estimate, mean_by_record
from sfumato.models.masked.embedded import embedded_masked
from sfumato.text.document import Document
from sfumato.types import Progress, part_of

STUDY = "guarantee"
BAYES, GUESSING = "tokens named by the strongest attacker", "tokens named without looking"
PERMITTED, NAMED = "tokens named, as the guarantee permits", "words of this release named"
DRAWN, IN_PRIOR = "all drawn words", "those in the prior"
COST = "cost of the largest record"
TREATMENTS = "treatments"
IN_CONTEXT = "with a language model reading around them"


@dataclass(frozen=True, eq=False)
class GuaranteeStudy(Measure):
    """Attacks the draws of ``release``, whose statement is read.

    Vocabulary files may be in ``folders``, in the release's own folder or in the working folder. The ``prior_tokens``
    of the prior are divided among the vocabularies, because each takes the law of a token. ``model`` reads around
    ``read`` of the drawn words. Success is counted on up to ``sampled`` records, drawn at random.
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
        """Return a digest of the statement, which decides the study in addition to the files, for kept studies."""
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
        """Return a set of figures for each vocabulary of the statement."""
        try:
            stated = read_statement(self.release)
            stated.check(pairs.sources.get("release", {}))
        except InputError as error:
            return Study(STUDY, skipped=[Skipped(BAYES, str(error), again=True)])
        if stated.content.get("treatments"):
            return self._of_treatments(stated, progress)
        if stated.content.get("certificate") is None:
            why = f"{stated.mechanism} has no formal guarantee to compare the release with"
            return Study(STUDY, skipped=[Skipped(BAYES, why)])
        if stated.mechanism in registry.methods(registry.CONTEXTUAL):
            why = f"the law of {stated.mechanism} depends on the whole document; sfumato audit tests one draw of it"
            return Study(STUDY, skipped=[Skipped(BAYES, why)])
        names = stated.content.get("vocabularies")
        if not isinstance(names, Mapping) or not names:
            return Study(STUDY, skipped=[Skipped(BAYES, f"{stated.path.name} names no vocabulary")])
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        facts: dict[str, Any] = {"mechanism": stated.mechanism, "private": stated.private}
        facts |= _largest_record(stated) if stated.private else {}
        for number, name in enumerate(names):
            report = part_of(progress, number / len(names), 1 / len(names))
            try:
                mechanism = rebuilt(stated, name, [*self.folders, self.release.parent, Path()], report)
                inferred = inference(mechanism, unigram_prior(mechanism, -(-self.prior_tokens // len(names))), report)
            except (SfumatoError, KeyError) as error:
                skipped.append(Skipped(f"{BAYES}, vocabulary {name}", str(error), again=True))
                continue
            facts[name] = {"guarantee": str(mechanism.guarantee), **inferred.as_dict()}
            more, reasons = self._figures(stated, name, mechanism, inferred)
            figures, skipped = [*figures, *more], [*skipped, *reasons]
            if len(names) == 1:
                counted, reasons = self._counted(stated, mechanism, inferred, pairs, report)
                figures, skipped = [*figures, *counted], [*skipped, *reasons]
        if len(names) > 1:
            skipped.append(
                Skipped(NAMED, "the release has several vocabularies and does not show which of them a word is from")
            )
        return Study(STUDY, figures, skipped, facts=facts)

    def _of_treatments(self, stated: Stated, progress: Progress | None) -> Study:
        """Return figures for each treatment of a policy that has a law of single values; of the others, why not."""
        figures: list[Figure] = []
        skipped: list[Skipped] = []
        own: dict[str, Any] = {}
        treatments, values = stated.content["treatments"], StatedValues()
        for number, treatment in enumerate(treatments):
            report = part_of(progress, number / len(treatments), 1 / len(treatments))
            kinds = f"treatment {number + 1}"
            try:
                kinds = kinds_of_entry(treatment)
                if stated.private and "epsilon_per_draw" in treatment:
                    own[kinds] = {"guarantee": treatment["guarantee"], COST: _largest_of(treatment)}
                if why := without_law(treatment):
                    skipped.append(Skipped(f"{BAYES}, {kinds}", why))
                    continue
                grain, mechanism, prior = weakest_of(treatment, values, self.prior_tokens)
                inferred = inference(mechanism, prior, report)
            except (SfumatoError, KeyError, TypeError, AttributeError, ValueError) as error:
                reason = str(error).rstrip(".") if isinstance(error, SfumatoError) else "its statement is incomplete"
                skipped.append(Skipped(f"{BAYES}, {kinds}", reason, again=True))
                continue
            own.setdefault(kinds, {}).update({"domain": grain, **inferred.as_dict()})
            more, reasons = self._figures(stated, f"{kinds} ({grain})", mechanism, inferred)
            figures, skipped = [*figures, *more], [*skipped, *reasons]
        why = "the release has several treatments and does not show which of them a word is from"
        facts = {"mechanism": "policy", "private": stated.private, TREATMENTS: own}
        return Study(STUDY, figures, [*skipped, Skipped(NAMED, why)], facts=facts)

    def _figures(
        self, stated: Stated, name: str, mechanism: Mechanism, inferred: Inference
    ) -> tuple[list[Figure], list[Skipped]]:
        """Return what follows from the law and from the guarantee: no estimates, so their intervals have no width."""
        setting: Setting = {
            "mechanism": mechanism.name, "epsilon": mechanism.guarantee.epsilon, "vocabulary": name,
            "prior": inferred.prior.description,
        }  # fmt: skip

        def figure(title: str, value: float) -> Figure:
            return Figure(title, Estimate(value, value, value, inferred.prior.tokens, "tokens"), setting, "low")

        figures = [figure(GUESSING, inferred.guessing)]
        skipped = []
        if inferred.attack is None:
            skipped.append(Skipped(f"{BAYES}, vocabulary {name}", f"{mechanism.name} has no law in closed form"))
        else:
            figures.append(figure(BAYES, inferred.attack.success))
        if stated.private:
            figures.append(figure(PERMITTED, inferred.permitted))
        else:
            skipped.append(Skipped(f"{PERMITTED}, vocabulary {name}", "a seeded run has no guarantee"))
        return figures, skipped

    def _counted(
        self,
        stated: Stated,
        mechanism: Mechanism,
        inferred: Inference,
        pairs: Pairs,
        progress: Progress | None = None,
    ) -> tuple[list[Figure], list[Skipped]]:
        """Return how often the attacker names the word of the original for a released word."""
        if stated.content.get(STEPS):
            return [], [Skipped(NAMED, "the words were drawn and then polished, so they are no draws of this law")]
        marks = stated.detector
        if marks is None or inferred.attack is None:
            why = "the drawn words are not known" if inferred.attack is not None else "no law in closed form"
            return [], [Skipped(NAMED, why)]
        rows, left_out = self._drawn(marks, mechanism, pairs)
        skipped = []
        if left_out:
            why = "the number of words changed, so words cannot be paired"
            skipped.append(Skipped(f"words of {left_out:,} records", why))
        vocabulary, weights, guess = mechanism.vocabulary, inferred.prior.weights, inferred.attack.guess
        outputs = [vocabulary.find(word.output) for word in rows]
        named = [
            "" if output is None or guess[output] < 0 else vocabulary.tokens[guess[output]] for output in outputs
        ]
        figures = [self._share(mechanism, rows, named, DRAWN)]
        originals = [vocabulary.find(word.word) for word in rows]
        inside = [index for index, token in enumerate(originals) if token is not None and weights[token] > 0]
        inside_rows, inside_named = [rows[index] for index in inside], [named[index] for index in inside]
        figures.append(self._share(mechanism, inside_rows, inside_named, IN_PRIOR))
        if self.model is not None and rows:
            sample = [rows[index] for index in drawn(len(rows), self.read, self.seed, 17)]
            read = ContextAttack(mechanism, weights, self.model).named(pairs.texts, sample, progress)
            figures.append(self._share(mechanism, sample, read, IN_CONTEXT))
        return [figure for figure in figures if figure.estimate.n], skipped

    def _share(self, mechanism: Mechanism, rows: Sequence[DrawnWord], named: Sequence[str], of: str) -> Figure:
        right = [float(name.casefold() == word.word.casefold()) for name, word in zip(named, rows, strict=True)]
        setting: Setting = {"mechanism": mechanism.name, "epsilon": mechanism.guarantee.epsilon, "of": of}
        return Figure(
            NAMED, mean_by_record(right, [word.record for word in rows], self.seed, "words"), setting, "low"
        )

    def _drawn(self, marks: Detector, mechanism: Mechanism, pairs: Pairs) -> tuple[list[DrawnWord], int]:
        """Return the drawn words of sampled records, and how many records were left out."""
        released = [number for number, text in enumerate(pairs.released) if text is not None]
        chosen = [released[index] for index in drawn(len(released), self.sampled, self.seed, 13)]
        before = _words(Words(), [pairs.originals[number] for number in chosen])
        after = _words(Words(), [pairs.texts[number] for number in chosen])
        marked = _words(marks, [pairs.originals[number] for number in chosen])
        covered = None if mechanism.protected is None else set(mechanism.protected.tolist())
        rows: list[DrawnWord] = []
        left_out = 0
        for number, words, others, bounds in zip(chosen, before, after, marked, strict=True):
            if len(words) != len(others):
                left_out += 1
                continue
            replaced = {start for start, _ in bounds}
            for (start, word), (start_released, other) in zip(words, others, strict=True):
                token = mechanism.vocabulary.find(word)
                if start in replaced and (covered is None or token is None or token in covered):
                    rows.append(DrawnWord(number, word, other, start_released))
        return rows, left_out


def _largest_record(stated: Stated) -> dict[str, Any]:
    """Return what the most exposed record of the release paid, if the statement gives it."""
    try:
        most = stated.content["records"]["cost_per_record"]["maximum"]
        return {COST: {**most, "distance": stated.content.get("distance")}}
    except (KeyError, TypeError, ValueError):
        return {}


def _largest_of(treatment: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the most exposed record paid for one treatment, if the statement gives it."""
    most = treatment.get("largest_cost_of_a_record")
    return (
        {**most, "per": treatment.get("per"), "distance": treatment.get("distance")} if isinstance(most, dict) else {}
    )


def _words(detector: Detector, texts: Sequence[str]) -> list[list[tuple[int, str]]]:
    """Return where each marked word of each text begins, and the word."""
    marked = detector.detect([Document(text) for text in texts])
    return [
        [(start, text[start:end]) for start, end in spans.bounds] for text, spans in zip(texts, marked, strict=True)
    ]
