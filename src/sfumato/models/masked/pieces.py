"""The tokenizer of a masked model and its special pieces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError


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
    mask, padding, unknown = (_piece(tokenizer, names.get(f"{name}_token")) for name in ("mask", "pad", "unk"))
    named = {
        _piece(tokenizer, names.get(f"{name}_token")) for name in ("mask", "pad", "unk", "cls", "sep", "bos", "eos")
    }
    if mask is None:
        return None
    return Pieces(_bare(tokenizer), frozenset(special | (named - {None})), mask, padding or 0, unknown)


def _piece(tokenizer: Any, name: Any) -> Any:
    """Return the number of a piece that a settings file names, by itself or in a description; None for none."""
    content = name.get("content") if isinstance(name, dict) else name
    return tokenizer.token_to_id(content) if isinstance(content, str) else None


def _bare(tokenizer: Any) -> Any:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer
