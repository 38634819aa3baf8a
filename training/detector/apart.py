"""Packs weights as what they differ in from those of the package, which takes two thirds of the room in a wheel.

    python training/detector/apart.py trained/others.safetensors src/sfumato/data/identifiers-others.safetensors

The card is written beside them, with the hash of the weights that they differ from. Bytes wrap around; whatever is no
byte is kept whole. Run it after ``calibrating.py``, and pin the hash that it prints in the module of cards.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from sfumato.models.token_classifier.card import packaged
from sfumato.storage.digests import digest_of_weights


def main() -> None:
    """Pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("packed", type=Path)
    given = parser.parse_args()
    base, own = load_file(packaged()), load_file(given.weights)
    apart = {name: own[name] - base[name] if own[name].dtype == np.int8 else own[name] for name in own}
    save_file(apart, given.packed)
    card = json.loads(given.weights.with_suffix(".json").read_text())
    card |= {"sha256": digest_of_weights(given.packed), "base": digest_of_weights(packaged())}
    text = json.dumps(card, indent=2) + "\n"
    given.packed.with_suffix(".json").write_text(text)
    print(hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
