"""DP-MLM on a GPU: rewritten tokens a minute at the size of roberta-base, in bfloat16, by the law by rank.

Usage: rewriting_gpu.py [--smoke] [--record]

Needs nothing but the repository. Speed does not depend on what a model learned or what its ranks are worth, so both
are made up: 12 layers of 768 with random weights, a vocabulary of 50,265 rows, and a byte-level BPE tokenizer that is
trained here on made-up text out of the words of wordfreq, so that there are about as many candidate words as
roberta-base has. The texts are made up likewise. Where there is no GPU it stops, unless --smoke asks for a tiny
network on the CPU, which also leaves its scores in tensors until an outcome is looked up.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from recording import table, written

from sfumato.building.build import build_contextual
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.privacy.rank_profile import RankGains
from sfumato.text.document import Document

EPSILON = 50.0
PIECES = 50_265
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def words(number: int) -> tuple[list[str], Any]:
    """The commonest English words and their shares of running text."""
    from wordfreq import top_n_list, word_frequency

    found = [word for word in top_n_list("en", number) if word.isalpha()]
    shares = np.array([word_frequency(word, "en") for word in found])
    return found, shares / shares.sum()


def made_up(texts: int, length: int, number: int) -> list[str]:
    """``texts`` texts of ``length`` words, drawn by their frequency: no sense, but the lengths of English."""
    found, shares = words(number)
    drawn = np.random.default_rng(0).choice(len(found), size=(texts, length), p=shares)
    return [" ".join(found[word] for word in row).capitalize() + "." for row in drawn]


def save_tokenizer(folder: Path, pieces: int, number: int) -> None:
    """A byte-level BPE tokenizer with the frame of roberta-base."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    def corpus() -> Iterator[str]:
        for word in words(number)[0]:
            yield f" {word} {word}"

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        corpus(),
        trainers.BpeTrainer(
            vocab_size=pieces, min_frequency=2, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
        ),
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(name, made.token_to_id(name)) for name in ("<s>", "</s>")],
    )
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token", "mask_token"), SPECIAL, strict=True))
    PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=512, cls_token="<s>", sep_token="</s>", **names
    ).save_pretrained(folder)


def save_model(folder: Path, smoke: bool) -> None:
    """A folder with random weights of roberta-base's shape; a tiny one to try the script out."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    sizes: dict[str, int] = {"vocab_size": PIECES}
    if smoke:
        sizes |= {"vocab_size": 3000, "hidden_size": 64, "intermediate_size": 128}
        sizes |= {"num_hidden_layers": 2, "num_attention_heads": 2}
    save_tokenizer(folder, sizes["vocab_size"], 2000 if smoke else 60_000)
    shape = RobertaConfig(
        max_position_embeddings=514, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, **sizes
    )
    RobertaForMaskedLM(shape).save_pretrained(folder)


def by_rank(rewriter: Engine) -> Engine:
    """The same mechanism with the law by rank, by gains that are made up: a few first ranks."""
    outcomes = len(rewriter.others.mechanism.model.words)
    gains = RankGains((1, 4, 16, 64, outcomes), (1.0, 0.8, 0.6, 0.4, 0.1), "made up")
    return Engine(rewriter.detector, Contextual(replace(rewriter.others.mechanism, scoring=gains)))


def timed(rewriter: Engine, texts: list[str], repeats: int) -> tuple[float, int]:
    """Median draws a minute over ``repeats`` warm passes, and the draws of one."""
    documents = [Document(text, str(number)) for number, text in enumerate(texts)]
    rewriter.sanitize_batch(documents)  # every shape of a batch is tried before it is used
    speeds, draws = [], 0
    for _ in range(repeats):
        started = time.perf_counter()
        draws = sum(release.draws for release in rewriter.sanitize_batch(documents))
        speeds.append(60 * draws / (time.perf_counter() - started))
    return statistics.median(speeds), draws


def shares(rewriter: Engine, texts: list[str]) -> list[str]:
    """Where one pass spends its time: the network, the draw (where the scores are), everything else."""
    import torch

    spent = {"network": 0.0, "draw": 0.0}
    placed, law = rewriter.others.mechanism.model._placed, type(rewriter.others.mechanism.score_law)
    plain_answer, plain_kept, plain_draw = placed.answer, placed.in_place, law.draw

    def clocked(name: str, plain: Any) -> Any:
        def call(*given: Any) -> Any:
            started = time.perf_counter()
            try:
                return plain(*given)
            finally:
                if torch.cuda.is_available():
                    torch.cuda.synchronize()
                spent[name] += time.perf_counter() - started

        return call

    placed.answer, placed.in_place = clocked("network", plain_answer), clocked("network", plain_kept)
    law.draw = clocked("draw", plain_draw)
    try:
        started = time.perf_counter()
        rewriter.sanitize_batch([Document(text) for text in texts])
        whole = time.perf_counter() - started
    finally:
        placed.answer, placed.in_place, law.draw = plain_answer, plain_kept, plain_draw
    rest = whole - sum(spent.values())
    return [f"{name} {share / whole:.0%}" for name, share in {**spent, "the rest": rest}.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=8192)
    parser.add_argument("--words", type=int, nargs="+", default=[10, 20, 40], help="words in a text")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--block", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--batch", type=int, help="documents at once (chosen by itself)")
    parser.add_argument("--smoke", action="store_true", help="a tiny network on whatever there is")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    import torch

    warnings.simplefilter("ignore")
    if not (given.smoke or torch.cuda.is_available()):
        raise SystemExit("There is no GPU here; --smoke tries the script out on the CPU.")
    texts = 16 if given.smoke else given.texts
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), given.smoke)
        for length in given.words:
            for block in given.block:
                rewriter = by_rank(build_contextual(
                    "dp-mlm", EPSILON, model=name, number_format="bfloat16", block=block, batch=given.batch,
                    clip=(-4.0, 4.0),
                ))  # fmt: skip
                rewriter.others.mechanism.model._placed.stays = True
                made = made_up(texts, length, 2000 if given.smoke else 60_000)
                speed, draws = timed(rewriter, made, 1 if given.smoke else given.repeats)
                spent = ", ".join(shares(rewriter, made[: max(1, texts // 4)]))
                peak = torch.cuda.max_memory_allocated() / 1e9 if torch.cuda.is_available() else 0.0
                rows.append(
                    [
                        length,
                        block,
                        rewriter.others.mechanism.batch_size,
                        f"{draws:,}",
                        f"{speed:,.0f}",
                        spent,
                        f"{peak:.1f}",
                    ]
                )
                print(*rows[-1], flush=True)
        words_in_all = len(rewriter.others.mechanism.model.words)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "the CPU, only to try the script out"
    header = ["words in a text", "block", "documents at once", "draws in a pass", "rewritten words a minute"]
    header += ["time spent in", "GPU memory, GB"]
    told = (
        f"{device}, torch {torch.__version__}; {'a tiny network' if given.smoke else 'roberta-base architecture'} "
        f"with random weights, bfloat16, {words_in_all:,} candidate words, law by rank, epsilon {EPSILON:g}. "
        "Target: 1,000,000 a minute on an H200."
    )
    text = f"{table(header, rows)}\n\n{told}"
    written("rewriting-gpu", text, given.record)


if __name__ == "__main__":
    main()
