"""Measures the masked model that ships with sfumato on held-out text, and writes docs/embedded-model.md's figures.

    python training/measure_masked.py --held-out ../shared/data/wikitext2/test.txt --curve trained/state/curve.jsonl

A word is a run of letters that is one piece of the model's vocabulary. Words are taken at random from the running
text, one mask at a time: in a window of 128 pieces, and in the pair form "original [SEP] masked" with 62 pieces a
half. The guess is right where the highest of all 30,522 scores is the word's piece.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from importlib import resources
from pathlib import Path

import corpus
import numpy as np
import torch
from held_out import Batch, Pieces, batches, words_of

from sfumato.models.calibration import Calibration, PublicText
from sfumato.models.clip_ranges import BEST, PAPER, measured_range, recorded_name
from sfumato.models.masked.embedded import EmbeddedSource, embedded_masked
from sfumato.models.rank_gains import measured_gains
from sfumato.models.rank_gains import recorded_name as recorded_gains_name
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.privacy.score_law import ScoreLaw

EPSILONS = (10.0, 15.0, 20.0, 25.0, 50.0, 100.0)
PAGE = Path(__file__).parents[1] / "docs" / "embedded-model.md"
_PLACE = re.compile(r"(<!-- begin figures -->\n).*?(<!-- end figures -->)", re.DOTALL)


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--curve", type=Path, help="curve.jsonl of the training")
    parser.add_argument("--words", type=int, default=4096)
    asked = parser.parse_args()
    network, tokenizer = EmbeddedSource().load()
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    ids = backend.encode(corpus.wikitext(asked.held_out), add_special_tokens=False).ids
    pieces = Pieces(np.array(ids, dtype=np.int64), *words_of(backend))
    found = [measured(network, one) for one in batches(pieces, 128, asked.words)]
    lines = [
        f"On {asked.words:,} words of {asked.held_out.parent.name}/{asked.held_out.name}:",
        "",
        "| form | top-1 | 95 % interval | pseudo-perplexity |",
        "| --- | --- | --- | --- |",
    ]
    for name, (right, perplexity) in zip(("running text", "pair form"), found, strict=True):
        spread = 1.96 * math.sqrt(right * (1 - right) / asked.words)
        lines.append(f"| {name} | {100 * right:.1f} % | ± {100 * spread:.1f} | {perplexity:.1f} |")
    pairs = batches(pieces, 128, min(512, asked.words))[1]
    lines += ["", *comes_back(network, pairs, recorded(), recorded_gains())]
    if asked.curve:
        lines += ["", *curve(asked.curve)]
    PAGE.write_text(_PLACE.sub(lambda match: match[1] + "\n".join(lines) + "\n" + match[2], PAGE.read_text()))
    print("\n".join(lines))


def recorded_gains() -> RankGains:
    """Write what ranks are worth to the package, which is to hold it from now on."""
    model, text = embedded_masked(), PublicText.shipped()
    place = Path(str(resources.files("sfumato"))) / "data" / "rank_gains.json"
    place.write_text("{}\n", encoding="utf-8")
    gains = measured_gains(Calibration(model, given=text))
    criterion = gains.source.partition(", over ")[0]
    columns = {"firsts": list(gains.firsts), "gains": list(gains.gains), "own": list(gains.own)}
    kept = {"criterion": criterion, **columns}
    name = recorded_gains_name(f"{model.id} {model.window}", text)
    place.write_text(f"{{\n{json.dumps(name)}: {json.dumps(kept)}\n}}\n", encoding="utf-8")
    return gains


def recorded() -> dict[str, ClipRange]:
    """The clip range by each rule, which the package is to hold from now on."""
    model, text = embedded_masked(), PublicText.shipped()
    place = Path(str(resources.files("sfumato"))) / "data" / "clip_ranges.json"
    place.write_text("{}\n", encoding="utf-8")
    found = {rule: measured_range(Calibration(model, given=text), rule) for rule in (BEST, PAPER)}
    kept = {
        recorded_name(f"{model.id} {model.window}", text, rule): {
            "lower": one.lower, "upper": one.upper, "source": one.source
        }
        for rule, one in found.items()
    }  # fmt: skip
    place.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    return found


def comes_back(
    network: torch.nn.Module, asked: list[Batch], ranges: dict[str, ClipRange], gains: RankGains
) -> list[str]:
    """How likely the original word is in the pair form, by epsilon, law and clip range."""
    model = embedded_masked()
    columns = torch.from_numpy(model.word_pieces)
    place = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    scores, right = [], []
    with torch.inference_mode():
        for one in asked:
            hidden = network.bert(input_ids=one.ids, token_type_ids=one.kinds).last_hidden_state
            scores.append(network.cls(hidden.reshape(-1, hidden.shape[-1])[one.where])[:, columns].numpy())
            right += [place[int(answer)] for answer in one.answers]
    every, rows = np.concatenate(scores), np.arange(len(right))
    lines = [
        f"How likely dp-mlm is to return the private word (pair form, {len(right)} of these words):",
        "",
        "| law | " + " | ".join(f"ε = {epsilon:g}" for epsilon in EPSILONS) + " |",
        "| --- |" + " --- |" * len(EPSILONS),
    ]
    laws: dict[str, ScoreLaw] = {"by rank": RankLaw(gains, every.shape[1])}
    laws |= {f"softmax, clip range `{rule}`": ClippedSoftmax(clip, every.shape[1]) for rule, clip in ranges.items()}
    for name, law in laws.items():
        shares = [law.law(every, epsilon)[rows, right].mean() for epsilon in EPSILONS]
        lines.append(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")
    return lines


def measured(network: torch.nn.Module, asked: list[Batch]) -> tuple[float, float]:
    """Share of right first guesses and pseudo-perplexity."""
    right, loss, count = 0, 0.0, 0
    with torch.inference_mode():
        for one in asked:
            hidden = network.bert(input_ids=one.ids, token_type_ids=one.kinds).last_hidden_state
            scores = network.cls(hidden.reshape(-1, hidden.shape[-1])[one.where])
            right += int((scores.argmax(1) == one.answers).sum())
            loss += float(torch.nn.functional.cross_entropy(scores, one.answers, reduction="sum"))
            count += len(one.answers)
    return right / count, math.exp(loss / count)


def curve(path: Path) -> list[str]:
    """The held-out curve of the training as a table."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    found = [
        "| steps | pieces seen | loss | top-1 | perplexity | pair top-1 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        found.append(
            f"| {row['steps']:,} | {row['pieces']:,} | {row['loss']:.2f} | {100 * row['top1']:.1f} % | "
            f"{row['perplexity']:.0f} | {100 * row['pair top1']:.1f} % |"
        )
    return found


if __name__ == "__main__":
    main()
