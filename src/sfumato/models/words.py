"""Which pieces of a tokenizer are whole words: the public candidates that a masked model may put into a text."""

from __future__ import annotations

import json
from typing import Any

_FEW = 1000


def whole_words(tokenizer: Any, special: set[int]) -> dict[str, int]:
    """Every word that is one piece of ``tokenizer`` (a ``tokenizers.Tokenizer``), in the order of the pieces.

    A word is made of letters, or of digits. Special and continuation pieces are none, and single letters but for
    "a" and "I" only where there is little else (as in models for Chinese). A function of the tokenizer alone.
    """
    settings = json.loads(tokenizer.to_str())["model"]
    continues = settings.get("continuing_subword_prefix") or "##"
    spaced = settings["type"] != "WordPiece"  # BPE and Unigram mark what follows a space
    found: dict[str, int] = {}
    single: dict[str, int] = {}
    for piece in range(tokenizer.get_vocab_size()):
        token = tokenizer.id_to_token(piece)
        if piece in special or token is None:
            continue
        if spaced:
            if token[:1] not in ("Ġ", "▁"):
                continue
            word = tokenizer.decode([piece]).strip()
        elif token.startswith(continues):
            continue
        else:
            word = token
        if not (word.isalpha() or word.isdecimal()) or word in found:
            continue
        lone = len(word) == 1 and not word.isdecimal() and word not in "aAiI"
        (single if lone else found)[word] = piece
    if len(found) < _FEW:
        found = dict(sorted({**found, **single}.items(), key=lambda item: item[1]))
    # a word must come back from the model's own reading, or it would not mean what it says
    words = list(found)
    read = tokenizer.encode_batch([f" {word}" for word in words], add_special_tokens=False)
    return {word: found[word] for word, encoding in zip(words, read, strict=True) if encoding.ids == [found[word]]}
