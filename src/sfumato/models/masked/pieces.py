"""The tokenizer of a masked model, its special pieces, and its whole words, which are the public candidates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError

_FEW = 1000


@dataclass(frozen=True, eq=False)
class Pieces:
    """A ``tokenizers.Tokenizer`` that reads text which looks like a special piece as text, and the special pieces.

    ``unknown`` is the piece of what the tokenizer cannot read, if there is one.
    """

    tokenizer: Any
    special: frozenset[int]
    mask: int
    padding: int
    unknown: int | None

    @classmethod
    def of_transformers(cls, tokenizer: Any) -> Pieces:
        """Return what a fast tokenizer of transformers holds."""
        special = frozenset(tokenizer.all_special_ids)
        padding = int(tokenizer.pad_token_id or 0)
        return cls(
            _bare(tokenizer.backend_tokenizer), special, tokenizer.mask_token_id, padding, tokenizer.unk_token_id
        )

    @property
    def marks(self) -> frozenset[int]:
        """Return the special pieces with a special meaning; the piece of what cannot be read does not count."""
        return self.special - {self.unknown}


def read_pieces(folder: Path) -> Pieces | None:
    """Return the tokenizer in ``folder``; None if it has no ``tokenizer.json``, or does not name its mask.

    Raise ConfigurationError if a file cannot be read.
    """
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        return None
    try:
        tokenizer = Tokenizer.from_file(str(path))
        names: dict[str, Any] = {}
        for further in ("special_tokens_map.json", "tokenizer_config.json"):
            if (folder / further).is_file():
                names.update(json.loads((folder / further).read_text(encoding="utf-8")))
        listed = json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
        special = {int(token["id"]) for token in listed if token["special"]}
    except Exception as error:  # the library raises whatever its parser does
        raise ConfigurationError(f"The tokenizer in {folder} cannot be loaded: {type(error).__name__}.") from None
    known = ("mask", "pad", "unk", "cls", "sep", "bos", "eos")
    mask, padding, unknown, *others = (_piece(tokenizer, names.get(f"{name}_token")) for name in known)
    if mask is None:
        return None
    special |= {mask, padding, unknown, *others} - {None}
    return Pieces(_bare(tokenizer), frozenset(special), mask, padding or 0, unknown)


def _piece(tokenizer: Any, name: Any) -> Any:
    """Return the number of a piece that a settings file names, by itself or in a description; None for none."""
    content = name.get("content") if isinstance(name, dict) else name
    return tokenizer.token_to_id(content) if isinstance(content, str) else None


def _bare(tokenizer: Any) -> Any:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


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
