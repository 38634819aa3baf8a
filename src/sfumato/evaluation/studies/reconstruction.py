"""The reconstruction study: how many replaced words a language model names that is asked for the original text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from sfumato.abstract.chat import ChatModel, Question, costs
from sfumato.abstract.models import Encoder
from sfumato.attacks import reconstruction
from sfumato.attacks.mask_inference import folded_words
from sfumato.attacks.reconstruction import Inputs, named, probable_inputs, rebuilt_texts, word_by_word
from sfumato.errors import SfumatoError
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, unigram_prior
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._rebuilding import law_of_release
from sfumato.metrics.estimates import mean, share_by_record
from sfumato.metrics.similarity import bleu, rouge
from sfumato.types import Progress, part_of

STUDY = "reconstruction"
IN_PLACE, ANYWHERE = "replaced words named in their place", "replaced words named anywhere"
BLEU, ROUGE, COSINE = "BLEU with the original", "ROUGE-L with the original", "cosine with the original"
ALONE, WITH_LAW = "language model, release alone", "language model, with the law"
WORD_BY_WORD, AS_IT_IS, OTHER = "law, word by word", "the release as it is", "the release of another record"
_MOST = 200


@dataclass(frozen=True, eq=False)
class ReconstructionStudy(Measure):
    """``model`` writes the originals of ``sampled`` released texts, beside attackers without a model.

    The statement beside ``release`` names the law of its words; without one there is no attacker who knows it. Two
    attackers are the floor: the release as it is, and the release of another record.
    """

    model: ChatModel
    encoder: Encoder
    release: Path | None = None
    sampled: int = _MOST
    seed: int = 0

    needs: ClassVar[tuple[str, ...]] = ("chat",)
    may_ask: ClassVar[bool] = True

    @classmethod
    def of(cls, bench: Bench) -> ReconstructionStudy:
        """Return the study with what is on the ``bench``."""
        return cls(bench.judge, bench.encoder, bench.release, min(bench.plan.sample, _MOST), bench.plan.seed)

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of this study, without a model; None to any other."""
        return reconstruction.dry_run_answer(question)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return what each attacker names of the replaced words, and how close their texts are to the originals."""
        before = self.model.spent.copy()
        chosen = [number for number, text in enumerate(pairs.released) if text is not None and text.strip()]
        chosen = [chosen[place] for place in drawn(len(chosen), self.sampled, self.seed, 59)]
        originals, texts = [pairs.originals[number] for number in chosen], [pairs.texts[number] for number in chosen]
        if not chosen:
            why = "no released record with text is known to belong to an original"
            return Study(STUDY, skipped=[Skipped(IN_PLACE, why)])
        if not any(named(original, text, text).in_place for original, text in zip(originals, texts, strict=True)):
            return Study(STUDY, skipped=[Skipped(IN_PLACE, "the release replaced no word")])
        inputs, skipped = self._law(pairs, texts, part_of(progress, 0.0, 0.2))
        guesses = {AS_IT_IS: texts}
        if len(texts) > 1:
            guesses[OTHER] = [*texts[1:], texts[0]]
        if inputs is not None:
            guesses[WORD_BY_WORD] = [word_by_word(text, inputs) for text in texts]
        asked = {ALONE: None, WITH_LAW: inputs} if inputs is not None else {ALONE: None}
        for part, (name, known) in enumerate(asked.items()):
            report = part_of(progress, 0.2 + 0.35 * part, 0.35)
            answers = rebuilt_texts(self.model, texts, known, report)
            guesses[name] = [text if answer is None else answer for text, answer in zip(texts, answers, strict=True)]
            if missing := answers.count(None):
                why = f"of {len(texts):,} answers {missing:,} are missing or empty, and count as the release"
                skipped.append(Skipped(f"{STUDY} of some texts ({name})", why))
        figures = [figure for name, own in guesses.items() for figure in self._figures(originals, texts, own, name)]
        facts = {"records": len(texts), "chat": costs(self.model, before)}
        return Study(STUDY, figures, skipped, facts=facts)

    def _law(
        self, pairs: Pairs, texts: Sequence[str], progress: Progress | None
    ) -> tuple[Inputs | None, list[Skipped]]:
        """Return what each released word may have been, or why that is not known."""
        try:
            if self.release is None:
                return None, [Skipped(WITH_LAW, "the statement of the release is not known")]
            mechanism = law_of_release(self.release, pairs.sources.get("release", {}))
            weights = unigram_prior(mechanism, PRIOR_TOKENS).weights
            words = [word for text in texts for word in folded_words(text)]
            return probable_inputs(mechanism, weights, words, progress=progress), []
        except SfumatoError as error:
            return None, [Skipped(WITH_LAW, str(error))]

    def _figures(
        self, originals: Sequence[str], texts: Sequence[str], guesses: Sequence[str], attacker: str
    ) -> list[Figure]:
        setting: Setting = {"attacker": attacker, "model": self.model.id}
        rows = [named(*row) for row in zip(originals, texts, guesses, strict=True)]
        owners = [number for number, row in enumerate(rows) for _ in row.in_place]
        in_place, anywhere = ([hit for row in rows for hit in row[side]] for side in (0, 1))
        vectors = self.encoder.encode([*originals, *guesses])
        cosines = np.asarray((vectors[: len(originals)] * vectors[len(originals) :]).sum(axis=1))
        return [
            Figure(IN_PLACE, share_by_record(in_place, owners, self.seed, "words"), setting, "low"),
            Figure(ANYWHERE, share_by_record(anywhere, owners, self.seed, "words"), setting, "low"),
            Figure(BLEU, bleu(originals, guesses, self.seed), setting, "low"),
            Figure(ROUGE, mean(rouge(originals, guesses), self.seed), setting, "low"),
            Figure(COSINE, mean(cosines, self.seed), setting, "low"),
        ]
