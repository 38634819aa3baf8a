"""The sections of how a release reads: utility, marks, answers, divergence, usual measures, words, and rounds."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies import answers, purposes, quality, rounds, tokens, utility
from sfumato.report import plots
from sfumato.report.section import Section, Table, percent

_MOVED = {tokens.NDD: "change (0: none)", tokens.SIMILARITY: "cosine (1: the same)"}
_SURFACE = {
    utility.ROUGE_AWAY: "distance by ROUGE-L",
    utility.EMBEDDING_AWAY: "distance by embeddings",
    utility.ENTITIES_GONE: "records without their entities",
    utility.MAUVE: "MAUVE (likeness of the whole)",
}


def utility_section(study: Study) -> Section:
    """Return how close the released texts are to the originals, and how well a language model predicts them."""
    result = Section("How useful is the release?")
    names = (utility.COSINE, utility.ROUGE, utility.ROUGE_1, utility.BLEU, utility.KEPT)
    if shown := [figure for name in names for figure in study.fitting(name)]:
        result.sentences.append(
            "How close the released texts are to the originals: 1 is the same, 0 is nothing in common."
        )
        result.add_bars("Closeness to the originals", [figure.name for figure in shown], shown, plots.ORANGE)
    what = "Perplexity per word under a causal model: lower reads more like usual text"
    _add_perplexity(result, what, study, utility.WORD_PERPLEXITY)
    return result


def _add_perplexity(result: Section, what: str, study: Study, name: str) -> None:
    if read := [figure for figure in study.fitting(name) if math.isfinite(figure.estimate.high)]:
        most = 1.1 * max(figure.estimate.high for figure in read)
        result.add_bars(what, [str(figure.setting["of"]) for figure in read], read, plots.ORANGE, most=most)


def quality_section(study: Study) -> Section:
    """Return marks from 1 to 5, for originals and release."""
    result = Section("How well does it read?")
    aspects, sides = (*quality.ASPECTS, quality.OVERALL), (quality.ORIGINALS, quality.RELEASE)
    figures = [figure for aspect in aspects for of in sides if (figure := study.figure(aspect, of=of)) is not None]
    if figures:
        result.sentences.append("A language model marked texts from 1 (bad) to 5 (nothing to object to).")
        names = [f"{figure.name}, {figure.setting['of']}" for figure in figures]
        result.add_bars("Marks by a language model", names, figures, plots.ORANGE, most=float(quality.HIGHEST))
    return result


def answers_section(study: Study) -> Section:
    """Return the share of right answers beside originals, release and nothing, and by chance."""
    result = Section("Can questions still be answered?")
    shown = study.fitting(answers.RIGHT)
    if shown:
        result.sentences.append(
            "A language model answered a question about each record, beside the original, beside the released text, "
            "and without any text. What it knows without a text it does not owe to the release."
        )
        names = [f"{figure.setting['of']}, by {figure.setting['by']}" for figure in shown]
        chance = study.named(answers.CHANCE)
        figures = [*shown, *chance]
        result.add_bars("Questions answered right", [*names, *("by chance" for _ in chance)], figures, plots.ORANGE)
    for figure in study.fitting(answers.BEYOND, of=answers.RELEASE):
        e = figure.estimate
        result.sentences.append(
            f"By {figure.setting['by']}, the release adds {e.value:+.2f} ({e.low:+.2f} to {e.high:+.2f}) to what "
            "nothing gives."
        )
    return result


def purposes_section(study: Study) -> Section:
    """Return how far the release has the originals' purposes."""
    result = Section("Do people still ask for the same?")
    if shown := [figure for name in (purposes.KEPT, purposes.SAME) for figure in study.fitting(name)]:
        result.sentences.append(
            "A language model sorted the chats by what is asked for. The distribution is 1 if the release has that "
            "of the originals, 0 if it is as far off as an even spread, and below 0 if it is farther."
        )
        result.add_bars("Purposes of chats", [figure.name for figure in shown], shown, plots.ORANGE)
    return result


def divergence_section(study: Study) -> Section:
    """Return divergence and cosine of the same stretches, and pseudo-perplexity before and after."""
    result = Section("Do the kept words still mean the same?")
    if shown := [figure for name in _MOVED for figure in study.fitting(name)]:
        result.sentences += _of_divergence(study)
        what = "Change of a model's predictions of the kept words, and the cosine similarity"
        result.add_bars(what, [_MOVED[figure.name] for figure in shown], shown, plots.ORANGE)
        what = "Pseudo-perplexity of the same stretches: lower reads more like usual text"
        _add_perplexity(result, what, study, tokens.PSEUDO)
    return result


def _of_divergence(study: Study) -> Iterator[str]:
    yield (
        "Every kept word is masked, in the original and in the release, and a masked model predicts which words fit "
        "there. The neighboring distribution divergence is the distance between both predictions: 0 if the words "
        "around it mean the same, 1 if they mean something else altogether."
    )
    if gone := int(study.facts.get(tokens.GONE, 0)):
        yield f"In {gone:,} of the records no word was kept; they count as 1."
    for change in study.fitting(tokens.CHANGE):
        e = change.estimate
        yield f"Pseudo-perplexity changes by {e.value:+.1f} ({e.low:+.1f} to {e.high:+.1f})."


def surface_section(study: Study) -> Section:
    """Return bars from 0 to 1: what looks private from outside."""
    result = Section("What do common measures say?")
    if shown := [figure for name in _SURFACE for figure in study.fitting(name)]:
        result.sentences.append(
            "These compare a record with its release from outside, without an attacker. They are often reported as "
            "privacy. Compare them with what an attacker learned above: a large distance together with a large "
            "linkage rate means that the text looks changed and still identifies people."
        )
        names = [_SURFACE[figure.name] for figure in shown]
        result.add_bars("Distances and likeness, without an attacker", names, shown, plots.GREY)
    return result


def tokens_section(study: Study) -> Section:
    """Return how many words a language model guesses."""
    result = Section("Can single words be guessed?")
    if study.figures:
        result.sentences.append(
            "A language model guesses words from the released words around them, and is right if it names the "
            "word of the original. Its rate in the originals shows how much language discloses by itself."
        )
        names = {(tokens.GUESSED, "originals"): "in originals", (tokens.GUESSED, "release"): "in the release"}
        keys = [(figure.name, str(figure.setting["of"])) for figure in study.figures]
        result.add_bars(
            "Words guessed right", [names.get(key, "of the replaced words") for key in keys], study.figures
        )
    return result


def rounds_section(study: Study) -> Section:
    """Return the share of texts that disclosed each attribute, by round: what the rewriting model still infers."""
    result = Section("What could the rewriting model still infer?")
    figures = study.named(rounds.INFERRED)
    if not figures:
        return result
    numbers = sorted({int(figure.setting["rewritten"]) for figure in figures})
    names = list(dict.fromkeys(str(figure.setting["attribute"]) for figure in figures))
    of = {(str(figure.setting["attribute"]), int(figure.setting["rewritten"])): figure.estimate for figure in figures}
    first, last = of[rounds.ANY, numbers[0]], of[rounds.ANY, numbers[-1]]
    after = f"from {percent(last)} of {last.n:,} after all rounds" if last.n else "after all rounds it is not known"
    result.sentences.append(
        "The model that rewrote the texts was asked first what it can infer about the person. It inferred something "
        f"from {percent(first)} of {first.n:,} texts as they were, and {after}. Another attacker may infer more."
    )
    numbers = [number for number in numbers if of[rounds.ANY, number].n]
    titles = ["as it was" if number == 0 else f"rewritten {number}×" for number in numbers]
    picture = plots.bars(titles, [of[rounds.ANY, number] for number in numbers])
    result.pictures.append((picture, "Share of texts from which any attribute could be inferred"))
    rows = [[name, *(percent(of[name, number]) for number in numbers)] for name in names]
    result.tables.append(Table("By attribute", ["attribute", *titles], rows))
    return result
