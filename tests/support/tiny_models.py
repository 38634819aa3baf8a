"""Tiny masked models with random weights, written to a folder as a real one would be: no network, some kilobytes."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.abstract.models import MASKED, Cloze

WORDS = (
    "the",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    "ran",
    "far",
    "away",
    "in",
    "park",
    "river",
    "green",
    "hall",
    "seven",
)
SUFFIXES = ("##ing", "##ed", "##ward")
_BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "initializer_range": 0.25,
}


@dataclass(frozen=True)
class Held:
    """A source of a network that is in memory."""

    network: Any
    tokenizer: Any
    id: str = "held"

    def load(self) -> tuple[Any, Any]:
        return self.network, self.tokenizer


def bert_tokenizer(words: Sequence[str] = WORDS) -> Any:
    """A WordPiece tokenizer of these words, all letters, digits and some punctuation."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import BertTokenizerFast

    signs = [*string.ascii_lowercase, *string.digits]
    pieces = [*_BERT, *signs, *(f"##{sign}" for sign in signs), *".,!?[]<>/'\"", *SUFFIXES, *words]
    made = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return BertTokenizerFast(tokenizer_object=made)


def roberta_tokenizer(words: Sequence[str] = WORDS) -> Any:
    """A byte-level BPE tokenizer trained on these words, each of them one piece after a space."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import RobertaTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=list(_ROBERTA),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([" " + " ".join(words)] * 5, trainer)
    return RobertaTokenizerFast(tokenizer_object=made)


def bert_network(vocabulary: int, positions: int = 64, seed: int = 1) -> Any:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(seed)
    return BertForMaskedLM(BertConfig(vocab_size=vocabulary, max_position_embeddings=positions, **_SIZE)).eval()


def roberta_like(kind: str, vocabulary: int, positions: int = 66, seed: int = 1) -> Any:
    """A network of a kind (Roberta, Camembert, MPNet) that counts positions from the padding piece's number on."""
    import torch
    import transformers

    torch.manual_seed(seed)
    more = {} if kind == "MPNet" else {"type_vocab_size": 1}
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=vocabulary, max_position_embeddings=positions, pad_token_id=1, **more, **_SIZE
    )
    return getattr(transformers, f"{kind}ForMaskedLM")(config).eval()


OTHERS: dict[str, dict[str, Any]] = {
    "Albert": {"embedding_size": 16},
    "Electra": {"embedding_size": 16},
    "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 48},
    "DebertaV2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    "ModernBert": {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3},
}
"""Kinds of networks beside BERT and RoBERTa, and what they are told."""


def bert_like(kind: str, vocabulary: int, seed: int = 1) -> Any:
    """A network of one of the kinds in :data:`OTHERS`, for the tokenizer of BERT."""
    import torch
    import transformers

    torch.manual_seed(seed)
    size = {"initializer_range": 0.25} if kind == "DistilBert" else _SIZE
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=vocabulary, max_position_embeddings=64, pad_token_id=0, **{**size, **OTHERS[kind]}
    )
    return getattr(transformers, f"{kind}ForMaskedLM")(config).eval()


def write(folder: Path, network: Any, tokenizer: Any) -> Path:
    """A folder with safetensors and tokenizer.json."""
    from sfumato.models.local_files import quiet

    with quiet():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def tiny_bert(folder: Path, words: Sequence[str] = WORDS, positions: int = 64) -> Path:
    tokenizer = bert_tokenizer(words)
    return write(folder, bert_network(len(tokenizer), positions), tokenizer)


def tiny_roberta(folder: Path, words: Sequence[str] = WORDS, positions: int = 66) -> Path:
    tokenizer = roberta_tokenizer(words)
    return write(folder, roberta_like("Roberta", len(tokenizer), positions), tokenizer)


def plain_logits(network: Any, tokenizer: Any, question: Cloze) -> Any:
    """Logits (masks, pieces) as the plain call of the library gives them: one input, no padding, every position."""
    import torch

    pieces, kinds = framed(tokenizer, question)
    given = {"input_ids": torch.tensor([pieces])}
    if getattr(network.config, "type_vocab_size", 0) > 1:
        given["token_type_ids"] = torch.tensor([kinds])
    with torch.no_grad():
        logits = network(**given).logits[0].numpy()
    return logits[np.array(pieces) == tokenizer.mask_token_id]


def framed(tokenizer: Any, question: Cloze) -> tuple[list[int], list[int]]:
    """The input a question stands for, written down by hand from the two papers (BERT, RoBERTa), and its kinds."""
    mask = tokenizer.mask_token_id
    copy = [mask if piece == MASKED else piece for piece in question.copy]
    opening, closing = tokenizer.cls_token_id, tokenizer.sep_token_id
    if not question.context:
        pieces = [opening, *copy, closing]
        return pieces, [0] * len(pieces)
    between = [closing] if tokenizer.cls_token == "[CLS]" else [closing, closing]
    first = [opening, *question.context, *between]
    return [*first, *copy, closing], [0] * len(first) + [1] * (len(copy) + 1)
