"""Causal models too small to say anything, made in seconds: for the tests of what stands around a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
LINES = [
    "The old baker on the corner closed his shop last Friday.",
    "She told the bank that her card was stolen on the tram.",
    "Nobody in the street knows why the lights were out again.",
    "A train to the coast leaves every hour, even on Sundays.",
] * 3


def tokenizer(chat: bool = True) -> Any:
    """A byte-level BPE tokenizer of some 330 pieces; <|assistant|> is not marked as special."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    made.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        LINES,
        trainers.BpeTrainer(
            vocab_size=330, special_tokens=["<|end|>", "<|user|>"], initial_alphabet=alphabet, show_progress=False
        ),
    )
    made.add_tokens(["<|assistant|>"])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|end|>", pad_token="<|end|>", chat_template=TEMPLATE if chat else None
    )


def llama(**options: Any) -> Any:
    """A random Llama of two layers; a few more logits than pieces, as many models have."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(5)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(
        vocab_size=344, num_key_value_heads=2, max_position_embeddings=512, initializer_range=0.4, **sizes, **options
    )
    return LlamaForCausalLM(config)


def gpt2() -> Any:
    """A random GPT-2 of two layers."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(6)
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    return GPT2LMHeadModel(
        GPT2Config(vocab_size=344, n_positions=512, n_embd=32, n_layer=2, n_head=4, initializer_range=0.4, **ends)
    )


def saved(network: Any, folder: Path, chat: bool = True) -> Path:
    """``network`` and the tokenizer in ``folder``."""
    network.save_pretrained(folder)
    tokenizer(chat).save_pretrained(folder)
    return folder
