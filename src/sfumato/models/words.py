"""The pieces of a tokenizer that are whole words: the public candidates of a masked model."""

from __future__ import annotations

import json
from typing import Any

_FEW = 1000


def whole_words(tokenizer: Any, special: set[int]) -> dict[str, int]:
    """Return every word that is one piece of ``tokenizer`` (a ``tokenizers.Tokenizer``), in the order of the pieces.

    A word consists of letters, or of digits. Special pieces and continuation pieces do not count. Single letters
    other than "a" and "I" count only if there is little else (as in models for Chinese). The result depends on the
    tokenizer alone.
    """
    settings = json.loads(tokenizer.to_str())["model"]
    continues = settings.get("continuing_subword_prefix") or "##"
    spaced = settings["type"] != "WordPiece"  # BPE and Unigram mark a piece after a space
    piece_of: dict[str, int] = {}
    piece_of_letter: dict[str, int] = {}
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
        if not (word.isalpha() or word.isdecimal()) or word in piece_of:
            continue
        lone = len(word) == 1 and not word.isdecimal() and word not in "aAiI"
        (piece_of_letter if lone else piece_of)[word] = piece
    if len(piece_of) < _FEW:
        piece_of = dict(sorted({**piece_of, **piece_of_letter}.items(), key=lambda item: item[1]))
    # the tokenizer must read each word as this one piece
    spellings = list(piece_of)
    read = tokenizer.encode_batch([f" {word}" for word in spellings], add_special_tokens=False)
    encoded = zip(spellings, read, strict=True)
    return {word: piece_of[word] for word, encoding in encoded if encoding.ids == [piece_of[word]]}
